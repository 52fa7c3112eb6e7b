"""The timeline as a figure: one lane a command, attempts and back-off gaps, replayed outlined and live filled.

Everything is placed in inches on one canvas: names left, bars in the middle, outcomes right, so that no two texts can
meet, however long the history is. Outcome is told by shape, by label and by colour, none of them alone.
"""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from durable_lab.timeline.events import history_of, state_in
from durable_lab.timeline.model import Event, History, Lane, lanes_of, span
from durable_lab.timeline.text import text_of
from durable_lab.timeline.words import LONGEST, duration, ticks

# Okabe and Ito's palette: told apart with every kind of colour vision.
BLUE, ORANGE, GREEN, VERMILION, PURPLE, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#888888"
COLOURS = {"now": PURPLE, "consumed": GREEN, "timer": PURPLE, "unknown": GREY, "blocked": ORANGE, "running": ORANGE}
LANES = 200  # more are not drawn: nobody could read them
WIDTH, LEFT, RIGHT, ROW, EDGE = 9.5, 2.3, 2.75, 0.27, 0.12  # inches
LEGEND = "outlined: replayed, nothing ran    filled: live    hatched: a failed attempt    thin line: back-off"


class Drawing:
    """A figure for a notebook; its text twin is the table, which is also what shows where no picture can."""

    def __init__(self, text: str, png: bytes | None = None) -> None:
        self.text, self.png = text, png

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        bundle = {"text/plain": self.text}
        if self.png:
            bundle["image/png"] = base64.b64encode(self.png).decode()
        return bundle


def draw(
    run: Any,
    *,
    replayed: int = 0,
    crash: str | int | None = None,
    ledger: Any = None,
    clock: bool = False,
    dark: bool = False,
    engine: str = "",
) -> Drawing:
    """The timeline of a RunResult or a WorkflowState; or of a file (a Path) that holds the JSON of a WorkflowState.

    replayed  so many commands came from history in this run; the rest ran live
    crash     the name of the point at which the process died, or after how many commands it died
    ledger    the world's own books (`effects()`): what really happened, outside the engine
    clock     let x be seconds instead of order
    dark      for a dark page
    engine    which engine ran, from which file; said in the title

    What has no history yet (an open TODO) is shown as the sentence that it is; of a broken file, what is wrong with it.
    """
    if isinstance(run, Path):
        try:
            run = state_in(run)
        except ValueError as error:
            return Drawing(str(error))
    if not hasattr(getattr(run, "state", run), "commands"):
        return Drawing(repr(run))
    history = history_of(run, replayed=replayed, crash=crash, ledger=ledger, engine=engine)
    return Drawing(text_of(history), png_of(history, clock=clock, dark=dark))


def png_of(history: History, *, clock: bool = False, dark: bool = False) -> bytes | None:
    """The figure as PNG; None where matplotlib is not installed."""
    try:
        figure = figure_of(history, clock=clock, dark=dark)
    except ImportError:
        return None
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that the font does not have is drawn as a box
        figure.savefig(out, format="png")
    return out.getvalue()


