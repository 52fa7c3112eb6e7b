"""What is written down of a run: the points at which it can be stopped, the events, and the end. Plain data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from durable_lab.attempts import kinds, message
from durable_lab.judge.play import text_of
from durable_lab.judge.workflow import is_a

WORDS = {
    "starts": "before the first line of the workflow",
    "calls": "before the effect of {}",
    "effect": "after the effect of {}",
    "sleeps": "before the pause between two attempts of {}",
    "slept": "after the pause between two attempts of {}",
    "records": "before {} is recorded",
    "recorded": "after {} is recorded, before the workflow sees its result",
    "sees": "after the workflow has the result of {}",
    "sends": "before the signal {} is recorded",
    "sent": "after the signal {} is recorded",
    "returns": "after the last line of the workflow",
    "blocks": "after the run is blocked",
    "ends": "after the end of the run",
}
SHORT = 60
OUTSIDE = -1  # the position of a point that belongs to no command


class Point(NamedTuple):
    """A point at which a process can be stopped. `of` is the command there, as text, or the name of a signal."""

    what: str  # one of WORDS
    position: int
    of: str

    @property
    def words(self) -> str:
        """Where it is, for a reader."""
        return WORDS[self.what].format(short(self.of))


class Event(NamedTuple):
    """Something that crossed the border between the engine and the workflow, an activity, or the journal."""

    what: str  # "asks", "calls", "records", "sees"; "signal": one is recorded; "delivers": one is sent
    process: int  # counted from 0
    position: int
    kind: str  # "activity", "now" or "signal"
    text: str  # asks and calls: the call; records: the content without times; sees: see `outcome_of`
    key: str | None  # of a call
    known: int  # the number of commands that were recorded when this run began


class End(NamedTuple):
    """How the last process left the run. If `run` raised, the status is "raised" and the error "Type: message"."""

    status: str
    value: str = "null"  # as JSON
    error: str | None = None
    waiting_for: str | None = None

    @property
    def words(self) -> str:
        """How it ended, for a reader."""
        more = {"completed": self.value, "blocked": f"waits for the signal {self.waiting_for}"}.get(self.status)
        return f"{self.status}: {more or self.error}"


@dataclass
class Played:
    """One run of a scenario, over all of its processes."""

    points: dict[int, list[Point]] = field(default_factory=dict)  # by process
    events: list[Event] = field(default_factory=list)
    end: End = End("raised")
    raised: BaseException | None = None  # what `run` raised, in this process only

    def of(self, what: str) -> Iterator[Event]:
        """The events of this sort."""
        return (event for event in self.events if event.what == what)

    def first(self, what: str) -> dict[int, Event]:
        """The first event of this sort at each position."""
        found: dict[int, Event] = {}
        for event in self.of(what):
            found.setdefault(event.position, event)
        return found

    def durable(self, process: int) -> int:
        """The number of commands that are recorded when this process has ended."""
        return sum(event.process <= process for event in self.of("records"))


def short(call: str) -> str:
    """Return a call for a reader: cut if it is long."""
    return call if len(call) <= SHORT else f"{call[: SHORT - 4]}...)"


def call_text(name: str, args: tuple[Any, ...]) -> str:
    """Return what a workflow asks for, as text: pay_back("A1", 30)."""
    return f"{name}({', '.join(map(text_of, args))})"


def outcome_of(value: Any, error: BaseException | None) -> str:
    """Return as JSON what a command returned to the workflow, or raised."""
    if error is None:
        return json.dumps(["value", text_of(value)])
    if is_a(error, "ActivityError"):
        names = ("activity", "error_type", "message", "attempts")
        return json.dumps(["ActivityError", *(text_of(getattr(error, name, None)) for name in names)])
    sort = kinds(error) if isinstance(error, Exception) else [type(error).__name__]
    return json.dumps(["error", sort, message(error)])


def content_of(record: Any) -> str:
    """Return what a record says, as text, apart from all times."""
    if hasattr(record, "payload"):
        return json.dumps(["signal", text_of(record.name), text_of(record.payload)])
    fields = {name: text_of(getattr(record, name, None)) for name in ("kind", "name", "args", "ok", "value", "error")}
    tries = [getattr(attempt, "error", None) for attempt in getattr(record, "tries", None) or ()]
    return json.dumps({**fields, "tries": text_of(tries)})
