"""Play a program on an engine, and write down all that can be seen from outside of it: the trace.

The events of a trace are tuples:

    ("act", "pay", '["A1",30]', "w-1/0")      an activity is called: its arguments and its idempotency key
    ("pause", 1.0)                            the engine sleeps
    ("read", 1000.25)                         the engine reads the clock
    ("append",)                               the journal is told of a record
    ("got", "call", '"done"')                 a command returns a value to the workflow
    ("caught", "ActivityError", {...})        a command raises into the workflow
    ("end", "completed", {...})               `run` returns
    ("out", "KeyError", "no such order")      `run` or `signal` raises
    ("states", {...})                         what is in the new state, in the journal, and in the state that was given
    ("apart", True)                           the new state has lists of its own
    ("broken", "...")                         the engine's answer cannot be read
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from durable_lab.checks.bench import NotStarted
from durable_lab.judge.program import Program, Step, plain, walk
from durable_lab.judge.workflow import MOST, Workflow, change, is_a
from durable_lab.judge.world import World

Event = tuple[Any, ...]
Trace = list[Event]
ENGINE_ERRORS = ("ActivityError", "NonDeterminismError", "WorkflowBlocked")
STATE = ("workflow_id", "input", "commands", "signals")
COMMAND = ("kind", "name", "args", "ok", "value", "error", "tries", "started_at", "ended_at")
SIGNAL, ATTEMPT = ("name", "payload", "received_at"), ("started_at", "ended_at", "error")
OURS = ("Crash", "KeyboardInterrupt", "WorkflowBlocked")  # exceptions that are no Exception, and may leave `run`


class NeverEnds(BaseException):
    """The engine does more than any right engine does in a program."""


def play(program: Program, fresh: Callable[[], Any], begin: Callable[[], Any] | None = None) -> Trace:
    """Return the trace of this program on an engine.

    fresh   returns the engine's module as in a new process, at each restart
    begin   returns the first module, if given

    Raises NotStarted, and what stops the engine from outside.
    """
    play = _Play(program, fresh, (begin or fresh)())
    with suppress(NeverEnds, _Stop):
        for action in program.plan:
            getattr(play, f"_{action[0]}")(*action[1:])
    return play.trace


class _Stop(Exception):
    """The engine's answer cannot be read; the trace ends here."""


