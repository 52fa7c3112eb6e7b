"""A whole engine with a class for everything: readers and writers of history, guards, codecs, retry loops, endings."""

from __future__ import annotations

import abc
import enum
import functools
import inspect
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

WHOLE = True


# ---------------------------------------------------------------- errors


class WorkflowBlocked(BaseException):
    def __init__(self, waiting_for: str) -> None:
        self.waiting_for = waiting_for
        BaseException.__init__(self, "waiting for signal " + waiting_for)


class ActivityError(Exception):
    def __init__(self, activity: str, error_type: str, message: str, attempts: int) -> None:
        self.activity = activity
        self.error_type = error_type
        self.message = message
        self.attempts = attempts
        Exception.__init__(self, f"activity {activity} gave up after attempt {attempts} with {error_type}: {message}")


class NonDeterminismError(RuntimeError):
    def __init__(self, position: int, recorded: Command, issued: Command | None) -> None:
        self.position = position
        self.recorded = recorded
        self.issued = issued
        ours = "no command" if issued is None else issued.describe()
        RuntimeError.__init__(self, f"command {position} was {recorded.describe()}; the code now issues {ours}")


class CannotBeRecorded(ValueError):
    pass


# ---------------------------------------------------------------- records


class Equal:
    """Records are equal if all their fields are equal."""

    def fields(self) -> dict[str, Any]:
        return dict(vars(self))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


class Frozen(Equal):
    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is written once")

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


class Attempt(Frozen):
    def __init__(self, started_at: float, ended_at: float, error: str | None = None) -> None:
        self._set(started_at=started_at, ended_at=ended_at, error=error)


class Command(Frozen):
    def __init__(
        self,
        kind: str,
        name: str,
        args: Iterable[Any] = (),
        ok: bool = True,
        value: Any = None,
        error: str | None = None,
        tries: Iterable[Attempt] = (),
        started_at: float = 0.0,
        ended_at: float = 0.0,
    ) -> None:
        self._set(kind=kind, name=name, args=list(args), ok=ok, value=value, error=error, tries=tuple(tries))
        self._set(started_at=started_at, ended_at=ended_at)

    def describe(self) -> str:
        return f"{self.kind} {self.name}{tuple(self.args)!r}"


class Signal(Frozen):
    def __init__(self, name: str, payload: Any = None, received_at: float = 0.0) -> None:
        self._set(name=name, payload=payload, received_at=received_at)


class WorkflowState(Equal):
    def __init__(
        self,
        workflow_id: str,
        input: Any = None,
        commands: Iterable[Command] = (),
        signals: Iterable[Signal] = (),
    ) -> None:
        self.workflow_id = workflow_id
        self.input = input
        self.commands = list(commands)
        self.signals = list(signals)

    def fork(self) -> WorkflowState:
        return WorkflowState(self.workflow_id, Json.copy(self.input), self.commands, self.signals)

    def to_json(self) -> str:
        return StateCodec().dump(self)

    @classmethod
    def from_json(cls, text: str) -> WorkflowState:
        return StateCodec().load(text)


# ---------------------------------------------------------------- JSON


class Json:
    """Values as JSON represents them."""

    @staticmethod
    def copy(value: Any) -> Any:
        return json.loads(json.dumps(value))

    @staticmethod
    def canonical(value: Any) -> str:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))

    @classmethod
    def faithful(cls, owner: str, value: Any) -> Any:
        for path, leaf in cls._leaves(value, "value"):
            if not cls._is_plain(leaf):
                raise CannotBeRecorded(
                    f"{owner}: {path} is a {type(leaf).__name__}, {leaf!r}, which JSON does not have"
                )
        return cls.copy(value)

    @classmethod
    def _leaves(cls, value: Any, path: str) -> Iterator[tuple[str, Any]]:
        if isinstance(value, dict):
            for key, item in value.items():
                if not isinstance(key, str):
                    yield f"the key {key!r} in {path}", object()
                yield from cls._leaves(item, f"{path}/{key}")
        elif isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                yield from cls._leaves(item, f"{path}/{i}")
        else:
            yield path, value

    @staticmethod
    def _is_plain(leaf: Any) -> bool:
        if isinstance(leaf, float):
            return math.isfinite(leaf)
        return leaf is None or isinstance(leaf, (bool, int, str))


