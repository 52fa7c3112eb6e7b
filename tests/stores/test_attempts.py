"""R12: `max_attempts` counts every attempt, including those of processes that were killed during a back-off."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from durable_lab import study
from durable_lab.attempts import again, kinds, message
from durable_lab.stores import Conflict, SQLiteStore, StoreError
from durable_lab.worker import work
from durable_lab.world import BooksError, Ledger, World
from solution import engine

STUDY = study.Study("solution", study.ROOT)


class Killed(BaseException):
    """The process dies here."""


class Clock(engine.SimulatedClock):
    """Dies in back-off `dies`, counted from 1 in this process; notes how long it slept."""

    def __init__(self, start: float, dies: int | None) -> None:
        super().__init__(start)
        self.dies, self.slept = dies, []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        super().sleep(seconds)
        if len(self.slept) == self.dies:
            raise Killed


class Declined(Exception):
    """The bank's last word."""


class Strict(Declined):
    """A class of it."""


class Desk:
    """An activity that is a method, and one that is an object."""

    def __init__(self, calls: list[Any]) -> None:
        self.calls = calls

    def charge(self, amount: int, *, idempotency_key: str) -> None:
        self.calls.append((amount, idempotency_key))
        raise OSError("not now")

    def __call__(self, amount: int) -> None:
        self.calls.append((amount, None))
        raise OSError("not now")


def run(store: SQLiteStore, workflow: Any, monkeypatch: Any, dies: int | None = None, start: float = 0.0) -> Any:
    """One worker process on the run. Returns its result (None if it was killed) and its clock."""
    clock = Clock(start, dies)
    monkeypatch.setattr(engine, "SystemClock", lambda: clock)
    try:
        return work(store, STUDY, "w", workflow, lambda point: None), clock
    except Killed:
        return None, clock


def charging(fn: Any, *args: Any, **policy: Any) -> Any:
    return lambda ctx, given: ctx.call_activity(fn, *args, retry=engine.RetryPolicy(**policy))


def test_r12_the_attempts_of_killed_processes_count(store: SQLiteStore, monkeypatch: Any) -> None:
    calls: list[Any] = []
    workflow = charging(Desk(calls).charge, 30, max_attempts=4)
    assert run(store, workflow, monkeypatch, dies=1)[0] is None
    result, clock = run(store, workflow, monkeypatch, dies=2, start=100.0)
    assert (result, clock.slept) == (None, [2.0, 4.0]), "the first back-off was over long ago"
    result, clock = run(store, workflow, monkeypatch, start=200.0)
    assert calls == [(30, "w/0")] * 4
    assert clock.slept == []
    (command,) = result.state.commands
    assert (command.name, command.error, result.status) == ("Desk.charge", "OSError: not now", "failed")
    assert [attempt.started_at for attempt in command.tries] == [0.0, 100.0, 102.0, 200.0], "the times that they had"
    assert store.load("w").to_json() == result.state.to_json()


def test_r12_a_run_that_is_killed_again_and_again_ends(store: SQLiteStore, monkeypatch: Any) -> None:
    calls: list[Any] = []
    workflow = charging(Desk(calls).charge, 30, max_attempts=3)
    results = [run(store, workflow, monkeypatch, dies=1, start=10.0 * i)[0] for i in range(6)]
    assert calls == [(30, "w/0")] * 3
    assert results[-1].status == "failed"


def test_r12_a_back_off_goes_on_where_the_kill_interrupted_it(store: SQLiteStore, monkeypatch: Any) -> None:
    workflow = charging(Desk([]).charge, 30, max_attempts=2, initial_interval=10.0)
    run(store, workflow, monkeypatch, dies=1)
    assert run(store, workflow, monkeypatch, start=4.0)[1].slept == [6.0]


