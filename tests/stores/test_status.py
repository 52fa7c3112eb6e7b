"""The status of a run is written only by the worker that has seen its newest history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from durable_lab import study
from durable_lab.stores import Conflict, SQLiteStore, StoreError
from durable_lab.worker import deliver, work
from solution import engine

STUDY = study.Study("solution", study.ROOT)


def nothing(point: str) -> None:
    """No fault is planned."""


def story(ctx: Any, given: Any) -> Any:
    ctx.call_activity(ask)
    answer = ctx.wait_signal("approval")
    return [answer, ctx.call_activity(ask)]


def ask() -> int:
    return 1


@pytest.fixture
def late(path: Path, store: SQLiteStore) -> Iterator[SQLiteStore]:
    """Another worker's store on the same file."""
    with SQLiteStore(path, engine=engine) as opened:
        yield opened


def completed(store: SQLiteStore) -> None:
    """Another worker brings the run to its end."""
    work(store, STUDY, "w", story, nothing)
    deliver(store, STUDY, "w", "approval", "yes", nothing)
    assert work(store, STUDY, "w", story, nothing).status == "completed"


def test_a_worker_that_loaded_before_the_end_may_not_begin(store: SQLiteStore, late: SQLiteStore) -> None:
    late.load("w")
    completed(store)
    with pytest.raises(Conflict):
        late.begin("w", "late", 0.0)
    assert (store.run("w").status, len(store.run("w").sessions)) == ("completed", 2)


@pytest.mark.parametrize(("status", "detail"), [("blocked", "approval"), ("failed", "x"), ("completed", None)])
def test_a_worker_that_began_before_the_end_may_not_write_how_it_left_the_run(
    store: SQLiteStore, late: SQLiteStore, status: str, detail: str | None
) -> None:
    late.load("w")
    late.begin("w", "late", 0.0)
    completed(store)
    before = store.run("w")
    with pytest.raises(Conflict):
        late.finish("w", status, detail)
    assert store.run("w") == before


def test_an_older_session_does_not_undo_the_end_that_a_newer_one_found(store: SQLiteStore, late: SQLiteStore) -> None:
    store.journal("w")(engine.Command("now", "now", value=1.0))
    for each in (late, store):
        each.load("w")
        each.begin("w", "worker", 0.0)
    store.finish("w", "failed", "the truth")
    late.finish("w", "blocked", "approval")
    assert (store.run("w").status, store.run("w").detail) == ("failed", "the truth")


def test_an_older_session_tells_how_it_left_a_run_that_the_newer_one_died_at(
    store: SQLiteStore, late: SQLiteStore
) -> None:
    for each in (late, store):
        each.load("w")
        each.begin("w", "worker", 0.0)
    late.journal("w")(engine.Command("now", "now", value=1.0))
    late.finish("w", "completed")
    assert store.run("w").status == "completed"


def test_a_signal_that_comes_in_meanwhile_makes_no_worker_late(store: SQLiteStore, late: SQLiteStore) -> None:
    late.load("w")
    late.begin("w", "worker", 0.0)
    deliver(store, STUDY, "w", "approval", "yes", nothing)
    late.finish("w", "blocked", "other")
    assert store.run("w").status == "blocked"


def test_a_run_that_has_ended_stays_so_while_an_engine_that_cannot_run_looks_at_it(store: SQLiteStore) -> None:
    completed(store)

    def unfinished(ctx: Any, given: Any) -> Any:
        raise NotImplementedError("TODO")

    for ending in (unfinished, lambda ctx, given: ctx.call_activity(lambda: 1), lambda ctx, given: 2):
        try:
            work(store, STUDY, "w", ending, nothing)
        except NotImplementedError:
            pass
        assert store.run("w").status == "completed"
    assert len(store.run("w").sessions) == 5, "the sessions are told all the same"


