"""The actions on a run, executed by the engine under study: step, signal, crash, drop a result, fork.

Independent of any user interface. Each action takes a `Moment` and returns a new one; moments are immutable, so "back"
only has to return to an earlier one. An open TODO or a bug in the engine becomes a sentence, never a traceback.
"""

from __future__ import annotations

import contextlib
import functools
import io
import linecache
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from durable_lab import study, todos
from durable_lab.timeline.events import from_records, in_order
from durable_lab.timeline.model import ENDS, Event, History, span


class Stopped(BaseException):
    """Raised in the journal to stop the engine there, as a process that dies does; no `except Exception` catches it."""


@dataclass(frozen=True)
class Moment:
    """The state of a run. `records` are its Commands and Signals in durable order; `said` tells the last action."""

    workflow_id: str
    input: Any = None
    records: tuple[Any, ...] = ()
    status: str = ""
    detail: str = ""
    cause: BaseException | None = None  # of a failed run, if the engine tells it
    value: Any = None
    replayed: int = 0
    stepping: bool = False  # the last records are single steps of one worker
    crash: int | None = None  # the process died after so many commands
    said: str = ""
    lines: tuple[str, ...] = ()  # by position: the line of code that issued the command; known after a run
    printed: str = ""  # what the workflow and its activities printed
    problem: bool = False  # the engine could not do what was asked

    @property
    def commands(self) -> list[Any]:
        return [record for record in self.records if hasattr(record, "kind")]

    @property
    def signals(self) -> list[Any]:
        return [record for record in self.records if not hasattr(record, "kind")]

    @property
    def over(self) -> bool:
        """Whether the run has ended: no action can add a record."""
        return self.status in ("completed", "failed")


def moment_of(run: Any) -> Moment:
    """Return the moment of a RunResult or a WorkflowState. Raises TypeError if it has no commands."""
    state = getattr(run, "state", run)
    if not hasattr(state, "commands"):
        raise TypeError(f"a RunResult or a WorkflowState has commands; {run!r:.80} has none")
    records = tuple(in_order(state.commands, getattr(state, "signals", None) or []))
    status = str(getattr(run, "status", "") or "")
    detail = {"blocked": getattr(run, "waiting_for", ""), "failed": getattr(run, "error", "")}.get(status) or ""
    told: dict[str, Any] = {"cause": getattr(run, "cause", None), "value": getattr(run, "value", None)}
    return Moment(str(state.workflow_id), state.input, records, status, detail, **told)


