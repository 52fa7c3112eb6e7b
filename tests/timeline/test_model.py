"""From a run to events, and from events to lanes."""

import json
import subprocess
import sys

import pytest

from durable_lab.timeline import history_of
from durable_lab.timeline.divergence import divergence_in
from durable_lab.timeline.events import in_order
from durable_lab.timeline.model import difference, lanes_of


def kinds(history):
    return [event.kind for event in history.events]


def test_the_refund_has_every_attempt_every_gap_and_the_signal_in_the_order_in_which_they_happened(done):
    history = history_of(done)
    expected = "attempt now delivered consumed attempt gap attempt gap attempt attempt completed"
    assert kinds(history) == expected.split()
    assert [event.index for event in history.events] == list(range(11))
    gaps = [event.outcome for event in history.events if event.kind == "gap"]
    assert gaps == ["1.25 s", "2.25 s"]


def test_a_signal_knows_who_read_it_and_the_wait_knows_when_it_began(done):
    events = history_of(done).events
    assert (events[2].link, events[3].link) == (3, 2)
    assert events[3].since == 2  # it waited before the signal came
    assert events[3].start == events[1].end


def test_a_signal_that_was_there_first_is_not_waited_for(m):
    engine = m.DurableEngine()
    state = engine.signal(m.WorkflowState("w"), "go", 1)
    events = history_of(engine.run(lambda ctx, _: ctx.wait_signal("go"), state)).events
    assert [event.kind for event in events] == ["delivered", "consumed", "completed"]
    assert events[1].since == 1


def test_a_signal_that_was_not_consumed_is_unread(m):
    engine = m.DurableEngine()
    state = engine.signal(m.WorkflowState("w"), "late", 1)
    history = history_of(engine.run(lambda ctx, _: None, state))
    assert history.events[0].link is None
    assert lanes_of(history)[-1].outcome.endswith("1 unread")


def test_signals_come_before_their_consumer_even_where_all_times_are_the_same(m):
    commands = [m.Command("now", "now"), m.Command("signal", "b"), m.Command("signal", "a")]
    signals = [m.Signal("a"), m.Signal("b"), m.Signal("c")]
    names = [record.name for record in in_order(commands, signals)]
    assert names == ["now", "a", "b", "b", "a", "c"]


def test_a_blocked_run_ends_in_an_open_bar_with_its_reason(blocked):
    history = history_of(blocked)
    assert history.events[-1].kind == "blocked"
    assert history.events[-1].position == 2
    assert history.title == "refund-1 · blocked: it waits for the signal approval"


def test_what_came_from_history_is_replayed_and_the_rest_is_live(done):
    ran = {event.position: event.ran for event in history_of(done, replayed=2).events if event.position is not None}
    assert ran == {0: "replayed", 1: "replayed", 2: "live", 3: "live", 4: "live"}


@pytest.mark.parametrize("crash", [3, "pay_back.effect"])
def test_a_crash_stands_between_what_was_recorded_and_what_runs_again(done, crash):
    history = history_of(done, replayed=3, crash=crash)
    at = kinds(history).index("crash")
    assert history.events[at - 1].position == 2
    assert history.events[at + 1].position == 3


def test_a_crash_point_is_described_in_words(done):
    event = next(e for e in history_of(done.state, crash="pay_back.effect").events if e.kind == "crash")
    assert event.what == "crash after the effect of pay_back, before it is recorded"


def test_a_divergence_has_two_columns_and_the_first_field_that_differs(diverged):
    history = history_of(diverged)
    assert kinds(history)[0] == "divergence"
    data = history.events[0].data
    assert data["fields"][:2] == [["kind", "activity", "now", True], ["name", "assess", "now", True]]
    assert data["first"] == "kind"
    assert {event.ran for event in history.events if event.position is not None} == {"unread"}
    assert history.standing == "failed: at position 0 your code asked for something else"


def test_a_workflow_that_ends_too_early_has_asked_for_nothing():
    text = 'NonDeterminismError: at position 3 history has activity a("x"), but the workflow ends without asking for it'
    found = divergence_in(text)
    assert (found["position"], found["asked"], found["first"]) == (3, "nothing: it ended", "command")
    assert divergence_in("ActivityError: no") is None


