"""A whole engine, short and plain: one function `step` for every command, and a state that is saved as it is."""

import copy
import dataclasses
import inspect
import json
import time
from dataclasses import dataclass, field

WHOLE = True


class WorkflowBlocked(BaseException):
    def __init__(self, waiting_for):
        super().__init__(f"no signal {waiting_for} yet")
        self.waiting_for = waiting_for


class ActivityError(Exception):
    def __init__(self, activity, error_type, message, attempts):
        super().__init__(f"{activity}: {error_type}: {message} (attempts: {attempts})")
        self.activity, self.error_type, self.message, self.attempts = activity, error_type, message, attempts


class NonDeterminismError(RuntimeError):
    def __init__(self, position, recorded, issued):
        asked = "nothing" if issued is None else f"{issued.kind} {issued.name} {issued.args}"
        super().__init__(f"{position}: recorded {recorded.kind} {recorded.name} {recorded.args}, issued {asked}")
        self.position, self.recorded, self.issued = position, recorded, issued


@dataclass(frozen=True)
class RetryPolicy:
    max_attempts: int = 3
    initial_interval: float = 1.0
    backoff: float = 2.0
    max_interval: float = 100.0
    non_retryable: tuple = ()


@dataclass(frozen=True)
class Attempt:
    started_at: float
    ended_at: float
    error: str | None = None


@dataclass(frozen=True)
class Command:
    kind: str
    name: str
    args: list = field(default_factory=list)
    ok: bool = True
    value: object = None
    error: str | None = None
    tries: tuple = ()
    started_at: float = 0.0
    ended_at: float = 0.0


@dataclass(frozen=True)
class Signal:
    name: str
    payload: object = None
    received_at: float = 0.0


@dataclass
class WorkflowState:
    workflow_id: str
    input: object = None
    commands: list = field(default_factory=list)
    signals: list = field(default_factory=list)

    def to_json(self):
        return json.dumps({"format": "short/1", "state": dataclasses.asdict(self)}, allow_nan=False)

    @staticmethod
    def from_json(text):
        try:
            data = json.loads(text)
            if data["format"] != "short/1":
                raise ValueError(f"format: {data['format']!r} is not short/1")
            state = WorkflowState(**data["state"])
            state.commands = [Command(**c) for c in state.commands]
            for i, c in enumerate(state.commands):
                state.commands[i] = dataclasses.replace(c, tries=tuple(Attempt(**a) for a in c.tries))
            state.signals = [Signal(**s) for s in state.signals]
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"this is no saved state: {error}") from None
        return state


@dataclass
class RunResult:
    status: str
    value: object = None
    error: str | None = None
    waiting_for: str | None = None
    state: WorkflowState | None = None


class SimulatedClock:
    def __init__(self, start=0.0):
        self.time = start

    def now(self):
        return self.time

    def sleep(self, seconds):
        self.time += seconds


class SystemClock:
    def now(self):
        return time.time()

    def sleep(self, seconds):
        time.sleep(seconds)