def test_a_run_that_failed_stays_so_until_a_worker_finds_another_end(store: SQLiteStore) -> None:
    def bad(ctx: Any, given: Any) -> Any:
        raise RuntimeError("bad")

    def broken(ctx: Any, given: Any) -> Any:
        raise ZeroDivisionError

    assert work(store, STUDY, "w", bad, nothing).status == "failed"
    with pytest.raises(ZeroDivisionError):
        work(store, STUDY, "w", broken, nothing)
    assert (store.run("w").status, store.run("w").detail) == ("failed", "RuntimeError: bad")
    assert work(store, STUDY, "w", story, nothing).status == "blocked", "the workflow was corrected"
    assert store.run("w").status == "blocked"


# ------------------------------------------------------------ what is kept can be read again

SURROGATE = "caf\udce9"


def test_a_lone_surrogate_in_an_error_is_kept_escaped_and_the_run_has_failed(store: SQLiteStore) -> None:
    def read() -> None:
        raise OSError(f"no file {SURROGATE}")

    once = engine.RetryPolicy(max_attempts=1)
    work(store, STUDY, "w", lambda ctx, given: ctx.call_activity(read), nothing, retry=once)
    run = store.run("w")
    assert (run.status, run.detail) == (
        "failed",
        r"ActivityError: read failed (attempts: 1): OSError: no file caf\udce9",
    )
    assert store.load("w").commands[0].error == f"OSError: no file {SURROGATE}", "the record is exact"


def test_a_lone_surrogate_anywhere_is_kept_escaped_or_refused_with_a_message(store: SQLiteStore) -> None:
    assert store.begin("w", SURROGATE, 0.0).engine == store.run("w").sessions[0].engine == r"caf\udce9"
    store.finish("w", "blocked", SURROGATE)
    assert store.run("w").detail == r"caf\udce9"
    assert store.journal("w", SURROGATE)(engine.Signal(SURROGATE, SURROGATE, 0.0)) == 0
    assert store.journal("w", SURROGATE)(engine.Signal(SURROGATE, SURROGATE, 0.0)) is None
    assert (
        store.journal("w")(engine.Command("activity", SURROGATE, [SURROGATE], error=f"E: {SURROGATE}", ok=False)) == 1
    )
    store.keep_attempt("w", 1, {"message": SURROGATE})
    assert store.attempts("w", 1) == [{"message": SURROGATE}]
    assert store.load("w").commands[0].name == SURROGATE
    store.start("v", SURROGATE, SURROGATE)
    store.start("v", SURROGATE, SURROGATE)
    assert (store.run("v").workflow, store.run("v").input) == (r"caf\udce9", SURROGATE)
    for refused in (
        lambda: store.start(SURROGATE, "refund", None),
        lambda: store.run(SURROGATE),
        lambda: store.load(SURROGATE),
        lambda: store.journal(SURROGATE),
        lambda: store.begin(SURROGATE, "solution", 0.0),
        lambda: store.finish(SURROGATE, "failed"),
        lambda: store.finish("w", SURROGATE),
    ):
        with pytest.raises(StoreError, match=r"caf\\udce9"):
            refused()
    assert [run.workflow_id for run in store.runs()] == ["w", "v"]


def cyclic() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def nested(depth: int) -> Any:
    made: Any = 1
    for _ in range(depth):
        made = [made]
    return made