class Driver:
    """Executes actions on moments, for one workflow on one engine.

    engine   the engine's module, or None: the one that LAB_MODULE names, reloaded when its file has changed
    clock    for the engine; if None, a simulated one that starts where history ends, so no back-off takes real time
    options  for `DurableEngine`: `retry`, `guard`
    """

    def __init__(
        self,
        workflow: Callable[..., Any],
        engine: ModuleType | None = None,
        clock: Any = None,
        ledger: Any = None,
        **options: Any,
    ) -> None:
        self.workflow, self.clock, self.ledger = workflow, clock, ledger
        self._engine, self._options = engine, options
        self._study = _study_of(engine)
        if self._study:
            self._study.refresh()

    @property
    def label(self) -> str:
        """Which engine runs, from which file."""
        if self._engine is None:
            try:
                return study.current().label
            except study.StudyError as error:
                return str(error)
        file = getattr(self._engine, "__file__", None)
        return f"{self._engine.__name__}{f' ({study.shown(Path(file))})' if file else ''}"

    def history(self, moment: Moment) -> History:
        """Return the history to show."""
        effects = self.ledger.effects() if hasattr(self.ledger, "effects") else self.ledger or ()
        return from_records(
            moment.records,
            workflow_id=moment.workflow_id,
            status=moment.status,
            detail=moment.detail,
            cause=moment.cause,
            replayed=moment.replayed,
            crash=moment.crash,
            effects=list(effects),
            engine=self.label,
            given=moment.input,
            value=moment.value,
        )

    # ------------------------------------------------------------ actions

    def step(self, moment: Moment) -> Moment:
        """Run until one more record is durable, or until the run ends or waits."""
        if moment.over:
            return replace(moment, said=f"The run has {moment.status}. There is nothing more to run.", problem=True)
        after = self._run(moment, most=1)
        if moment.stepping:  # each step is a separate run, but is shown as the work of one worker
            after = replace(after, replayed=moment.replayed)
        return replace(after, stepping=not after.status and not after.problem)

    def go_on(self, moment: Moment) -> Moment:
        """Run until the run ends or waits."""
        return self._run(moment)

    def deliver(self, moment: Moment, name: str, payload: Any = None) -> Moment:
        """Deliver a signal with `engine.signal`, then run on."""
        try:
            module = self._module()
            engine = module.DurableEngine(clock=self._clock(module, moment), **self._options)
            state = engine.signal(self._state(module, moment), name, payload)
            signal = state.signals[len(moment.signals)]
        except Exception as error:
            return self._failed(moment, error)
        there = replace(moment, records=(*moment.records, signal))
        after = self._run(there)
        said = f"The signal {name} is delivered. {after.said}"
        return replace(after, said=said)

    def crash(self, moment: Moment, at: int) -> Moment:
        """Kill the process at event `at`: only what was recorded by then is kept. Nothing is executed."""
        events = self.history(moment).events
        event = events[at] if 0 <= at < len(events) else None
        if event is None or event.kind in (*ENDS, "divergence"):
            return self._died(moment, moment.records, _where(moment))
        if event.record is None:  # a mark of an earlier crash
            before = [e.record for e in events[:at] if e.record is not None]
            return self._died(moment, moment.records[: max(before, default=-1) + 1], "where it died before")
        inside = event.position is not None and not event.final
        kept = moment.records[: event.record if inside else event.record + 1]
        said = f"in attempt {event.attempt} of {event.name}, before its outcome was recorded" if inside else ""
        return self._died(moment, kept, said or f"after {event.what} was recorded")

    def drop(self, moment: Moment, at: int) -> Moment:
        """Kill the process between the effect of the activity at event `at` and its record."""
        events = self.history(moment).events
        event = events[at] if 0 <= at < len(events) else None
        if event is not None and event.kind in ("attempt", "gap") and event.record is not None:
            return self._died(
                moment, moment.records[: event.record], f"after the effect of {event.name}, before the record"
            )
        if moment.over or (event is not None and event.kind not in ENDS and not self._is_last(events, event)):
            said = "Only the result of an activity can be dropped. Choose a bar of an activity first."
            return replace(moment, said=said, problem=True)
        after = self._run(moment, lose=True)
        return (
            after if after.problem or after.crash is not None else replace(after, said=f"Nothing to drop. {after.said}")
        )

    def cut(self, moment: Moment, at: int) -> Moment:
        """Return the run as it was just before event `at`, where another future begins."""
        events = self.history(moment).events
        event = events[at] if 0 <= at < len(events) else None
        kept = moment.records if event is None or event.record is None else moment.records[: event.record]
        count = sum(hasattr(record, "kind") for record in kept)
        crash = (
            moment.crash if moment.crash is not None and moment.crash < count else None
        )  # both futures share the past
        return Moment(moment.workflow_id, moment.input, tuple(kept), lines=moment.lines, crash=crash)

    def fork(
        self, moment: Moment, at: int, *, signal: tuple[str, Any] | None = None, outcome: tuple[bool, Any] | None = None
    ) -> Moment:
        """Run another future from just before event `at`, until it ends or waits.

        signal   (name, payload) that is delivered there, in place of an unread one of the same name
        outcome  (ok, value or "Type: message") that the activity at `at` has there, in place of the recorded one
        """
        there = self.cut(moment, at)
        # Another workflow id makes other idempotency keys: the world refuses a known key with new arguments.
        which = sha256(repr((at, signal, outcome)).encode(errors="backslashreplace")).hexdigest()[:4]
        there = replace(there, workflow_id=f"{there.workflow_id}~{which}")
        events = self.history(moment).events
        event = events[at] if 0 <= at < len(events) else None
        if outcome is not None:
            if event is None or event.record is None or event.kind not in ("attempt", "gap"):
                said = "Only an activity can have another outcome. Choose a bar of an activity first."
                return replace(there, said=said, problem=True)
            try:
                made = self._other(moment.records[event.record], *outcome)
            except Exception as error:
                return self._failed(there, error)
            there = replace(there, records=(*there.records, made))
        if signal is not None:
            return self.deliver(self._without_unread(there, signal[0]), *signal)
        return self._run(there)

    # ------------------------------------------------------------ one run of the engine

    def _died(self, moment: Moment, records: Sequence[Any], where: str) -> Moment:
        kept = tuple(records)
        count = sum(hasattr(record, "kind") for record in kept)
        keeps = {0: "Nothing was recorded", 1: "1 command is recorded"}.get(count, f"{count} commands are recorded")
        said = f"The process dies {where}. {keeps}; a new worker goes on from there (space)."
        again = Moment(moment.workflow_id, moment.input, kept, crash=count, said=said, replayed=count)
        return replace(again, lines=moment.lines)

    @staticmethod
    def _is_last(events: Sequence[Event], event: Event) -> bool:
        return not any(later.record is not None for later in events[event.index + 1 :]) and event.final

    @staticmethod
    def _without_unread(moment: Moment, name: str) -> Moment:
        read = sum(command.kind == "signal" and command.name == name for command in moment.commands)
        kept: list[Any] = []
        for record in moment.records:
            if not hasattr(record, "kind") and record.name == name:
                read -= 1
                if read < 0:
                    continue
            kept.append(record)
        return replace(moment, records=tuple(kept))

    def _other(self, command: Any, ok: bool, said: Any) -> Any:
        module = self._module()
        error = None if ok else str(said)
        tries = (module.Attempt(command.started_at, command.ended_at, error),)
        times = (command.started_at, command.ended_at)
        value = said if ok else None
        return module.Command("activity", command.name, list(command.args), ok, value, error, tries, *times)

    def _module(self) -> Any:
        if self._engine is not None and self._study is None:
            return self._engine
        chosen = self._study or study.current()
        chosen.refresh()
        return chosen.module()

    def _clock(self, module: Any, moment: Moment) -> Any:
        if self.clock is not None:
            return self.clock
        return module.SimulatedClock(span(from_records(moment.records).events)[1])

    @staticmethod
    def _state(module: Any, moment: Moment) -> Any:
        """Rebuild the state with the engine's current classes: its file may have changed since."""
        made = module.WorkflowState(moment.workflow_id, moment.input, moment.commands, moment.signals)
        return module.WorkflowState.from_json(made.to_json())

    def _run(self, moment: Moment, most: int | None = None, lose: bool = False) -> Moment:
        """Run the engine as a new process would: replay the records, then run live.

        most  stop once so many new records are durable
        lose  stop before the first activity's record is durable
        """
        new: list[Any] = []
        lost: list[Any] = []

        def journal(record: Any) -> None:
            if lose and getattr(record, "kind", "") == "activity":
                lost.append(record)
                raise Stopped
            new.append(record)
            if most is not None and len(new) >= most:
                raise Stopped

        known = len(moment.commands)
        lines: list[str] = []
        printed, result = io.StringIO(), None
        try:
            module = self._module()
            engine = module.DurableEngine(clock=self._clock(module, moment), journal=journal, **self._options)
            workflow = _noting(self.workflow, lines, getattr(module, "__file__", None) or "")
            with contextlib.redirect_stdout(printed):
                result = engine.run(workflow, self._state(module, moment))
        except Stopped:
            pass
        except Exception as error:
            after = replace(moment, records=(*moment.records, *new), replayed=known, lines=tuple(lines))
            return replace(self._failed(after, error), printed=printed.getvalue())
        if result is not None and not hasattr(result, "status"):
            return self._failed(moment, TypeError(f"run returned {result!r:.60}, not a RunResult"))
        if result is not None and not new and not lost:  # the engine does not write to its journal yet
            new = list(result.state.commands[known:])
        base = Moment(moment.workflow_id, moment.input, (*moment.records, *new), replayed=known, crash=moment.crash)
        base = replace(base, printed=printed.getvalue(), lines=tuple(lines))
        if lost:
            return replace(
                self._died(base, base.records, f"after the effect of {lost[0].name}, before the record"),
                printed=base.printed,
            )
        return self._ended(base, result, len(new))

    def _ended(self, base: Moment, result: Any, new: int) -> Moment:
        did = f"{base.replayed} replayed, {new} new" if base.replayed else f"{new} new"
        if result is None:
            return replace(base, said=f"One more record is durable ({did}).")
        detail = {"blocked": result.waiting_for, "failed": result.error}.get(result.status) or ""
        cause = getattr(result, "cause", None)
        if result.status == "failed" and (number := todos.stub_behind(cause or detail)):
            return replace(base, said=_open(number), problem=True)
        base = replace(base, status=str(result.status), detail=str(detail), cause=cause, value=result.value)
        why = {"blocked": f": it waits for the signal {detail}", "failed": f": {detail}"}.get(result.status, "")
        return replace(base, said=f"The run is {result.status}{why} ({did}).")

    def _failed(self, moment: Moment, error: Exception) -> Moment:
        return replace(moment, said=self._sentence(error), problem=True)

    def _sentence(self, error: Exception) -> str:
        if isinstance(error, study.StudyError):
            return str(error)
        if number := todos.stub_behind(error):
            return _open(number)
        place = ""
        if self._engine is None or self._study:
            with contextlib.suppress(study.StudyError):
                place = f" {(self._study or study.current()).place(error)}"
        return f"{type(error).__name__} was raised by the run: {error!s:.300}.{place} All records are kept."


