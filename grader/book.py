"""The marks of a class, from which all pages and exports are made."""

from __future__ import annotations

from dataclasses import dataclass

from grader.errors import GraderError
from grader.report import Report


@dataclass(frozen=True)
class Entry:
    """One submission. `report` is None if it is not graded; `problem` says why. That is no mark, and not 0."""

    student: str
    report: Report | None
    problem: str = ""


@dataclass(frozen=True)
class Book:
    """All submissions by name, and a sentence for each entry of the folder that was none."""

    entries: tuple[Entry, ...]
    left_out: tuple[str, ...] = ()

    @property
    def reports(self) -> tuple[Report, ...]:
        return tuple(entry.report for entry in self.entries if entry.report)

    @property
    def final(self) -> tuple[Report, ...]:
        """The reports in which every part has a mark. Only these are exported."""
        return tuple(report for report in self.reports if not report.open)

    @property
    def unfinished(self) -> tuple[Report, ...]:
        return tuple(report for report in self.reports if report.open)

    @property
    def missing(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if not entry.report)

    def find(self, name: str) -> Entry:
        """Return the entry of this student, by the name or its beginning. Raises GraderError unless one matches."""
        exact = [entry for entry in self.entries if entry.student == name]
        found = exact or [entry for entry in self.entries if entry.student.lower().startswith(name.lower())]
        if len(found) == 1:
            return found[0]
        some = [entry.student for entry in found or self.entries]
        names = ", ".join(some[:8]) + (", ..." if len(some) > 8 else "")
        raise GraderError(f"{name!r} matches {'several students' if found else 'no student'}. There are {names}.")