ATTEMPT = engine.Attempt(0.0, 1.0)
UNREADABLE = [
    engine.Signal(5, 1, 0.0),  # type: ignore[arg-type]
    engine.Signal(None, 1, 0.0),  # type: ignore[arg-type]
    engine.Signal(("a", "b"), 1, 0.0),  # type: ignore[arg-type]
    engine.Signal("go", 1, None),  # type: ignore[arg-type]
    engine.Signal("go", 1, True),
    engine.Signal("go", 1, float("nan")),
    engine.Signal("go", 1, "today"),  # type: ignore[arg-type]
    engine.Signal("go", nested(100_000), 0.0),
    engine.Signal("go", nested(970), 0.0),
    engine.Signal("go", cyclic(), 0.0),
    engine.Command(3, "step"),  # type: ignore[arg-type]
    engine.Command("activity", 3),  # type: ignore[arg-type]
    engine.Command("activity", None),  # type: ignore[arg-type]
    engine.Command("activity", "step", "args"),  # type: ignore[arg-type]
    engine.Command("activity", "step", {"a": 1}),  # type: ignore[arg-type]
    engine.Command("activity", "step", ok=1),  # type: ignore[arg-type]
    engine.Command("activity", "step", ok=None),  # type: ignore[arg-type]
    engine.Command("activity", "step", error=ValueError("x")),  # type: ignore[arg-type]
    engine.Command("activity", "step", error=5),  # type: ignore[arg-type]
    engine.Command("activity", "step", started_at=None),  # type: ignore[arg-type]
    engine.Command("activity", "step", ended_at="now"),  # type: ignore[arg-type]
    engine.Command("activity", "step", ended_at=float("inf")),
    engine.Command("activity", "step", ended_at=False),
    engine.Command("activity", "step", tries=None),  # type: ignore[arg-type]
    engine.Command("activity", "step", tries=(1,)),  # type: ignore[arg-type]
    engine.Command("activity", "step", tries=({"error": None},)),  # type: ignore[arg-type]
    engine.Command("activity", "step", tries=(engine.Attempt(None, 1.0),)),  # type: ignore[arg-type]
    engine.Command("activity", "step", tries=(engine.Attempt(0.0, 1.0, 5),)),  # type: ignore[arg-type]
    engine.Command("activity", "step", tries=ATTEMPT),  # type: ignore[arg-type]
    engine.Command("activity", "step", value=nested(970)),
    engine.Command("activity", "step", value=10**5000),
    engine.Command("activity", "step", ok=True, error="E: x"),
    engine.Command("activity", "step", ok=False),
    engine.Command("activity", "step", ok=False, value=0, error="E: x"),
    ATTEMPT,
    None,
    "record",
]


@pytest.mark.parametrize("record", UNREADABLE, ids=range(len(UNREADABLE)))
def test_a_record_that_could_not_be_read_again_is_refused(store: SQLiteStore, record: Any) -> None:
    with pytest.raises(StoreError, match=r"cannot be kept.*\(R5\)"):
        store.journal("w")(record)
    assert store.records("w") == []


READABLE = [
    engine.Signal("go", nested(90), 1),
    engine.Signal("", None, -1e300),
    engine.Command("activity", "step", [{"a": [1]}], tries=(ATTEMPT, engine.Attempt(1, 2, "E: x"))),
    engine.Command("activity", "step", [[{}]] * 500, value={"k": 10**300}),
    engine.Command("activity", "step", ok=False, error=""),
]


@pytest.mark.parametrize("record", READABLE, ids=range(len(READABLE)))
def test_a_record_that_can_be_read_again_is_kept_as_it_is(store: SQLiteStore, record: Any) -> None:
    store.journal("w")(record)
    assert store.records("w") == [record]


@pytest.mark.parametrize("value", [None, "today", float("nan"), float("inf"), True, [1]])
def test_a_time_of_a_worker_that_is_no_number_is_refused(store: SQLiteStore, value: Any) -> None:
    with pytest.raises(StoreError, match="must be a number"):
        store.begin("w", "solution", value)
    assert store.run("w").sessions == ()


@pytest.mark.parametrize("value", [None, 5, b"refund", ["refund"]])
def test_names_that_are_not_strings_are_refused_with_a_message(store: SQLiteStore, value: Any) -> None:
    for use in (
        lambda: store.start("v", value, None),
        lambda: store.start(value, "refund", None),
        lambda: store.run(value),
        lambda: store.load(value),
        lambda: store.finish("w", value),
    ):
        with pytest.raises(StoreError) as caught:
            use()
        assert "thread" not in str(caught.value)
    if value is not None:
        with pytest.raises(StoreError, match="must be a string"):
            store.journal("w", value)
        with pytest.raises(StoreError, match="string"):
            store.finish("w", "blocked", value)
    assert [run.workflow_id for run in store.runs()] == ["w"]


def test_an_error_that_is_no_string_is_kept_as_one(store: SQLiteStore) -> None:
    store.finish("w", "failed", ValueError("an engine under study returns odd things"))
    assert store.run("w").detail == "an engine under study returns odd things"
