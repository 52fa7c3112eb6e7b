"""A bench that goes on whatever the engine does, and that can log what happens on it.

A *probe* is a small scenario on a ProbeBench. It yields *facts*, small JSON values. The log is for people:

    pay("A1", 30) -> OSError: line busy
    ... 1 ms later
    pay("A1", 30) -> "receipt"
    recorded: pay("A1", 30) -> "receipt", 2 attempts
    completed: "receipt"
"""

from __future__ import annotations

import builtins
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from durable_lab.checks.bench import Bench, Crash, NotStarted, as_json
from durable_lab.checks.failure import show

MAX_RECORDS = 40  # records, and calls of activities, in one probe; an engine that makes more does not end
QUICK = {"max_attempts": 3, "initial_interval": 0.001, "backoff": 2.0, "max_interval": 0.004}  # also if really slept
REALLY_WAITED = 0.15  # seconds; three runs of some milliseconds take so long each only if the engine really waits
_ENGINE_ERRORS = ("ActivityError", "NonDeterminismError", "WorkflowBlocked")


class NeverComesBack(BaseException):
    """The engine made more calls or records than any run of a probe needs, and was stopped."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended: `status` is that of the result, "the process dies", or "KeyError comes out".

    `state` is the new state. If the run returned none, it is what a new process finds in the journal.
    """

    status: str
    state: Any
    value: Any = None
    error: str = ""
    waiting_for: str | None = None


