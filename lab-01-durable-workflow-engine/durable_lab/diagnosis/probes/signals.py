"""TODO 3: waiting for a signal, and consuming it."""

from contextlib import suppress

from durable_lab.checks.bench import Crash
from durable_lab.checks.failure import show
from durable_lab.diagnosis.probe_bench import command_names, error_name, json_value, really_waits, same_state
from durable_lab.diagnosis.probes.probe import probe


def reads(*waits):
    """Return a workflow that waits for these signals, one after the other, and returns their payloads."""
    return lambda ctx, order: [ctx.wait_signal(name) for name in waits]


def with_signals(b, *signals, state=None):
    """Return a state in which these signals, pairs of name and payload, have arrived one second apart."""
    state = state if state is not None else b.state()
    for name, payload in signals:
        state = b.deliver(state, name, payload)
        b.pass_time(1)
    return state


@probe(3, early=True)
def two_answers(b):
    """Two payments need an approval each. Ana has answered both: first 1, then 2."""
    end = b.try_run(reads("approval", "approval"), with_signals(b, ("approval", 1), ("approval", 2)))
    yield "ends", end.status
    yield "value", end.value


@probe(3, 4)
def nobody_has_answered(b):
    """The refund asks Ana and waits for her approval. She has not answered. If anything fails, it is undone."""
    ask, undo, pay = b.activity("ask"), b.activity("undo"), b.activity("pay")

    def refund(ctx, order):
        ctx.call_activity(ask)
        try:
            ctx.wait_signal("approval")
        except Exception:
            ctx.call_activity(undo)
        return ctx.call_activity(pay)

    start = b.clock.now()
    end = b.try_run(refund)
    yield "ends", end.status
    yield "waits for", end.waiting_for
    yield "runs", b.calls
    yield "records", command_names(end.state)
    yield "holds the worker", b.clock.now() > start
    before = command_names(end.state)
    again = b.try_run(refund, b.next_process(end.state))
    yield "a second look", [again.status, command_names(again.state) == before]


@probe(3)
def ana_answers(b):
    """The refund asks Ana and waits. She approves, and the refund continues."""
    ask, pay = b.activity("ask"), b.activity("pay")

    def refund(ctx, order):
        return [ctx.call_activity(ask), ctx.wait_signal("approval"), ctx.call_activity(pay)]

    blocked = b.try_run(refund)
    done = b.try_run(refund, with_signals(b, ("approval", "yes"), state=b.next_process(blocked.state)))
    yield "ends", done.status
    yield "value", done.value
    yield "records", command_names(done.state)
    yield "kinds in the journal", sorted("signal" if isinstance(r, b.m.Signal) else r.kind for r in b.journal)
    yield "signals in the state", len(done.state.signals)
    calls = len(b.calls)
    again = b.try_run(refund, done.state)
    yield "again", [again.status, again.value == done.value, len(b.calls) - calls]


@probe(3)
def a_power_cut_behind_the_wait(b):
    """Ana approved. The power fails during the payment. A new process continues."""
    pay = b.activity("pay", Crash("power cut"), "receipt")

    def refund(ctx, order):
        return [ctx.wait_signal("approval"), ctx.call_activity(pay, 30)]

    state = with_signals(b, ("approval", "yes"))
    first = b.try_run(refund, state)
    yield "in the journal", command_names(first.state)
    second = b.try_run(refund, first.state)
    yield "ends", second.status
    yield "value", second.value


@probe(3)
def one_answer_for_two_questions(b):
    """Two payments need an approval each. Ana has answered once. The workflow is run twice."""
    state = with_signals(b, ("approval", "yes to the first"))
    first = b.try_run(reads("approval", "approval"), state)
    second = b.try_run(reads("approval", "approval"), first.state)
    yield "first", first.status
    yield "second", second.status
    yield "records", command_names(second.state)


@probe(3)
def two_answers_and_a_power_cut(b):
    """Ana has answered 1 and 2. The power fails between the two payments; a new process continues."""
    pay = b.activity("pay", Crash("power cut"), "receipt")

    def refund(ctx, order):
        return [ctx.wait_signal("approval"), ctx.call_activity(pay), ctx.wait_signal("approval")]

    first = b.try_run(refund, with_signals(b, ("approval", 1), ("approval", 2)))
    second = b.try_run(refund, first.state)
    yield "ends", second.status
    yield "value", second.value


@probe(3)
def a_second_answer_a_day_later(b):
    """The first approval was consumed, and the run waits for the second. It comes a day later."""
    first = b.try_run(reads("approval", "approval"), with_signals(b, ("approval", 1)))
    b.pass_time(86_400)
    second = b.try_run(
        reads("approval", "approval"), with_signals(b, ("approval", 2), state=b.next_process(first.state))
    )
    yield "ends", second.status
    yield "value", second.value
    left = [json_value(signal.payload) for signal in second.state.signals]
    b.log(f"signals in the state: {show(left)}")
    yield "signals in the state", left


