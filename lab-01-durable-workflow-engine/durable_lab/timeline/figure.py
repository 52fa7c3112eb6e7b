"""The timeline as a figure: matplotlib paints the scene.

Everything is placed in inches on one canvas: labels left, marks in the middle, outcomes right, so that no two texts can
meet, however long the history is. Outcome is told by shape, by label and by colour, none of them alone.
"""

from __future__ import annotations

import base64
import io
import warnings
from pathlib import Path
from typing import Any

from durable_lab.timeline.events import history_of, state_in
from durable_lab.timeline.model import History
from durable_lab.timeline.scene import COLOURS, LEAST, LEGEND, Across, Mark, Row, Scene, scene_of
from durable_lab.timeline.text import text_of
from durable_lab.timeline.words import LONGEST

LANES = 200  # further commands are left out: a higher figure could not be read
WIDTH, LEFT, RIGHT, ROW, EDGE = 9.5, 2.3, 2.75, 0.27, 0.12  # inches
PIXEL = 0.01  # in inches, of the sizes that a scene gives in pixels
# The page's colours. The light ones are of a card, which also looks right on a dark page: a saved figure is on both.
LIGHT = {"ink": "#222222", "faint": "#5c5c5c", "paper": "#f6f7f8", "stripe": "#eaecee", "edge": "#c9cdd2"}
DARK = {"ink": "#e0e0e0", "faint": "#9a9a9a", "paper": "#1a1a1a", "stripe": "#262626", "edge": "#444444"}
ALARM = {False: "#a84300", True: "#ff9955"}  # of texts, by `dark`: the palette's own is too faint for them
SHAPES = {"dot": "o", "cross": "X", "triangle": "^", "question": "$?$", "play": ">", "square": "s", "diamond": "D"}


