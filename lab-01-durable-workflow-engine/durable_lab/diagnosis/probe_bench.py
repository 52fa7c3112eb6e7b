"""A bench that survives anything that the engine does, and can describe what happened.

A *probe* is a small scenario on a ProbeBench. It yields *facts*, which are small JSON values. It also tells a story, in
lines for people:

    pay("A1", 30) -> OSError: line busy
    ... 1 ms later
    pay("A1", 30) -> "receipt"
    recorded: pay("A1", 30) -> "receipt", 2 attempts
    completed: "receipt"
"""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from durable_lab.checks.bench import Bench, Crash, NotStarted, as_json
from durable_lab.checks.failure import show

MOST = 40  # calls of activities, and records, in one probe; an engine that makes more does not end
QUICK = {"max_attempts": 3, "initial_interval": 0.001, "backoff": 2.0, "max_interval": 0.004}  # also if really slept


_NAMES = ("ActivityError", "NonDeterminismError", "WorkflowBlocked")


class NeverComesBack(BaseException):
    """The engine did not stop by itself, and was stopped."""


@dataclass(frozen=True)
class End:
    """How a run ended: `how` is its status, "the process dies", or "KeyError comes out".

    `state` is the new state; if none was returned, it is the state that a new process finds in the journal.
    """

    how: str
    state: Any
    value: Any = None
    error: str = ""
    waiting_for: str | None = None


class ProbeBench(Bench):
    """The world of one probe. With `tells`, `lines` has the story; without it nothing is computed for the story."""

    def __init__(self, fresh: Callable[[], Any], tells: bool = False) -> None:
        super().__init__(fresh)
        self.tells, self.lines = tells, [""][:0]
        self.keyed = False  # tell the idempotency keys, too
        self._runs, self._time = 0, self.clock.now() if tells else 0.0

    # ------------------------------------------------------------ the world

    def activity(self, name: str, *outcomes: Any, answer: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """Make an activity, as in Bench. Each call raises a new exception, so that its traceback does not grow."""
        left = list(outcomes)

        def act(*args: Any, idempotency_key: str | None = None) -> Any:
            self.calls.append(f"{name}({', '.join(map(show, args))})")
            self.keys.append(idempotency_key)
            self._count(self.calls)
            outcome = (
                name if answer is None and not left else left.pop(0) if len(left) > 1 else left[0] if left else None
            )
            if answer is not None:
                outcome = answer(*args)
            self.tell(f"{self.calls[-1]} -> {_outcome(outcome)}" + (f"  key {idempotency_key}" if self.keyed else ""))
            if isinstance(outcome, BaseException):
                raise type(outcome)(*outcome.args)
            return outcome

        act.__name__ = name
        return act

    def pass_time(self, seconds: float) -> None:
        """Let this time pass on the clock without any event."""
        self.clock.sleep(seconds)

    def full_disk(self, record: Any) -> None:
        """A journal callback that always fails."""
        self.tell("the journal: disk full")
        raise RuntimeError("disk full")

    # ------------------------------------------------------------ running

    def engine(self, **options: Any) -> Any:
        """Return a new engine on this clock and journal, with short waits between attempts."""
        given = {"retry": self.policy(), "journal": self._hear, **options}
        return super().engine(**given)

    def policy(self, **options: Any) -> Any:
        return self.m.RetryPolicy(**{**QUICK, **options})

    def go(self, workflow: Callable[..., Any], state: Any = None, engine: Any = None, **options: Any) -> End:
        """Run the workflow, on a new engine if none is given. Returns an End, also if `run` raises."""
        start = state if state is not None else self.state()
        self._runs += 1
        self.tell(f"-- process {self._runs}")
        try:
            end = self._ended((engine or self.engine(**options)).run(workflow, start))
        except Crash:
            end = End("the process dies", self.found(start))
        except (Exception, self.m.WorkflowBlocked) as error:
            end = End(f"{word(error)} comes out", self.found(start))
        self.tell(_last_line(end))
        return end

    def found(self, start: Any) -> Any:
        """Return the state that a new process finds in the journal for the run of `start`; None if it is unreadable."""
        try:
            return self.restart(self.recorded(start))
        except NotStarted:
            raise
        except (Exception, NeverComesBack):
            return None

    def later(self, state: Any) -> Any:
        """Return the state as a new process reads it; unchanged if it cannot be saved."""
        try:
            return self.restart(state)
        except NotStarted:
            raise
        except (Exception, NeverComesBack):
            return state

    def deliver(self, state: Any, name: str, payload: Any = None, **options: Any) -> Any:
        """Deliver a signal. Returns the new state; errors of `signal` propagate."""
        self.tell(f"{name} is delivered: {show(payload)}")
        return self.engine(**options).signal(state, name, payload)

    def _ended(self, result: Any) -> End:
        status = getattr(result, "status", "no result")
        if not hasattr(result, "state"):
            return End("no result", None)
        error = "" if result.error is None else str(result.error)
        return End(str(status), result.state, plain(result.value), error, result.waiting_for)

    def _hear(self, record: Any) -> None:
        self.journal.append(record)
        self._count(self.journal)
        if self.tells:
            self.tell(f"recorded: {_record(record, self.m)}")

    # ------------------------------------------------------------ telling

    def tell(self, line: str) -> None:
        """Add one event to the story."""
        if self.tells:
            now = self.clock.now()
            if abs(now - self._time) > 1e-9:
                self.lines.append(f"... {_span(now - self._time)} later")
            self._time = now
            self.lines.append(line)

    def _count(self, made: list[Any]) -> None:
        if len(made) > MOST:
            raise NeverComesBack(f"more than {MOST}")


def word(error: BaseException) -> str:
    """Return the name of an error, or of the nearest base class that is Python's or the engine's."""
    named = (cls.__name__ for cls in type(error).__mro__)
    return next(name for name in named if name in _NAMES or hasattr(builtins, name))


def plain(value: Any) -> Any:
    """Return a value as it is after JSON; if it is not JSON, the name of its type."""
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        return f"a {type(value).__name__}"


def amount(got: int, want: int) -> str:
    """Return a count as a word, so that "twice" and "three times" are the same mistake."""
    return "right" if got == want else "none" if got == 0 else "too few" if got < want else "too many"


def names(state: Any) -> list[str]:
    """Return the names of a state's commands; signals and times by their kind."""
    return [command.name if command.kind == "activity" else f"{command.kind} {command.name}" for command in _all(state)]


def _all(state: Any) -> list[Any]:
    return [] if state is None else list(state.commands)


def same(one: Any, other: Any) -> bool:
    """Return whether two states have the same content."""
    return bool(as_json(one) == as_json(other))


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


def _last_line(end: End) -> str:
    error = "NonDeterminismError" if end.error.startswith("NonDeterminismError:") else end.error  # its text is long
    detail = {"completed": show(end.value), "blocked": f"waits for {end.waiting_for}", "failed": error}
    return f"{end.how}: {detail[end.how]}" if end.how in detail else end.how


def _span(seconds: float) -> str:
    if seconds > 1e10:
        return "centuries"
    for size, unit in ((86_400, "d"), (3600, "h"), (1, "s"), (0.001, "ms")):
        if abs(seconds) >= size * 0.999:
            return f"{round(seconds / size, 3):g} {unit}"
    return f"{seconds:g} s"
