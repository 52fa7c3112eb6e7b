"""The model behind the figure, the table and the widget. Rows, lanes and scenes are derived from its events.

    index    0         1     2          3         4         5     6
    event    attempt   now   delivered  consumed  attempt   gap   attempt    ...
    lane     0 assess  1 now  signals   2 approval   3 pay_back (failed, 1 s, done)

An event's `index` counts from the first one. All times are in seconds of the engine's clock.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from durable_lab.timeline.words import brief, date, json_text

# kind -> (mark, word). Shape, word and colour say the same, so that nothing depends on one of them alone.
KINDS = {
    "attempt": ("●", "activity"),
    "gap": ("-", "back-off"),
    "now": ("●", "time"),
    "consumed": ("●", "signal read"),
    "timer": ("▲", "timer fired"),
    "unknown": ("?", "unknown kind"),
    "delivered": ("✉", "signal delivered"),
    "worker": ("▶", "worker begins"),
    "crash": ("↯", "crash"),
    "divergence": ("≠", "divergence"),
    "blocked": ("◇", "waits"),
    "running": ("◇", "no end is recorded"),
    "completed": ("●", "completed"),
    "failed": ("✖", "failed"),
}
ENDS = ("blocked", "running", "completed", "failed")
FAILED = "✖"


@dataclass(slots=True)
class Event:
    """One thing that happened. `ran` is "live", "replayed", "unread" (history that the code did not reach), or "".

    Not frozen, because a frozen one takes five times as long to make; only `EventWriter` changes it.
    """

    index: int
    kind: str  # a key of KINDS
    name: str
    what: str  # what was asked for, in one line
    outcome: str = ""  # how it ended, in one line
    ok: bool = True
    position: int | None = None  # of its command, from 0
    start: float | None = None
    end: float | None = None
    ran: str = ""
    attempt: int = 0  # which try, from 1, of `tries`
    tries: int = 0
    since: int | None = None  # of a wait: the index at which it began
    link: int | None = None  # of a delivered signal: the event that consumed it; of that event: the delivery
    at: str = ""  # when it ended, in words: "+0.3 s" since the first event, or "no time"
    record: int | None = None  # the number of its record in durable order, from 0
    live_in: str = ""  # the worker that ran it, and those that only replayed it
    replayed_by: str = ""
    data: Any = None  # the record in full; JSON in `to_dict`

    @property
    def lane(self) -> int:
        """0 is the workflow, 1 the first command, -1 the signals."""
        if self.kind == "delivered":
            return -1
        return 0 if self.position is None else self.position + 1

    @property
    def when(self) -> float | None:
        """When it ended; of a pause, when it began."""
        return self.start if self.kind == "gap" or self.end is None else self.end

    @property
    def final(self) -> bool:
        """Whether it is the outcome of its command."""
        return self.position is not None and self.kind != "gap" and self.attempt == self.tries

    @property
    def mark(self) -> str:
        return KINDS[self.kind][0] if self.ok or self.kind == "divergence" else FAILED

    def to_dict(self, data: bool = True) -> dict[str, Any]:
        """Return plain JSON; without `data`, the record in full is left out."""
        made = {name: getattr(self, name) for name in _FIELDS if name != "data"}
        made |= {"lane": self.lane, "mark": self.mark, "final": self.final}
        return {**made, "data": json.loads(json_text(self.data))} if data else made


_FIELDS = tuple(Event.__dataclass_fields__)


@dataclass(frozen=True)
class Effect:
    """What happened in the world, by the world's own books. `position` is that of its command, if known."""

    service: str
    operation: str
    position: int | None = None
    twice: bool = False  # the same thing has happened before