def test_r12_all_attempts_used_before_the_kill_means_no_further_call(store: SQLiteStore, monkeypatch: Any) -> None:
    calls: list[Any] = []
    workflow = charging(Desk(calls).charge, 30, max_attempts=1)
    journal = store.journal

    def dies(workflow_id: str, signal_key: str | None = None) -> Any:
        def record(entry: Any) -> None:
            raise Killed

        return record

    monkeypatch.setattr(store, "journal", dies)
    assert run(store, workflow, monkeypatch)[0] is None
    monkeypatch.setattr(store, "journal", journal)
    assert run(store, workflow, monkeypatch)[0].status == "failed"
    assert len(calls) == 1


def test_r11_an_attempt_that_was_in_flight_at_the_kill_runs_again(store: SQLiteStore, monkeypatch: Any) -> None:
    calls = []

    def dies_at_first() -> str:
        calls.append(1)
        if len(calls) == 1:
            raise Killed
        return "done"

    workflow = charging(dies_at_first, max_attempts=1)
    assert run(store, workflow, monkeypatch)[0] is None
    assert run(store, workflow, monkeypatch)[0].value == "done"


@pytest.mark.parametrize("final", [Declined, "Declined", Strict, "Strict", Exception])
def test_r12_a_final_error_is_still_final_after_a_kill(store: SQLiteStore, monkeypatch: Any, final: Any) -> None:
    error = kinds(Strict("no money"))
    args = {"asked": ["charge", "[30]"], "kinds": error, "message": "no money", "started_at": 0.0, "ended_at": 1.0}
    store.keep_attempt("w", 0, args)

    def charge(amount: int) -> None:
        raise AssertionError("it was not to be called again")

    result, _ = run(store, charging(charge, 30, max_attempts=9, non_retryable=(final,)), monkeypatch)
    assert result.state.commands[0].error == "Strict: no money"
    assert len(result.state.commands[0].tries) == 1


@pytest.mark.parametrize("other", ["another amount", "another name", "another position"])
def test_attempts_count_for_their_own_command_only(store: SQLiteStore, monkeypatch: Any, other: str) -> None:
    calls: list[Any] = []
    desk = Desk(calls)
    run(store, charging(desk.charge, 30, max_attempts=2), monkeypatch, dies=1)

    def pay(amount: int) -> None:
        desk.charge(amount, idempotency_key="-")

    def later(ctx: Any, given: Any) -> Any:
        ctx.now()
        return ctx.call_activity(desk.charge, 30, retry=engine.RetryPolicy(max_attempts=2))

    changed = {
        "another amount": charging(desk.charge, 31, max_attempts=2),
        "another name": charging(pay, 30, max_attempts=2),
        "another position": later,
    }[other]
    result, _ = run(store, changed, monkeypatch, start=50.0)
    assert len(calls) == 3
    assert len(result.state.commands[-1].tries) == 2
    assert all(command.started_at >= 50.0 for command in result.state.commands), "nor do their times"


def test_attempts_of_a_command_that_is_recorded_are_forgotten(store: SQLiteStore, monkeypatch: Any) -> None:
    run(store, charging(Desk([]).charge, 30, max_attempts=2), monkeypatch)
    assert len(store.attempts("w", 0)) == 2
    run(store, charging(Desk([]).charge, 30, max_attempts=2), monkeypatch)
    assert store.attempts("w", 0) == []


def plain(amount: int) -> str:
    return f"plain {amount}"


FORMS: dict[str, Any] = {
    "a function": plain,
    "a method": Desk([]).charge,
    "an object": Desk([]),
    "a partial": partial(plain, 5),
    "a class": str,
    "a builtin": abs,
    "a method of a builtin": "x".__add__,
    "a lambda": lambda x: x,
}


@pytest.mark.parametrize("fn", FORMS.values(), ids=FORMS.keys())
def test_the_worker_records_what_the_engine_alone_records(store: SQLiteStore, fn: Any, monkeypatch: Any) -> None:
    args = () if isinstance(fn, partial) else ("y",) if fn == "x".__add__ else (7,)
    workflow = charging(fn, *args, max_attempts=2)
    alone = engine.DurableEngine(Clock(0.0, None)).run(workflow, store.load("w"))
    result, _ = run(store, workflow, monkeypatch)
    assert result.state.to_json() == alone.state.to_json()


