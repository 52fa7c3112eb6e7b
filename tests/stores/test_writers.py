"""Many writers on one file: none is refused, nothing is lost, and two writers never both win."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from durable_lab.stores import Conflict, SQLiteStore
from solution import engine
from solution.engine import Signal


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Run `work(0)` ... `work(count - 1)` at the same time; the first error is raised here."""
    errors: list[BaseException] = []
    gate = Barrier(count, timeout=60)

    def guarded(i: int) -> None:
        try:
            gate.wait()
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def seqs(path: Path) -> dict[str, list[int]]:
    db = sqlite3.connect(path)
    rows = db.execute("SELECT workflow_id, seq FROM history ORDER BY workflow_id, seq").fetchall()
    db.close()
    by_run: dict[str, list[int]] = {}
    for workflow_id, seq in rows:
        by_run.setdefault(workflow_id, []).append(seq)
    return by_run


def test_eight_threads_with_100_signals_each_for_one_run_make_800_rows_without_a_gap(path: Path) -> None:
    def work(i: int) -> None:
        with SQLiteStore(path, engine=engine) as store:  # all of them find no file at first
            store.start("w", "refund", None)
            journal = store.journal("w")
            for k in range(100):
                journal(Signal(f"s{i}", k, 0.0))

    in_threads(8, work)
    assert seqs(path) == {"w": list(range(800))}
    with SQLiteStore(path, engine=engine) as store:
        signals = store.load("w").signals
    for i in range(8):
        assert [s.payload for s in signals if s.name == f"s{i}"] == list(range(100)), "each writer's own order is kept"


def test_eight_threads_with_100_commands_each_for_a_run_of_their_own(path: Path, command: Any) -> None:
    def work(i: int) -> None:
        with SQLiteStore(path, engine=engine) as store:
            store.start(f"w{i}", "refund", i)
            journal = store.journal(f"w{i}")
            for k in range(100):
                assert journal(command(k)) == k

    in_threads(8, work)
    assert seqs(path) == {f"w{i}": list(range(100)) for i in range(8)}


def test_of_eight_workers_at_one_position_exactly_one_wins(path: Path, command: Any) -> None:
    rounds, winners = 20, []

    def work(i: int) -> None:
        with SQLiteStore(path, engine=engine) as store:
            store.start("w", "refund", None)
            for k in range(rounds):
                store.load("w")
                journal = store.journal("w")
                gate.wait()
                try:
                    winners.append((journal(command(i)), i))
                except Conflict:
                    pass
                gate.wait()
                assert len(store.load("w").commands) == k + 1

    gate = Barrier(8, timeout=60)  # where one thread fails, the others do not wait for ever
    in_threads(8, work)
    assert sorted(seq for seq, _ in winners) == list(range(rounds))
    with SQLiteStore(path, engine=engine) as store:
        assert [c.value for c in store.load("w").commands] == [i for _, i in sorted(winners)]


def test_a_second_worker_on_the_same_history_is_refused(store: SQLiteStore, path: Path, command: Any) -> None:
    with SQLiteStore(path, engine=engine) as other:
        store.load("w")
        other.load("w")
        stalled, going = store.journal("w"), other.journal("w")
        going(command("theirs"))
        for _ in range(2):
            with pytest.raises(Conflict) as caught:
                stalled(command("ours"))
        for part in (str(path), "'w'", "seq 0", "load"):
            assert part in str(caught.value)
        assert going(command("more")) == 1
    assert [c.value for c in store.load("w").commands] == ["theirs", "more"]


def test_a_journal_belongs_to_what_was_loaded_not_to_what_is_there_now(
    store: SQLiteStore, path: Path, command: Any
) -> None:
    store.load("w")
    with SQLiteStore(path, engine=engine) as other:
        other.journal("w")(command("theirs"))
    with pytest.raises(Conflict):
        store.journal("w")(command("ours"))
    store.load("w")
    assert store.journal("w")(command("ours")) == 1


def test_a_signal_that_came_in_between_does_not_stop_the_worker(store: SQLiteStore, path: Path, command: Any) -> None:
    store.load("w")
    journal = store.journal("w")
    assert journal(command(0)) == 0
    with SQLiteStore(path, engine=engine) as other:
        for i in range(3):
            other.journal("w")(Signal("go", i, 0.0))
    assert journal(command(1)) == 4
    assert journal(command(2)) == 5
    assert [type(r).__name__[0] for r in store.records("w")] == list("CSSSCC")


def test_a_command_behind_a_signal_is_still_a_conflict(store: SQLiteStore, path: Path, command: Any) -> None:
    store.load("w")
    journal = store.journal("w")
    with SQLiteStore(path, engine=engine) as other:
        theirs = other.journal("w")
        theirs(Signal("go", 1, 0.0))
        theirs(command("theirs"))
        theirs(Signal("go", 2, 0.0))
    with pytest.raises(Conflict):
        journal(command("ours"))


def test_a_signal_of_ones_own_does_not_hide_the_command_of_another_worker(
    store: SQLiteStore, path: Path, command: Any
) -> None:
    store.load("w")
    journal = store.journal("w")
    with SQLiteStore(path, engine=engine) as other:
        other.journal("w")(command("theirs"))
    assert journal(Signal("go", 1, 0.0)) == 1, "a signal goes to the end, whatever is there"
    with pytest.raises(Conflict):
        journal(command("ours"))
    assert [r.name for r in store.records("w")] == ["step", "go"]


def test_a_conflict_stops_the_run_and_reaches_the_caller(store: SQLiteStore, path: Path) -> None:
    ran: list[str] = []

    def careless(ctx: engine.Context, given: Any) -> str:
        for name in ("a", "b", "c"):
            try:
                ctx.call_activity(ran.append, name)
            except Exception:
                pass
        return "done"

    state = store.load("w")
    journal = store.journal("w")
    with SQLiteStore(path, engine=engine) as other:
        engine.DurableEngine(journal=other.journal("w")).run(careless, other.load("w"))
    with pytest.raises(Conflict):
        engine.DurableEngine(journal=journal).run(careless, state)
    assert ran == ["a", "b", "c", "a"], "the second worker did one thing, and its result did not count"
    assert len(store.load("w").commands) == 3


def test_a_reader_does_not_hold_up_a_writer(store: SQLiteStore, path: Path, command: Any) -> None:
    reader = sqlite3.connect(path)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM history").fetchone() == (0,)
    assert store.journal("w")(command(1)) == 0
    assert reader.execute("SELECT count(*) FROM history").fetchone() == (0,)
    reader.close()


def test_a_store_that_another_process_is_just_making_is_waited_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two that switch to the write-ahead log at once, SQLite sends one away without waiting."""
    SQLiteStore(path, engine=engine).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA journal_mode=DELETE")  # as it is for a moment when the file is new
    other.execute("BEGIN IMMEDIATE")
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        other.close()

    monkeypatch.setattr("durable_lab.stores.database.time.sleep", sleep)
    with SQLiteStore(path, engine=engine) as store:
        store.start("w", "refund", None)
    assert len(waits) == 1