class _Play:
    def __init__(self, program: Program, fresh: Callable[[], Any], module: Any) -> None:
        self.program, self.trace, self.world = program, Trace(), World(program)
        self._fresh, self._m = fresh, module
        self._engine: Any = None
        self._given: Any = None  # the state that was given to the last run or signal
        self._journal: tuple[list[Any], list[Any]] = [], []  # commands and signals
        self._signals = False  # whether what the journal is told of now is a signal
        self._clock_error: BaseException | None = None  # what the clock raises now
        calls = [step for steps in (program.steps, *program.changed) for step in walk(steps) if step[0] == "call"]
        self._activities = {call[1]: self._activity(call[1]) for call in calls}
        self._process()
        self._state = self._m.WorkflowState(program.workflow_id, plain(program.input))
        self._text = self._read(lambda: self._state.to_json())
        self._past = [self._text]

    # ------------------------------------------------------------ the plan

    def _run(self, options: dict[str, Any] | None = None) -> None:
        options = options or {}
        fault, steps = options.get("fault"), self.program.version(options.get("code", 1))
        self.world.begin(fault)

        def workflow(ctx: Any, order: Any) -> Any:
            return Workflow(steps, lambda step, arguments: self._do(ctx, step, arguments), order).run()

        given, result = self._state, self._attempt(lambda: self._made().run(workflow, self._state))
        self.world.begin(None)
        if result is not None:
            names = ("status", "value", "error", "waiting_for")
            status, value, error, waiting = self._read(lambda: [getattr(result, name) for name in names])
            self._add("end", _plain(status), {"value": text_of(value), "error": error, "waiting_for": waiting})
        self._look(given, result and self._read(lambda: result.state), new_process=bool(fault and fault[2] == "Crash"))

    def _signal(self, name: str, payload: Any, fault: list[Any] | None = None) -> None:
        self.world.begin(["append", 0, *fault] if fault else None)
        sent = plain(payload)
        given, self._signals = self._state, True
        made = self._attempt(lambda: self._made().signal(self._state, name, sent))
        self.world.begin(None)
        self._signals = False
        change(sent)
        if made is not None:
            self._add("end", "signalled", {})
        self._look(given, made)

    def _restart(self) -> None:
        self._m, self._engine = self._fresh(), None
        self._process()
        self._from_journal(self._text)

    def _pass(self, seconds: float) -> None:
        self.world.now += seconds

    def _apart(self) -> None:
        given, new = self._given, self._state
        lists = self._read(lambda: [new.commands is given.commands, new.signals is given.signals])
        self._add("apart", lists == [False, False])

    def _back(self, steps: int) -> None:
        self._from_journal(self._past[max(0, len(self._past) - 1 - steps)])

    # ------------------------------------------------------------ the engine and its process

    def _process(self) -> None:
        """What each process makes for itself."""
        self._clock = self._m.SimulatedClock(self.program.start)
        self._clock.now, self._clock.sleep = self._now, self._sleep
        self._policies: dict[str, Any] = {}

    def _made(self) -> Any:
        """The engine; a new one for each use, unless the program says otherwise."""
        if self._engine is None or not self.program.one_engine:
            options: dict[str, Any] = {"clock": self._clock, "journal": self._append}
            if self.program.retry:
                options["retry"] = self._m.RetryPolicy(**_policy(self.program.retry))
            if self.program.guard != "arguments":
                options["guard"] = self.program.guard
            self._engine = self._m.DurableEngine(**options)
        return self._engine

    def _attempt(self, use: Callable[[], Any]) -> Any:
        """What the engine returns; None if it raises."""
        try:
            made = use()
        except (NotStarted, NeverEnds):
            raise
        except BaseException as error:
            if not isinstance(error, Exception) and not any(is_a(error, name) for name in OURS):
                raise
            if type(error) is KeyboardInterrupt and not error.args:  # of the person at the keyboard
                raise
            self._add("out", _name(error), _text(error))
            return None
        if made is None:
            self._add("broken", "it returned None")
            raise _Stop
        return made

    def _look(self, given: Any, new: Any, new_process: bool = False) -> None:
        """Write down the states, and choose the one to go on from: the new one, or else what the journal holds."""
        kept = self._read(given.to_json) == self._text
        durable = self._read(lambda: self._m.WorkflowState(given.workflow_id, given.input, *self._journal))
        disk = self._read(durable.to_json)
        returned = self._read(new.to_json) if new is not None else None
        shown = {"journal": self._content(durable, disk), "returned": new and self._content(new, returned)}
        self._add("states", {"kept": kept, **shown})
        self._text, self._given = disk, given
        if new is None:
            self._restart() if new_process else self._from_journal(disk)
        else:
            self._state, self._text = new, returned
            self._past.append(returned)

    def _content(self, state: Any, text: Any) -> Any:
        """The fields of a state: from its JSON, or, if an engine writes another format, from its attributes."""
        try:
            data = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            data = None
        if isinstance(data, dict) and all(name in data for name in STATE):
            return {name: data[name] for name in STATE}
        return self._read(lambda: _fields(state, STATE))

    def _from_journal(self, text: str) -> None:
        self._state = self._read(lambda: self._m.WorkflowState.from_json(text))
        self._journal = list(self._read(lambda: self._state.commands)), list(self._read(lambda: self._state.signals))
        self._text = text

    def _read(self, look: Callable[[], Any]) -> Any:
        """What is there to read, or the end of the trace."""
        try:
            return look()
        except NotStarted:
            raise
        except Exception as error:
            self._add("broken", f"{type(error).__name__}: {_text(error)}")
            raise _Stop from None

    # ------------------------------------------------------------ what crosses the border

    def _add(self, *event: Any) -> None:
        self.trace.append(event)
        if len(self.trace) > 20 * MOST:
            raise NeverEnds

    def _now(self) -> float:
        if self._clock_error:
            raise self._clock_error
        self.world.now += self.program.tick
        self._add("read", self.world.now)
        return self.world.now

    def _sleep(self, seconds: float) -> None:
        if seconds:
            self.world.cross("any")
            self._add("pause", seconds)
            self.world.now += seconds

    def _append(self, record: Any) -> None:
        self.world.cross("append", "any")
        self._journal[self._signals].append(record)
        self._add("append")
        self.world.cross("any")

    def _activity(self, name: str) -> Callable[..., Any]:
        activity = self.program.activity(name)

        def act(arguments: tuple[Any, ...], key: Any = None) -> Any:
            self.world.cross("any")
            self._add("act", name, text_of(list(arguments)), key)
            if activity.changes_arguments:
                for argument in arguments:
                    change(argument)
            return plain(self.world.act(name))

        def with_key(*arguments: Any, idempotency_key: Any = None) -> Any:
            return act(arguments, idempotency_key)

        def without(*arguments: Any) -> Any:
            return act(arguments)

        made = with_key if activity.takes_key else without
        made.__name__ = made.__qualname__ = name
        return made

    def _do(self, ctx: Any, step: Step, arguments: list[Any]) -> Any:
        """Perform one command of the workflow, and write down how it ended."""
        try:
            value = self._command(ctx, step, arguments)
        except BaseException as error:
            self._add("caught", _name(error), self._details(error))
            raise
        finally:
            self._clock_error = None
        self._add("got", step[0], text_of(value))
        return value

    def _command(self, ctx: Any, step: Step, arguments: list[Any]) -> Any:
        match step:
            case ["call", name, _, *own]:
                policy = {"retry": self._policy(own[0])} if own and own[0] else {}
                return ctx.call_activity(self._activities[name], *arguments, **policy)
            case ["wait", name]:
                return ctx.wait_signal(name)
            case _:
                self._clock_error = self.world.due("clock")
                return ctx.now()

    def _policy(self, fields: dict[str, Any]) -> Any:
        text = json.dumps(fields)
        if text not in self._policies:
            self._policies[text] = self._m.RetryPolicy(**_policy(fields))
        return self._policies[text]

    def _details(self, error: BaseException) -> dict[str, Any]:
        """The fields of an exception of the engine, and the text of any other."""
        try:
            if is_a(error, "ActivityError"):
                names = ("activity", "error_type", "message", "attempts")
                return {name: _plain(getattr(error, name)) for name in names}
            if is_a(error, "NonDeterminismError"):
                issued = error.issued  # type: ignore[attr-defined]
                sides = {"recorded": error.recorded.name, "issued": issued.name if issued else None}  # type: ignore[attr-defined]
                return {"position": _plain(error.position), **sides}  # type: ignore[attr-defined]
        except (Exception, _Stop):
            return {}
        return {"text": _text(error)}


