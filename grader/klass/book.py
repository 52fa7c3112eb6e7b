"""The marks of a class, read from the store's histories: what every report and export is made from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from durable_lab.stores import SQLiteStore
from grader.klass.errors import GraderError
from grader.klass.plain import line
from grader.klass.workflow import ENGINE, latest_class
from grader.report import NotGraded, Report

STORE = "grades.db"


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


def open_store(out: Path) -> SQLiteStore:
    """The store of an out folder. Raises StoreError."""
    return SQLiteStore(out / STORE, engine=ENGINE.module())


def read_book(out: Path) -> Book:
    """The marks in an out folder. Raises GraderError where nothing was graded there, StoreError where it is damaged."""
    if not (out / STORE).is_file():
        raise GraderError(f"{out} has no marks. Grade a class first, `lab-grader grade FOLDER`, or name its --out.")
    with open_store(out) as store:
        return book_in(store)


def book_in(store: SQLiteStore) -> Book:
    """The marks of the latest class in this store."""
    latest = latest_class(store)
    if latest is None:
        raise GraderError(f"{store.path} has no class yet. Run `lab-grader grade FOLDER` once more.")
    given = store.run(latest).input
    return Book(tuple(_entry(store, run) for run in given["runs"]), tuple(given["left_out"]))


def why_not(error: str) -> str:
    """Why a submission has no mark, from the recorded error: its own reason, or that something of ours went wrong."""
    own = error.removeprefix(f"{NotGraded.__name__}: ")
    return line(own, 600) if own != error else f"{line(error)}. Run `grade` again to try once more."


def _entry(store: SQLiteStore, run: str) -> Entry:
    state = store.load(run)
    student = state.input["student"]
    if not state.commands:
        return Entry(student, None, "grading was stopped before its turn. Run `grade` again, and it goes on.")
    command = state.commands[0]
    if command.error is not None:
        return Entry(student, None, why_not(command.error))
    return Entry(student, Report.from_json(command.value))
