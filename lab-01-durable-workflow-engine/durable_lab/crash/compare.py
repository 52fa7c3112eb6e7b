"""Compare a run that was crashed and recovered with the uncrashed one: the first rule that it breaks."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import zip_longest
from typing import NamedTuple

from durable_lab.crash.played import Event, Played, short

BY_KIND = {"activity": "R5", "now": "R7", "signal": "R8"}  # the rule for what a command returns

RAISED = {"NonDeterminismError": "R3", "WorkflowBlocked": "R9", "ActivityError": "R6", "Unread": "R6"}


class Broken(NamedTuple):
    """A broken rule, with what a right engine does here, and what this one did."""

    rule: str  # empty if the engine does not end
    right: str
    found: str


def compare(uncrashed: Played, crashed: Played) -> Broken | None:
    """Return what the crashed run breaks; None if it gives the same result, with each effect as promised.

    An uncrashed run is compared with itself, too: it replays after each signal.
    """
    return next((broken for check in _CHECKS if (broken := check(uncrashed, crashed))), None)


def _lost(uncrashed: Played, crashed: Played) -> Broken | None:
    """R1: the workflow saw a result that was not durable when its process ended."""
    last = max(crashed.points, default=0)
    for event in crashed.of("sees"):
        if event.process < last and event.position >= crashed.durable(event.process):
            call = short(crashed.first("asks")[event.position].text)
            return Broken(
                "R1",
                f"{call} is recorded before the workflow has its result",
                "the workflow had the result when the process ended, and the journal had no record of it",
            )
    return None


def _runs_again(uncrashed: Played, crashed: Played) -> Broken | None:
    """R2, or R6 if it is a failure: an activity is called although its position is recorded."""
    history = [event.text for event in uncrashed.of("records")]
    for event in crashed.of("calls"):
        if event.position < event.known:
            failed = event.position < len(history) and json.loads(history[event.position])["ok"] == "false"
            return Broken(
                "R6" if failed else "R2",
                f"position {event.position} is recorded, so its record is returned and nothing runs",
                f"{short(event.text)} ran again",
            )
    return None


def _recorded_again(uncrashed: Played, crashed: Played) -> Broken | None:
    """R2: a replayed command is recorded again. R6: a command has two records."""
    places = set()
    for event in crashed.of("records"):
        if 0 <= event.position < event.known:
            return Broken("R2", f"position {event.position} is recorded", "it was recorded again")
        record = json.loads(event.text)
        if (place := (event.process, event.position, record["name"], record["args"])) in places:
            return Broken("R6", f"position {event.position} gets one record", "it got two")
        places.add(place)
    return None


def _other_key(uncrashed: Played, crashed: Played) -> Broken | None:
    """R11: two attempts of one command had different keys."""
    first = crashed.first("calls")
    for event in crashed.of("calls"):
        if event.key != first[event.position].key:
            return Broken(
                "R11",
                f"{short(event.text)} gets the idempotency key {first[event.position].key!r} again",
                f"it got the key {event.key!r}",
            )
    return None


def _never_ran(uncrashed: Played, crashed: Played) -> Broken | None:
    """R1: a command is recorded, and its effect never happened."""
    called = crashed.first("calls")
    for position, event in uncrashed.first("calls").items():
        if position not in called and position < crashed.durable(max(crashed.points, default=0)):
            return Broken(
                "R1",
                f"{short(event.text)} runs, and is recorded after its effect",
                "it is recorded, and in no process did it run",
            )
    return None


def _not_kept(uncrashed: Played, crashed: Played) -> Broken | None:
    """R1: `signal` returned before its signal was durable."""
    sent, kept = 0, 0
    for event in crashed.events:
        sent, kept = sent + (event.what == "delivers"), kept + (event.what == "signal")
        if sent > kept:
            return Broken(
                "R1", f"the journal has the signal {event.text[:-2]} before it counts as delivered", "it has not"
            )
    return None


def _not_taken(uncrashed: Played, crashed: Played) -> Broken | None:
    """R8: the run waits for a signal that was delivered."""
    name = f"{crashed.end.waiting_for}()"
    asked, seen = crashed.first("asks"), crashed.first("sees")
    delivered = sum(event.text == name for event in crashed.of("delivers"))
    taken = sum(event.kind == "signal" and event.text == name for at, event in asked.items() if at in seen)
    if crashed.end.status == "blocked" and delivered > taken:
        right = f"the signal {crashed.end.waiting_for}, which was delivered, is kept until the workflow waits for it"
        return Broken("R8", right, "the run still waits for it")
    return None


def _asked(uncrashed: Played, crashed: Played) -> Broken | None:
    """R3: a right engine returns what is recorded, so that the workflow asks for the same."""
    first = uncrashed.first("asks")
    for event in crashed.of("asks"):
        want = first.get(event.position)
        if want and event.text != want.text:
            return Broken(
                "R3",
                f"the workflow asks for {short(want.text)} at position {event.position}, as without a crash",
                f"it asks for {short(event.text)}",
            )
    return None


def _saw(uncrashed: Played, crashed: Played) -> Broken | None:
    """R5 to R8: a command returned, or raised, something else than in the uncrashed run."""
    first = uncrashed.first("sees")
    for event in crashed.of("sees"):
        want = first.get(event.position)
        if want and event.text != want.text:
            if "NonDeterminismError" in event.text:
                return _diverged(event)
            failed = not (event.text.startswith('["value"') and want.text.startswith('["value"'))
            return Broken(
                "R6" if failed and event.kind == "activity" else BY_KIND[event.kind],
                f"position {event.position} returns {told(want.text)}, live and on replay",
                f"it returned {told(event.text)}",
            )
    return None


def _diverged(event: Event) -> Broken:
    return Broken(
        "R3",
        f"the workflow asks for what is recorded at position {event.position}, so it goes on",
        "the engine raised NonDeterminismError",
    )


def _raised(uncrashed: Played, crashed: Played) -> Broken | None:
    """`run` raised an exception: one of the engine's own, or one that the uncrashed run did not have."""
    end, want = crashed.end, uncrashed.end
    rule = RAISED.get((end.error or "").partition(":")[0], "")
    if end.status == "raised" and (end != want or rule):
        right = "`run` returns how the run ended" if end == want else f"the recovered run ends as {want.words:.200}"
        return Broken(rule or "R2", right, f"it raised {end.error}")
    return None


