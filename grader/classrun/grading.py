"""`grade`: take a class to its end, from wherever it stands: plan, pool of workers, record, book."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from durable_lab.stores import SQLiteStore
from durable_lab.worker import work
from grader.book import Book, Entry
from grader.classrun.lock import only_one
from grader.classrun.pool import SECONDS, Ended, run_all
from grader.classrun.recorded import STORE, book_in, entry_of, open_store
from grader.classrun.submissions import Found, submission_folders
from grader.classrun.worker import Setting, as_hex
from grader.classrun.workflow import ENGINE, Child, class_run, grade_class, grade_submission, plan
from grader.errors import GraderError
from grader.report import Source
from grader.rubric import WEIGHTS, without_points

LOG = "grading.log"


@dataclass(frozen=True)
class GradeOptions:
    """What to grade, and how. With another `source` or `isolated`, every submission is another run."""

    folder: Path
    out: Path
    grade: str = "grader.marks:grade"
    isolated: bool = True
    source: Source = "notebooks"
    jobs: int = 0  # 0: one for each core
    again: Sequence[str] = ()  # students to grade again
    again_all: bool = False
    seconds: float = SECONDS  # for one submission


class Progress(Protocol):
    """Is told what happens while a class is graded."""

    def begins(self, total: int, done: int) -> None: ...

    def graded(self, entry: Entry) -> None: ...


def grade_all(options: GradeOptions, progress: Progress, find: Callable[[Path], Found] = submission_folders) -> Book:
    """Grade what is not graded yet. Raises GraderError or StoreError; what is recorded by then is kept.

    find  returns the submissions in the folder; by default, each sub-folder is one
    """
    out, folder = options.out.resolve(), options.folder.resolve()
    _check(options, out, folder, find is submission_folders)
    submissions, left_out = find(folder)
    _make(out)
    with only_one(out), open_store(out) as store:
        again = [one.student for one in submissions] if options.again_all else options.again
        children = plan(store, submissions, _settings(options), again)
        run = class_run(store, children, left_out)
        todo = {child.run: child for child in children if not child.ended}
        progress.begins(len(children), len(children) - len(todo))
        setting = Setting(as_hex(out / STORE), options.grade, options.isolated, options.source)
        orders = [(child.run, as_hex(child.submission.folder)) for child in todo.values()]
        with closing(run_all(orders, setting, options.jobs or cores(), out / LOG, options.seconds)) as ended:
            _ClassRun(store, todo, ended, progress, options.isolated).finish(run)
        return book_in(store)


def _check(options: GradeOptions, out: Path, folder: Path, students: bool) -> None:
    """Raises GraderError if a class cannot be graded here."""
    if os.name != "posix":
        raise GraderError("A class is graded on Linux or macOS. On Windows, use the Windows Subsystem for Linux.")
    if students and folder in (out, *out.parents):
        raise GraderError(
            f"{options.out} is inside of {options.folder}, among the submissions. Name another folder: --out."
        )


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GraderError(f"{out}: {error.strerror}. Name a folder that you may write: --out.") from None


def _settings(options: GradeOptions) -> dict[str, Any]:
    """Return all that changes marks apart from the submission itself."""
    how = {"isolated": options.isolated, "source": options.source}
    return {"options": how, "rubric": WEIGHTS.read_text(encoding="utf-8")}


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Stopped(BaseException):
    """The class cannot go on: the disk is full, or no worker starts.

    Subtle: not an Exception, because that would be an outcome of the activity, and recorded (R6). As after a kill,
    nothing is recorded, and the next `grade` asks again.
    """

    def __init__(self, why: Exception) -> None:
        self.why = why


class _ClassRun:
    """The class's run: its activity `graded` waits for a child, and notes the other children that end meanwhile."""

    def __init__(
        self,
        store: SQLiteStore,
        children: Mapping[str, Child],
        ended: Iterator[Ended],
        progress: Progress,
        isolated: bool,
    ) -> None:
        self._store, self._children, self._ended = store, children, ended
        self._progress, self._isolated = progress, isolated
        self._entries: dict[str, Entry] = {}  # by run

    def finish(self, run: str) -> None:
        """Take the class's run to its end. Raises GraderError or StoreError, which are not recorded."""
        try:
            work(self._store, ENGINE, run, grade_class(self.graded), lambda point: None)
        except _Stopped as stopped:
            raise stopped.why from None
        for ended in self._ended:  # the class's run had ended before its children: the store was made by hand
            self._note(ended)

    def graded(self, run: str) -> dict[str, Any]:
        """The activity: wait until this child has ended, and return its outcome."""
        try:
            while run in self._children and run not in self._entries:
                self._note(next(self._ended))
            entry = self._entries.get(run) or entry_of(self._store, run)
        except Exception as error:
            raise _Stopped(error) from None
        points, out_of = (entry.report.points, entry.report.out_of) if entry.report else (0.0, 0.0)
        return {"points": points, "out_of": out_of, "problem": entry.problem}

    def _note(self, ended: Ended) -> None:
        if ended.lost:
            self._give_up(self._children[ended.run], ended.lost)
        self._entries[ended.run] = entry_of(self._store, ended.run)
        self._progress.graded(self._entries[ended.run])

    def _give_up(self, child: Child, why: str) -> None:
        """End the submission's run with a report of no points that says why it is not tried again."""

        def grade(student: str, digest: str) -> Any:
            return without_points(student, f"This submission could not be graded: {why}.", self._isolated).to_json()

        work(self._store, ENGINE, child.run, grade_submission(grade), lambda point: None)