@dataclass(frozen=True)
class History:
    """A run, ready to be shown. `detail`: why it waits or failed; `sentence`: what a reader must know first."""

    workflow_id: str
    events: tuple[Event, ...]
    engine: str = ""
    status: str = ""  # "completed", "blocked", "failed", "running", or "" if only a history is known
    detail: str = ""
    commands: int = 0
    replayed: int = 0
    effects: tuple[Effect, ...] = ()
    input: Any = None
    value: Any = None
    began: float | None = None  # the first time, if the clock is the machine's
    times: str = ""  # what a reader must know about the times
    by_order: str = ""  # why x cannot be time; else empty

    @property
    def title(self) -> str:
        """The workflow, its status, and the reason."""
        return " · ".join(part for part in (self.workflow_id, self.standing) if part)

    @property
    def standing(self) -> str:
        split = next((event for event in self.events if event.kind == "divergence"), None)
        if split:
            return f"{self.status}: at position {split.data['position']} your code asked for something else"
        if self.status == "blocked":
            return f"blocked: it waits for the signal {self.detail}"
        return f"{self.status or 'history'}{f': {self.detail}' if self.detail else ''}"

    @property
    def sentence(self) -> str:
        """What the picture alone does not say; "" if nothing."""
        return " ".join(part for part in (self._first, self.times) if part)

    @property
    def start(self) -> str:
        """When it began; "" if that is not known."""
        return f"began {date(self.began)}" if self.began is not None else ""

    @property
    def _first(self) -> str:
        recorded = [event for event in self.events if event.record is not None]
        unknown = sorted({event.name for event in recorded if event.kind == "unknown"})
        if not recorded:
            return "Nothing is recorded yet: the run has not begun, or it crashed before its first record."
        if unknown:
            return (
                f"This timeline does not know the kind {', '.join(unknown):.200}; such commands are shown as recorded."
            )
        if len(recorded) == 1:
            return f"One event is recorded: {recorded[0].what}."
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON, derived properties included."""
        own = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in ("events", "effects")}
        made = {**own, "title": self.title, "sentence": self.sentence}
        made["events"] = [event.to_dict() for event in self.events]
        made["effects"] = [asdict(effect) for effect in self.effects]
        return made


@dataclass(frozen=True)
class Lane:
    """A row of the picture: its number (see `Event.lane`), its name, how it ended, and its events."""

    number: int
    name: str
    outcome: str
    events: tuple[Event, ...]


def lanes_of(history: History, events: Sequence[Event] | None = None) -> list[Lane]:
    """The lanes of a history, or only of these events: the workflow, each command in issue order, the signals."""
    groups: dict[int, list[Event]] = {0: []}
    for event in history.events if events is None else events:
        groups.setdefault(event.lane, []).append(event)
    order = [*sorted(number for number in groups if number >= 0), *([-1] if -1 in groups else [])]
    return [_lane(number, tuple(groups[number]), history) for number in order]


def _lane(number: int, events: tuple[Event, ...], history: History) -> Lane:
    if number == 0:
        end = next((f"{e.mark} {history.status}" for e in history.events if e.kind in ENDS), "")
        end += f": waits for {history.detail}" if history.status == "blocked" else ""
        value = f" {brief(history.value)}" if history.status == "completed" and history.value is not None else ""
        return Lane(0, "workflow", end + value, events)
    if number == -1:
        unread = sum(event.link is None for event in events)
        words = f"✉ {events[0].outcome}" if len(events) == 1 else f"✉ {len(events)} delivered"
        return Lane(-1, "signals", words + (f", {unread} unread" if unread else ""), events)
    last = next((event for event in reversed(events) if event.final), events[-1])
    name = next((event.what for event in events if event.kind != "divergence"), last.what)
    many = f"  ({last.tries} attempts)" if last.tries > 1 else ""
    return Lane(number, f"{number - 1}  {name}", f"{last.mark} {last.outcome}{many}", events)


def difference(one: History, other: History) -> int | None:
    """Return the index in `one` of the first event in which two futures differ; None if they are the same.

    Crashes and workers are not records, so they do not count as a difference.
    """
    mine, others = (
        [event for event in history.events if event.kind not in ("crash", "worker")] for history in (one, other)
    )
    for a, b in zip(mine, others, strict=False):
        if _told(a) != _told(b):
            return a.index
    if len(mine) == len(others):
        return None
    return mine[len(others)].index if len(mine) > len(others) else len(one.events)


def _told(event: Event) -> tuple[Any, ...]:
    return event.kind, event.what, event.ok, "" if event.kind == "gap" else event.outcome


def span(events: Sequence[Event]) -> tuple[float, float]:
    """Return the first and the last time; (0.0, 0.0) if none is known."""
    times = [t for event in events for t in (event.start, event.end) if t is not None]
    return (min(times), max(times)) if times else (0.0, 0.0)


def repeated(effects: Sequence[Effect]) -> dict[str, int]:
    """Count the effects by name, such as "bank: pay_back"."""
    return dict(Counter(f"{effect.service}: {effect.operation}" for effect in effects))