def figure_of(history: History, *, clock: bool = False, dark: bool = False) -> Any:
    """The matplotlib Figure, which belongs to no window. Raises ImportError without matplotlib."""
    shown = replace(history, events=tuple(e for e in history.events if (e.position or 0) < LANES or e.lane == 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _Painter(shown, clock, dark).paint()


@dataclass
class _Scale:
    """From events to inches. By order an event's index is its column; by clock it is seconds since the first."""

    events: Sequence[Event]
    clock: bool
    left: float
    right: float

    def __post_init__(self) -> None:
        self.begin, self.finish = span(self.events)
        self._columns = {event.index: i for i, event in enumerate(self.events)}
        self.unit = (self.right - self.left) / max(len(self.events), 6)
        self.second = (self.right - self.left) * 0.97 / ((self.finish - self.begin) or 1.0)

    def at(self, seconds: float) -> float:
        return self.left + (seconds - self.begin) * self.second

    def column(self, index: int) -> float:
        return self.left + self._columns.get(index, 0) * self.unit

    def bar(self, event: Event) -> tuple[float, float]:
        """Left and right edge. By clock a bar has a least width, so that what took no time can be seen."""
        if not self.clock:
            x = self.column(event.index)
            return x + self.unit * 0.07, x + self.unit * 0.93
        start = event.start if event.start is not None else self.finish
        end = event.end if event.end is not None else start
        x = self.at(min(start, end))
        return x, max(self.at(end), x + 0.05)


class _Painter:
    """One picture."""

    def __init__(self, history: History, clock: bool, dark: bool) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.history, self.dark = history, dark
        self.by_order = f"{history.by_order} So x is order, not time." if clock and history.by_order else ""
        clock = clock and not history.by_order
        self.ink, self.paper, self.stripe = (
            ("#e0e0e0", "#111111", "#1d1d1d") if dark else ("#222222", "#ffffff", "#f4f4f4")
        )
        self.faint = "#9a9a9a" if dark else "#6b6b6b"
        self.lanes = lanes_of(history)
        self.services = list(dict.fromkeys(effect.service for effect in history.effects))
        split = next((event for event in history.events if event.kind == "divergence"), None)
        self.split: Event | None = split
        marked = any(event.kind in ("crash", "divergence") for event in history.events)
        self.band = 0.44 if marked else 0.27 if history.replayed else 0.1  # room for the labels over the lines
        self.head = 0.3 + 0.19 * bool(self._below())
        below = self.head + self.band + ROW * len(self.lanes)
        self.strip = below + 0.1
        self.panel = self.strip + (0.24 + ROW * len(self.services) if self.services else 0.0) + 0.22 * clock
        fields = len(split.data["fields"]) if split else 0
        self.height = self.panel + (0.34 + 0.2 * fields if split else 0.0) + 0.42
        self.figure = Figure(figsize=(WIDTH, self.height), dpi=110, facecolor=self.paper)
        self.canvas: Any = FigureCanvasAgg(self.figure)
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_xlim(0, WIDTH)
        self.axes.set_ylim(self.height, 0)
        self.axes.set_axis_off()
        self.scale = _Scale(history.events, clock, LEFT, WIDTH - RIGHT)
        self.rows = {lane.number: self.head + self.band + ROW * (i + 0.5) for i, lane in enumerate(self.lanes)}

    def paint(self) -> Any:
        self._header()
        for lane in self.lanes:
            self._lane(lane)
        self._signals()
        self._marks()
        if self.scale.clock:
            self._seconds()
        if self.services:
            self._effects()
        if self.split:
            self._columns(self.split)
        self.text(EDGE, self.height - 0.16, LEGEND, size=7, colour=self.faint)
        return self.figure

    # ------------------------------------------------------------ texts

    def text(self, x: float, y: float, words: str, room: float = 0.0, size: float = 8, **how: Any) -> Any:
        """A text cut to `room` inches. Never read as mathematics: a value may hold a `$`."""
        colour, bold = how.pop("colour", self.ink), how.pop("bold", False)
        how = {"va": "center", **how}
        words = words[:LONGEST]
        made = self.axes.text(x, y, words, fontsize=size, color=colour, parse_math=False, **how)
        made.set_fontweight("bold" if bold else "normal")
        if room:
            low, high = 0, len(words)
            while low < high and self._width(made) > room:
                high = min(high - 1, int(high * max(room / self._width(made), 0.5)))
                made.set_text(words[:high].rstrip() + "…")
        return made

    def _width(self, made: Any) -> float:
        return float(made.get_window_extent(self.canvas.get_renderer()).width / self.figure.dpi)

    def _cut(self) -> str:
        more = self.history.commands > LANES
        return f"the first {LANES} of {self.history.commands} commands" if more else ""

    def _header(self) -> None:
        room = WIDTH - 2 * EDGE
        self.text(EDGE, 0.18, self.history.title, room, 10, bold=True)
        self.text(EDGE, 0.39, self._below(), room, 8, colour=self.faint)

    def _below(self) -> str:
        """What stands below the title."""
        history = self.history
        engine = f"engine: {history.engine}" if history.engine else ""
        told = history.sentence if not self.by_order else history.sentence.replace(history.times, "").strip()
        parts = (self.by_order, engine, history.start, self._cut(), told)
        return "   ".join(part for part in parts if part)

    def _lane(self, lane: Lane) -> None:
        from matplotlib.patches import Rectangle

        y = self.rows[lane.number]
        if lane.number % 2 == 0:
            self.axes.add_patch(Rectangle((0, y - ROW / 2), WIDTH, ROW, facecolor=self.stripe, edgecolor="none"))
        unread = lane.number > 0 and all(event.ran == "unread" for event in lane.events)
        colour = self.faint if unread else self.ink
        self.text(EDGE, y, lane.name, LEFT - EDGE - 0.1, colour=colour, bold=lane.number == 0)
        outcome = f"not reached: {lane.outcome}" if unread else lane.outcome
        self.text(WIDTH - RIGHT + 0.1, y, outcome, RIGHT - EDGE - 0.1, colour=colour)
        if lane.number == 0 and self.history.events:
            begin, end = (self.scale.bar(self.history.events[i]) for i in (0, -1))
            self.axes.plot([begin[0], end[1]], [y, y], color=self.faint, linewidth=0.8, zorder=1)
        if lane.number >= 0:
            for event in lane.events:
                self._event(event, y)

    # ------------------------------------------------------------ events

    def _event(self, event: Event, y: float) -> None:
        left, right = self.scale.bar(event)
        if event.kind == "gap":
            self.axes.plot([left, right], [y, y], color=self.faint, linewidth=1.2)
            made = self.text((left + right) / 2, y - 0.075, event.outcome, size=6, ha="center")
            if self._width(made) > max(right - left, 0.2):
                made.remove()  # no room; it is in the table
        elif event.kind in ("blocked", "running", "consumed"):
            self._wait(event, y, left, right)
        elif event.kind in ("worker", "completed", "failed"):
            shape = {"worker": ">", "completed": "o", "failed": "X"}[event.kind]
            colour = {"worker": self.faint, "completed": GREEN, "failed": VERMILION}[event.kind]
            self._dot((left + right) / 2, y, shape, colour, 6.5)
        elif event.kind not in ("crash", "divergence"):
            self._bar(event, left, right, y)

    def _bar(self, event: Event, left: float, right: float, y: float) -> None:
        from matplotlib.patches import Rectangle

        colour = VERMILION if not event.ok else COLOURS.get(event.kind, BLUE)
        outlined = event.ran in ("replayed", "unread")
        colour = GREY if event.ran == "unread" else colour
        bar = Rectangle((left, y - 0.075), right - left, 0.15, linewidth=1.3 if outlined else 0.6)
        bar.set(facecolor="none" if outlined else colour, edgecolor=colour if outlined else self.ink)
        bar.set(hatch=None if event.ok else "//////", linestyle=":" if event.ran == "unread" else "-")
        self.axes.add_patch(bar)
        if event.final:
            shape = {"timer": "^", "unknown": "$?$"}.get(event.kind, "o" if event.ok else "X")
            self._dot(
                right,
                y,
                shape,
                GREY if event.ran == "unread" else GREEN if event.ok else VERMILION,
                5 + 2 * (event.kind == "unknown"),
            )

    def _wait(self, event: Event, y: float, left: float, right: float) -> None:
        """An open bar from where the wait began; a consumed signal closes it."""
        from matplotlib.patches import Rectangle

        begin = left
        if event.since is not None and event.since != event.index:
            begin = left if self.scale.clock else self.scale.column(event.since) + self.scale.unit * 0.07
        if event.kind == "consumed":
            width = min(self.scale.unit * 0.86, right - left)
            if begin < right - width or self.scale.clock:
                self._open(begin, right, y)
            self._bar(event, max(begin, right - width * (0.2 if self.scale.clock else 1)), right, y)
            return
        right = min(max(right, left + 0.3), WIDTH - RIGHT - 0.06)
        begin = min(begin, right - 0.2)
        self._open(begin, right, y)
        self.axes.add_patch(Rectangle((right - 0.03, y - 0.09), 0.06, 0.18, facecolor=self._ground(event), linewidth=0))
        self._dot(right, y, "D", ORANGE, 5.5, hollow=True)

    def _ground(self, event: Event) -> str:
        return self.stripe if event.lane % 2 == 0 else self.paper

    def _open(self, left: float, right: float, y: float) -> None:
        for edge in (y - 0.06, y + 0.06):
            self.axes.plot([left, right], [edge, edge], color=ORANGE, linewidth=1.1)
        self.axes.plot([left, left], [y - 0.06, y + 0.06], color=ORANGE, linewidth=1.1)

    def _dot(self, x: float, y: float, shape: str, colour: str, size: float, hollow: bool = False) -> None:
        fill = self.paper if hollow else colour
        how: Any = {"markerfacecolor": fill, "markeredgecolor": colour, "markeredgewidth": 1.4 if hollow else 0.5}
        self.axes.plot([x], [y], marker=shape, markersize=size, linestyle="none", zorder=4, **how)

    def _signals(self) -> None:
        y = self.rows.get(-1)
        if y is None:
            return
        events = next(lane for lane in self.lanes if lane.number == -1).events
        places: list[float] = []
        for event in events:  # side by side where they came at the same time
            places.append(max(sum(self.scale.bar(event)) / 2, places[-1] + 0.16 if places else 0.0))
        last, least = WIDTH - RIGHT, min(0.16, (WIDTH - RIGHT - LEFT) / len(places))
        places = [min(x, last - least * (len(places) - i)) for i, x in enumerate(places)]
        for event, x, following in zip(events, places, [*places[1:], WIDTH - RIGHT + 0.1], strict=True):
            colour = self.faint if event.link is None else GREEN
            self.axes.text(x, y, "✉", fontsize=11, color=colour, ha="center", va="center", zorder=4)
            words = event.name if event.link is not None else f"{event.name} (unread)"
            if following - x > 0.4:
                made = self.text(x + 0.11, y, words, following - x - 0.25, 7, colour=colour, zorder=6)
                made.set_bbox({"facecolor": self.paper, "edgecolor": "none", "pad": 0.5})
            target = next((e for e in self.history.events if e.index == event.link), None)
            if target:
                end = self.scale.bar(target)[1] - 0.05
                how = {"arrowstyle": "->", "color": colour, "linewidth": 1, "shrinkA": 6, "shrinkB": 1}
                to = (end, self.rows[target.lane] + 0.085)
                self.axes.annotate("", to, (x, y), arrowprops=how, zorder=3)

    # ------------------------------------------------------------ marks across the lanes

    def _marks(self) -> None:
        top, bottom = self.head + self.band, self.head + self.band + ROW * len(self.lanes)
        live = next((e for e in self.history.events if e.ran == "live" and e.position is not None), None)
        if self.history.replayed and live and not self.split:
            x = self.scale.bar(live)[0] - 0.03
            self.axes.plot([x, x], [top - 0.08, bottom], color=self.ink, linewidth=1, linestyle=(0, (4, 3)))
            self._above(x, top - 0.16, "now: from here it is live")
        for event in self.history.events:
            if event.kind in ("crash", "divergence"):
                x = self._middle(event)
                step = ROW / 3
                ys = [top - 0.04 + step * i for i in range(int((bottom - top) / step) + 2)]
                xs = [x + (0.035 if i % 2 else -0.035) for i in range(len(ys))]
                self.axes.plot(xs, ys, color=VERMILION, linewidth=1.6, zorder=5)
                words = event.what if event.kind == "crash" else "your code differs from here"
                self._above(x, top - (0.33 if event.kind == "crash" else 0.16), f"{event.mark} {words}", VERMILION)

    def _middle(self, event: Event) -> float:
        """By clock a crash has no time of its own: it stands behind what came before it."""
        if not self.scale.clock:
            return sum(self.scale.bar(event)) / 2
        before = [self.scale.bar(e)[1] for e in self.history.events if e.index < event.index]
        return max(before, default=self.scale.left) + 0.06

    def _above(self, x: float, y: float, words: str, colour: str = "") -> None:
        """A label over a line, on the side where there is more room."""
        before = x > (LEFT + WIDTH - RIGHT) / 2
        room = x - LEFT + 2.0 if before else WIDTH - x - EDGE
        self.text(
            x - 0.06 if before else x + 0.06,
            y,
            words,
            room,
            7.5,
            colour=colour or self.ink,
            ha="right" if before else "left",
        )

    def _seconds(self) -> None:
        """Ticks: the time since the first event."""
        y = self.head + self.band + ROW * len(self.lanes)
        length = self.scale.finish - self.scale.begin
        for value in ticks(length):
            x = self.scale.at(self.scale.begin + value)
            self.axes.plot([x, x], [y, y + 0.05], color=self.faint, linewidth=1)
            self.text(x, y + 0.12, duration(value), size=7, colour=self.faint, ha="center")

    # ------------------------------------------------------------ below the lanes

    def _effects(self) -> None:
        """What the world's own books say: a square for each effect, under the command that caused it."""
        y = self.strip + 0.1 + 0.22 * self.scale.clock
        self.text(EDGE, y, "the world's own books", size=7.5, bold=True)
        places: dict[int | None, float] = {None: WIDTH - RIGHT - 0.1}
        for event in self.history.events:
            if event.final:
                places[event.position] = sum(self.scale.bar(event)) / 2
        lost = self._lost()
        for row, service in enumerate(self.services):
            line = y + ROW * (row + 0.85)
            own = [effect for effect in self.history.effects if effect.service == service]
            self.text(EDGE + 0.1, line, service, LEFT - EDGE - 0.2)
            self.axes.plot([LEFT, WIDTH - RIGHT], [line, line], color=self.faint, linewidth=0.4, zorder=1)
            used: dict[float, int] = {}
            for effect in own:
                x = places.get(effect.position, lost)
                turn = used[x] = used.get(x, -1) + 1
                self._dot(x + 0.13 * turn, line, "s", VERMILION if effect.twice else BLUE, 6)
            counts = {name: sum(e.operation == name for e in own) for name in dict.fromkeys(e.operation for e in own)}
            words = ", ".join(f"{count} \N{MULTIPLICATION SIGN} {name}" for name, count in counts.items())
            twice = any(effect.twice for effect in own)
            colour = VERMILION if twice else self.ink
            self.text(WIDTH - RIGHT + 0.1, line, words, RIGHT - EDGE - 0.1, colour=colour, bold=twice)

    def _lost(self) -> float:
        """Where an effect stands whose command is not in history: at the crash, or at the end."""
        crash = next((event for event in self.history.events if event.kind == "crash"), None)
        return self._middle(crash) - 0.12 if crash else self.scale.right - 0.1

    def _columns(self, split: Event) -> None:
        """History says | your code asked, with the fields that differ in bold."""
        y = self.panel + 0.12
        xs = (EDGE, 1.4, 1.4 + (WIDTH - 1.5) / 2)
        room = (WIDTH - 1.5) / 2 - 0.15
        titles = (f"at position {split.data['position']}", "history says", "your code asked")
        for x, words in zip(xs, titles, strict=True):
            self.text(x, y, words, size=8, bold=True)
        for row, (name, had, asked, differs) in enumerate(split.data["fields"]):
            line = y + 0.2 * (row + 1)
            for x, words in zip(xs, (("≠ " if differs else "   ") + name, had, asked), strict=True):
                self.text(x, line, words, room, 8, colour=VERMILION if differs else self.faint, bold=differs)