class StateCodec:
    """A state as one string: {"v": 2, "id": ..., "in": ..., "history": [...], "inbox": [...]}."""

    VERSION = 2

    def dump(self, state: WorkflowState) -> str:
        history = [{**c.fields(), "tries": [a.fields() for a in c.tries]} for c in state.commands]
        inbox = [s.fields() for s in state.signals]
        data = {"v": self.VERSION, "id": state.workflow_id, "in": state.input, "history": history, "inbox": inbox}
        return json.dumps(data, allow_nan=False)

    def load(self, text: str) -> WorkflowState:
        try:
            data = json.loads(text)
        except (TypeError, ValueError) as error:
            raise ValueError(f"not JSON: {error}") from error
        if not isinstance(data, dict) or data.get("v") != self.VERSION:
            raise ValueError(f"expected an object with v = {self.VERSION}")
        commands = [self._make(f"history/{i}", self._command, c) for i, c in enumerate(data.get("history", []))]
        signals = [self._make(f"inbox/{i}", lambda s: Signal(**s), s) for i, s in enumerate(data.get("inbox", []))]
        return WorkflowState(self._make("id", str, data.get("id")), data.get("in"), commands, signals)

    @staticmethod
    def _command(data: Any) -> Command:
        return Command(**{**data, "tries": [Attempt(**a) for a in data["tries"]]})

    @staticmethod
    def _make(where: str, how: Callable[[Any], Any], data: Any) -> Any:
        try:
            return how(data)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{where}: {error}") from error


# ---------------------------------------------------------------- time


class Clock(abc.ABC):
    @abc.abstractmethod
    def now(self) -> float: ...

    @abc.abstractmethod
    def sleep(self, seconds: float) -> None: ...


class SimulatedClock(Clock):
    def __init__(self, start: float = 0.0) -> None:
        self._elapsed: list[float] = [start]

    def now(self) -> float:
        return sum(self._elapsed)

    def sleep(self, seconds: float) -> None:
        self._elapsed.append(seconds)


class SystemClock(Clock):
    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


# ---------------------------------------------------------------- activities


class RetryPolicy(Frozen):
    def __init__(
        self,
        max_attempts: int = 3,
        initial_interval: float = 1.0,
        backoff: float = 2.0,
        max_interval: float = 100.0,
        non_retryable: Iterable[type[BaseException] | str] = (),
    ) -> None:
        if max_attempts < 1:
            raise ValueError("at least one attempt is needed")
        self._set(max_attempts=max_attempts, initial_interval=initial_interval, backoff=backoff)
        self._set(max_interval=max_interval, non_retryable=tuple(non_retryable))

    def waits(self) -> Iterator[float]:
        wait = self.initial_interval
        for _ in range(self.max_attempts - 1):
            yield min(wait, self.max_interval)
            wait = min(wait * self.backoff, self.max_interval) if self.backoff >= 1 else wait * self.backoff

    def forbids(self, error: Exception) -> bool:
        if isinstance(error, CannotBeRecorded):
            return True
        names = {cls.__name__ for cls in type(error).__mro__}
        classes = tuple(entry for entry in self.non_retryable if isinstance(entry, type))
        return isinstance(error, classes) or bool(
            names.intersection(e for e in self.non_retryable if isinstance(e, str))
        )


class ActivityCall:
    """One activity with its arguments and its key, ready to be attempted."""

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.fn = fn
        inner = fn.func if isinstance(fn, functools.partial) else fn
        self.name: str = getattr(inner, "__name__", inner.__class__.__name__)
        self.args: list[Any] = Json.faithful(f"arguments of {self.name}", args)

    def wants_key(self) -> bool:
        return "idempotency_key" in inspect.signature(self.fn).parameters

    def invoke(self, key: str) -> Any:
        call = functools.partial(self.fn, *Json.copy(self.args))
        result = call(idempotency_key=key) if self.wants_key() else call()
        return Json.faithful(f"result of {self.name}", result)


