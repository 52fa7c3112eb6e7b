"""The sandbox changes no verdict of the 14 tests."""

import tempfile
from pathlib import Path

import pytest

from durable_lab.source import replace_function
from grader.checker import suite
from grader.checker.examinee import Examinee
from grader.checker.rpc.peer import Ended
from grader.checker.worker_process import Worker
from grader.dev.bank import Judge, entries

# Wrong in ways that a border between two processes could hide: values by reference, states changed in place ...
SUBTLE = [
    "a_payload_is_handed_out_by_reference", "arguments_are_recorded_by_reference", "attempts_share_their_arguments",
    "activities_write_into_the_workflows_variables", "non_retryable_forgets_subclasses", "a_wait_can_be_swallowed",
    "non_retryable_names_are_not_understood", "now_reads_the_wall_clock", "replayed_failure_is_another_exception",
    "replayed_values_are_handed_out_by_reference", "run_shares_the_list_of_commands", "run_works_on_the_given_state",
    "signal_changes_the_given_state", "signal_keeps_the_callers_payload", "signal_shares_the_list_of_signals",
    "the_guard_takes_1_for_1_0", "the_workflow_gets_the_states_own_input", "values_are_handed_out_by_reference",
]  # fmt: skip
pytestmark = pytest.mark.usefixtures("bubblewrap")
ENTRIES = [*entries("right"), *(entry for entry in entries("wrong") if entry.path.stem in SUBTLE)]


@pytest.fixture(scope="module")
def judge():
    with Judge() as judge:
        yield judge


def failed(source, **options):
    with Examinee(source, **options) as examinee:
        said = suite.run(examinee.fresh, suite.public())
    assert len(said) == 14
    return {name for name, error in said.items() if error is not None}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.path.stem)
@pytest.mark.long(every=48)
def test_the_border_changes_no_verdict(entry, judge):
    with tempfile.TemporaryDirectory() as folder:
        want = {*judge.verdict(entry.source(), Path(folder, "w")).failed}
    assert failed(entry.source()) == want
    assert bool(want) == (entry.path.parent.name == "wrong")


def test_the_list_above_is_in_the_bank():
    assert {entry.path.stem for entry in ENTRIES} >= {*SUBTLE}


def test_without_a_sandbox_the_verdict_is_the_same():
    assert failed(ENTRIES[0].source(), isolated=False) == set()


REFERENCE = (suite.ROOT / "solution" / "engine.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import os; os._exit(0)", "ended"),
        ("def", "invalid syntax"),
        ("import nothing_like_that", "nothing_like_that"),
        ("raise SystemExit('bye')", "bye"),
        ("x = bytearray(1 << 40)", ""),
    ],
    ids=["exit", "syntax", "import", "SystemExit", "memory"],
)
def test_an_engine_that_cannot_be_imported_fails_all_14(code, why):
    with Examinee(f"{REFERENCE}\n{code}") as examinee:
        said = suite.run(examinee.fresh, suite.public())
    assert all(error is not None for error in said.values())
    assert why in str(next(iter(said.values())))


def with_now(body):
    """The reference, with this in the place of what `ctx.now()` does."""
    return replace_function(REFERENCE, "Context.now", f"    def now(self):\n        {body}")


def test_an_engine_that_does_not_come_back_is_lost():
    with Worker(seconds=0.5) as worker:
        m = worker.start(with_now("while True: pass"))
        with pytest.raises(Ended, match="did not return within"):
            m.DurableEngine(clock=m.SimulatedClock()).run(lambda ctx, order: ctx.now(), m.WorkflowState("w"))
        assert worker.lost
        with pytest.raises(Ended):
            m.WorkflowState("w")


def test_an_engine_that_is_lost_in_one_test_is_there_for_the_next():
    with Examinee(with_now("import os; os._exit(1)")) as examinee:
        said = suite.run(examinee.fresh, suite.public())
    lost = {name for name, error in said.items() if isinstance(error, Ended)}
    assert {test.name for test in suite.public() if 2 in test.own} <= lost
    assert sum(error is None for error in said.values()) >= 8


def test_an_engine_that_asks_for_ever_is_stopped_at_the_same_message():
    with Worker(messages=100) as worker:
        m = worker.start(with_now("while True: self._engine.clock.now()"))
        clock = m.SimulatedClock()
        with pytest.raises(Ended, match="more than 100 times"):
            m.DurableEngine(clock=clock).run(lambda ctx, order: ctx.now(), m.WorkflowState("w"))


def test_no_workflow_can_go_on_after_its_worker_is_lost():
    """A bare `except:` in a workflow of the tests swallows Ended; the next use of the engine raises it again."""

    def stubborn(ctx, order):
        try:
            ctx.wait_signal("x")
        except:
            return "done"

    body = "    def wait_signal(self, name):\n        import os; os._exit(1)"
    dies = replace_function(REFERENCE, "Context.wait_signal", body)
    with Worker() as worker:
        m = worker.start(dies)
        with pytest.raises(Ended, match="process ended"):
            m.DurableEngine().run(stubborn, m.WorkflowState("w"))


def test_calls_within_calls_have_an_end():
    with Worker() as worker:
        m = worker.start(REFERENCE)

        def again(ctx, order):
            return m.DurableEngine().run(again, m.WorkflowState("w"))

        with pytest.raises(Ended, match="too many calls within calls"):
            again(None, None)


def test_an_object_of_a_process_ends_with_it():
    with Worker() as worker:
        first = worker.start(REFERENCE).WorkflowState("w")
        assert first.workflow_id == "w"
        second = worker.start(REFERENCE)
        with pytest.raises(Ended, match="is over"):
            first.to_json()
        with pytest.raises(Ended, match="an earlier process"):
            second.DurableEngine().signal(first, "go")