def pure(value, where):
    """Return the value as JSON represents it. Raises TypeError if that would be another value."""
    if isinstance(value, dict):
        if bad := [key for key in value if not isinstance(key, str)]:
            raise TypeError(f"{where}: the key {bad[0]!r} is not a text")
        return {key: pure(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [pure(item, f"{where}.{i}") for i, item in enumerate(value)]
    if value is None or isinstance(value, (str, int)) or (isinstance(value, float) and value - value == 0):
        return value
    raise TypeError(f"{where}: {value!r} is nothing for JSON")


class Context:
    def __init__(self, engine, state):
        self.workflow_id, self.engine, self.state = state.workflow_id, engine, state
        self.done, self.end, self.fatal = 0, None, False

    def stop(self, error, fatal=False):
        self.end, self.fatal = error, fatal
        raise error

    def step(self, kind, name, args, work):
        if self.end is not None:
            raise self.end
        if self.done < len(self.state.commands):
            command = self.state.commands[self.done]
            same = (command.kind, command.name) == (kind, name)
            if self.engine.guard != "names":
                same = same and json.dumps(command.args, sort_keys=True) == json.dumps(args, sort_keys=True)
            if not same:
                self.stop(NonDeterminismError(self.done, command, Command(kind, name, args)))
        else:
            command = work()
            try:
                self.engine.journal(command)
            except BaseException as error:
                self.stop(error, fatal=True)
            self.state.commands.append(command)
        self.done += 1
        return command

    def call_activity(self, fn, *args, retry=None):
        name = getattr(fn, "__name__", type(fn).__name__)
        sent = pure(args, f"arguments of {name}")
        command = self.step("activity", name, sent, lambda: self.perform(fn, name, sent, retry or self.engine.retry))
        if command.error is not None:
            error_type, _, message = command.error.partition(": ")
            raise ActivityError(name, error_type, message, len(command.tries))
        return copy.deepcopy(command.value)

    def perform(self, fn, name, args, policy):
        clock, tries = self.engine.clock, []
        named = inspect.signature(fn).parameters
        extra = {"idempotency_key": f"{self.workflow_id}/{self.done}"} if "idempotency_key" in named else {}
        for k in range(policy.max_attempts):
            start, value, error, final = clock.now(), None, None, True
            try:
                raw = fn(*copy.deepcopy(args), **extra)
                try:
                    value = pure(raw, f"result of {name}")
                except TypeError as problem:
                    error = f"TypeError: {problem}"
            except Exception as problem:
                error = f"{type(problem).__name__}: {problem}"
                family = type(problem).__mro__
                final = any(c in policy.non_retryable or c.__name__ in policy.non_retryable for c in family)
            except BaseException as crash:
                self.stop(crash, fatal=True)
            tries.append(Attempt(start, clock.now(), error))
            if final or k == policy.max_attempts - 1:
                break
            try:
                clock.sleep(min(policy.initial_interval * policy.backoff**k, policy.max_interval))
            except BaseException as crash:
                self.stop(crash, fatal=True)
        begin, end = tries[0].started_at, tries[-1].ended_at
        return Command("activity", name, args, error is None, value, error, tuple(tries), begin, end)

    def now(self):
        return self.step("now", "now", [], lambda: Command("now", "now", value=self.engine.clock.now())).value

    def wait_signal(self, name):
        def take():
            used = sum(c.kind == "signal" and c.name == name for c in self.state.commands)
            mine = [s for s in self.state.signals if s.name == name][used:]
            return Command("signal", name, value=mine[0].payload) if mine else self.stop(WorkflowBlocked(name))

        return copy.deepcopy(self.step("signal", name, [], take).value)


class DurableEngine:
    def __init__(self, clock=None, retry=None, journal=None, guard="arguments"):
        self.clock, self.retry = clock or SystemClock(), retry or RetryPolicy()
        self.journal, self.guard = journal or (lambda record: None), guard

    def run(self, workflow, state):
        state = WorkflowState(state.workflow_id, copy.deepcopy(state.input), state.commands[:], state.signals[:])
        ctx, value, end = Context(self, state), None, None
        try:
            value = workflow(ctx, copy.deepcopy(state.input))
        except BaseException as error:
            end = error
        if ctx.end is not None:
            end = ctx.end
        elif ctx.done < len(state.commands) and (end is None or isinstance(end, (ActivityError, RuntimeError))):
            end = NonDeterminismError(ctx.done, state.commands[ctx.done], None)
        if end is None:
            return RunResult("completed", value=value, state=state)
        if isinstance(end, WorkflowBlocked):
            return RunResult("blocked", waiting_for=end.waiting_for, state=state)
        if ctx.fatal or not isinstance(end, (ActivityError, RuntimeError)):
            raise end
        return RunResult("failed", error=f"{type(end).__name__}: {end}", state=state)

    def signal(self, state, name, payload=None):
        signal = Signal(name, pure(payload, f"payload of {name}"), self.clock.now())
        self.journal(signal)
        return dataclasses.replace(state, commands=state.commands[:], signals=[*state.signals, signal])