@probe(3)
def another_signal_came_first(b):
    """Kim has sent a note, which the workflow does not read. Then Ana approved."""
    end = b.try_run(reads("approval"), with_signals(b, ("note", "hello"), ("approval", "yes")))
    yield "ends", end.status
    yield "value", end.value


@probe(3)
def another_signal_was_read_first(b):
    """The workflow reads Kim's note, and then waits for Ana's approval. Both have arrived."""
    end = b.try_run(reads("note", "approval"), with_signals(b, ("note", "hello"), ("approval", "yes")))
    yield "ends", end.status
    yield "value", end.value


@probe(3)
def only_another_signal_is_there(b):
    """Kim has sent `cancel`. The workflow waits for Ana's approval."""
    end = b.try_run(reads("approval"), with_signals(b, ("cancel", "please")))
    yield "ends", end.status
    yield "value", end.value


@probe(3)
def a_note_and_an_approval(b):
    """Kim's note and Ana's approval have arrived. One workflow reads only the approval; another one reads both."""
    state = with_signals(b, ("note", "hello"), ("approval", "yes"))
    one = b.try_run(reads("approval"), state)
    both = b.try_run(reads("note", "approval"), state)
    yield "one of them waits", "blocked" in (one.status, both.status)


@probe(3)
def an_empty_signal(b):
    """Ana presses a button that sends no data; a counter sends 0; a form sends an empty string; Ana answers False."""
    heard = {}
    for what, payload in (("nothing", None), ("0", 0), ("empty", ""), ("False", False)):
        heard[what] = b.try_run(reads("go"), with_signals(b, ("go", payload), state=b.state(f"w-{what}"))).status
    yield "all are heard", set(heard.values()) == {"completed"}
    yield "heard", [what for what, status in heard.items() if status == "completed"]


@probe(3)
def the_workflow_changes_a_payload(b):
    """Ana sends a list of items. The workflow ticks them off in the list that it got."""

    def refund(ctx, order):
        ctx.wait_signal("approval")["items"].append("ticked")

    def kept(state):
        payloads = [json_value(signal.payload) for signal in state.signals] + [
            json_value(c.value) for c in state.commands
        ]
        b.log(f"payload of the signal: {show(payloads[0])}")
        return all(payload == {"items": ["cup"]} for payload in payloads)

    first = b.try_run(refund, with_signals(b, ("approval", {"items": ["cup"]})))
    yield "is kept", kept(first.state)
    saved = b.m.WorkflowState.from_json(first.state.to_json())
    before = [json_value(signal.payload) for signal in saved.signals]
    b.try_run(refund, saved)
    yield "is kept on replay", before == [json_value(signal.payload) for signal in saved.signals]


@probe(3, 4)
def a_wait_that_is_caught(b):
    """Ana has not answered. The workflow catches everything, tries to pay, and returns."""
    pay = b.activity("pay")

    def reckless(ctx, order):
        with suppress(BaseException):
            ctx.wait_signal("approval")
        with suppress(BaseException):
            ctx.call_activity(pay, 30)
        return "paid without approval"

    end = b.try_run(reckless)
    yield "ends", end.status
    yield "runs", len(b.calls) > 0
    yield "value", end.value


@probe(3)
def a_look_that_changes_nothing(b):
    """The run waits for Ana. It is run again, and she has not answered."""
    first = b.try_run(reads("approval"))
    again = b.try_run(reads("approval"), first.state)
    yield "same", same_state(first.state, again.state)
    b.log(f"records in history: {len(command_names(first.state))}")
    yield "nothing is recorded", command_names(first.state) == []


@probe(3)
def the_clock_is_set_back(b):
    """Ana answers 1 at 1000 seconds. The clock is set back by a minute, and she answers 2. The workflow waits twice."""
    answers = [b.m.Signal("approval", 1, 1000.0), b.m.Signal("approval", 2, 940.0)]
    end = b.try_run(reads("approval", "approval"), b.m.WorkflowState("w-1", None, [], answers))
    yield "ends", end.status
    yield "value", end.value


@probe(3)
def a_name_that_is_almost_the_same(b):
    """The workflow waits for `approval`. Signals with the names `Approval` and `approval `, with a space, have come."""
    for what, name in (("capital", "Approval"), ("space", "approval ")):
        yield what, b.try_run(reads("approval"), with_signals(b, (name, "yes"), state=b.state(f"w-{what}"))).status


@probe(3)
def what_comes_out_of_the_wait(b):
    """Ana has not answered. The workflow notes what it gets from the wait."""
    seen = []

    def curious(ctx, order):
        try:
            ctx.wait_signal("approval")
            seen.append("a value")
        except b.m.WorkflowBlocked:
            seen.append("the suspension")
            raise
        except Exception as error:
            seen.append("an error")
            b.log(f"the workflow gets {error_name(error)}")
            raise

    b.try_run(curious)
    yield "is", seen[0] if seen else "nothing"


@probe(3, early=True)
def the_wait_takes_no_time(b):
    """Ana has not answered. The run is looked at."""
    held = really_waits(b, lambda: b.try_run(reads("approval")))
    b.log(f"the worker is {'held' if held else 'free'}")
    yield "holds the worker", held
