"""A durable workflow engine in one file. The rules R1 to R14 are written out in the README of the lab.

A *workflow* is a plain function `refund(ctx, order)` that decides what happens; an *activity* is one that touches the
world. Each call of `ctx` is a *command* with a position (0, 1, 2 ...), and all have one shape:

    ask: is this position recorded?  -- yes -->  return what is recorded      (replay: nothing runs)
                  | no
    do it  ->  record it  ->  return it                                       (live)

To recover from a crash, run the workflow again from its first line on what is recorded. A history, drawn:

    0  activity  assess("A1", 30)    ok      "looks fine"                        | replayed
    1  signal    approval            ok      {"by": "Ana"}                       |
    2  activity  pay_back("A1", 30)  failed  "Timeout: no answer" after 3 tries  |
    3  activity  apologise("A1")     runs now, live, with the idempotency key "refund-7/3"
"""

from __future__ import annotations

import inspect
import json
import math
import time
from collections import defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast, get_args, get_origin, get_type_hints

Activity = Callable[..., Any]
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":"), default=vars).encode  # vars: the records below
_canonical = json.JSONEncoder(allow_nan=False, separators=(",", ":"), sort_keys=True).encode
_hints = cache(get_type_hints)


class WorkflowBlocked(BaseException):
    """The workflow waits for a signal that has not come. Not an Exception: `except Exception` lets it pass (R9)."""

    def __init__(self, waiting_for: str) -> None:
        super().__init__(f"waits for the signal {waiting_for!r}")
        self.waiting_for = waiting_for


class ActivityError(Exception):
    """An activity failed for good. Replay raises it again, the same in every field (R6)."""

    def __init__(self, activity: str, error_type: str, message: str, attempts: int) -> None:
        super().__init__(f"{activity} failed (attempts: {attempts}): {error_type}: {message}")
        self.activity, self.error_type, self.message, self.attempts = activity, error_type, message, attempts


class NonDeterminismError(RuntimeError):
    """History has the Command `recorded` at `position`; the workflow issued another, or ended (None) (R3, R4)."""

    def __init__(self, position: int, recorded: Command, issued: Command | None) -> None:
        asked = f"asks for {issued.call()}" if issued else "ends without asking for it"
        super().__init__(f"at position {position} history has {recorded.call()}, but the workflow {asked}")
        self.position, self.recorded, self.issued = position, recorded, issued


class UnrecordableError(TypeError):
    """JSON cannot carry this value faithfully (R5)."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often to try an activity, and how long to wait in between, in seconds."""

    max_attempts: int = 3  # all of them: 3 is three calls, not one and three more
    initial_interval: float = 1.0
    backoff: float = 2.0
    max_interval: float = 100.0
    non_retryable: tuple[type[BaseException] | str, ...] = ()

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise ValueError(f"max_attempts counts every attempt, so it is 1 or more, not {self.max_attempts}")

    def interval(self, k: int) -> float:
        """Seconds to wait after failed attempt k, counted from 0 (R12)."""
        with suppress(OverflowError):
            return min(self.initial_interval * self.backoff**k, self.max_interval)
        return self.max_interval

    def retries(self, error: BaseException) -> bool:
        """Is it of use to try again after `error`?"""
        final = (UnrecordableError, *self.non_retryable)
        return not any(cls in final or cls.__name__ in final for cls in type(error).__mro__)


@dataclass(frozen=True)
class Attempt:  # one try of an activity; its error is None, or "Type: message"
    started_at: float
    ended_at: float
    error: str | None = None


@dataclass(frozen=True)
class Command:
    """One entry of history: what was asked and how it ended. Written once, never changed (R6)."""

    kind: str  # "activity", "now" or "signal"
    name: str
    args: list[Any] = field(default_factory=list)
    ok: bool = True
    value: Any = None  # where ok
    error: str | None = None  # where not ok: "Type: message"
    tries: tuple[Attempt, ...] = ()
    started_at: float = 0.0
    ended_at: float = 0.0

    def call(self) -> str:  # what was asked, as text: activity pay_back("A1", 30)
        return f"{self.kind} {self.name}({', '.join(map(_encode, self.args)):.200})"


