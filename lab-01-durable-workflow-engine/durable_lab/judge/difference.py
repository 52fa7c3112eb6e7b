"""The first difference between an engine and the rules: which rule it breaks, and in what way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from durable_lab.judge.oracle import ANY, Expected, Naming, OneOf, expected
from durable_lab.judge.play import Event, Trace, play
from durable_lab.judge.program import Program, fault_of

NOTHING: Event = ("nothing",)  # the trace is over
BY_COMMAND = {"call": "R5", "now": "R7", "wait": "R8"}  # the rule for what a command returns


@dataclass(frozen=True)
class Difference:
    """Where an engine leaves the rules. Equal kinds are the same fault; `expected` and `found` are for people."""

    rule: str
    kind: str  # a stable id such as "runs again"
    expected: str
    found: str
    at: int  # the event, counted from 0, without the readings of the clock

    @property
    def same(self) -> tuple[str, str]:
        """Return what two differences have in common that tell the same story."""
        return self.rule, self.kind


def judge(program: Program, fresh: Callable[[], Any], begin: Callable[[], Any] | None = None) -> Difference | None:
    """Return the first difference between this engine and the rules on one program; None if there is none.

    fresh, begin   see `play`
    """
    return difference(program, play(program, fresh, begin))


def difference(program: Program, trace: Trace) -> Difference | None:
    """Return the first difference between a trace and the rules."""
    found = _compare(expected(program, trace), trace)
    if found and any((fault_of(action) or [""])[0] == "clock" for action in program.plan):
        return _compare(expected(program, trace, clock_stops=False), trace) and found
    return found


def _compare(promised: list[Expected], trace: Trace) -> Difference | None:
    seen = [event for event in trace if event[0] != "read"]
    for at, (want, got) in enumerate(zip_longest(promised, seen)):
        want, got = want or Expected(NOTHING, "the end"), got or NOTHING
        if found := _first(want, got):
            rule, kind, wanted, had = found
            return Difference(rule, kind, wanted, had, at)
    return None


def fits(want: Any, got: Any) -> bool:
    """Return whether a value is one of those that are expected: 1, 1.0 and True differ."""
    if isinstance(want, str) and want == ANY:
        return True
    if isinstance(want, (Naming, OneOf)):
        return want.fits(got)
    if isinstance(want, dict):
        return isinstance(got, dict) and want.keys() == got.keys() and all(fits(want[key], got[key]) for key in want)
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(fits, want, got))
    return type(want) is type(got) and bool(want == got)


Found = tuple[str, str, str, str]  # rule, kind, expected, found


def _first(want: Expected, got: Event) -> Found | None:
    """Compare one event."""
    kind = want.event[0]
    if kind == got[0] and len(want.event) == len(got) and all(map(fits, want.event, got)):
        return None
    if kind == got[0] and (same := _SAME.get(kind)):
        return same(want, got)
    rule, name = _other(want, got)
    return rule, name, words(want.event), words(got)


# ---------------------------------------------------------------- an event of another kind


def _other(want: Expected, got: Event) -> tuple[str, str]:
    """The rule and kind, if another event came than the one that is expected."""
    came = got[0]
    if came == "caught" and got[1] == "NonDeterminismError":
        return "R3", "right code diverges"
    if came == "broken":
        return ("R10", "no readable state")
    match want.why:
        case "replayed":
            again = {"act": "runs again", "append": "is recorded again", "pause": "waits again"}
            return "R2", again.get(came, "is not replayed")
        case "first":
            early = {"append": ("R1", "recorded before the effect"), "pause": ("R12", "waits before the first attempt")}
            return early.get(came, ("R2", "a step is skipped"))
        case "retry" | "pause":
            return "R12", "no pause" if came == "act" else "too few attempts"
        case "activity" | "now" | "signal":
            if came in ("act", "pause"):
                return "R12", "too many attempts"
            return ("R8", "a signal is not kept") if want.why == "signal" and came == "end" else ("R1", "recorded late")
        case "live":
            return ("R6", "recorded twice") if came == "append" else ("R6", "fails though it succeeded")
        case "diverged":
            return "R3", "divergence is not noticed"
        case "waits" | "blocked":
            return ("R9", "a wait is an error") if came in ("caught", "out") else ("R8", "goes on without its signal")
        case "stopped" | "fault":
            return ("R1", "goes on after a failure") if came != "end" else ("R1", "a failure is not reported")
        case "unrecordable" | "unrecordable payload":
            return "R5", "takes what JSON cannot carry"
        case "failure" | "unread":
            return "R13", "a failed run raises"
        case "bug":
            return "R13", "a bug ends the run"
    return "R2", "the end is missing" if came == "nothing" else "does more"


# ---------------------------------------------------------------- the same kind of event, with other content


def _act(want: Expected, got: Event) -> Found:
    _, name, args, key = want.event
    shown = words(want.event), words(got)
    if got[1] != name:
        return "R2", "another step", *shown
    if got[2] != args:
        return "R5", "other arguments", *shown
    return (
        "R11",
        "another key" if key is not None else "a key that is not asked for",
        f"the key {key}",
        f"the key {got[3]}",
    )


def _pause(want: Expected, got: Event) -> Found:
    return "R12", "another pause", words(want.event), words(got)


def _got(want: Expected, got: Event) -> Found:
    rule = BY_COMMAND.get(want.event[1], "R5")
    kind = {"R5": "another result", "R7": "another time", "R8": "another payload"}[rule]
    return rule, f"{kind} on replay" if want.why == "replayed" else kind, words(want.event), words(got)


def _caught(want: Expected, got: Event) -> Found:
    shown = words(want.event), words(got)
    match want.why:
        case "diverged":
            if got[1] == "NonDeterminismError":
                return "R3", "the divergence says something else", *shown
            return "R3", "divergence is not noticed", *shown
        case "waits":
            return "R9", "a wait is an error", *shown
        case "fault":
            return "R1", "another error than the one that was raised", *shown
    if got[1] == "NonDeterminismError":
        return "R3", "right code diverges", *shown
    if got[1] == want.event[1] and got[2].get("attempts") != want.event[2].get("attempts"):
        return "R6", "other attempts", *shown
    return "R6", "another error" + (" on replay" if want.why == "replayed" else ""), *shown


def _end(want: Expected, got: Event) -> Found:
    shown = words(want.event), words(got)
    if got[1] != want.event[1]:
        return *_status(want, got), *shown
    if want.why in ("diverged", "unread"):
        rule = "R3" if want.why == "diverged" else "R4"
        return rule, "the result says something else", *shown
    if want.why == "blocked":
        return "R9", "waits for something else", *shown
    if want.why == "failure":
        return "R13", "another error ends it", *shown
    return "R5", "another value", *shown


def _status(want: Expected, got: Event) -> tuple[str, str]:
    match want.why:
        case "diverged":
            return "R3", "divergence is not reported"
        case "unread":
            return "R4", "unread history is not noticed"
        case "blocked":
            return "R9", "a waiting run is reported otherwise"
        case "failure":
            return "R13", "a failed run is reported otherwise"
    if "NonDeterminism" in str(got[2].get("error")):
        return "R4", "right code diverges at its end"
    return "R9" if got[1] == "blocked" else "R13", "a completed run is reported otherwise"


def _out(want: Expected, got: Event) -> Found:
    rule = "R13" if want.why == "bug" else "R1"
    return rule, "another error comes out", words(want.event), words(got)


def _states(want: Expected, got: Event) -> Found:
    ours, theirs = want.event[1], got[1]
    if not theirs["kept"]:
        return "R10", "the given state changes", "the state that was given stays as it was", "it has changed"
    for place, rule in (("journal", "R1"), ("returned", "R10")):
        if not fits(ours[place], theirs[place]):
            return _state(want.why, place, rule, ours[place], theirs[place])
    return "R10", "another state", "", ""


def _state(why: str, place: str, rule: str, ours: Any, theirs: Any) -> Found:
    """The first difference between two states."""
    where = "the new state" if place == "returned" else "the journal"
    if not isinstance(ours, dict) or not isinstance(theirs, dict):
        return rule, f"{where} cannot be read", show(ours), show(theirs)
    for name in ("workflow_id", "input"):
        if not fits(ours[name], theirs.get(name)):
            kind = "the input changes" if name == "input" else "the id changes"
            return "R5" if name == "input" else "R10", kind, show(ours[name]), show(theirs.get(name))
    for name in ("commands", "signals"):
        wanted, had = ours[name], theirs.get(name)
        had = had if isinstance(had, list) else []
        if len(wanted) != len(had):
            rules = {"diverged": "R3", "unread": "R4", "signalled": "R8"}
            kind = f"{where} has {'too many' if len(had) > len(wanted) else 'too few'} {name}"
            return rules.get(why, rule), kind, f"{len(wanted)} {name}", f"{len(had)} {name}"
        for one, other in zip(wanted, had, strict=True):
            for rule, kind, a, b in _record(one, other, name):
                return rule, kind, a, b
    return rule, f"{where} differs", show(ours), show(theirs)


_FIELDS = {
    "kind": ("R3", "another kind is recorded"),
    "name": ("R3", "another name is recorded"),
    "args": ("R5", "other arguments are recorded"),
    "ok": ("R6", "another outcome is recorded"),
    "error": ("R6", "another error is recorded"),
    "value": ("R5", "another value is recorded"),
    "tries": ("R6", "other attempts are recorded"),
    "started_at": ("R6", "other times are recorded"),
    "ended_at": ("R6", "other times are recorded"),
    "payload": ("R8", "another payload is kept"),
    "received_at": ("R8", "another time of arrival is kept"),
}


def _record(ours: dict[str, Any], theirs: Any, what: str) -> Iterator[Found]:
    theirs = theirs if isinstance(theirs, dict) else {}
    for name, (rule, kind) in _FIELDS.items():
        if name in ours and not fits(ours[name], theirs.get(name)):
            if name == "name" and what == "signals":
                rule, kind = "R8", "another name is kept"
            if name == "value" and ours.get("kind") == "now":
                rule, kind = "R7", "another time is recorded"
            if name == "value" and ours.get("kind") == "signal":
                rule, kind = "R8", "another payload is recorded"
            yield rule, kind, f"{ours['name']}: {name} {show(ours[name])}", f"{name} {show(theirs.get(name))}"


def _apart(want: Expected, got: Event) -> Found:
    return (
        "R10",
        "the new state shares its lists",
        "the new state has lists of its own",
        "it shares them with the old one",
    )


_SAME: dict[str, Callable[[Expected, Event], Found]] = {
    "act": _act,
    "pause": _pause,
    "got": _got,
    "caught": _caught,
    "end": _end,
    "out": _out,
    "states": _states,
    "apart": _apart,
}


# ---------------------------------------------------------------- words


def show(value: Any) -> str:
    """Return a value for people: what may be anything is shown as such."""
    if isinstance(value, OneOf):
        return " or ".join(map(show, value.times))
    if isinstance(value, Naming):
        return " ... ".join(value.words) or ANY
    try:
        text = json.dumps(value, default=lambda one: show(one) if isinstance(one, (Naming, OneOf)) else repr(one))
    except (TypeError, ValueError, RecursionError):
        text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."


def words(event: Event) -> str:
    """Return an event as a line: `charge("A1", 30) is called`."""
    match event:
        case ("act", name, args, _):
            return f"{name}({args[1:-1]}) is called"
        case ("pause", seconds):
            return f"a pause of {seconds} s"
        case ("append", *_):
            return "the record is written"
        case ("got", what, value):
            return f"{_COMMAND.get(what, what)} returns {value}"
        case ("caught", name, details):
            return f"{'an error' if name == ANY else name} is raised{_details(name, details)}"
        case ("end", "signalled", _):
            return "signal() returns"
        case ("end", status, details):
            told = [
                f"{name.replace('_', ' ')} {show(value)}"
                for name, value in details.items()
                if value not in (None, "null")
            ]
            return f"the run is {status}" + (f" ({', '.join(told)})" if told else "")
        case ("out", name, text):
            return "an error comes out" if name == ANY else f"{name} comes out of run()" + (f": {text}" if text else "")
        case ("states", *_):
            return "that is all"
        case ("broken", text):
            return f"its answer cannot be read: {text}"
    return "nothing more"


_COMMAND = {"call": "the activity", "now": "ctx.now()", "wait": "ctx.wait_signal()"}


def _details(name: str, details: Any) -> str:
    if not isinstance(details, dict):
        return ""
    told = [f"{key} {show(value)}" for key, value in details.items() if value != ANY and (key != "text" or value)]
    return f" ({', '.join(told)})" if told else ""