class Drawing:
    """A figure for a notebook. Its text is the table, which is shown if no picture can be."""

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
    """Draw the timeline of a RunResult or a WorkflowState, or of a file (a Path) with the JSON of a WorkflowState.

    replayed  how many commands came from history in this run; the rest ran live
    crash     the name of the point at which the process died, or after how many commands it died
    ledger    the world's own books (`effects()`): what really happened, outside the engine
    clock     let x be seconds instead of order
    dark      for a dark page
    engine    which engine ran, from which file; shown under the title

    A value without a history (an open TODO) is shown as its own text; a broken file as a sentence about the fault.
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
    """Return the figure as PNG; None if matplotlib is not installed."""
    try:
        figure = figure_of(history, clock=clock, dark=dark)
    except ImportError:
        return None
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a character that the font does not have is drawn as a box
        figure.savefig(out, format="png")
    return out.getvalue()


def figure_of(history: History, *, clock: bool = False, dark: bool = False) -> Any:
    """Return the matplotlib Figure, which belongs to no window. Raises ImportError without matplotlib."""
    shown = tuple(event for event in history.events if (event.position or 0) < LANES or event.lane == 0)
    cut = f"the first {LANES} of {history.commands} commands" if history.commands > LANES else ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _Painter(scene_of(history, shown, clock=clock, cut=cut), dark).paint()


class _Painter:
    """Paints one scene. Knows inches, fonts and matplotlib; what is where is the scene's."""

    def __init__(self, scene: Scene, dark: bool) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.scene = scene
        self.colours = {**COLOURS, **(DARK if dark else LIGHT), "alarm": ALARM[dark]}
        tiers = {across.tier for across in scene.across}
        band = 0.44 if 0 in tiers else 0.27 if tiers else 0.1  # for the labels of the lines across
        self.top = 0.3 + 0.19 * bool(scene.below) + band
        self.panel = self.top + ROW * len(scene.rows) + 0.2
        self.height = self.panel + (0.14 + 0.2 * (len(scene.columns) + 1) if scene.columns else 0.0) + 0.26
        self.figure = Figure(figsize=(WIDTH, self.height), dpi=110, facecolor=(0, 0, 0, 0))
        self.canvas: Any = FigureCanvasAgg(self.figure)
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_xlim(0, WIDTH)
        self.axes.set_ylim(self.height, 0)
        self.axes.set_axis_off()
        self.unit = (WIDTH - RIGHT - LEFT) / scene.width

    def paint(self) -> Any:
        self._card()
        self.text(EDGE, 0.2, self.scene.title, WIDTH - 2 * EDGE, 10, bold=True)
        self.text(EDGE, 0.41, self.scene.below, WIDTH - 2 * EDGE, 8, role="faint")
        for i, row in enumerate(self.scene.rows):
            self._row(row, self.y(i))
        for mark in self.scene.marks:
            getattr(self, f"_{mark.shape}")(mark)
        for across in self.scene.across:
            self._across(across)
        self._columns()
        self.text(EDGE, self.height - 0.17, LEGEND, size=7, role="faint")
        return self.figure

    def x(self, column: float) -> float:
        return LEFT + column * self.unit

    def y(self, row: int) -> float:
        return self.top + ROW * (row + 0.5)

    # ------------------------------------------------------------ texts

    def text(self, x: float, y: float, words: str, room: float = 0.0, size: float = 8, **how: Any) -> Any:
        """A text cut to `room` inches. Never read as mathematics: a value may have a `$` in it."""
        colour, bold = self.colours[how.pop("role", "ink")], how.pop("bold", False)
        how = {"va": "center", **how}
        words = words[:LONGEST]
        made = self.axes.text(x, y, words, fontsize=size, color=colour, parse_math=False, **how)
        made.set_fontweight("bold" if bold else "normal")
        if room:
            low, high = 0, len(words)
            while low < high and self._wide(made) > room:
                high = min(high - 1, int(high * max(room / self._wide(made), 0.5)))
                made.set_text(words[:high].rstrip() + "…")
        return made

    def _wide(self, made: Any) -> float:
        return float(made.get_window_extent(self.canvas.get_renderer()).width / self.figure.dpi)

    def _card(self) -> None:
        """The surface of the picture, so that it is readable on a light and on a dark page."""
        from matplotlib.patches import FancyBboxPatch

        style = "round,pad=0,rounding_size=0.08"
        card = FancyBboxPatch((0.02, 0.02), WIDTH - 0.04, self.height - 0.04, boxstyle=style, linewidth=0.8, zorder=0)
        card.set(facecolor=self.colours["paper"], edgecolor=self.colours["edge"])
        self.axes.add_patch(card)

    def _row(self, row: Row, y: float) -> None:
        if row.striped:
            self._rectangle(0.03, y - ROW / 2, WIDTH - 0.06, ROW, facecolor=self.colours["stripe"], edgecolor="none")
        self.text(EDGE, y, row.label, LEFT - EDGE - 0.1, role=row.role, bold=row.bold)
        self.text(WIDTH - RIGHT + 0.1, y, row.outcome, RIGHT - EDGE - 0.1, role=row.role, bold=row.role == "alarm")

    # ------------------------------------------------------------ marks, by shape

    def _ends(self, mark: Mark) -> tuple[float, float]:
        """Its left and right edge; what is too narrow to be seen is widened, within the plot."""
        left, right, least = self.x(mark.x0), self.x(mark.x1), LEAST[mark.shape] * PIXEL
        right = min(max(right, left + least), WIDTH - RIGHT)
        return min(left, right - least), right

    def _bar(self, mark: Mark) -> None:
        left, right = self._ends(mark)
        colour, filled = self.colours[mark.role], mark.fill == "filled"
        bar = self._rectangle(left, self.y(mark.row) - 0.075, right - left, 0.15, linewidth=0.6 if filled else 1.3)
        bar.set(facecolor=colour if filled else "none", edgecolor=self.colours["ink"] if filled else colour)
        bar.set(hatch="//////" if mark.hatched else None, linestyle=":" if mark.fill == "dotted" else "-")
        if mark.symbol:
            self._dot(right, self.y(mark.row), mark.symbol, mark.symbol_role, 7 if mark.symbol == "question" else 5)

    def _wait(self, mark: Mark) -> None:
        left, right = self._ends(mark)
        y, colour = self.y(mark.row), self.colours[mark.role]
        self.axes.plot(
            [right, left, left, right], [y - 0.06, y - 0.06, y + 0.06, y + 0.06], color=colour, linewidth=1.1
        )
        if mark.symbol:
            self._dot(right - 0.06, y, mark.symbol, mark.symbol_role, 5.5)

    def _line(self, mark: Mark) -> None:
        left, right, y = self.x(mark.x0), self.x(mark.x1), self.y(mark.row)
        width = 1.2 if mark.words else 0.8
        self.axes.plot([left, right], [y, y], color=self.colours[mark.role], linewidth=width, zorder=1)
        made = self.text((left + right) / 2, y - 0.075, mark.words, size=6, ha="center")
        if self._wide(made) > max(right - left, 0.2):
            made.remove()  # it is in the table

    def _symbol(self, mark: Mark) -> None:
        size = 6 if mark.symbol == "square" else 6.5
        self._dot(self.x(mark.x0) + 0.13 * mark.shift, self.y(mark.row), mark.symbol, mark.symbol_role, size)

    def _letter(self, mark: Mark) -> None:
        x, y = self.x(mark.x0) + 0.16 * mark.shift, self.y(mark.row)
        self.axes.text(x, y, "✉", fontsize=11, color=self.colours[mark.role], ha="center", va="center", zorder=4)
        room = self.x(mark.x1) - x - 0.25
        if mark.words and room > LEAST["label"] * PIXEL:
            made = self.text(x + 0.11, y, mark.words, room, 7, zorder=6)
            made.set_bbox({"facecolor": self.colours["paper"], "edgecolor": "none", "pad": 0.5})

    def _arrow(self, mark: Mark) -> None:
        how = {"arrowstyle": "->", "color": self.colours[mark.role], "linewidth": 1, "shrinkA": 6, "shrinkB": 1}
        end, begin = (self.x(mark.x1), self.y(mark.to) + 0.085), (self.x(mark.x0), self.y(mark.row))
        self.axes.annotate("", end, begin, arrowprops=how, zorder=3)

    def _tick(self, mark: Mark) -> None:
        x, y = self.x(mark.x0), self.y(mark.row)
        self.axes.plot([x, x], [y - ROW / 2, y - ROW / 2 + 0.05], color=self.colours[mark.role], linewidth=1)
        self.text(x, y, mark.words, size=7, role=mark.role, ha="center")

    def _dot(self, x: float, y: float, symbol: str, role: str, size: float) -> None:
        colour, hollow = self.colours[role], symbol == "diamond"
        how: Any = {"markerfacecolor": self.colours["paper"] if hollow else colour, "markeredgecolor": colour}
        how["markeredgewidth"] = 1.4 if hollow else 0.5
        self.axes.plot([x], [y], marker=SHAPES[symbol], markersize=size, linestyle="none", zorder=4, **how)

    def _rectangle(self, x: float, y: float, width: float, height: float, **how: Any) -> Any:
        from matplotlib.patches import Rectangle

        return self.axes.add_patch(Rectangle((x, y), width, height, **how))

    # ------------------------------------------------------------ across the rows, and below them

    def _across(self, across: Across) -> None:
        x, colour = self.x(across.x) + across.shift * PIXEL, self.colours[across.role]
        bottom = self.top + ROW * self.scene.crossed
        if across.shape == "live":
            self.axes.plot([x, x], [self.top - 0.08, bottom], color=colour, linewidth=1, linestyle=(0, (4, 3)))
        else:
            count = int((bottom - self.top) / (ROW / 3)) + 2
            ys = [self.top - 0.04 + ROW / 3 * i for i in range(count)]
            self.axes.plot(
                [x + (0.035, -0.035)[i % 2] for i in range(count)], ys, color=colour, linewidth=1.6, zorder=5
            )
        before = x > (LEFT + WIDTH - RIGHT) / 2  # the label is on the side that has more room
        room = x - LEFT + 2.0 if before else WIDTH - x - EDGE
        y = self.top - (0.33 if across.tier == 0 else 0.16)
        how = {"role": "alarm" if across.shape == "tear" else "ink", "ha": "right" if before else "left"}
        self.text(x - 0.06 if before else x + 0.06, y, across.words, room, 7.5, **how)

    def _columns(self) -> None:
        """A divergence: what history says and what the code asked for, field by field."""
        if not self.scene.columns:
            return
        xs, room = (EDGE, 1.4, 1.4 + (WIDTH - 1.5) / 2), (WIDTH - 1.5) / 2 - 0.15
        titles = (f"at position {self.scene.position}", "history says", "your code asked")
        for x, words in zip(xs, titles, strict=True):
            self.text(x, self.panel, words, bold=True)
        for i, (name, had, asked, differs) in enumerate(self.scene.columns):
            cells = (("≠ " if differs else "   ") + name, had, asked)
            for x, words in zip(xs, cells, strict=True):
                y = self.panel + 0.2 * (i + 1)
                self.text(x, y, words, room, role="alarm" if differs else "faint", bold=differs)
