"""What a reader can do to a run: step, signal, crash, drop, fork. No browser, no widget."""

import shutil

import pytest

from durable_lab import study
from durable_lab.timeline.drive import Driver, moment_of
from durable_lab.timeline.model import difference
from durable_lab.todos import SKELETON
from solution.refund import APPROVAL, ORDER


@pytest.fixture
def driver(refund, m, world):
    return Driver(refund, m, ledger=world.ledger)


@pytest.fixture
def start(m):
    return moment_of(m.WorkflowState("refund-1", ORDER))


@pytest.fixture
def finished(done):
    return moment_of(done)


def names(moment):
    return [command.name for command in moment.commands]


def test_a_step_makes_one_record_durable_and_the_steps_together_are_the_run(driver, start):
    one = driver.step(start)
    two = driver.step(one)
    assert (names(one), names(two)) == (["assess"], ["assess", "now"])
    assert driver.step(two).status == "blocked"
    assert driver.go_on(start).status == "blocked"


def test_the_steps_of_one_worker_are_live_and_replay_nothing_twice(driver, start, world):
    moment = driver.step(driver.step(start))
    assert moment.replayed == 0
    assert [effect.operation for effect in world.ledger.effects()] == ["assess"]


def test_a_signal_lets_the_run_go_on(driver, start):
    moment = driver.deliver(driver.go_on(start), "approval", APPROVAL)
    assert moment.status == "completed"
    assert moment.value["status"] == "refunded"
    assert moment.replayed == 2


def test_after_a_crash_only_what_was_recorded_is_left_and_the_run_goes_on_to_the_same_end(driver, finished, world):
    events = driver.history(finished).events
    at = next(event.index for event in events if event.kind == "consumed")
    dead = driver.crash(finished, at)
    assert names(dead) == ["assess", "now", "approval"]
    assert dead.crash == 3
    again = driver.go_on(dead)
    assert (again.status, again.replayed) == ("completed", 3)
    assert len(world.ledger.effects("pay_back")) == 1  # the bank knows the key


def test_a_crash_in_a_failed_attempt_loses_the_whole_command(driver, finished):
    at = next(event.index for event in driver.history(finished).events if event.kind == "attempt" and event.tries == 3)
    dead = driver.crash(finished, at)
    assert names(dead) == ["assess", "now", "approval"]
    assert "in attempt 1 of pay_back" in dead.said


def test_a_crash_of_a_fresh_run_comes_before_anything_is_recorded(driver, start, world):
    dead = driver.crash(start, 0)
    assert names(dead) == []
    assert "before anything is recorded" in dead.said
    assert world.ledger.effects() == []


def test_a_crash_at_any_event_runs_nothing_and_keeps_what_was_recorded_by_then(driver, start, finished, world):
    """The newest event included: the process dies there, and not one step later."""
    stepped = driver.step(driver.step(start))
    crashed = driver.go_on(driver.crash(finished, 1))
    before = len(world.ledger.effects())
    for moment in (stepped, driver.go_on(start), finished, crashed):
        events = driver.history(moment).events
        before = len(world.ledger.effects())
        for event in events:
            dead = driver.crash(moment, event.index)
            by_then = {e.record for e in events[: event.index + 1] if e.record is not None}
            if event.position is not None and event.record is not None and not event.final:
                by_then.discard(event.record)  # it died in an attempt
            assert len(dead.records) == len(by_then), event
            assert len(world.ledger.effects()) == before
        assert driver.crash(moment, len(events) - 1).records == moment.records


def test_a_crash_at_a_divergence_loses_nothing(driver, diverged):
    moment = moment_of(diverged)
    events = driver.history(moment).events
    at = next(event.index for event in events if event.kind == "divergence")
    assert driver.crash(moment, at).records == moment.records


def test_the_past_of_two_futures_is_the_same_with_its_crash(driver, finished):
    """A crash mark is on the picture, so it is on both, and what comes after it has the same column."""
    read = next(event.index for event in driver.history(finished).events if event.kind == "consumed")
    moment = driver.go_on(driver.crash(finished, read))
    one = driver.history(moment)
    assert "crash" in [event.kind for event in one.events]
    at = next(event.index for event in one.events if event.name == "send_email")
    other = driver.history(driver.fork(moment, at, outcome=(False, "Timeout: no answer")))
    assert [e.kind for e in one.events[:at]] == [e.kind for e in other.events[:at]]
    assert difference(one, other) == difference(other, one) == at


