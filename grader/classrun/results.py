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