@dataclass(frozen=True)
class Signal:
    """A message to a workflow. `received_at` is in seconds."""

    name: str
    payload: Any = None
    received_at: float = 0.0


@dataclass
class WorkflowState:
    """All that is known of one run: its input, its commands by position, its signals by arrival."""

    workflow_id: str
    input: Any = None
    commands: list[Command] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)

    def copy(self) -> WorkflowState:
        """A state of one's own: what is appended to it does not show in this one (R10)."""
        return WorkflowState(self.workflow_id, _faithful(self.input, "input"), list(self.commands), list(self.signals))

    def to_json(self) -> str:
        """One object: "version" and the fields of this class, whose entries are objects with their own fields."""
        return _encode({"version": 1, **vars(self), "input": _faithful(self.input, "input")})

    @staticmethod
    def from_json(text: str) -> WorkflowState:
        """The state that `to_json` wrote. Raises ValueError that says what is wrong and where."""
        try:
            data = json.loads(text)
            _encode(data)  # Python reads NaN and 1e999; JSON has neither
        except (RecursionError, TypeError, ValueError) as error:
            raise ValueError(f"not the JSON of a workflow state: {error}") from None
        if not isinstance(data, dict) or data.pop("version", None) != 1:
            raise ValueError(f'state: expected an object with "version": 1, found {data!r:.60}')
        return cast(WorkflowState, _build(WorkflowState, data, "state"))


@dataclass(frozen=True)
class RunResult:
    """How a run ended. `value` goes with completed, `error` with failed, `waiting_for` with blocked."""

    status: str  # "completed", "blocked" or "failed"
    state: WorkflowState
    value: Any = None
    error: str | None = None
    waiting_for: str | None = None


class SystemClock:  # the clock of this machine, in seconds since 1970
    now, sleep = staticmethod(time.time), staticmethod(time.sleep)