class ProbeBench(Bench):
    """One probe's world. With `logs`, `lines` holds the log; without it, nothing is read only to be logged."""

    def __init__(self, fresh: Callable[[], Any], logs: bool = False) -> None:
        super().__init__(fresh)
        self.logs, self.log_keys = logs, False  # `log_keys`: the idempotency keys, too
        self.lines: list[str] = []
        self._runs, self._time = 0, self.clock.now() if logs else 0.0

    # ------------------------------------------------------------ the world

    def activity(self, name: str, *outcomes: Any, answer: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """As in Bench, and logged. An exception is a new one at each call; `answer` may return one to be raised."""
        call = super().activity(name, *outcomes, answer=answer)

        def act(*args: Any, idempotency_key: str | None = None) -> Any:
            try:
                outcome = call(*args, idempotency_key=idempotency_key)
            except (Exception, Crash) as error:
                outcome = error
            self._limit(self.calls)
            key = f"  key {idempotency_key}" if self.log_keys else ""
            self.log(f"{self.calls[-1]} -> {_outcome(outcome)}{key}")
            if isinstance(outcome, BaseException):
                raise type(outcome)(*outcome.args)
            return outcome

        act.__name__ = name
        return act

    def pass_time(self, seconds: float) -> None:
        """Advance the clock while nothing happens."""
        self.clock.sleep(seconds)

    def full_disk(self, record: Any) -> None:
        """A journal that can write nothing."""
        self.log("the journal: disk full")
        raise RuntimeError("disk full")

    # ------------------------------------------------------------ running

    def engine(self, **options: Any) -> Any:
        """Return a new engine on this clock and journal, with short pauses between attempts."""
        return super().engine(**{"retry": self.policy(), "journal": self._hear, **options})

    def policy(self, **options: Any) -> Any:
        return self.m.RetryPolicy(**{**QUICK, **options})

    def try_run(self, workflow: Callable[..., Any], state: Any = None, engine: Any = None, **options: Any) -> Outcome:
        """Run, on a new engine if none is given. Whatever comes out of `run` becomes an Outcome."""
        start = state if state is not None else self.state()
        self._runs += 1
        self.log(f"-- process {self._runs}")
        try:
            outcome = _returned((engine or self.engine(**options)).run(workflow, start))
        except Crash:
            outcome = Outcome("the process dies", self.recovered(start))
        except (Exception, self.m.WorkflowBlocked) as error:
            outcome = Outcome(f"{error_name(error)} comes out", self.recovered(start))
        self.log(_last_line(outcome))
        return outcome

    def recovered(self, start: Any) -> Any:
        """Return what a new process finds in the journal of the run that `start` began, or None if it is unreadable."""
        try:
            return self.restart(self.recorded(start))
        except NotStarted:
            raise
        except (Exception, NeverComesBack):
            return None

    def next_process(self, state: Any) -> Any:
        """End the process. Return the state as a new one reads it, or unchanged if it cannot be saved."""
        try:
            return self.restart(state)
        except NotStarted:
            raise
        except (Exception, NeverComesBack):
            return state

    def deliver(self, state: Any, name: str, payload: Any = None, **options: Any) -> Any:
        """Deliver a signal, and return the new state. Errors of `signal` are raised."""
        self.log(f"{name} is delivered: {show(payload)}")
        return self.engine(**options).signal(state, name, payload)

    def _hear(self, record: Any) -> None:
        self.journal.append(record)
        self._limit(self.journal)
        if self.logs:
            self.log(f"recorded: {_record(record, self.m)}")

    def _limit(self, made: list[Any]) -> None:
        if len(made) > MAX_RECORDS:
            raise NeverComesBack(f"more than {MAX_RECORDS}")

    def log(self, line: str) -> None:
        """Log one event, after the time that has passed since the one before."""
        if self.logs:
            now = self.clock.now()
            if abs(now - self._time) > 1e-9:
                self.lines.append(f"... {_span(now - self._time)} later")
            self._time = now
            self.lines.append(line.replace("\n", "\\n"))


# ---------------------------------------------------------------- facts


def error_name(error: BaseException) -> str:
    """Return the name of the error's class if it is the engine's or Python's, else that of the nearest such base."""
    names = (cls.__name__ for cls in type(error).__mro__)
    return next(name for name in names if name in _ENGINE_ERRORS or hasattr(builtins, name))


def json_value(value: Any) -> Any:
    """Return a value as JSON has it; if JSON cannot hold it, "a set", by the name of its type."""
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        return f"a {type(value).__name__}"


def compare_count(got: int, want: int) -> str:
    """Return a count as a word, so that "twice" and "three times" are the same mistake."""
    return "right" if got == want else "none" if got == 0 else "too few" if got < want else "too many"


def command_names(state: Any) -> list[str]:
    """Return the names of a state's commands; those that are not activities begin with their kind."""
    commands = [] if state is None else list(state.commands)
    return [command.name if command.kind == "activity" else f"{command.kind} {command.name}" for command in commands]


def really_waits(bench: ProbeBench, run: Callable[[], Any]) -> bool:
    """Return whether this run takes real time, three times of three, each in a new process."""
    for _ in range(3):
        start = time.monotonic()
        run()
        if time.monotonic() - start < REALLY_WAITED:
            return False
        bench.next_process(bench.state())
    return True


def same_state(one: Any, other: Any) -> bool:
    """Return whether two states are equal as JSON."""
    return bool(as_json(one) == as_json(other))


# ---------------------------------------------------------------- lines of the log


def _returned(result: Any) -> Outcome:
    status = getattr(result, "status", "no result")
    if not hasattr(result, "state"):
        return Outcome("no result", None)
    error = "" if result.error is None else str(result.error)
    return Outcome(str(status), result.state, json_value(result.value), error, result.waiting_for)


def _outcome(outcome: Any) -> str:
    if isinstance(outcome, Crash):
        return "power cut"
    return f"{type(outcome).__name__}: {outcome}" if isinstance(outcome, BaseException) else show(outcome)


def _record(record: Any, m: Any) -> str:
    if isinstance(record, m.Signal):
        return f"{record.name} has arrived: {show(record.payload)}"
    call = f"{record.name}({', '.join(map(show, record.args))})" if record.kind == "activity" else record.kind
    call = f"{record.name} was read" if record.kind == "signal" else call
    tries = f", {len(record.tries)} attempts" if len(record.tries) > 1 else ""
    outcome = show(record.value) if record.error is None else record.error
    return f"{call} -> {outcome}{tries}"


def _last_line(outcome: Outcome) -> str:
    divergence = outcome.error.startswith("NonDeterminismError:")  # the text of this one is long
    error = "NonDeterminismError" if divergence else outcome.error
    details = {"completed": show(outcome.value), "blocked": f"waits for {outcome.waiting_for}", "failed": error}
    return f"{outcome.status}: {details[outcome.status]}" if outcome.status in details else outcome.status


def _span(seconds: float) -> str:
    if seconds > 1e10:
        return "centuries"
    for size, unit in ((86_400, "d"), (3600, "h"), (1, "s"), (0.001, "ms")):
        if abs(seconds) >= size * 0.999:
            return f"{round(seconds / size, 3):g} {unit}"
    return f"{seconds:g} s"
