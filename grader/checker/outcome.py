"""What came of one of the 14 tests and of its hidden variant."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """One of the 14 tests. `hidden` is what its hidden variant says; None if that was not run."""

    test: str  # the test's sentence: "a replay of a finished history runs nothing"
    rules: tuple[str, ...]  # "R2", "R11"
    passed: bool
    hidden: bool | None = None
    message: str = ""  # for the student; empty where it passed
    paid_by: int = 0  # the TODO whose points a failure costs: then it costs half in the whole engine, nothing elsewhere

    @property
    def earned(self) -> bool:
        """Both the test and its hidden variant hold."""
        return self.passed and self.hidden is not False
