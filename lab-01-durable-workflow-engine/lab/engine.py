"""A durable workflow engine in one file. The README of the lab states its rules, R1 to R14.

A *workflow* is a plain function that decides what happens; an *activity* is one that touches the world. Each call of
`ctx` is a *command* with a position (0, 1, 2 ...), and all have one shape:

    ask: is this position recorded?  -- yes -->  return what is recorded      (replay: nothing runs)
                  | no
    do it  ->  record it  ->  return it                                       (live)

After a crash, run the workflow again from its first line, on what is recorded. A history, drawn:

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
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache, partial
from types import SimpleNamespace
from typing import Any, cast, get_args, get_origin, get_type_hints

_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":"), default=vars).encode  # vars: for the classes below
_canonical = json.JSONEncoder(allow_nan=False, separators=(",", ":"), sort_keys=True).encode
_hints = cache(get_type_hints)
_KEY = "idempotency_key"


class WorkflowBlocked(BaseException):  # the run waits for a signal; `except Exception` does not catch it (R9)
    def __init__(self, waiting_for: str) -> None:
        super().__init__(f"waits for the signal {waiting_for!r}")
        self.waiting_for = waiting_for


class ActivityError(Exception):  # an activity failed for good; replay raises it again with the same fields (R6)
    def __init__(self, activity: str, error_type: str, message: str, attempts: int) -> None:
        super().__init__(f"{activity} failed (attempts: {attempts}): {error_type}: {message}")
        self.activity, self.error_type, self.message, self.attempts = activity, error_type, message, attempts


class NonDeterminismError(RuntimeError):  # the workflow `issued` a command other than the `recorded` one (R3, R4)
    def __init__(self, position: int, recorded: Command, issued: Command | None) -> None:
        asked = f"asks for {issued.call()}" if issued else "ends without asking for it"
        super().__init__(f"at position {position} history has {recorded.call()}, but the workflow {asked}")
        self.position, self.recorded, self.issued = position, recorded, issued


class UnrecordableError(TypeError, ValueError): ...  # a value of the wrong type, or one that JSON cannot carry (R5)


@dataclass(frozen=True)
class RetryPolicy:  # how often to try an activity, and how long to wait in between, in seconds
    max_attempts: int = 3  # the first one counts: 3 is three calls, not one call and three retries
    initial_interval: float = 1.0
    backoff: float = 2.0
    max_interval: float = 100.0
    non_retryable: tuple[type[BaseException] | str, ...] = ()

    def __post_init__(self) -> None:
        final, numbers = self.non_retryable, (self.initial_interval, self.backoff, self.max_interval)
        good = type(self.max_attempts) is int and self.max_attempts >= 1 and isinstance(final, (tuple, list))
        good = good and all(isinstance(cls, (type, str)) for cls in final)  # ("Declined") without a comma is a string
        if not good or min(_typed(float, number, f"a number of {self}") for number in numbers) < 0:
            raise ValueError(f"{self}: needs 1 attempt or more, no negative number, and a tuple of classes or names")

    def interval(self, k: int) -> float:  # seconds to wait after failed attempt k, counted from 0 (R12)
        with suppress(OverflowError):  # backoff**k may be too large for a float
            return min(self.initial_interval * self.backoff**k, self.max_interval)
        return self.max_interval if self.initial_interval else 0.0

    def retries(self, error: BaseException) -> bool:  # whether to retry after this error
        return not any({cls, cls.__name__} & {UnrecordableError, *self.non_retryable} for cls in type(error).__mro__)


@dataclass(frozen=True)
class Attempt:  # one try of an activity; its error is None, or "Type: message"
    started_at: float
    ended_at: float
    error: str | None = None


@dataclass(frozen=True)
class Command:  # one entry of history: what was asked and how it ended; written once, never changed (R6)
    kind: str  # "activity", "now" or "signal"
    name: str
    args: list[Any] = field(default_factory=list)
    ok: bool = True
    value: Any = None  # if ok
    error: str | None = None  # if not ok: "Type: message"
    tries: tuple[Attempt, ...] = ()
    started_at: float = 0.0
    ended_at: float = 0.0

    def call(self) -> str:  # what was asked, as text: activity pay_back("A1", 30)
        return f"{self.kind} {self.name}({', '.join(map(_encode, self.args)):.200})"


@dataclass(frozen=True)
class Signal:  # a message to a workflow; received_at is in seconds
    name: str
    payload: Any = None
    received_at: float = 0.0


@dataclass
class WorkflowState:  # all that is known of one run
    workflow_id: str
    input: Any = None
    commands: list[Command] = field(default_factory=list)  # by position
    signals: list[Signal] = field(default_factory=list)  # in order of arrival

    def copy(self) -> WorkflowState:  # with lists and an input of its own, so that this one never changes (R10)
        return WorkflowState(self.workflow_id, _faithful(self.input, "input"), list(self.commands), list(self.signals))

    def to_json(self) -> str:  # one object: "version", and the fields of this class
        return _encode({"version": 1, **vars(self), "input": _faithful(self.input, "input")})

    @staticmethod
    def from_json(text: str) -> WorkflowState:  # the inverse of to_json; its ValueError says what is wrong, and where
        return _parse(text)


@dataclass(frozen=True)
class RunResult:  # how a run ended
    status: str  # "completed", "blocked" or "failed"
    state: WorkflowState
    value: Any = None  # if completed
    error: str | None = None  # if failed: "Type: message"
    waiting_for: str | None = None  # if blocked: the name of a signal
    cause: BaseException | None = field(default=None, repr=False, compare=False)  # if failed: the error itself


class SystemClock:  # the clock of this machine, in seconds since 1970
    now, sleep = staticmethod(time.time), staticmethod(time.sleep)


class SimulatedClock:  # time passes only in `sleep`, so a test of a day's back-off takes no time
    def __init__(self, start: float = 0.0) -> None:
        self._now: float = _typed(float, start, "start")

    def now(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += max(0.0, _typed(float, seconds, "seconds"))


class Context:  # what a workflow sees of the engine, for the length of one run
    def __init__(self, engine: DurableEngine, state: WorkflowState) -> None:
        self.workflow_id: str = _typed(str, state.workflow_id, "workflow_id")
        clock = SimpleNamespace(sleep=lambda seconds: self._outside(engine.clock.sleep, seconds))
        clock.now = lambda: self._outside(lambda: _typed(float, engine.clock.now(), "the clock"))
        self._engine = SimpleNamespace(**{**vars(engine), "clock": clock})
        self._history = state.commands  # grows as this run records
        self._position = 0  # of the next command
        self._inbox: dict[str, deque[Signal]] = defaultdict(deque)  # by name: the signals not yet consumed
        for signal in state.signals:
            self._inbox[signal.name].append(signal)
        self._stopped: BaseException | None = None  # why the run cannot go on: every later call raises it again
        self._crashed = False  # ... and so does `run`

    def close(self) -> None:  # subtle: a thread may still be inside an activity; without `_engine` it cannot record
        self._stopped = RuntimeError("this run has ended, so its ctx refuses every call")
        del self._engine

    def call_activity(self, fn: Callable[..., Any], *args: Any, retry: RetryPolicy | None = None) -> Any:
        """Run an activity once and for all: its result, or ActivityError. A bad argument is UnrecordableError (R5)."""
        fn, name, sent = _identify(fn, args, retry)
        # TODO 1 (part a, about 7 lines): ask history with self._ask. If it has no record, perform
        # the activity (self._perform, with `retry` or else the engine's policy) and record the
        # outcome (self._record). Then return a copy of the recorded value, or raise ActivityError
        # with the recorded type, message and number of attempts. The workflow must see the same
        # live and on replay.
        raise NotImplementedError("TODO 1: part a, Context.call_activity is still to be written")

    def _ask(self, kind: str, name: str, args: list[Any]) -> Command | None:
        """The command recorded at this position, or None: do it live. Raises NonDeterminismError if it differs (R3)."""
        if refused := self._stopped or getattr(self, "_inside", None):
            raise refused
        # TODO 1 (part b, about 8 lines): is there a record at self._position of self._history? If
        # history ends here, return None. If the record has the same kind, name and arguments,
        # increment the position and return the record (live, self._record increments it).
        # Otherwise stop the run: `raise self._stop(NonDeterminismError(position, recorded,
        # issued))`, where both are Commands. Compare arguments as canonical JSON (_canonical), and
        # only if self._engine.guard is "arguments".
        raise NotImplementedError("TODO 1: part b, Context._ask is still to be written")

    def _perform(self, fn: Any, name: str, args: list[Any], policy: RetryPolicy) -> Command:
        """Try an activity until it succeeds or the policy gives up: one Command, with all its tries (R6, R12)."""
        # TODO 1 (part c, about 8 lines): make attempts with self._attempt, each with the same
        # idempotency key, "<workflow_id>/<position>". Stop at the first success, after
        # policy.max_attempts attempts, or when `not policy.retries(problem)`. Between two attempts
        # wait policy.interval(0), then policy.interval(1) ... with self._engine.clock.sleep.
        # Return one Command with all its Attempts in `tries`; `error` is that of the last attempt.
        raise NotImplementedError("TODO 1: part c, Context._perform is still to be written")

    def now(self) -> float:
        """The time in seconds: read from the clock once, recorded, and the same on every replay (R7)."""
        # TODO 2 (about 5 lines): the same shape. Ask history (kind "now", name "now", no
        # arguments). If it has no record, read the engine's clock and record a Command whose value
        # is that time. Return the recorded value.
        raise NotImplementedError("TODO 2: Context.now is still to be written")

    def wait_signal(self, name: str) -> Any:
        """The payload of the next signal of this name. If none has come, the run is suspended (R8, R9)."""
        _typed(str, name, "the name of a signal")
        # TODO 3 (about 9 lines): ask history (kind "signal", the signal's name, no arguments). If
        # it has no record, take the first signal of self._inbox[name] and record a Command whose
        # value is its payload; if there is none, `raise self._stop(WorkflowBlocked(name))`.
        # Replayed or live, the signal is consumed: remove it from the inbox. Return a copy of the
        # recorded value.
        raise NotImplementedError("TODO 3: Context.wait_signal is still to be written")

    def _attempt(self, fn: Any, name: str, args: list[Any], key: str) -> tuple[Attempt, Any, Exception | None]:
        """Call the activity once. Returns the Attempt, the value as JSON gives it back, and what was raised."""
        started_at, value, problem, text = self._engine.clock.now(), None, None, None
        self._inside: Any = RuntimeError(f"{name} is an activity, and only the workflow itself may use ctx")
        try:
            value = _faithful(fn(*deepcopy(args), **({_KEY: key} if _takes_key(fn) else {})), f"{name}: result")
        except Exception as error:
            problem, text = error, f"{type(error).__name__}: "
            with suppress(Exception):  # its own __str__ may fail
                text += f"{error!s:.10000}"
        except BaseException as crash:  # as if the process had died here: nothing is recorded, and nothing more runs
            raise self._stop(crash, crashed=True)  # noqa: B904
        self._inside = None
        return Attempt(started_at, self._engine.clock.now(), text), value, problem

    def _record(self, command: Command) -> Command:  # make it durable first, then part of this run's history (R1)
        self._outside(self._engine.journal, command)  # <- the commit point: once this returns, it has happened
        self._history.append(command)
        self._position += 1
        return command

    def _outside(self, call: Callable[..., Any], *args: Any) -> Any:  # if it raises, the run ends and `run` raises that
        try:
            return call(*args)
        except BaseException as error:
            raise self._stop(error, crashed=True)  # noqa: B904

    def _stop(self, why: BaseException, crashed: bool = False) -> BaseException:  # it cannot be caught for good
        self._stopped, self._crashed = why, crashed
        return why


@dataclass(eq=False)
class DurableEngine:  # runs workflows so that a crash loses no finished step
    clock: Any = None  # where time comes from; if None, the SystemClock
    retry: RetryPolicy = field(default_factory=RetryPolicy)  # for calls without a policy of their own
    journal: Any = None  # called with each Command and Signal to make it durable
    guard: str = "arguments"  # what replay compares: kind, name and arguments; or only kind and name ("names")

    def __post_init__(self) -> None:
        self.clock = SystemClock() if self.clock is None else self.clock
        self.journal = (lambda record: None) if self.journal is None else self.journal
        usable = callable(self.journal) and hasattr(type(self.retry), "interval")
        if self.guard not in ("arguments", "names") or not usable:
            raise ValueError(f'{self}: guard is "arguments" or "names", journal a function, retry a RetryPolicy')

    def run(self, workflow: Callable[[Context, Any], Any], state: WorkflowState) -> RunResult:
        """Replay what `state` has, then go on live. Raises the journal's errors (R1) and the workflow's bugs (R13)."""
        with closing(Context(self, state := state.copy())) as ctx:  # R10
            # TODO 4 (about 17 lines): call the workflow with ctx and a copy of the input, and find
            # out how it ended. The exception that stopped the run (ctx._stopped) counts even if
            # the workflow swallowed it; if ctx._crashed is set, raise it as it is. A workflow that
            # returns or fails while history has commands left (from ctx._position on) has
            # diverged: NonDeterminismError(position, recorded, None). Return a RunResult with the
            # new state: completed with the value, blocked with waiting_for, or failed
            # (ActivityError, RuntimeError) with the error as "Type: message", and the error itself
            # as `cause`. Any other exception is raised again.
            raise NotImplementedError("TODO 4: DurableEngine.run is still to be written")

    def signal(self, state: WorkflowState, name: str, payload: Any = None) -> WorkflowState:
        """A new state in which this signal has arrived; it stays there until the workflow waits for it (R8)."""
        _typed(str, name, "the name of a signal")
        # TODO 5 (about 3 lines): make a Signal: the name, the payload as it is after JSON
        # (_faithful), and the time on the engine's clock. Pass it to self.journal. Return a copy
        # of the state that has the signal as its last one; do not change the state that was given.
        raise NotImplementedError("TODO 5: DurableEngine.signal is still to be written")


# ---------- A first reader may stop here. Below: what a call asks for, and the codec between values and JSON. ---------
def _identify(fn: Any, args: tuple[Any, ...], retry: Any) -> tuple[Any, str, list[Any]]:
    """The function, its name in history ("pay", or "Bank.pay" for a method), and its arguments as recorded (R3, R5)."""
    while isinstance(fn, partial) and not fn.keywords:  # the arguments that it has bound are recorded as well
        fn, args = fn.func, (*fn.args, *args)
    name, owner = getattr(fn, "__name__", type(fn).__name__), getattr(fn, "__self__", None)
    known = callable(fn) and isinstance(name, str) and not isinstance(fn, partial)
    if not known or not (retry is None or hasattr(type(retry), "interval")):
        raise TypeError(f"{fn!r:.80}, {retry!r:.80}: it takes a function, arguments by position, and retry=POLICY")
    if not (owner is None or inspect.ismodule(owner)):
        name = f"{(owner if inspect.isclass(owner) else type(owner)).__name__}.{name}"
    return fn, name, [_faithful(arg, f"{name}: args[{i}]") for i, arg in enumerate(args)]


def _takes_key(fn: Any) -> bool:  # whether it declares `idempotency_key`, or passes keywords on to a function that does
    below = getattr(fn, "__wrapped__", getattr(fn, "func", None))
    code = getattr(fn, "__code__", None) or getattr(fn.__call__, "__code__", None)
    own = code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount] if code else ()
    passes_on = below is not None and (not code or code.co_flags & inspect.CO_VARKEYWORDS)
    return _KEY in own or bool(passes_on and _takes_key(below))


def _faithful(value: Any, where: str) -> Any:  # as its record gives it back (a tuple as a list), or UnrecordableError
    short = type(value) is str and len(value) < 1000 and value.isascii()
    if short or value is None or (type(value) is int and abs(value) < 2**63):
        return value  # as most values are, and this is ten times faster
    _check(value, where)
    try:
        text = _encode(value)
    except (RecursionError, ValueError) as error:
        raise UnrecordableError(f"{where} cannot be recorded: {error}") from None
    if len(text) > 1_000_000:  # every recovery reads the whole history, so it stays small
        raise UnrecordableError(f"{where} is over 1,000,000 characters: store it elsewhere, and pass a reference")
    return json.loads(text)


def _check(value: Any, where: str, room: int = 100) -> None:  # refuse what JSON would change or lose; name the place
    if isinstance(value, (list, tuple, dict)):
        if not room:
            raise UnrecordableError(f"{where:.200} is nested more than 100 levels deep, or contains itself")
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(value, dict) and not isinstance(key, str):
                raise UnrecordableError(f"{where:.200} has the key {key!r}, but in JSON every key is a string")
            _check(item, f"{where}[{key!r}]", room - 1)
    elif not isinstance(value, (str, int, type(None))) and not (isinstance(value, float) and math.isfinite(value)):
        if inspect.iscoroutine(value):
            value.close()  # or Python warns that it was never awaited
        shown = f"{repr(value).partition(' at 0x')[0]:.60} of type {type(value).__name__}"
        raise UnrecordableError(f"{where:.200} is {shown}; JSON cannot carry that (no async, no yield, plain values)")


def _parse(text: str) -> WorkflowState:
    try:
        _encode(data := json.loads(text))  # Python reads NaN and 1e999; JSON has neither
    except (RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"not the JSON of a workflow state: {error}") from None
    if not isinstance(data, dict) or data.pop("version", None) != 1:
        raise ValueError(f'state: expected an object with "version": 1, found {data!r:.60}')
    return cast(WorkflowState, _typed(WorkflowState, data, "state"))


def _typed(shape: Any, data: Any, where: str) -> Any:  # the value of this type that the data stands for, or ValueError
    if shape is Any or (type(data) is shape and (shape is not float or math.isfinite(data))):
        return data
    wanted = getattr(shape, "__name__", shape)
    if shape in (WorkflowState, Command, Attempt, Signal):
        fields = _hints(shape)
        wanted = f"an object with just the fields {', '.join(fields)}"
        if isinstance(data, dict) and data.keys() == fields.keys():
            made = shape(**{name: _typed(inner, data[name], f"{where}.{name}") for name, inner in fields.items()})
            if shape is not Command or (made.ok is (made.error is None) and (made.ok or made.value is None)):
                return made
            wanted, data = "ok, or an error without a value", {name: data[name] for name in ("ok", "error", "value")}
    elif get_origin(shape) in (list, tuple):
        if isinstance(data, list):
            return get_origin(shape)(_typed(get_args(shape)[0], item, f"{where}[{i}]") for i, item in enumerate(data))
    elif type(data) is int if shape is float else isinstance(data, shape):
        return data
    raise UnrecordableError(f"{where}: expected {wanted}, found {data!r:.90}")