def _recorded(uncrashed: Played, crashed: Played) -> Broken | None:
    """The history differs, apart from times."""
    for what in ("records", "signal"):
        for at, (want, got) in enumerate(zip_longest(uncrashed.of(what), crashed.of(what))):
            if want is None:
                rule = "R2" if what == "records" else "R8"
                return Broken(rule, f"history has {at} of these records", f"one more was recorded: {got.text:.200}")
            if got is None:
                rule = "R1" if what == "records" else "R8"
                return Broken(rule, f"history has the record {want.text:.200}", "the recovered run has no such record")
            if want.text != got.text:
                rule = "R8" if what == "signal" else "R6"
                return Broken(rule, f"record {at} is {want.text:.200}", f"it is {got.text:.200}")
    return None


def _ended(uncrashed: Played, crashed: Played) -> Broken | None:
    """The run ended in another way."""
    want, got = uncrashed.end, crashed.end
    if got == want:
        return None
    rules = {"blocked": "R9", "failed": "R6"}
    rule = "R8" if got.status == "blocked" else rules.get(want.status, "R5" if got.status == "completed" else "R6")
    if "NonDeterminismError" in (got.error or ""):
        rule = "R3"
    return Broken(rule, f"the recovered run ends as {want.words:.200}", f"it ended as {got.words:.200}")


_CHECKS: tuple[Callable[[Played, Played], Broken | None], ...] = (
    _lost,
    _runs_again,
    _recorded_again,
    _other_key,
    _never_ran,
    _not_kept,
    _not_taken,
    _saw,
    _asked,
    _raised,
    _recorded,
    _ended,
)


def told(outcome: str) -> str:
    """Return the outcome of a command (see `outcome_of`) for a reader."""
    sort, *parts = json.loads(outcome)
    if sort == "value":
        return f"{parts[0]:.200}"
    if sort == "ActivityError":
        return f"the ActivityError {', '.join(parts):.200}"
    return f"the exception {parts[0][0].rpartition(':')[2]}: {parts[1]:.200}"
