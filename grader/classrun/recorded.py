"""Read the marks of a class from the histories in its store."""

from __future__ import annotations

from pathlib import Path

from durable_lab.stores import SQLiteStore
from grader.book import Book, Entry
from grader.classrun.workflow import ENGINE, latest_class
from grader.display import line
from grader.errors import GraderError
from grader.report import NotGraded, Report

STORE = "grades.db"


def open_store(out: Path) -> SQLiteStore:
    """Open the store of an out folder. Raises StoreError."""
    return SQLiteStore(out / STORE, engine=ENGINE.module())


def read_book(out: Path) -> Book:
    """Read the marks in an out folder. Raises GraderError if there are none, StoreError if the store is damaged."""
    if not (out / STORE).is_file():
        raise GraderError(f"{out} has no marks. Grade a class first, `lab-grader grade FOLDER`, or name its --out.")
    with open_store(out) as store:
        return book_in(store)


def book_in(store: SQLiteStore) -> Book:
    """Return the marks of the latest class in this store. Raises GraderError if there is no class."""
    latest = latest_class(store)
    if latest is None:
        raise GraderError(f"{store.path} has no class yet. Run `lab-grader grade FOLDER` once more.")
    given = store.run(latest).input
    return Book(tuple(entry_of(store, run) for run in given["runs"]), tuple(given["left_out"]))


def entry_of(store: SQLiteStore, run: str) -> Entry:
    """Return what the run of a submission recorded."""
    state = store.load(run)
    student = state.input["student"]
    if not state.commands:
        return Entry(student, None, "grading was stopped before its turn. Run `grade` again, and it goes on.")
    outcome = state.commands[0]
    if outcome.error is not None:
        return Entry(student, None, _why_not(outcome.error))
    return Entry(student, Report.from_json(outcome.value))


def _why_not(error: str) -> str:
    """Return why a submission has no mark: the reason that the grader gave, or that the grader itself failed."""
    reason = error.removeprefix(f"{NotGraded.__name__}: ")
    return line(reason, 600) if reason != error else f"{line(error)}. Run `grade` again to try once more."
