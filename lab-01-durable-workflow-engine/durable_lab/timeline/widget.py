"""The timeline as a widget. The browser paints it and scrolls it; what runs, runs here, on the engine under study.

Every state that a reader can see is a synchronised trait or a property, so that Python can assert it and drive it.
"""

from __future__ import annotations

import asyncio
import base64
import html
import json
import sys
import threading
import uuid
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import anywidget
import traitlets

from durable_lab.printable import printable
from durable_lab.timeline.drive import Driver, Moment, moment_of
from durable_lab.timeline.figure import LANES, png_of
from durable_lab.timeline.model import Event, History, difference
from durable_lab.timeline.scene import scene_of
from durable_lab.timeline.text import text_of
from durable_lab.timeline.words import duration, json_text

STATIC = Path(__file__).with_name("static")
# The sections of the widget's module, in order: a module that comes from a kernel cannot import a file.
SCRIPTS = ("dom", "scene", "pad", "paint", "map", "state", "panels", "detail", "keys", "timeline")
WINDOW = 10_000  # events that are in the browser at a time
FIRST = 200  # of them, those that are sent first; the browser asks for the others when it has painted these
NEAR = 25  # records in full before and after the selected one that are in the browser
OVERVIEW = 1_200  # letters for the minimap


class TimelineWidget(anywidget.AnyWidget):
    """See `durable_lab.timeline.Timeline`. Events have indices from 0; `at=None` means the selected one."""

    _esm = "\n".join((STATIC / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    _css = STATIC / "timeline.css"

    home = traitlets.Unicode().tag(sync=True)  # the class of the static figure's place, which the live one takes
    title = traitlets.Unicode().tag(sync=True)  # workflow id, status, and why
    engine = traitlets.Unicode().tag(sync=True)  # which engine, from which file
    status = traitlets.Unicode().tag(sync=True)
    mode = traitlets.Unicode("view").tag(sync=True)  # "view", "crashed" or "fork"
    panel = traitlets.Unicode("").tag(sync=True)  # what is open below: "", "signal", "fork", "table", "help"
    playing = traitlets.Bool(False).tag(sync=True)
    clock = traitlets.Bool(False).tag(sync=True)  # x is time, not order
    failed_only = traitlets.Bool(False).tag(sync=True)
    query = traitlets.Unicode("").tag(sync=True)  # what is searched for
    position = traitlets.Int(0).tag(sync=True)  # the selected event
    scene = traitlets.Unicode().tag(sync=True)  # the JSON of a Scene: the events from `first` on, WINDOW at most
    other_scene = traitlets.Unicode("").tag(sync=True)  # the same of the other future
    records = traitlets.Unicode("{}").tag(sync=True)  # JSON, by index: the events around the selected one in full
    total = traitlets.Int(0).tag(sync=True)
    overview = traitlets.Unicode("").tag(sync=True)  # all events, a letter for some of them: f(ailed), s(ignal), .
    fork_at = traitlets.Int(-1).tag(sync=True)  # the event before which the other future begins
    first_difference = traitlets.Int(-1).tag(sync=True)
    other_difference = traitlets.Int(-1).tag(sync=True)  # the same, as an index in `other`
    signals: Any = traitlets.List().tag(sync=True)  # [{"name", "payload" (JSON text)}], to choose from
    said = traitlets.Unicode("").tag(sync=True)  # what happened last, in a sentence
    problem = traitlets.Bool(False).tag(sync=True)  # ... and whether it is one
    printed = traitlets.Unicode("").tag(sync=True)  # what the workflow printed in the last run
    depth = traitlets.Int(0).tag(sync=True)  # how many actions "back" can undo

    def __init__(
        self,
        workflow: Callable[..., Any],
        state: Any,
        *,
        engine: ModuleType | None = None,
        ledger: Any = None,
        clock: Any = None,
        signals: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(home=f"dl-home-{uuid.uuid4().hex}")
        self._home = _home()
        self._lock = threading.RLock()
        self._driver = Driver(workflow, engine, clock, ledger, **options)
        self._offered = dict(signals or {})
        self._past: list[Moment] = []
        self._moment = moment_of(state)
        self._fork: Moment | None = None
        self._history = self._driver.history(self._moment)
        self._other: History | None = None  # of the fork
        self._text: tuple[History | None, str] = None, ""
        self._near = range(0)  # the events whose records the browser has
        self._names: dict[str, str] = {}  # of signals, as they are shown
        self.first = 0  # event of the scene
        self._show(at=0)
        self.observe(self._moved, "position")
        self.observe(lambda change: self._lay_out(), ["clock", "failed_only"])
        self.on_msg(self._asked)

    # ------------------------------------------------------------ what can be done

    @property
    def state(self) -> Moment:
        """The run as it stands: `records`, `commands`, `signals`, `status`, `value`."""
        return self._moment

    def step(self) -> None:
        """Run one more record on the engine under study."""
        self._go(self._driver.step(self._moment), to_end=True)

    def run(self) -> None:
        """Run until the run ends or waits."""
        self._go(self._driver.go_on(self._moment), to_end=True)

    def deliver(self, name: str, payload: Any = None) -> None:
        """Deliver a signal, then run until the run ends or waits."""
        self._go(self._driver.deliver(self._moment, name, payload), to_end=True)

    def crash(self, at: int | None = None) -> None:
        """Kill the process at this event: only what was recorded by then is kept."""
        self._go(self._driver.crash(self._moment, self.position if at is None else at), to_end=True)

    def drop(self, at: int | None = None) -> None:
        """Kill the process between the effect of this event's activity and its record."""
        self._go(self._driver.drop(self._moment, self.position if at is None else at), to_end=True)

    def fork(
        self,
        at: int | None = None,
        *,
        signal: tuple[str, Any] | None = None,
        outcome: tuple[bool, Any] | None = None,
    ) -> None:
        """Run another future from just before this event, and show it below: the same again, with a signal
        `(name, payload)`, or with another outcome of its activity `(ok, value or "Type: message")`."""
        at = self.position if at is None else at
        made = self._driver.fork(self._moment, at, signal=signal, outcome=outcome)
        if made.problem:
            self._say(made)
            return
        self._fork, self._other = made, self._driver.history(made)
        first, theirs = difference(self._history, self._other), difference(self._other, self._history)
        same = "The two futures are the same." if first is None else f"They differ first at event {first}."
        with self.hold_sync():
            self.mode, self.fork_at, self.clock, self.failed_only = "fork", at, False, False
            self.first_difference = -1 if first is None else first
            self.other_difference = -1 if theirs is None else theirs
            at = min(at if first is None else first, self.total - 1)
            self._lay_out(at)
            self.position = at
            self.said, self.problem = printable(f"{made.said} {same}", "\n"), False
            self.printed = printable(made.printed, "\n\t")

    def keep(self) -> None:
        """Continue with the other future."""
        if self._fork is not None:
            made, self._fork, self._other = self._fork, None, None
            self._go(made, to_end=True)

    def back(self) -> None:
        """Close the panel, leave the fork, or undo the last action."""
        if self.panel:
            self.panel = ""
        elif self.mode == "fork":
            self._fork = self._other = None
            self._show(at=self.position, said="Back to one future.")
        elif self._past:
            self._moment = self._past.pop()
            self._history = self._driver.history(self._moment)
            self._show(at=len(self._history.events) - 1, said="The last action is undone.")

    def window(self, at: int) -> None:
        """Load the events around `at` into the browser, and select it."""
        self._show(at=at, said=self.said)

    def whole(self) -> None:
        """Send all events of the window, not only the first ones."""
        self._lay_out()

    # ------------------------------------------------------------ how it is shown

    def _go(self, moment: Moment, to_end: bool) -> None:
        if moment.problem and moment.records == self._moment.records:
            self._say(moment)
            return
        self._past.append(self._moment)
        self._moment, self._fork, self._other = moment, None, None
        self._history = self._driver.history(moment)
        self._show(at=len(self._history.events) - 1 if to_end else self.position)

    def _say(self, moment: Moment) -> None:
        with self.hold_sync():
            self.said, self.problem, self.playing = printable(moment.said, "\n"), True, False
            self.printed = printable(moment.printed, "\n\t")

    def _show(self, at: int, said: str = "") -> None:
        history, moment = self._history, self._moment
        at = max(0, min(at, len(history.events) - 1))
        with self._lock, self.hold_sync():
            self.total, self.title, self.status = len(history.events), history.title, history.status
            began = f" · {history.start}" if history.start else ""
            self.engine = printable(f"engine: {self._driver.label}{began}")
            self.overview = _overview(history)
            self.mode = "crashed" if history.events and history.events[-1].kind == "crash" else "view"
            self.fork_at, self.first_difference, self.other_difference = -1, -1, -1
            self._lay_out(at, FIRST)
            self.signals = self._choices()
            self.said = printable(said or moment.said or history.sentence or self._size(), "\n")
            self.problem, self.printed = moment.problem, printable(moment.printed, "\n\t")
            self.playing = self.playing and not (moment.problem or history.status)
            self.depth, self.position = len(self._past), at
            self._send_records()

    def _lay_out(self, at: int | None = None, most: int = WINDOW) -> None:
        """Make the scenes of the window around `at`, or of the window as it is; `most` of its events if it is long."""
        total = len(self._history.events)
        if at is not None:
            self.first = max(0, min(at - WINDOW // 2, total - WINDOW))
        history = self._history if self._other is None else replace(self._history, effects=())  # those are of both
        shown = self._shown(history)
        whole = at is None or len(shown) <= most or self.failed_only
        if at is not None and not whole:
            first = max(0, min(at - most // 2, total - most))
            shown = history.events[first : first + most]
        self.scene = scene_of(history, shown, clock=self.clock).to_json(whole)
        other = self._other and replace(self._other, effects=())
        self.other_scene = scene_of(other, self._shown(other)).to_json() if other else ""

    def _shown(self, history: History) -> Sequence[Event]:
        if self.failed_only:
            return [event for event in history.events if not event.ok][:WINDOW]
        return history.events[self.first : self.first + WINDOW]

    def _size(self) -> str:
        if self.total <= WINDOW:
            return ""
        last = min(self.first + WINDOW, self.total)
        return f"{self.total:,} events. {self.first + 1:,} to {last:,} are loaded; going past them loads the next ones."

    def _choices(self) -> list[dict[str, str]]:
        found = dict(self._offered)
        for signal in self._moment.signals:
            found.setdefault(signal.name, signal.payload)
        waiting = self._moment.detail if self._moment.status == "blocked" else ""
        names = sorted({*found, *([waiting] if waiting else [])}, key=lambda name: name != waiting)
        self._names = {printable(name): name for name in names}
        return [{"name": printable(name), "payload": json_text(found.get(name))} for name in names]

    def _moved(self, change: Any) -> None:
        here = self.first <= self.position < self.first + WINDOW
        if not here and self.mode != "fork" and not self.failed_only and 0 <= self.position < self.total:
            self.window(self.position)
        elif not self._is_near(self.position):
            self._send_records()

    def _is_near(self, at: int) -> bool:
        """Whether the browser has the records of this event and of those that the next steps come to."""
        first = self._near.start + (NEAR // 2 if self._near.start > 0 else 0)
        last = self._near.stop - (NEAR // 2 if self._near.stop < self.total else 0)
        return first <= at < last

    def _send_records(self) -> None:
        """Send the events around the selected one in full, so that a step shows its record at once."""
        with self._lock:
            events = self._shown(self._history) if self.failed_only else self._history.events
            at = bisect_left(events, self.position, key=lambda event: event.index)
            near = events[max(0, at - NEAR) : at + NEAR + 1]
            self._near = range(near[0].index, near[-1].index + 1) if near else range(0)
            full = {event.index: self._full(event) for event in near}
            self.records = json.dumps(full, ensure_ascii=False)

    def _full(self, event: Event) -> dict[str, Any]:
        """An event as the detail below the picture needs it. Its record is text: JavaScript would lose digits."""
        lines = self._moment.lines
        known = event.position is not None and event.position < len(lines)
        return {
            "name": event.name,
            "what": event.what,
            "line": printable(lines[event.position or 0]) if known else "",
            "json": "" if event.data is None else json_text(event.data, indent=1),
            "tries": [_try(one) for one in self._tries(event)],
            "columns": event.data["fields"] if event.kind == "divergence" else [],
        }

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The events that are in the browser, without their records."""
        return [event.to_dict(data=False) for event in self._shown(self._history)]

    @property
    def other(self) -> list[dict[str, Any]]:
        """The events of the other future."""
        return [event.to_dict(data=False) for event in self._shown(self._other)] if self._other else []

    @property
    def other_title(self) -> str:
        """Workflow id, status and reason of the other future; "" if there is none."""
        return self._other.title if self._other else ""

    @property
    def selected(self) -> dict[str, Any]:
        """The selected event in full; {} if there is none."""
        if not 0 <= self.position < len(self._history.events):
            return {}
        event = self._history.events[self.position]
        return {**event.to_dict(), **self._full(event)}

    @property
    def table(self) -> str:
        """The timeline as text."""
        if self._text[0] is not self._history:
            self._text = self._history, text_of(self._history)
        return self._text[1]

    def _tries(self, event: Event) -> list[Event]:
        """The attempts of the same command; between two of them there is a gap."""
        near = self._history.events[max(0, event.index - 2 * event.tries) : event.index + 2 * event.tries]
        return [one for one in near if one.kind == "attempt" and one.record == event.record]

    # ------------------------------------------------------------ what the browser asks for

    def _asked(self, widget: Any, content: Any, buffers: Any) -> None:
        """Do what the browser asks for, in the thread in which cells run: a kernel may call this in another one.

        What a workflow uses (a connection to SQLite, say) may be bound to that thread, and no cell runs meanwhile.
        """
        thread, loop = self._home
        if loop is None or threading.get_ident() == thread:
            self._answer(content)
        else:
            loop.call_soon_threadsafe(self._answer, content)

    def _answer(self, content: Any) -> None:
        try:
            self._do(content)
        except Exception as error:  # a reader never sees a traceback of ours
            self._say(replace(self._moment, said=f"That could not be done: {type(error).__name__}: {error}"))

    def _do(self, content: dict[str, Any]) -> None:
        name, at = content.get("do"), content.get("at")
        if name == "fork":
            self.fork(at, signal=self._signal(content), outcome=self._outcome(content))
        elif name == "deliver":
            self.deliver(self._named(content), _json(content.get("payload")))
        elif name in ("crash", "drop", "window"):
            getattr(self, name)(at)
        elif name in ("step", "run", "keep", "back", "whole"):
            getattr(self, name)()
        else:
            raise ValueError(f"there is no action {name!r}")

    def _named(self, content: dict[str, Any]) -> str:
        """Return the name of the chosen signal, which may be shown with some characters escaped."""
        name = str(content["name"])
        return self._names.get(name, name)

    def _signal(self, content: dict[str, Any]) -> tuple[str, Any] | None:
        return (self._named(content), _json(content.get("payload"))) if content.get("how") == "signal" else None

    @staticmethod
    def _outcome(content: dict[str, Any]) -> tuple[bool, Any] | None:
        if content.get("how") == "value":
            return True, _json(content.get("payload"))
        return (False, str(content.get("payload") or "Error: ")) if content.get("how") == "error" else None

    # ------------------------------------------------------------ where no widget runs

    def __repr__(self) -> str:
        return self.table

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Return the figure and the table. While a kernel runs, the browser replaces them by the live timeline.

        A saved view of a widget becomes an error message when its kernel is gone, so the output has no view.
        """
        bundle = {"text/plain": self.table}
        png = png_of(self._history) if self._history.commands <= LANES else None
        if png:
            bundle["image/png"] = base64.b64encode(png).decode()
        bundle["text/html"] = _still(self.home, self.table, bundle.get("image/png"))
        if not _starts_every_widget():
            made = super()._repr_mimebundle_(**options)
            bundle = {**(made[0] if isinstance(made, tuple) else made or {}), **bundle}
        return bundle, {}


def _still(home: str, table: str, png: str | None) -> str:
    """Return the figure, with the table behind it, as HTML."""
    words = f"<pre>{html.escape(table)}</pre>"
    if png:
        image = f'<img alt="{html.escape(table)}" style="max-width: 100%" src="data:image/png;base64,{png}">'
        words = f"{image}<details><summary>the same as a table</summary>{words}</details>"
    return f'<div class="{home}">{words}</div>'


def _starts_every_widget() -> bool:
    """Whether the page makes each widget's model at once. VS Code waits for a view of one."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return "__vsc_ipynb_file__" not in getattr(shell, "user_ns", {})


def _try(event: Event) -> str:
    took = f"it took {duration(event.end - event.start)}" if event.start is not None and event.end is not None else ""
    said = "it worked" if event.ok else event.outcome.removeprefix("failed: ")
    return f"attempt {event.attempt}: {', '.join(part for part in (event.at, took if event.at else '', said) if part)}"


def _home() -> tuple[int, Any]:
    """Return the thread that makes the widget, and its event loop; outside a kernel there is none."""
    try:
        return threading.get_ident(), asyncio.get_running_loop()
    except RuntimeError:
        return threading.get_ident(), None


def _overview(history: History) -> str:
    """Return a letter for each event, or for each group of them; a failure in a group is always shown."""
    events = history.events
    size = max(1, -(-len(events) // OVERVIEW))
    letters = []
    for i in range(0, len(events), size):
        part = events[i : i + size]
        failed = any(not event.ok for event in part)
        letters.append("f" if failed else "s" if any(event.lane < 0 for event in part) else ".")
    return "".join(letters)


def _json(text: Any) -> Any:
    """Return what was typed as a payload: the value if it is JSON, else the text itself."""
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text) if text.strip() else None
    except ValueError:
        return text
