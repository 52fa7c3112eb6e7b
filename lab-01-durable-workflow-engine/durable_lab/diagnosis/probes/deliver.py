"""TODO 5: delivering a signal."""

from durable_lab.checks.failure import show
from durable_lab.diagnosis.probe_bench import ProbeBench, command_names, compare_count, error_name, json_value
from durable_lab.diagnosis.probes.probe import probe
from durable_lab.diagnosis.probes.values import tidied


def waiting(b: ProbeBench):
    """Return the state of a run that has an input and one step in its history, and waits for Ana."""
    ask = b.activity("ask")

    def refund(ctx, order):
        return [ctx.call_activity(ask), ctx.wait_signal("approval"), ctx.wait_signal("approval")]

    return refund, b.try_run(refund, b.state("w-1", {"id": "A1"})).state


def inbox(state):
    """Return the names and payloads of the signals in a state, in order."""
    return [[signal.name, json_value(signal.payload)] for signal in state.signals]


def tried(b, *args, **options):
    """Return the new state and ""; or, if `signal` raises, None and the name of the exception."""
    try:
        return b.deliver(*args, **options), ""
    except Exception as error:
        b.log(f"signal raises {error_name(error)}")
        return None, error_name(error)


@probe(5)
def ana_says_yes(b):
    """The refund of order A1 waits for Ana. At second 1005.5 she approves."""
    _, state = waiting(b)
    b.pass_time(5.5)
    heard = len(b.journal)
    new = b.deliver(state, "approval", {"by": "Ana"})
    b.log(f"the new state: order {show(new.input)}, {len(command_names(new))} step(s)")
    yield "signals", inbox(new)
    yield "steps", command_names(new)
    yield "input is kept", json_value(new.input) == {"id": "A1"}
    yield "id", new.workflow_id
    new_records = b.journal[heard:]
    yield "journal", compare_count(len(new_records), 1)
    yield "the journal hears of signals", all(isinstance(record, b.m.Signal) for record in new_records)


@probe(5)
def when_it_came(b):
    """Ana approves at second 1005.5 of the engine's clock."""
    _, state = waiting(b)
    b.pass_time(5.5)
    new = b.deliver(state, "approval", "yes")
    times = [signal.received_at for signal in new.signals]
    b.log(f"it came at {'second 1005.5' if times == [1005.5] else 'another second'}")
    yield "right", times in ([1005.5], [])


@probe(5)
def the_state_from_before(b):
    """Ana approves. Then support opens the state from before."""
    _, state = waiting(b)
    before = len(list(state.signals))
    new = b.deliver(state, "approval", "yes")
    b.log(f"signals in the state from before: {len(list(state.signals))}")
    b.log(f"signals in the new state: {len(list(new.signals))}")
    yield "is kept", len(list(state.signals)) == before
    new = b.deliver(new, "approval", "and yes")
    yield "is kept again", len(list(state.signals)) == before


@probe(5)
def then_the_run_goes_on(b):
    """Ana approves twice, and the run continues."""
    refund, state = waiting(b)
    for payload in (1, 2):
        state = b.deliver(state, "approval", payload)
    end = b.try_run(refund, state)
    yield "ends", end.status
    yield "value", end.value
    yield "calls", b.calls


@probe(5)
def two_yes_in_a_row(b):
    """Ana answers 1, and then she answers 2."""
    _, state = waiting(b)
    for payload in (1, 2):
        state = b.deliver(state, "approval", payload)
        b.pass_time(1)
    b.log(f"signals in the state: {show([payload for _, payload in inbox(state)])}")
    yield "signals", inbox(state)
    yield "how many", len(inbox(state))


@probe(5)
def the_same_word_twice(b):
    """Two parcels are confirmed, each with "ok"."""
    _, state = waiting(b)
    for _ in range(2):
        state = b.deliver(state, "confirmed", "ok")
    b.log(f"signals in the state: {len(inbox(state))}")
    yield "how many", len(inbox(state))


@probe(5)
def signals_of_two_names(b):
    """Kim sends a note, and then Ana approves."""
    _, state = waiting(b)
    for name in ("note", "approval", "note"):
        state = b.deliver(state, name, f"a {name}")
    yield "signals", [name for name, _ in inbox(state)]
    yield "names", sorted({name for name, _ in inbox(state)})


@probe(5)
def an_empty_payload(b):
    """A button sends no data; a counter sends 0; a form sends an empty string; Ana answers False."""
    arrived = []
    for payload in (None, 0, "", False):
        _, state = waiting(b)
        new = b.deliver(state, "approval", payload)
        if new is not None and len(inbox(new)) == 1:
            arrived.append(payload)
    b.log(f"arrived: {show(arrived)}")
    yield "all arrive", len(arrived) == 4
    yield "arrived", json_value(arrived)


@probe(5)
def before_the_run_begins(b):
    """Ana approves before any worker has started the run."""
    new, problem = tried(b, b.state(), "approval", "yes")
    arrived = len(inbox(new)) if new is not None else 0
    b.log(f"signals in the state: {arrived}")
    yield "arrives", arrived
    yield "error", problem


@probe(5)
def the_caller_uses_the_form_again(b):
    """A program fills in a form with Ana's name, delivers it, and then writes Mallory into the same form."""
    _, state = waiting(b)
    form = {"by": "Ana", "items": ["cup"]}
    new = b.deliver(state, "approval", form)
    form["by"] = "Mallory"
    form["items"].append("tea")
    b.log(f"payload of the signal: {show(inbox(new)[0][1])}")
    yield "is kept", inbox(new) == [["approval", {"by": "Ana", "items": ["cup"]}]]


@probe(5)
def a_payload_that_cannot_be_recorded(b):
    """The payload contains a set. JSON has no sets."""
    _, state = waiting(b)
    new, problem = tried(b, state, "approval", {"items": {"cup"}})
    yield "refused", problem in ("TypeError", "ValueError")
    yield "accepted as", None if new is None else "a set" if "a set" in str(inbox(new)) else "something else"


@probe(5)
def a_signal_and_a_full_disk(b):
    """Ana approves, and the disk is full."""
    _, state = waiting(b)
    _, problem = tried(b, state, "approval", "yes", journal=b.full_disk)
    b.log("the caller gets an error" if problem else "the caller gets no error")
    yield "the caller hears", problem != ""


@probe(5)
def the_clock_is_set_back_between(b):
    """Ana answers 1 at 1000 seconds. The clock is set back by a minute, and she answers 2."""
    _, state = waiting(b)
    for payload, seconds in ((1, 1000.0), (2, 940.0)):
        b.clock = b.m.SimulatedClock(seconds)
        state = b.deliver(state, "approval", payload)
    b.log(f"signals in the state: {show([payload for _, payload in inbox(state)])}")
    yield "signals", inbox(state)


@probe(5)
def a_name_and_a_payload_with_capitals_and_spaces(b):
    """A signal has the name " Approval", with a space, and the payload "  Kim LEE "."""
    _, state = waiting(b)
    new = b.deliver(state, " Approval", "  Kim LEE ")
    name, payload = inbox(new)[0]
    b.log(f"it arrives as {show(name)} with {show(payload)}")
    yield "name", tidied(name, " Approval")
    yield "payload", tidied(payload, "  Kim LEE ")