class SimulatedClock:
    """Time that passes only when somebody sleeps, so that a test of a day's back-off takes no time."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += seconds


class Context:
    """What a workflow sees of the engine, for the length of one run."""

    def __init__(self, engine: DurableEngine, state: WorkflowState) -> None:
        self.workflow_id = state.workflow_id
        self._engine = engine
        self._history = state.commands  # grows as this run records
        self._position = 0  # of the next command
        self._inbox: dict[str, deque[Signal]] = defaultdict(deque)  # by name: the signals not yet consumed
        for signal in state.signals:
            self._inbox[signal.name].append(signal)
        self._stopped: BaseException | None = None  # why this run may not go on ...
        self._crashed = False  # ... and that this is for the caller of `run` to see

    def call_activity(self, fn: Activity, *args: Any, retry: RetryPolicy | None = None) -> Any:
        """Run an activity once and for all: its result, or ActivityError. A bad argument is UnrecordableError (R5)."""
        name: str = getattr(getattr(fn, "func", fn), "__name__", type(fn).__name__)  # "func": of a functools.partial
        sent = [_faithful(arg, f"{name}: args[{i}]") for i, arg in enumerate(args)]
        ### BEGIN SOLUTION
        command = self._ask("activity", name, sent)
        if command is None:
            command = self._record(self._perform(fn, name, sent, retry or self._engine.retry))
        if command.error is not None:
            raise ActivityError(name, *command.error.partition(": ")[::2], len(command.tries))  # "Type: message"
        return deepcopy(command.value)
        ### END SOLUTION

    def _ask(self, kind: str, name: str, args: list[Any]) -> Command | None:
        """The record at this position, or None: do it live. Raises NonDeterminismError if it is of another one (R3)."""
        if self._stopped is not None:
            raise self._stopped
        ### BEGIN SOLUTION
        if self._position == len(self._history):
            return None
        recorded = self._history[self._position]
        agree = self._engine.guard == "names" or _canonical(recorded.args) == _canonical(args)
        if not agree or (recorded.kind, recorded.name) != (kind, name):
            raise self._stop(NonDeterminismError(self._position, recorded, Command(kind, name, args)))
        self._position += 1
        return recorded
        ### END SOLUTION

    def _perform(self, fn: Activity, name: str, args: list[Any], policy: RetryPolicy) -> Command:
        """Try an activity until it succeeds or the policy gives up: one Command, with all its tries (R6, R12)."""
        ### BEGIN SOLUTION
        key = f"{self.workflow_id}/{self._position}"
        tries: list[Attempt] = []
        while True:
            attempt, value, problem = self._attempt(fn, name, args, key)
            tries.append(attempt)
            if problem is None or len(tries) >= policy.max_attempts or not policy.retries(problem):
                times = tries[0].started_at, attempt.ended_at
                return Command("activity", name, args, problem is None, value, attempt.error, tuple(tries), *times)
            self._outside(self._engine.clock.sleep, policy.interval(len(tries) - 1))
        ### END SOLUTION

    def now(self) -> float:
        """The time in seconds: read from the clock once, recorded, and the same on every replay (R7)."""
        ### BEGIN SOLUTION
        command = self._ask("now", "now", [])
        if command is None:
            now = self._engine.clock.now()
            command = self._record(Command("now", "now", value=now, started_at=now, ended_at=now))
        return float(command.value)
        ### END SOLUTION

    def wait_signal(self, name: str) -> Any:
        """The payload of the next signal of this name. Where none has come, the run is suspended (R8, R9)."""
        ### BEGIN SOLUTION
        command = self._ask("signal", name, [])
        inbox = self._inbox[name]
        if command is None:
            if not inbox:
                raise self._stop(WorkflowBlocked(name))
            now = self._engine.clock.now()
            command = self._record(Command("signal", name, value=inbox[0].payload, started_at=now, ended_at=now))
        if inbox:  # consumed, live or replayed
            inbox.popleft()
        return deepcopy(command.value)
        ### END SOLUTION

    def _attempt(self, fn: Activity, name: str, args: list[Any], key: str) -> tuple[Attempt, Any, Exception | None]:
        """Call the activity once: the Attempt, its value as JSON gives it back, the exception that it raised."""
        clock = self._engine.clock
        started_at, value, problem, text = clock.now(), None, None, None
        self._stopped = RuntimeError(f"{name} is an activity, and only the workflow itself may use ctx")
        try:
            extra = {"idempotency_key": key} if _takes_key(fn) else {}
            value = _faithful(fn(*deepcopy(args), **extra), f"{name}: result")
        except Exception as error:
            problem, text = error, f"{type(error).__name__}: "
            with suppress(Exception):  # its own __str__ may fail
                text += f"{error!s:.10000}"
        except BaseException as crash:  # as if the process had died here: nothing is recorded, nothing goes on
            raise self._stop(crash, crashed=True)  # noqa: B904
        self._stopped = None
        return Attempt(started_at, clock.now(), text), value, problem

    def _record(self, command: Command) -> Command:
        """Make an outcome durable, then part of this run's history (R1)."""
        self._outside(self._engine.journal, command)  # <- the commit point: once this returns, it has happened
        self._history.append(command)
        self._position += 1
        return command

    def _outside(self, call: Callable[..., Any], *args: Any) -> Any:
        """Call the journal or the clock. An error there, or Ctrl-C, ends the run, whatever the workflow catches."""
        try:
            return call(*args)
        except BaseException as error:
            raise self._stop(error, crashed=True)  # noqa: B904

    def _stop(self, why: BaseException, crashed: bool = False) -> BaseException:
        """Mark this run as ended by `why`. Even if the workflow swallows it, every later command raises it again."""
        self._stopped, self._crashed = why, crashed
        return why


