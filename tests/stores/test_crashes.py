"""The process dies, or the disk is full, at any moment: acknowledged records are kept, and the run continues."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from durable_lab.stores import SQLiteStore, StoreError
from solution import engine
from solution.engine import ActivityError, Context, DurableEngine, RetryPolicy, SimulatedClock

APPENDER = """
import sys
from durable_lab.stores import SQLiteStore
from solution import engine
from solution.engine import Attempt, Command
store = SQLiteStore(sys.argv[1], synchronous=sys.argv[2], engine=engine)
store.start("w", "refund", None)
seq = len(store.load("w").commands)
journal = store.journal("w")
while True:
    record = Command("activity", "step", [seq], True, "x" * (seq % 7 * 1000), None, (Attempt(0.0, 1.0),), 0.0, 1.0)
    seq = journal(record)
    print(seq, flush=True)
    seq += 1
"""


@pytest.mark.parametrize("synchronous", ["FULL", "NORMAL"])
def test_kill_9_at_a_random_moment_loses_nothing_acknowledged(path: Path, process: Any, synchronous: str) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    luck = random.Random(seed)
    acknowledged = -1
    for _ in range(6):  # each worker goes on where the last one died
        child = process(APPENDER, path, synchronous)
        for _ in range(luck.choice([1, 2, 3, 50, luck.randrange(4, 700)])):
            acknowledged = int(child.stdout.readline())
        for _ in range(luck.randrange(2000)):  # a moment of any length
            pass
        os.kill(child.pid, signal.SIGKILL)
        for line in child.stdout:  # what it had said, but we had not read
            if line.endswith("\n"):
                acknowledged = int(line)
        assert child.wait() == -signal.SIGKILL
        with SQLiteStore(path, engine=engine) as store:
            commands = store.load("w").commands
        assert [c.args for c in commands] == [[i] for i in range(len(commands))]
        assert [len(c.value) for c in commands] == [i % 7 * 1000 for i in range(len(commands))]
        assert acknowledged + 1 <= len(commands) <= acknowledged + 2, "at most one was durable and not yet said to be"


CREATOR = """
import sys
from durable_lab.stores import SQLiteStore
from solution import engine
print("go", flush=True)
SQLiteStore(sys.argv[1], engine=engine)
print("made", flush=True)
"""


def test_kill_9_while_the_file_is_made_leaves_one_that_can_be_used(tmp_path: Path, process: Any) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    luck = random.Random(seed)
    for i in range(6):
        path = tmp_path / f"{i}.db"
        child = process(CREATOR, path)
        child.stdout.readline()
        for _ in range(luck.randrange(100_000)):
            pass
        child.kill()
        child.wait()
        with SQLiteStore(path, engine=engine) as store:
            store.start("w", "refund", None)
            assert store.load("w").commands == []


class Crash(BaseException):
    """The process dies here."""


def story(calls: list[str]) -> Callable[[Context, Any], Any]:
    """A workflow with every kind of command, one of them a failure after two attempts."""

    def step(name: str) -> str:
        calls.append(name)
        return f"{name} é\0"

    def fail(*, idempotency_key: str) -> None:
        calls.append(idempotency_key)
        raise OSError("no luck")

    def workflow(ctx: Context, order: dict[str, Any]) -> Any:
        first = ctx.call_activity(step, "a")
        at = ctx.now()
        try:
            ctx.call_activity(fail, retry=RetryPolicy(max_attempts=2, initial_interval=0.0))
        except ActivityError as error:
            caught = str(error)
        approved = ctx.wait_signal("approval")
        return [first, at, caught, approved, ctx.call_activity(step, order["id"]), ctx.now()]

    return workflow


def work(path: Path, calls: list[str], faults: Callable[[Callable[[Any], Any]], Callable[[Any], Any]]) -> Any:
    """What one process does, from nothing but the file: deliver the approval, run, note how it ended."""
    with SQLiteStore(path, synchronous="NORMAL", engine=engine) as store:
        store.start("w", "story", {"id": "A1"})
        clock = SimulatedClock(1000.0)
        deliver = DurableEngine(clock=clock, journal=faults(store.journal("w", signal_key="Ana's click")))
        deliver.signal(store.load("w"), "approval", {"by": "Ana"})
        state = store.load("w")
        store.begin("w", "solution", clock.now())
        result = DurableEngine(clock=clock, journal=faults(store.journal("w"))).run(story(calls), state)
        store.finish("w", result.status)
        assert store.load("w").to_json() == result.state.to_json(), "what the run has is what the file has"
        return result


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("at", range(7))
def test_a_run_that_crashed_at_any_record_and_resumed_equals_one_that_did_not(
    tmp_path: Path, at: int, when: str
) -> None:
    expected = work(tmp_path / "whole.db", [], lambda journal: journal)
    assert expected.status == "completed"
    assert len(expected.state.commands) + len(expected.state.signals) == 7

    written = 0

    def dies(journal: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def record(entry: Any) -> None:
            nonlocal written
            if written == at and when == "before":
                raise Crash
            if journal(entry) is not None:
                written += 1
            if written == at + 1 and when == "after":
                raise Crash

        return record

    calls: list[str] = []
    with pytest.raises(Crash):
        work(tmp_path / "runs.db", calls, dies)
    resumed = work(tmp_path / "runs.db", calls, lambda journal: journal)
    assert resumed.value == expected.value
    assert resumed.state.to_json() == expected.state.to_json()
    in_flight = {1: 1, 3: 2, 5: 1}.get(at, 0) if when == "before" else 0  # attempts done, and not recorded
    assert len(calls) == 4 + in_flight


def test_a_full_disk_ends_the_run_with_a_good_history_and_it_goes_on_once_there_is_space(
    store: SQLiteStore, path: Path
) -> None:
    done: list[int] = []

    def workflow(ctx: Context, given: Any) -> str:
        for i in range(100):
            try:
                ctx.call_activity(big, i)
            except Exception:  # a careless workflow cannot talk the disk out of it
                pass
        return "done"

    def big(i: int) -> str:
        done.append(i)
        return str(i) * 5000

    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count={pages + 25}")  # SQLite's own word for a disk of that size
    with pytest.raises(StoreError) as caught:
        DurableEngine(journal=store.journal("w")).run(workflow, store.load("w"))
    for part in (str(path), "disk is full", "good up to its last record", "Free some space", "resume"):
        assert part in str(caught.value)
    kept = store.load("w").commands
    assert 0 < len(kept) < 100
    assert done == list(range(len(kept) + 1)), "the activity whose record did not fit was the last one to run"

    store._db.execute("PRAGMA max_page_count=1000000")
    result = DurableEngine(journal=store.journal("w")).run(workflow, store.load("w"))
    assert result.status == "completed"
    assert done == [*range(len(kept) + 1), *range(len(kept), 100)]
    assert store.load("w").to_json() == result.state.to_json()
    assert [c.value for c in result.state.commands] == [str(i) * 5000 for i in range(100)]


def test_a_full_disk_at_any_other_moment_is_reported_too(store: SQLiteStore) -> None:
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count={pages}")
    text = "x" * 10_000
    for write in (
        lambda: store.start("v", "refund", text),
        lambda: store.begin("w", text, 0.0),
        lambda: store.finish("w", "failed", text),
        lambda: store.journal("w")(engine.Signal("go", text, 0.0)),
    ):
        with pytest.raises(StoreError, match="disk is full"):
            write()
    assert [(run.workflow_id, run.status, run.sessions) for run in store.runs()] == [("w", "running", ())]
    store._db.execute("PRAGMA max_page_count=1000000")
    assert store.begin("w", text, 0.0).number == 1, "no transaction was left open"


LIMITED = """
import resource, sys
from durable_lab.stores import SQLiteStore, StoreError
from solution import engine
from solution.engine import Command
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    store = SQLiteStore(sys.argv[1], engine=engine)
    store.start("w", "refund", None)
    journal = store.journal("w")
    while True:
        seq = journal(Command("now", "now", [], True, "x" * 1000))
        print(seq, flush=True)
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no RLIMIT_FSIZE")
@pytest.mark.parametrize("limit", [10_000, 45_000, 100_000, 300_001])
def test_a_file_that_may_not_grow_keeps_all_that_was_acknowledged(path: Path, process: Any, limit: int) -> None:
    child = process(LIMITED, path, limit)
    *acknowledged, said = child.communicate()[0].splitlines()
    assert child.returncode == 0
    assert acknowledged == [str(i) for i in range(len(acknowledged))]
    for part in (str(path), "disk is full", "good up to its last record"):
        assert part in said
    with SQLiteStore(path, engine=engine) as store:
        store.start("w", "refund", None)
        assert len(store.load("w").commands) == len(acknowledged)
        assert store.journal("w")(engine.Signal("go", "there is space again", 0.0)) == len(acknowledged)