@pytest.mark.parametrize("fn", [5, None, "pay", partial(plain, amount=5)])
def test_what_is_no_activity_is_refused_by_the_engine(store: SQLiteStore, fn: Any, monkeypatch: Any) -> None:
    with pytest.raises(TypeError):
        run(store, charging(fn), monkeypatch)


def test_the_context_hands_on_everything_else(store: SQLiteStore, monkeypatch: Any) -> None:
    def workflow(ctx: Any, given: Any) -> Any:
        return [ctx.workflow_id, ctx.now(), hasattr(ctx, "nothing"), given]

    assert run(store, workflow, monkeypatch, start=3.0)[0].value == ["w", 3.0, False, {"id": "A1"}]


def test_a_store_that_cannot_keep_an_attempt_stops_the_run_with_its_own_message(
    store: SQLiteStore, monkeypatch: Any
) -> None:
    def full(*args: Any) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(store, "keep_attempt", full)
    with pytest.raises(StoreError, match="the disk is full"):
        run(store, charging(Desk([]).charge, 30), monkeypatch)
    assert store.load("w").commands == []


def test_a_worker_that_is_late_keeps_no_attempt(store: SQLiteStore, path: Path, monkeypatch: Any) -> None:
    with SQLiteStore(path, engine=engine) as other:

        def overtaken() -> None:
            other.load("w")
            other.journal("w")(engine.Command("now", "now", value=1.0))
            raise OSError("not now")

        with pytest.raises(Conflict):
            run(store, charging(overtaken), monkeypatch)
        assert other.attempts("w", 0) == []


def test_books_that_fail_are_no_outcome_of_an_activity(store: SQLiteStore, tmp_path: Path, monkeypatch: Any) -> None:
    world = World(tmp_path / "world.db", of=store)

    def workflow(ctx: Any, given: Any) -> Any:
        world.ledger._db.execute("PRAGMA query_only=1")
        try:
            return ctx.call_activity(world.pay_back, "A1", 30)
        except engine.ActivityError:
            return "we could not pay"

    with pytest.raises(BooksError, match=r"world\.db: it may not be written"):
        run(store, workflow, monkeypatch)
    assert (store.run("w").status, store.load("w").commands, store.attempts("w", 0)) == ("running", [], [])
    world.ledger.close()


def test_a_world_without_books_of_its_own_fails_as_activities_do(store: SQLiteStore, monkeypatch: Any) -> None:
    """A bank that is down is an outcome."""
    ledger = Ledger(store.path.with_name("w.db"))
    world = World(store.path.with_name("v.db"), fails=9)
    result, _ = run(store, charging(world.pay_back, "A1", 30, max_attempts=2), monkeypatch)
    assert result.state.commands[0].error == "ConnectionError: the bank is busy (call 2)"
    ledger.close()
    world.ledger.close()


class Needy(Exception):
    """Cannot be made without arguments."""

    def __new__(cls, code: int) -> Needy:
        return super().__new__(cls, code)


ERRORS = [
    OSError(2, "No such file"),
    KeyError("k"),
    UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"),
    Strict("no money"),
    Needy(3),
    ExceptionGroup("several", [ValueError("x")]),
    TimeoutError(),
    type("Local", (ConnectionError,), {"__module__": "of.another.process"})("gone"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_that_is_raised_again_has_the_same_name_message_and_classes(error: Exception) -> None:
    raised = again(kinds(error), message(error))
    assert (type(raised).__name__, str(raised)) == (type(error).__name__, str(error))
    names = [cls.__name__ for cls in type(raised).__mro__]
    own = [cls for cls in type(error).__mro__ if issubclass(cls, Exception)]
    assert [cls.__name__ for cls in own if cls.__name__ not in names] == []
    importable = [cls for cls in own if cls.__module__ in ("builtins", __name__)]
    if not isinstance(error, (Needy, ExceptionGroup)):
        assert all(isinstance(raised, cls) for cls in importable)
