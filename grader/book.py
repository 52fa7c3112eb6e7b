"""The marks of a class: what every page and export is made from."""

from __future__ import annotations

from dataclasses import dataclass

from grader.errors import GraderError
from grader.report import Report


@dataclass(frozen=True)
class Entry:
    """One submission. `report` is None where it is not graded; `problem` says why. That is no mark, and not 0."""

    student: str
    report: Report | None
    problem: str = ""


@dataclass(frozen=True)
class Book:
    """All submissions by name, and a sentence for each thing in the folder that was none."""

    entries: tuple[Entry, ...]
    left_out: tuple[str, ...] = ()

    @property
    def reports(self) -> tuple[Report, ...]:
        return tuple(entry.report for entry in self.entries if entry.report)

    @property
    def final(self) -> tuple[Report, ...]:
        """The reports in which every part has a mark: what another system may get."""
        return tuple(report for report in self.reports if not report.open)

    @property
    def unfinished(self) -> tuple[Report, ...]:
        return tuple(report for report in self.reports if report.open)

    @property
    def missing(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if not entry.report)

    def find(self, name: str) -> Entry:
        """The entry of this student, whose name may be cut short. Raises GraderError where none or several fit."""
        exact = [entry for entry in self.entries if entry.student == name]
        found = exact or [entry for entry in self.entries if entry.student.lower().startswith(name.lower())]
        if len(found) == 1:
            return found[0]
        some = [entry.student for entry in found or self.entries]
        names = ", ".join(some[:8]) + (", ..." if len(some) > 8 else "")
        raise GraderError(f"{name!r} fits {'several' if found else 'nobody'}. There are {names}.")