@pytest.mark.parametrize("named", [True, False])
def test_a_todo_that_is_written_later_is_noticed(refund, monkeypatch, tmp_path, start, named):
    """In a widget that was made before, with the module given or not."""
    shutil.copytree(SKELETON, tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("LAB_MODULE", "lab")
    monkeypatch.setenv("LAB_WORKSPACE", str(tmp_path))
    driver = Driver(refund, study.current().module() if named else None)
    assert "TODO" in driver.step(start).said
    shutil.copy(study.ROOT / "solution" / "engine.py", tmp_path / "lab" / "engine.py")
    assert names(driver.step(start)) == ["assess"]
    (tmp_path / "lab" / "engine.py").write_text("def broken(:\n")
    assert "line 1" in driver.step(start).said


def test_a_crash_while_it_waits_loses_nothing(driver, start):
    waiting = driver.go_on(start)
    dead = driver.crash(waiting, 2)
    assert dead.records == waiting.records
    assert driver.go_on(dead).status == "blocked"


def test_a_dropped_result_leaves_the_effect_in_the_world_and_no_record(driver, finished, world):
    at = next(event.index for event in driver.history(finished).events if event.name == "send_email")
    dead = driver.drop(finished, at)
    assert names(dead) == ["assess", "now", "approval", "pay_back"]
    assert len(world.ledger.effects("send_email")) == 1


def test_the_result_of_a_live_activity_can_be_dropped(driver, start, world):
    dead = driver.drop(start, 0)
    assert names(dead) == []
    assert "after the effect of assess, before the record" in dead.said
    driver.go_on(dead)
    assert len(world.ledger.effects("assess")) == 2  # the model takes no key, so it is paid twice


def test_only_an_activity_has_a_result_to_drop(driver, finished):
    assert driver.drop(finished, 1).problem


def test_a_fork_with_another_signal_is_another_future(driver, finished):
    at = next(event.index for event in driver.history(finished).events if event.kind == "delivered")
    other = driver.fork(finished, at, signal=("approval", {"approved": False, "by": "Bo"}))
    assert other.value["status"] == "declined"
    assert names(other) == ["assess", "now", "approval", "send_email"]
    assert finished.value["status"] == "refunded"


def test_a_fork_just_before_the_read_replaces_the_signal_that_waits_there(driver, finished):
    at = next(event.index for event in driver.history(finished).events if event.kind == "consumed")
    other = driver.fork(finished, at, signal=("approval", {"approved": False, "by": "Bo"}))
    assert other.value["status"] == "declined"
    assert len(other.signals) == 1


def test_a_fork_with_another_outcome_takes_the_other_branch(driver, finished):
    at = next(event.index for event in driver.history(finished).events if event.name == "pay_back")
    other = driver.fork(finished, at, outcome=(False, "Timeout: no answer"))
    assert other.value["status"] == "not refunded"
    assert other.value["why"] == "no answer"


def test_a_fork_is_a_run_of_its_own_with_idempotency_keys_of_its_own(driver, finished, world):
    at = next(event.index for event in driver.history(finished).events if event.name == "pay_back")
    forks = [driver.fork(finished, at, outcome=(False, f"Timeout: {why}")) for why in ("no answer", "too late")]
    assert [fork.status for fork in forks] == ["completed", "completed"]
    keys = [effect.key for effect in world.ledger.effects("send_email")]
    assert len(set(keys)) == len(keys) == 3
    assert all(fork.workflow_id.startswith("refund-1~") for fork in forks)


def test_the_line_of_code_behind_each_command_is_known_after_a_run(driver, start):
    lines = driver.go_on(start).lines
    assert len(lines) == 3
    assert "advice = ctx.call_activity(world.assess, order)" in lines[0]


def test_a_command_that_a_helper_of_the_engine_issues_has_the_line_of_the_workflow(m, start):
    source = "def twice(ctx):\n    return ctx.now(), ctx.now()\n"
    exec(compile(source, m.__file__, "exec"), helpers := {})
    seen = []

    def workflow(ctx, order):
        helpers["twice"](ctx)
        seen.append(ctx.workflow_id)

    after = Driver(workflow, m).go_on(start)
    assert len(after.lines) == len(after.commands) == 2
    assert all(line.endswith('helpers["twice"](ctx)') for line in after.lines)
    assert seen == ["refund-1"]  # all else of the Context is there, too


def test_an_open_todo_is_a_sentence(refund, monkeypatch, tmp_path, start):
    shutil.copytree(SKELETON, tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("LAB_MODULE", "lab")
    monkeypatch.setenv("LAB_WORKSPACE", str(tmp_path))
    driver = Driver(refund)
    after = driver.step(start)
    assert after.problem
    assert after.said.startswith("Not yet: this needs TODO 4")
    assert "TODO 5" in driver.deliver(start, "approval").said


def test_an_engine_that_cannot_be_read_is_a_sentence(refund, monkeypatch, tmp_path, start):
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "engine.py").write_text("def broken(:\n")
    monkeypatch.setenv("LAB_MODULE", "lab")
    monkeypatch.setenv("LAB_WORKSPACE", str(tmp_path))
    after = Driver(refund).step(start)
    assert after.problem
    assert "line 1" in after.said


def test_a_bug_in_the_workflow_is_a_sentence_and_history_stays(m, start):
    def buggy(ctx, order):
        ctx.now()
        return order["nothing"]

    after = Driver(buggy, m).go_on(start)
    assert after.problem
    assert "KeyError" in after.said
    assert names(after) == ["now"]


def test_what_a_workflow_prints_is_kept_beside_the_picture(m, start):
    def chatty(ctx, order):
        print("hello")

    assert Driver(chatty, m).go_on(start).printed == "hello\n"


def test_an_engine_that_swallows_the_crash_or_tells_no_journal_is_still_followed(m, start):
    class Deaf(m.DurableEngine):
        def run(self, workflow, state):
            return m.DurableEngine(clock=self.clock).run(workflow, state)

    deaf = type("deaf", (), {**vars(m), "DurableEngine": Deaf})
    assert names(Driver(lambda ctx, _: ctx.now(), deaf).step(start)) == ["now"]