def test_arguments_are_compared_one_by_one():
    found = divergence_in(
        'at position 1 history has activity pay("A, 1", 30), but the workflow asks for activity pay("A, 1", 31)'
    )
    assert found["fields"][2:] == [["args[0]", '"A, 1"', '"A, 1"', False], ["args[1]", "30", "31", True]]
    assert found["first"] == "args[1]"


def test_arguments_that_are_cut_in_the_message_are_compared_as_the_result_has_them(m):
    def ship(*args):
        return None

    long, text = "x" * 300, "NonDeterminismError"
    done = m.DurableEngine().run(lambda ctx, _: ctx.call_activity(ship, long, 1), m.WorkflowState("w"))
    diverged = m.DurableEngine().run(lambda ctx, _: ctx.call_activity(ship, long, 2), done.state)
    assert diverged.error.startswith(text)
    assert diverged.cause.position == 0
    event = next(event for event in history_of(diverged).events if event.kind == "divergence")
    assert event.data["fields"][3] == ["args[1]", "1", "2", True]
    assert divergence_in(diverged.error)["fields"][3:] == []


def test_an_unknown_kind_is_shown_as_such_and_said(m):
    history = history_of(m.WorkflowState("w", None, [m.Command("child", "ship", ["A1"]), m.Command("now", "now")]))
    assert kinds(history) == ["unknown", "now"]
    assert history.events[0].what == 'child ship("A1")'
    assert "does not know" in history.sentence
    assert "child" in history.sentence


def test_an_empty_history_and_one_event_have_a_sentence(m):
    assert "Nothing is recorded yet" in history_of(m.WorkflowState("w")).sentence
    assert history_of(m.WorkflowState("w", None, [m.Command("now", "now")])).sentence == "One event is recorded: now."


def test_what_has_no_commands_is_refused():
    with pytest.raises(TypeError, match="has commands"):
        history_of("no run")


def test_effects_stand_beside_their_command_and_a_second_one_is_marked(done, world):
    effects = world.ledger.effects()
    assert [effect.position for effect in history_of(done, ledger=world.ledger).effects] == [0, 3, 4]
    twice = history_of(done, ledger=[*effects, effects[1]]).effects
    assert [effect.twice for effect in twice] == [False, False, False, True]


def test_two_futures_are_the_same_up_to_the_first_difference(done, blocked):
    assert difference(history_of(done), history_of(done)) is None
    assert difference(history_of(done), history_of(blocked)) == 2


def test_a_mark_of_a_crash_or_of_a_worker_is_no_difference(done, blocked):
    plain, marked = history_of(done), history_of(done, crash=1)
    assert difference(plain, marked) is None
    assert difference(marked, plain) is None
    assert difference(marked, history_of(blocked)) == 3  # in its own columns
    assert difference(history_of(blocked), marked) == 2


def test_the_length_of_a_pause_is_no_difference(m):
    def failed(pause):
        tries = (m.Attempt(1.0, 1.0, "E: no"), m.Attempt(1.0 + pause, 1.0 + pause))
        return history_of(m.WorkflowState("w", None, [m.Command("activity", "pay", [], True, 1, None, tries)]))

    assert difference(failed(1.0), failed(1.01)) is None


def test_a_history_is_json(diverged, done, world):
    for history in (history_of(done, ledger=world.ledger, crash=2), history_of(diverged)):
        made = json.loads(json.dumps(history.to_dict()))
        assert len(made["events"]) == len(history.events)


def test_lanes_are_the_workflow_then_the_commands_then_the_signals(done):
    lanes = lanes_of(history_of(done))
    assert [lane.number for lane in lanes] == [0, 1, 2, 3, 4, 5, -1]
    assert lanes[4].outcome == '● "receipt-1"  (3 attempts)'


def test_a_record_that_a_half_written_engine_made_is_still_shown(m):
    odd = m.Command("activity", "pay", [object()], True, object(), None, (), None, "soon")
    history = history_of(m.WorkflowState("w", None, [odd]))
    assert history.events[0].start is None
    assert "object object" in history.events[0].outcome


def test_the_package_needs_neither_matplotlib_nor_ipywidgets_to_be_imported():
    code = "import sys; import durable_lab.timeline; print(sorted({'matplotlib', 'ipywidgets'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