class RetryLoop:
    """Attempts a call until it succeeds, fails for good, or has no attempts left."""

    def __init__(self, call: ActivityCall, policy: RetryPolicy, clock: Clock, key: str) -> None:
        self.call, self.policy, self.clock, self.key = call, policy, clock, key
        self.attempts: list[Attempt] = []
        self.value: Any = None

    def run(self) -> Command:
        waits = self.policy.waits()
        while not self._attempt():
            wait = next(waits, None)
            if wait is None:
                break
            self.clock.sleep(wait)
        first, last = self.attempts[0], self.attempts[-1]
        return Command(
            "activity",
            self.call.name,
            self.call.args,
            last.error is None,
            self.value,
            last.error,
            self.attempts,
            first.started_at,
            last.ended_at,
        )

    def _attempt(self) -> bool:
        """Make one attempt. Return whether another one is ruled out."""
        started_at, text, over = self.clock.now(), None, True
        try:
            self.value = self.call.invoke(self.key)
        except Exception as error:
            text, over = f"{type(error).__name__}: {error}", self.policy.forbids(error)
        self.attempts.append(Attempt(started_at, self.clock.now(), text))
        return over


# ---------------------------------------------------------------- history


class Guard(abc.ABC):
    @abc.abstractmethod
    def accepts(self, recorded: Command, issued: Command) -> bool: ...


class NamesGuard(Guard):
    def accepts(self, recorded: Command, issued: Command) -> bool:
        return recorded.kind == issued.kind and recorded.name == issued.name


class ArgumentsGuard(NamesGuard):
    def accepts(self, recorded: Command, issued: Command) -> bool:
        return super().accepts(recorded, issued) and Json.canonical(recorded.args) == Json.canonical(issued.args)


class History:
    """The recorded commands that are replayed, followed by those that this run adds."""

    def __init__(self, state: WorkflowState, guard: Guard, journal: Callable[[Any], Any]) -> None:
        self._state, self._guard, self._journal = state, guard, journal
        self._unread = list(reversed(state.commands))
        self.position = 0

    def replay(self, issued: Command) -> Command | None:
        if not self._unread:
            return None
        if not self._guard.accepts(self._unread[-1], issued):
            raise NonDeterminismError(self.position, self._unread[-1], issued)
        self.position += 1
        return self._unread.pop()

    def append(self, command: Command) -> Command:
        self._journal(command)
        self._state.commands.append(command)
        self.position += 1
        return command

    def check_read_to_the_end(self) -> None:
        if self._unread:
            raise NonDeterminismError(self.position, self._unread[-1], None)


class Inbox:
    def __init__(self, signals: Iterable[Signal]) -> None:
        self._queues: dict[str, list[Signal]] = {}
        for signal in signals:
            self._queues.setdefault(signal.name, []).append(signal)

    def first(self, name: str) -> Signal:
        if not self._queues.get(name):
            raise WorkflowBlocked(name)
        return self._queues[name][0]

    def remove(self, name: str) -> None:
        self._queues[name].pop(0)


class Fuse:
    """Keeps the first error, and raises it at every later call."""

    def __init__(self) -> None:
        self.blown: BaseException | None = None
        self.fatal = False

    def check(self) -> None:
        if self.blown is not None:
            raise self.blown

    def blow(self, error: BaseException) -> NoReturn:
        self.blown = error
        self.fatal = not isinstance(error, (WorkflowBlocked, NonDeterminismError))
        raise error


# ---------------------------------------------------------------- the context