def _study_of(engine: ModuleType | None) -> study.Study | None:
    """Return the study of a module that is an engine under study, whose file may change; None for any other module."""
    file = getattr(engine, "__file__", None)
    name, _, part = getattr(engine, "__name__", "").partition(".")
    if not file or part != "engine" or name not in ("lab", "solution"):
        return None
    return study.Study(name, Path(file).absolute().parents[1])


def _where(moment: Moment) -> str:
    if moment.status == "blocked":
        return f"while the run waits for {moment.detail}"
    if moment.over:
        return "after the end"
    return "after the last record" if moment.records else "before anything is recorded"


class _NotedContext:
    """The engine's Context as the workflow sees it: notes which line of code issues each command, then delegates."""

    def __init__(self, ctx: Any, lines: list[str], engine_file: str) -> None:
        self._ctx, self._lines, self._engine_file = ctx, lines, engine_file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)

    def call_activity(self, *args: Any, **options: Any) -> Any:
        self._note()
        return self._ctx.call_activity(*args, **options)

    def now(self, *args: Any, **options: Any) -> Any:
        self._note()
        return self._ctx.now(*args, **options)

    def wait_signal(self, *args: Any, **options: Any) -> Any:
        self._note()
        return self._ctx.wait_signal(*args, **options)

    def _note(self) -> None:
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename == self._engine_file:
            frame = frame.f_back  # a helper in the engine's file: the line that called it is the workflow's
        if frame is not None:
            text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
            self._lines.append(f"line {frame.f_lineno} in {frame.f_code.co_name}: {text}")


def _noting(workflow: Callable[..., Any], lines: list[str], engine_file: str) -> Callable[..., Any]:
    """The same workflow; `lines` gets the line of code behind each command, in issue order."""

    @functools.wraps(workflow)
    def noted(ctx: Any, *args: Any, **options: Any) -> Any:
        return workflow(_NotedContext(ctx, lines, engine_file), *args, **options)

    return noted


def _open(number: int) -> str:
    title = todos.all_todos()[number].title
    return f"Not yet: this needs TODO {number} ({title}). Write it, then try again; all records are kept."