@dataclass(eq=False)
class DurableEngine:
    """Runs workflows so that a crash costs no finished step."""

    clock: Any = None  # where time comes from; the machine's own if None
    retry: RetryPolicy = RetryPolicy()  # for activities that bring no policy
    journal: Any = None  # called with each Command and Signal as it is recorded
    guard: str = "arguments"  # what replay compares: these, or "names" (kind and name) only

    def __post_init__(self) -> None:
        self.clock = SystemClock() if self.clock is None else self.clock
        self.journal = (lambda record: None) if self.journal is None else self.journal
        if self.guard not in ("arguments", "names"):
            raise ValueError(f'guard is "arguments" or "names", not {self.guard!r}')

    def run(self, workflow: Callable[[Context, Any], Any], state: WorkflowState) -> RunResult:
        """Replay what `state` has, then go on live. Raises the journal's errors (R1) and the workflow's bugs (R13)."""
        state = state.copy()
        ctx = Context(self, state)
        ### BEGIN SOLUTION
        ended: BaseException | None = None
        try:
            value = workflow(ctx, deepcopy(state.input))
            if inspect.isgenerator(value) or inspect.iscoroutine(value):  # not a line of it has run
                raise TypeError("a workflow is a plain function, without `yield` or `async`")
        except (WorkflowBlocked, Exception) as error:
            ended = error
        ended = ctx._stopped or ended  # subtle: what stopped the run counts, even if the workflow swallowed it
        unread = state.commands[ctx._position :]
        if unread and not ctx._stopped and isinstance(ended, (type(None), ActivityError, RuntimeError)):
            ended = NonDeterminismError(ctx._position, unread[0], None)
        if ended is None:
            return RunResult("completed", state, value=value)
        if isinstance(ended, WorkflowBlocked):
            return RunResult("blocked", state, waiting_for=ended.waiting_for)
        if isinstance(ended, (ActivityError, RuntimeError)) and not ctx._crashed:
            return RunResult("failed", state, error=f"{type(ended).__name__}: {ended}")
        raise ended
        ### END SOLUTION

    def signal(self, state: WorkflowState, name: str, payload: Any = None) -> WorkflowState:
        """A new state in which this signal has arrived; there it stays until the workflow waits for it (R8)."""
        ### BEGIN SOLUTION
        signal = Signal(name, _faithful(payload, f"signal {name}: payload"), self.clock.now())
        self.journal(signal)
        state = state.copy()
        state.signals.append(signal)
        return state
        ### END SOLUTION


def _takes_key(fn: Activity) -> bool:
    """Does the activity declare the keyword `idempotency_key`? (Ten times faster than `inspect.signature`.)"""
    inner = inspect.unwrap(getattr(fn, "func", fn))
    code: Any = getattr(inner, "__code__", None) or getattr(inner.__call__, "__code__", None)
    return bool(code) and "idempotency_key" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _faithful(value: Any, where: str) -> Any:
    """The value as its record gives it back; a tuple comes out as a list. Raises UnrecordableError (R5)."""
    plain = value.isascii() and len(value) < 1000 if type(value) is str else type(value) is int and abs(value) < 2**63
    if plain or value is None:  # most values are, and this is ten times faster
        return value
    try:
        _check(value, where)
        text = _encode(value)
    except (RecursionError, ValueError) as error:
        raise UnrecordableError(f"{where} cannot be recorded: {error}") from None
    if len(text) > 1_000_000:  # history is read again at every recovery, so it stays small
        raise UnrecordableError(f"{where} is over 1,000,000 characters: store it elsewhere, and pass a reference")
    return json.loads(text)


def _check(value: Any, where: str, room: int = 100) -> None:
    """Refuse what JSON would change or lose, and what is nested too deep to copy; name the place."""
    if isinstance(value, (list, tuple, dict)) and room:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(value, dict) and not isinstance(key, str):
                raise UnrecordableError(f"{where:.200} has the key {key!r}, but in JSON every key is a text")
            _check(item, f"{where}[{key!r}]", room - 1)
    elif not isinstance(value, (str, int, type(None))) and not (isinstance(value, float) and math.isfinite(value)):
        raise UnrecordableError(f"{where:.200} is {value!r:.60} of type {type(value).__name__}; JSON cannot carry that")


def _build(shape: Any, data: Any, where: str) -> Any:
    """The value of this type that JSON data stands for. Raises ValueError that says what is wrong and where."""
    wanted = getattr(shape, "__name__", shape)
    if shape in (WorkflowState, Command, Attempt, Signal):
        own = _hints(shape)
        wanted = f"an object with just the fields {', '.join(own)}"
        if isinstance(data, dict) and data.keys() == own.keys():
            return shape(**{name: _build(inner, data[name], f"{where}.{name}") for name, inner in own.items()})
    elif (container := get_origin(shape)) in (list, tuple) and isinstance(data, list):
        return container(_build(get_args(shape)[0], item, f"{where}[{i}]") for i, item in enumerate(data))
    elif shape is Any or type(data) in ((int, float) if shape is float else get_args(shape) or (shape,)):
        return data
    raise ValueError(f"{where}: expected {wanted}, found {data!r:.90}")
