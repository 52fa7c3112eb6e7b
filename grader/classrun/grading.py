"""`grade`: take a class to its end, from wherever it stands."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from durable_lab.stores import SQLiteStore
from durable_lab.worker import work
from grader.book import Book
from grader.classrun.bounded import fitted
from grader.classrun.lock import only_one
from grader.classrun.pool import SECONDS, Ended, Pool
from grader.classrun.results import STORE, book_in, open_store
from grader.classrun.settings import Setting
from grader.classrun.submissions import Roll, roll
from grader.classrun.workflow import ENGINE, Child, class_run, grade_class, grade_submission, plan
from grader.errors import GraderError
from grader.report import NotGraded, Source
from grader.rubric import WEIGHTS, without_points

LOG = "grading.log"


@dataclass(frozen=True)
class Order:
    """What to grade, and how. With another `source` or `isolated`, every submission is another run."""

    folder: Path
    out: Path
    grade: str = "grader.marks:grade"
    isolated: bool = True
    source: Source = "notebooks"
    jobs: int = 0  # 0: one for each core
    again: Sequence[str] = ()  # names
    again_all: bool = False
    seconds: float = SECONDS  # for one submission


@dataclass(frozen=True)
class Step:
    """One submission has just been graded. `problem` is why not, where it was not."""

    student: str
    points: float = 0.0
    out_of: float = 0.0
    problem: str = ""


class Progress(Protocol):
    """Told of what happens while a class is graded."""

    def begins(self, total: int, done: int) -> None: ...

    def step(self, step: Step) -> None: ...


def grade_all(order: Order, progress: Progress, find: Callable[[Path], Roll] = roll) -> Book:
    """Grade what is not graded yet. Raises GraderError or StoreError; what was recorded is kept then.

    find  who has handed in what, in the order's folder; without it, each sub-folder is a student
    """
    if os.name != "posix":
        raise GraderError("A class is graded on Linux or macOS. On Windows, use the Windows Subsystem for Linux.")
    out, folder = order.out.resolve(), order.folder.resolve()
    if find is roll and folder in (out, *out.parents):
        raise GraderError(f"{order.out} is inside of {order.folder}, among what was handed in. Name another --out.")
    hand_ins, left_out = find(folder)
    _make(out)
    with ExitStack() as stack:
        stack.enter_context(only_one(out))
        store = stack.enter_context(open_store(out))
        again = [hand_in.student for hand_in in hand_ins] if order.again_all else order.again
        children = plan(store, hand_ins, _settings(order), again)
        run = class_run(store, children, left_out)
        todo = [child for child in children if not child.ended]
        progress.begins(len(children), len(children) - len(todo))
        setting = Setting(str(out / STORE), str(folder), order.grade, order.isolated, order.source)
        pool = stack.enter_context(Pool(setting, order.jobs or cores(), out / LOG, order.seconds))
        _Desk(store, pool, todo, progress, order).take(run)
        return book_in(store)


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GraderError(f"{out}: {error.strerror}. Name a folder that you may write: --out.") from None


def _settings(order: Order) -> dict[str, Any]:
    """All that changes marks beside the submission itself."""
    how = {"isolated": order.isolated, "source": order.source}
    return {"options": how, "rubric": WEIGHTS.read_text(encoding="utf-8")}


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Stopped(BaseException):
    """The class cannot go on: the disk is full, or no worker starts.

    Subtle: not an Exception, because that would be an outcome of the activity, and recorded (R6). As after a kill,
    nothing is recorded, and the next `grade` asks again.
    """

    def __init__(self, why: Exception) -> None:
        self.why = why


class _Desk:
    """The class's run: its activity `graded` waits for a child, and whatever else ends meanwhile is noted."""

    def __init__(self, store: SQLiteStore, pool: Pool, todo: Sequence[Child], progress: Progress, order: Order) -> None:
        self._store, self._progress, self._order = store, progress, order
        self._children = {child.run: child for child in todo}
        self._steps: dict[str, Step] = {}  # by run
        base = order.folder.resolve()
        paths = (os.fsencode(child.hand_in.folder.relative_to(base)).hex() for child in todo)  # a name may be no text
        self._ended: Iterator[Ended] = pool.ended(zip(self._children, paths, strict=True))

    def take(self, run: str) -> None:
        """Take the class's run to its end. Raises GraderError or StoreError; nothing of that is recorded."""
        try:
            work(self._store, ENGINE, run, grade_class(self.graded), lambda point: None)
        except _Stopped as stopped:
            raise stopped.why from None
        for ended in self._ended:  # replayed as a whole, and yet something to do: a store that was put together by hand
            self._note(ended)

    def graded(self, run: str) -> dict[str, Any]:
        """The activity: how this child ended, once it has."""
        try:
            while run in self._children and run not in self._steps:
                self._note(next(self._ended))
            step = self._steps.get(run) or self._step(run)
        except Exception as error:
            raise _Stopped(error) from None
        return {"points": step.points, "out_of": step.out_of, "problem": step.problem}

    def _note(self, ended: Ended) -> None:
        if ended.died:
            self._give_up(self._children[ended.run], ended.error)
        self._steps[ended.run] = self._step(ended.run)
        self._progress.step(self._steps[ended.run])

    def _step(self, run: str) -> Step:
        state = self._store.load(run)
        name, command = state.input["student"], state.commands[0]
        if command.error is not None:
            return Step(name, problem=command.error.removeprefix(f"{NotGraded.__name__}: "))
        parts = command.value["parts"]
        points, out_of = (round(sum(part[key] for part in parts), 2) for key in ("points", "out_of"))
        return Step(name, points, out_of)

    def _give_up(self, child: Child, why: str) -> None:
        """No more tries: the submission's run ends with a report of no points that says why."""
        isolated = self._order.isolated

        def grade(student: str, digest: str) -> Any:
            return fitted(without_points(student, f"This submission could not be graded: {why}.", isolated))

        self._work(child.run, grade_submission(grade))

    def _work(self, run: str, workflow: Callable[..., Any]) -> None:
        work(self._store, ENGINE, run, workflow, lambda point: None)
