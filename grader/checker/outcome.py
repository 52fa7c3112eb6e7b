"""The result of one of the 14 tests and of its hidden variant."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """The result of one of the 14 tests. `hidden`: whether its hidden variant passed; None if that was not run."""

    test: str  # the test's sentence: "a replay of a finished history runs nothing"
    rules: tuple[str, ...]  # "R2", "R11"
    passed: bool
    hidden: bool | None = None
    message: str = ""  # for the student; empty if it passed
    paid_by: int = 0  # the TODO whose points a failure costs: then it costs half in the whole engine, nothing elsewhere

    @property
    def earned(self) -> bool:
        """Whether the test passed, and its hidden variant if that was run."""
        return self.passed and self.hidden is not False