class Context:
    def __init__(self, workflow_id: str, history: History, inbox: Inbox, engine: DurableEngine) -> None:
        self.workflow_id = workflow_id
        self.__history, self.__inbox, self.__engine = history, inbox, engine
        self._fuse = Fuse()

    def __command(self, issued: Command, perform: Callable[[], Command]) -> Command:
        self._fuse.check()
        try:
            return self.__history.replay(issued) or self.__history.append(perform())
        except BaseException as error:
            self._fuse.blow(error)

    def call_activity(self, fn: Callable[..., Any], *args: Any, retry: RetryPolicy | None = None) -> Any:
        call = ActivityCall(fn, args)
        key = f"{self.workflow_id}/{self.__history.position}"
        loop = RetryLoop(call, retry or self.__engine.retry, self.__engine.clock, key)
        command = self.__command(Command("activity", call.name, call.args), loop.run)
        if command.ok:
            return Json.copy(command.value)
        error_type, _, message = str(command.error).partition(": ")
        raise ActivityError(command.name, error_type, message, len(command.tries))

    def now(self) -> float:
        clock = self.__engine.clock
        value: float = self.__command(Command("now", "now"), lambda: Command("now", "now", value=clock.now())).value
        return value

    def wait_signal(self, name: str) -> Any:
        clock = self.__engine.clock

        def consume() -> Command:
            payload = self.__inbox.first(name).payload
            return Command("signal", name, value=payload, started_at=clock.now(), ended_at=clock.now())

        command = self.__command(Command("signal", name), consume)
        self.__inbox.remove(name)
        return Json.copy(command.value)


class Status(enum.Enum):
    COMPLETED = "completed"
    BLOCKED = "blocked"
    FAILED = "failed"


@dataclass
class RunResult:
    status: str
    state: WorkflowState
    value: Any = None
    error: str | None = None
    waiting_for: str | None = None


class Run:
    """One run of one workflow on one state."""

    FAILURES = (ActivityError, RuntimeError)

    def __init__(self, engine: DurableEngine, workflow: Callable[..., Any], state: WorkflowState) -> None:
        self.workflow, self.state = workflow, state.fork()
        self.history = History(self.state, engine.guard_object, engine.journal)
        self.context = Context(state.workflow_id, self.history, Inbox(state.signals), engine)

    def execute(self) -> RunResult:
        try:
            value = self._workflow()
        except WorkflowBlocked as blocked:
            return self._result(Status.BLOCKED, waiting_for=blocked.waiting_for)
        except self.FAILURES as error:
            if self.context._fuse.fatal:
                raise
            return self._result(Status.FAILED, error=f"{type(error).__name__}: {error}")
        return self._result(Status.COMPLETED, value=value)

    def _workflow(self) -> Any:
        try:
            value = self.workflow(self.context, Json.copy(self.state.input))
        except self.FAILURES:
            self.context._fuse.check()
            self.history.check_read_to_the_end()
            raise
        except BaseException:
            self.context._fuse.check()
            raise
        self.context._fuse.check()
        self.history.check_read_to_the_end()
        return value

    def _result(self, status: Status, **more: Any) -> RunResult:
        return RunResult(status.value, self.state, **more)


class DurableEngine:
    GUARDS = {"arguments": ArgumentsGuard, "names": NamesGuard}

    def __init__(
        self,
        clock: Clock | None = None,
        retry: RetryPolicy | None = None,
        journal: Callable[[Any], Any] | None = None,
        guard: str = "arguments",
    ) -> None:
        if guard not in self.GUARDS:
            raise ValueError(f"no guard is called {guard!r}")
        self.clock = clock or SystemClock()
        self.retry = retry or RetryPolicy()
        self.journal: Callable[[Any], Any] = journal or (lambda record: None)
        self.guard = guard
        self.guard_object: Guard = self.GUARDS[guard]()

    def run(self, workflow: Callable[..., Any], state: WorkflowState) -> RunResult:
        return Run(self, workflow, state).execute()

    def signal(self, state: WorkflowState, name: str, payload: Any = None) -> WorkflowState:
        signal = Signal(name, Json.faithful(f"payload of signal {name}", payload), self.clock.now())
        self.journal(signal)
        new = state.fork()
        new.signals.append(signal)
        return new