def test_a_process_killed_while_it_moves_the_log_into_the_file_loses_nothing(tmp_path: Path) -> None:
    live, copy = tmp_path / "live.db", tmp_path / "copy.db"
    with SQLiteStore(live, engine=engine) as store:
        store.start("w", "refund", None)
        journal = store.journal("w")
        for i in range(60):
            journal(engine.Signal("go", "x" * 1000, float(i)))
        before, log = live.read_bytes(), Path(f"{live}-wal").read_bytes()
    after = live.read_bytes()
    assert len(after) > len(before)
    copy.write_bytes(after[:4096] + before[4096:])  # the first page says how long the file will be, and it is not
    Path(f"{copy}-wal").write_bytes(log)
    with SQLiteStore(copy, engine=engine) as store:
        assert [s.received_at for s in store.load("w").signals] == list(range(60))


def test_a_process_killed_while_it_writes_the_first_pages_leaves_a_file_that_can_be_used(path: Path) -> None:
    SQLiteStore(path, engine=engine).close()
    path.write_bytes(path.read_bytes()[:4096])
    sizes = (0, 1, 0, 512, 4096)  # records in it, a number used once, pages before, sector, page
    header = bytes.fromhex("d9d505f920a163d7") + b"".join(n.to_bytes(4, "big") for n in sizes)
    Path(f"{path}-journal").write_bytes(header.ljust(512, b"\0"))  # SQLite's note that the file was empty before
    with SQLiteStore(path, engine=engine) as store:
        store.start("w", "refund", None)
        assert store.load("w").commands == []
