"""TODO 1 and 4: values are copies, and are the same after JSON."""

from durable_lab.checks.failure import show
from durable_lab.diagnosis.probe_bench import json_value
from durable_lab.diagnosis.probes.probe import probe


@probe(1)
def a_pair(b):
    """The shop returns a tuple: ("cup", 30). JSON has only lists."""
    offer = b.activity("offer", ("cup", 30))
    kinds = []

    def shop(ctx, order):
        got = ctx.call_activity(offer)
        kinds.append("a list" if isinstance(got, list) else f"a {type(got).__name__}")
        b.log(f"the workflow gets {kinds[-1]}")

    first = b.try_run(shop)
    b.try_run(shop, first.state)
    yield "first run", kinds[:1]
    yield "replay", kinds[1:]


@probe(1)
def the_workflow_changes_a_result(b):
    """The shop returns ["cup"]. The workflow appends "tea" to the list that it got."""
    offer = b.activity("offer", ["cup"])
    recorded = []

    def shop(ctx, order):
        got = ctx.call_activity(offer)
        got.append("tea")

    def history(state):
        recorded.append(json_value(next(iter(state.commands)).value))
        b.log(f"history says: offer() -> {show(recorded[-1])}")
        return recorded[-1] == ["cup"]

    first = b.try_run(shop)
    kept = history(first.state)
    saved = b.m.WorkflowState.from_json(first.state.to_json())
    b.try_run(shop, saved)
    replayed = history(saved) == kept
    yield "history is kept", kept and replayed
    yield "first run", kept
    yield "replay", replayed


@probe(1)
def the_workflow_changes_an_argument(b):
    """A parcel with a cup is sent. Then the workflow puts tea into its basket."""
    send = b.activity("send", "sent")

    def shop(ctx, order):
        basket = ["cup"]
        ctx.call_activity(send, basket)
        basket.append("tea")

    end = b.try_run(shop)
    sent = json_value(list(next(iter(end.state.commands)).args))
    b.log(f"history says: send({show(sent[0])})")
    yield "history is kept", sent == [["cup"]]


@probe(1)
def an_activity_changes_its_argument(b):
    """The first attempt takes the cup out of the basket, and then the connection fails. A second attempt follows."""
    got, mine = [], ["cup", "tea"]

    def pack(basket):
        got.append(json_value(basket))
        if "cup" in basket:
            basket.remove("cup")
        return OSError("line broken") if len(got) == 1 else "packed"

    act = b.activity("pack", answer=pack)
    end = b.try_run(lambda ctx, order: ctx.call_activity(act, mine))
    yield "the second attempt gets all", got[1:] == [["cup", "tea"]]
    yield "the workflow keeps all", mine == ["cup", "tea"]
    yield "somebody else sees it", got[1:] != [["cup", "tea"]] or mine != ["cup", "tea"]
    yield "ends", end.status


def tidied(got, given):
    """Return whether a string arrived as it was given, or without its spaces at the ends or its capitals."""
    if got == given:
        return "kept"
    return "tidied" if isinstance(got, str) and got.strip().lower() == given.strip().lower() else "lost"


@probe(1)
def strings_with_capitals_and_spaces(b):
    """A form field has the text "  Kim LEE " in it: as an argument, as a result, and as the message of an error."""
    field = "  Kim LEE "
    got, told = [], []

    def check(text):
        got.append(text)
        return field if len(got) == 1 else ValueError(field)

    act = b.activity("check", answer=check)

    def form(ctx, order):
        told.append(ctx.call_activity(act, field))
        try:
            ctx.call_activity(act, field)
        except b.m.ActivityError as error:
            told.append(error.message)

    b.try_run(form, retry=b.policy(max_attempts=1))
    for name, texts in (("argument", got[:1]), ("result", told[:1]), ("message", told[1:])):
        b.log(f"the {name}: {show(texts[0]) if texts else 'none'}")
        yield name, tidied(texts[0], field) if texts else "none"


@probe(1)
def a_number_as_a_key(b):
    """The shop returns {1: 30}. In JSON every key is a string."""
    prices = b.activity("prices", {1: 30})

    def shop(ctx, order):
        try:
            return ctx.call_activity(prices)
        except b.m.ActivityError:
            return "refused"

    yield "value", b.try_run(shop).value


@probe(1)
def an_argument_that_cannot_be_recorded(b):
    """The workflow passes a set. JSON has no sets."""
    pack = b.activity("pack", "packed")

    def shop(ctx, order):
        return ctx.call_activity(pack, {"items": {"cup"}})

    end = b.try_run(shop)
    yield "refused", end.status in ("TypeError comes out", "ValueError comes out")
    yield "the activity runs", len(b.calls) > 0
    yield "ends", end.status if len(b.calls) else "before it runs"


@probe(4)
def the_workflow_changes_its_input(b):
    """Kim's order has one item. The workflow appends a second one to the list that it got."""
    given = {"items": ["pen"]}

    def shop(ctx, order):
        order["items"].append("ink")
        return len(order["items"])

    end = b.try_run(shop, b.state("w-1", given))
    b.log(f"the order in the new state: {show(end.state.input)}")
    yield "the new state keeps it", json_value(end.state.input) == {"items": ["pen"]}
    yield "the caller keeps it", given == {"items": ["pen"]}
    yield "a second look", b.try_run(shop, end.state).value
