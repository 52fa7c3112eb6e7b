"""The outside of a program: its clock, its activities, and what goes wrong, for the engine and for the oracle alike."""

from __future__ import annotations

from collections import Counter
from typing import Any

from durable_lab.judge.program import Program
from durable_lab.judge.workflow import error_of


class World:
    """Counts and remembers what crosses the border between the engine and everything else.

    A fault is [where, n, "OSError", "disk full"]: it is raised at the n-th crossing, counted from 0 in each run.
    `where` is "any" (before and after each append and each effect, and before each pause), "append" (before an append)
    or "clock" (while the workflow asks for the time for the n-th time).
    """

    def __init__(self, program: Program) -> None:
        self.program, self.now = program, program.start
        self._calls: Counter[str] = Counter()
        self._fault: list[Any] | None = None
        self._crossed: Counter[str] = Counter()

    def begin(self, fault: list[Any] | None) -> None:
        """A run begins, in which this goes wrong."""
        self._fault, self._crossed = fault, Counter()

    def due(self, where: str) -> BaseException | None:
        """Count a crossing. Returns the fault if it is due here."""
        count, self._crossed[where] = self._crossed[where], self._crossed[where] + 1
        return error_of(*self._fault[2:]) if self._fault and self._fault[:2] == [where, count] else None

    def cross(self, *where: str) -> None:
        """Raise the fault if it is due here."""
        for error in list(map(self.due, where)):
            if error:
                raise error

    def act(self, name: str) -> Any:
        """Return what the activity returns at its next call, or raise its error."""
        activity = self.program.activity(name)
        kind, *told = activity.outcomes[min(self._calls[name], len(activity.outcomes) - 1)]
        self._calls[name] += 1
        self.now += activity.seconds
        self.cross("any")
        if kind == "raise":
            raise error_of(*told)
        return told[0]
