"""The steps of a program as a workflow: the same function for the engine and for the oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from durable_lab.checks.bench import Crash
from durable_lab.judge.program import Step, plain

Do = Callable[[Step, list[Any]], Any]  # performs a command with these arguments: returns a value, or raises
BUGS: dict[str, type[BaseException]] = {
    error.__name__: error
    for error in (RuntimeError, ValueError, KeyError, TypeError, OSError, ZeroDivisionError, LookupError, TimeoutError)
} | {"KeyboardInterrupt": KeyboardInterrupt, "Crash": Crash}
MOST = 200  # commands in one run; no right engine issues so many


def error_of(kind: str, text: str) -> BaseException:
    """Return a new exception of this type."""
    return BUGS[kind](text)


def is_a(error: BaseException, name: str) -> bool:
    """Return whether a class of this name is among the error's classes: engines have classes of their own."""
    return any(cls.__name__ == name for cls in type(error).__mro__)


class Workflow:
    """One run of the steps. `seen` is what the workflow has seen so far."""

    def __init__(self, steps: list[Step], do: Do, order: Any) -> None:
        self._steps, self._do, self._order = steps, do, order
        self._last: Any = None
        self._arguments: list[Any] = []
        self.seen: list[Any] = []
        self._value: Any = self.seen

    def run(self) -> Any:
        """Run to the end, and return the value. Raises what the steps raise."""
        self._all(self._steps)
        return self._value

    def _all(self, steps: list[Step]) -> bool:
        """Run these steps. Returns True after an early return."""
        return any(self._step(step) for step in steps)

    def _step(self, step: Step) -> bool:
        match step:
            case ["call", _, arguments, *_]:
                self._arguments = [self._argument(argument) for argument in arguments]
                self._see(self._do(step, self._arguments))
            case ["now"] | ["wait", _]:
                self._see(self._do(step, []))
            case ["try", body, catches, handler]:
                return self._try(body, catches, handler)
            case ["loop", times, body]:
                return any(self._all(body) for _ in range(times))
            case ["unless", body]:
                return not self._last and self._all(body)
            case ["change", what]:
                for value in {"value": [self._last], "input": [self._order]}.get(what, self._arguments):
                    change(value)
            case ["raise", kind, text]:
                raise error_of(kind, text)
            case ["return", *value]:
                self._value = value[0] if value else self.seen
                return True
        return False

    def _try(self, body: list[Step], catches: str, handler: list[Step]) -> bool:
        try:
            return self._all(body)
        except BaseException as error:
            if not (
                (catches == "activity" and is_a(error, "ActivityError"))
                or (catches == "exception" and isinstance(error, Exception))
                or catches == "all"
            ):
                raise
            self.seen.append([catches])
        return self._all(handler)

    def _see(self, value: Any) -> None:
        self._last = value
        self.seen.append(copied(value))

    def _argument(self, value: Any) -> Any:
        if isinstance(value, dict) and "$" in value:
            return self._last if value["$"] == "last" else self._order
        return plain(value)


def change(value: Any) -> None:
    """Change a list or an object in place, with all in it, as code does that takes it for its own."""
    if isinstance(value, (list, tuple, dict)):
        for item in list(value.values() if isinstance(value, dict) else value):
            change(item)
    if isinstance(value, list):
        value.append("changed")
    elif isinstance(value, dict):
        value["changed"] = True


def copied(value: Any) -> Any:
    """Return a copy with lists and objects of its own; anything else is kept."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return type(value)(map(copied, value)) if type(value) in (list, tuple) else value
