"""The picture of a history, laid out once for two painters: `figure.py` (matplotlib) and `static/paint.js` (canvas).

A scene has rows (y) and columns (x). By order, event i of the scene is in the column from i to i + 1; by clock, x is
proportional to time over the same width. A painter decides how large a column and a row are, and nothing else:

    row 0      workflow    ▶───────────────────────●       ● completed        pinned to the top
    row 1      0  assess   [==]●                           ● "refund"
    row 2      1  pay_back      [//]─1 s─[==]●             ● "receipt-1"
    row 3      signals        ✉ approval                   ✉ {"by": "Ana"}    pinned to the bottom
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from durable_lab.timeline.collector import paused
from durable_lab.timeline.model import Event, History, Lane, lanes_of, span
from durable_lab.timeline.words import duration, ticks

# The palette of Okabe and Ito, which people with any kind of colour vision can tell apart. A painter adds the colours
# of its page: "ink", "faint", "paper", "stripe", and "alarm" for texts about what went wrong.
COLOURS = {
    "activity": "#0072B2",
    "time": "#CC79A7",
    "good": "#009E73",
    "waiting": "#E69F00",
    "bad": "#D55E00",
    "unread": "#888888",
}
ROLES = {"now": "time", "timer": "time", "consumed": "good", "unknown": "unread"}  # of bars; all others are "activity"
SYMBOLS = {"timer": "triangle", "unknown": "question"}  # at the end of a bar; all others are "dot" or "cross"
LEAST = {"bar": 5, "wait": 22, "label": 26}  # pixels: what is narrower is widened, a label without the room left out
LEGEND = "   ·   ".join(
    (
        "outlined: replayed, nothing ran",
        "filled: live",
        "hatched: a failed attempt",
        "thin line: back-off",
        "open, with a diamond: it waits",
    )
)
PAD = 0.07  # of a column, on both sides of a bar


class Row(NamedTuple):
    """A line of the picture. `pin` keeps it in view when the rows between are scrolled: "top", "bottom" or ""."""

    label: str
    outcome: str
    pin: str = ""
    striped: bool = False
    bold: bool = False
    role: str = "ink"  # of its texts


class Mark(NamedTuple):
    """Something to paint, from `x0` to `x1` in a row.

    bar     a rectangle; `fill` is "filled", "outlined" or "dotted"; `symbol` stands at its right end
    wait    a bar that is open
    line    a thin line, with `words` above its middle
    symbol  one `symbol` at x0, moved to the right by `shift` times its width
    letter  a signal at x0, with `words` beside it as far as x1
    arrow   from x0 in `row` to x1 in `to`
    tick    a short line at x0, with `words` below it
    """

    shape: str
    row: int
    x0: float
    x1: float
    role: str = "ink"
    fill: str = "filled"
    hatched: bool = False
    symbol: str = ""
    symbol_role: str = "good"
    words: str = ""
    shift: int = 0
    to: int = 0


class Across(NamedTuple):
    """A line across the rows, with a label above: a "tear" (crash or divergence), or "live", where replay ends."""

    shape: str
    x: float
    words: str
    role: str
    tier: int  # of the label; 0 is above 1
    shift: int = 0  # in pixels


@dataclass
class Scene:
    """All that a painter needs. Lines across end below row `crossed` - 1."""

    title: str
    below: str  # what stands under the title
    note: str  # why x is order although time was asked for
    width: float  # in columns
    clock: bool
    events: Sequence[Event]
    spans: list[tuple[float, float]]  # by column: where its event begins and ends
    lines: list[int]  # by column: the row of its event
    rows: list[Row] = field(default_factory=list)
    crossed: int = 0
    marks: list[Mark] = field(default_factory=list)
    across: list[Across] = field(default_factory=list)
    columns: list[list[Any]] = field(default_factory=list)  # of a divergence: field, history, code, whether they differ
    position: int = 0  # of the divergence

    @paused
    def to_json(self, whole: bool = True) -> str:
        """The scene for the browser, as text: one value that no library walks through on its way.

        whole  whether no further events are to be had; if not, the browser asks for them once it has painted these
        """
        own = {name: getattr(self, name) for name in ("title", "note", "width", "clock", "rows", "crossed", "across")}
        own |= {
            "marks": self.marks,
            "events": [_told(*one) for one in zip(self.events, self.spans, self.lines, strict=True)],
        }
        own |= {"names": {"Row": Row._fields, "Mark": Mark._fields, "Across": Across._fields, "Event": _TOLD}}
        return json.dumps(
            {**own, "whole": whole, "colours": COLOURS, "least": LEAST, "legend": LEGEND}, separators=(",", ":")
        )


_TOLD = ("index", "x0", "x1", "row", "position", "at", "kind", "ok", "mark", "what", "outcome", "ran", "attempt")


def _told(event: Event, place: tuple[float, float], row: int) -> tuple[Any, ...]:
    """An event as the browser needs it: for the table, the search, and what a screen reader says."""
    attempt = f"attempt {event.attempt} of {event.tries}" if event.tries > 1 and event.attempt else ""
    ran = {"unread": "not reached"}.get(event.ran, event.ran)
    if event.kind == "delivered":
        ran = "unread" if event.link is None else f"read by event {event.link}"
    own = (event.index, *place, row, event.position, event.at, event.kind, event.ok, event.mark)
    return (*own, event.what, event.outcome, ran, attempt)


@paused
def scene_of(history: History, events: Sequence[Event] | None = None, *, clock: bool = False, cut: str = "") -> Scene:
    """Lay out the history, or only these of its events.

    clock  let x be time; if the history has no usable times, `note` says why x is order all the same
    cut    what a reader must know about events that are left out
    """
    return _Layout(history, history.events if events is None else events, clock, cut).made()


class _Layout:
    def __init__(self, history: History, events: Sequence[Event], clock: bool, cut: str) -> None:
        self.history, self.events = history, events
        self.width = float(max(len(events), 6))
        self.note = f"{history.by_order} So x is order, not time." if clock and history.by_order else ""
        self.clock = clock and not history.by_order
        self.begin, self.finish = span(events)
        self.second = self.width * 0.97 / ((self.finish - self.begin) or 1.0)
        self.column = {event.index: i for i, event in enumerate(events)}
        self.lanes = lanes_of(history, events)
        self.row = {lane.number: i for i, lane in enumerate(self.lanes)}
        spans = [self._span(event) for event in events]
        lines = [self.row[event.lane] for event in events]
        self.scene = Scene(history.title, self._below(cut), self.note, self.width, self.clock, events, spans, lines)

    def made(self) -> Scene:
        scene = self.scene
        scene.rows = [_row(lane) for lane in self.lanes]
        scene.crossed = len(scene.rows)
        if self.events:
            self._mark("line", 0, scene.spans[0][0], max(end for _, end in scene.spans), role="faint")
        for event in self.events:
            self._event(event)
        self._signals()
        self._across()
        if self.clock:
            self._ticks()
        self._books()
        return scene

    def _below(self, cut: str) -> str:
        history = self.history
        engine = f"engine: {history.engine}" if history.engine else ""
        told = history.sentence.replace(history.times, "").strip() if self.note else history.sentence
        return "   ".join(part for part in (self.note, engine, history.start, cut, told) if part)

    # ------------------------------------------------------------ x

    def _at(self, seconds: float) -> float:
        return round((seconds - self.begin) * self.second, 3)

    def _span(self, event: Event) -> tuple[float, float]:
        if not self.clock:
            column = self.column[event.index]
            return column + PAD, column + 1 - PAD
        start = event.start if event.start is not None else self.finish
        end = event.end if event.end is not None else start
        return self._at(min(start, end)), self._at(max(start, end))

    def _place(self, event: Event) -> tuple[float, float]:
        return self.scene.spans[self.column[event.index]]

    def _middle(self, event: Event) -> float:
        return sum(self._place(event)) / 2

    def _torn(self, event: Event) -> float:
        """Where a crash or a divergence is. By clock it has no time of its own: it is behind all that came before."""
        if not self.clock:
            return self._middle(event)
        return max((end for _, end in self.scene.spans[: self.column[event.index]]), default=0.0)

    # ------------------------------------------------------------ events

    def _mark(self, shape: str, row: int, x0: float, x1: float, **more: Any) -> None:
        self.scene.marks.append(Mark(shape, row, x0, x1, **more))

    def _event(self, event: Event) -> None:
        kind, row = event.kind, self.row[event.lane]
        x0, x1 = self._place(event)
        if kind == "gap":
            self._mark("line", row, x0, x1, role="faint", words=event.outcome)
        elif kind in ("blocked", "running"):
            self._mark("wait", row, self._since(event, x0), x1, role="waiting", symbol="diamond", symbol_role="waiting")
        elif kind == "consumed":
            begin = self._since(event, x0)
            if self.clock:
                x0 = x1 - min(0.2 * (x1 - x0), 0.2)  # the bar is when it was read; before, it waited
            if begin < x0:
                self._mark("wait", row, begin, x1, role="waiting")
            self._bar(event, row, x0, x1)
        elif kind in ("worker", "completed", "failed"):
            symbol = {"worker": "play", "completed": "dot", "failed": "cross"}[kind]
            role = {"worker": "faint", "completed": "good", "failed": "bad"}[kind]
            self._mark("symbol", row, (x0 + x1) / 2, (x0 + x1) / 2, symbol=symbol, symbol_role=role)
        elif kind not in ("crash", "divergence", "delivered"):
            self._bar(event, row, x0, x1)

    def _bar(self, event: Event, row: int, x0: float, x1: float) -> None:
        role = ROLES.get(event.kind, "activity") if event.ok else "bad"
        end = "good" if event.ok else "bad"
        fill = {"replayed": "outlined", "unread": "dotted"}.get(event.ran, "filled")
        if fill == "dotted":
            role = end = "unread"
        symbol = SYMBOLS.get(event.kind, "dot" if event.ok else "cross") if event.final else ""
        self.scene.marks.append(Mark("bar", row, x0, x1, role, fill, not event.ok, symbol, end))

    def _since(self, event: Event, x0: float) -> float:
        """Where the wait of an event began."""
        if self.clock or event.since is None or event.since == event.index:
            return x0
        known = self.column.get(event.since)
        return (known if known is not None else 0) + PAD

    def _signals(self) -> None:
        """A letter for each. Those of one time stand side by side, with all their names beside the rightmost."""
        sent = [event for event in self.events if event.kind == "delivered"]
        groups = [(x, list(group)) for x, group in groupby(sent, self._middle)]
        following = [*(x for x, _ in groups[1:]), self.width]
        for (x, group), room in zip(groups, following, strict=False):
            left = x > 0.8 * self.width  # or they would leave the plot
            names = [event.name if event.link is not None else f"{event.name} (unread)" for event in group]
            for i, event in enumerate(group):
                role = "good" if event.link is not None else "faint"
                words = ", ".join(names) if i == (0 if left else len(group) - 1) else ""
                shift = min(i, 5) * (-1 if left else 1)
                self._mark("letter", self.row[-1], x, room, role=role, words=words, shift=shift)
                target = self.column.get(event.link) if event.link is not None else None
                if target is not None:
                    end, to = self.scene.spans[target][1] - PAD, self.row[self.events[target].lane]
                    self._mark("arrow", self.row[-1], x, end, role=role, to=to)

    # ------------------------------------------------------------ across the rows

    def _across(self) -> None:
        split = next((event for event in self.events if event.kind == "divergence"), None)
        live = next((event for event in self.events if event.ran == "live" and event.position is not None), None)
        across = self.scene.across
        if self.history.replayed and live and not split and live.position == self.history.replayed:
            x = self._place(live)[0] - (0 if self.clock else PAD)
            across.append(Across("live", x, "now: from here it is live", "ink", 1, -3 if self.clock else 0))
        for event in self.events:
            if event.kind == "crash":
                across.append(Across("tear", self._torn(event), f"{event.mark} {event.what}", "bad", 0, 6 * self.clock))
        if split:
            words = f"{split.mark} your code differs from here"
            across.append(Across("tear", self._torn(split), words, "bad", 1, 6 * self.clock))
            self.scene.columns, self.scene.position = split.data["fields"], split.data["position"]

    # ------------------------------------------------------------ below the rows

    def _ticks(self) -> None:
        row = len(self.scene.rows)
        self.scene.rows.append(Row("time since the first event", "", "bottom", role="faint"))
        for value in ticks(self.finish - self.begin):
            x = self._at(self.begin + value)
            self._mark("tick", row, x, x, role="faint", words=duration(value))

    def _books(self) -> None:
        """What the world's own books say: a square for each effect, under the command that caused it."""
        effects = self.history.effects
        if not effects:
            return
        self.scene.rows.append(Row("the world's own books", "", "bottom", bold=True))
        places = {event.position: self._middle(event) for event in self.events if event.final}
        crash = next((event for event in self.events if event.kind == "crash"), None)
        lost = self._torn(crash) - 0.2 if crash else self.width - 0.1  # its command is not in history
        for service in dict.fromkeys(effect.service for effect in effects):
            own = [effect for effect in effects if effect.service == service]
            row, turns = len(self.scene.rows), Counter[float]()
            self._mark("line", row, 0, self.width, role="faint")
            for effect in own:
                x = places.get(effect.position, lost) if effect.position is not None else self.width - 0.1
                role = "bad" if effect.twice else "activity"
                self._mark("symbol", row, x, x, symbol="square", symbol_role=role, shift=turns[x])
                turns[x] += 1
            counts = Counter(effect.operation for effect in own)
            words = ", ".join(f"{count} \N{MULTIPLICATION SIGN} {name}" for name, count in counts.items())
            twice = any(effect.twice for effect in own)
            self.scene.rows.append(Row(f"  {service}", words, "bottom", bold=twice, role="alarm" if twice else "ink"))


def _row(lane: Lane) -> Row:
    pin = "top" if lane.number == 0 else "bottom" if lane.number == -1 else ""
    unread = lane.number > 0 and all(event.ran == "unread" for event in lane.events)
    outcome = f"not reached: {lane.outcome}" if unread else lane.outcome
    return Row(lane.name, outcome, pin, lane.number % 2 == 0, lane.number == 0, "faint" if unread else "ink")