def _name(error: BaseException) -> str:
    return next((name for name in ENGINE_ERRORS if is_a(error, name)), type(error).__name__)


def _policy(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a policy; in `non_retryable`, "@OSError" is the class and "OSError" its name."""
    final = tuple(getattr(builtins, name[1:]) if name[:1] == "@" else name for name in fields.get("non_retryable", ()))
    return {**fields, "non_retryable": final}


def text_of(value: Any) -> str:
    """Return a value as JSON with sorted keys, or its repr if JSON cannot carry it: 1, 1.0 and True differ."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":")) if _is_json(value) else repr(value)
    except (RecursionError, TypeError, ValueError):
        return f"a value of type {type(value).__name__}"


def _is_json(value: Any) -> bool:
    """Return whether JSON gives this value back as it is: json.dumps makes a list of a tuple, and a string of a key."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    return (
        all(map(_is_json, value))
        if isinstance(value, list)
        else value is None or type(value) in (str, int, float, bool)
    )


def _plain(value: Any) -> Any:
    return value if value is None or type(value) in (str, int, float, bool) else repr(value)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""


def _fields(thing: Any, names: tuple[str, ...]) -> dict[str, Any]:
    parts = {"commands": COMMAND, "signals": SIGNAL, "tries": ATTEMPT}
    return {
        name: [_fields(part, parts[name]) for part in getattr(thing, name)] if name in parts else getattr(thing, name)
        for name in names
    }
