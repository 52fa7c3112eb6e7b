"""What an instructor sees while a class is graded: a bar in a terminal, a line for each submission anywhere else."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from grader.klass.grading import Step
from grader.klass.plain import line, number


class Shown:
    """Tells of each step as it happens. A context manager: the bar goes when it is left."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Bar | None = None
        self._holder: AbstractContextManager[object] = nullcontext()
        if console.is_terminal:
            columns = (BarColumn(30), MofNCompleteColumn(), TextColumn("{task.fields[left]}"), TimeElapsedColumn())
            self._bar = self._holder = Bar(*columns, TextColumn("{task.description}"), console=console)

    def __enter__(self) -> Shown:
        self._holder.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._holder.__exit__(kind, error, at)

    def begins(self, total: int, done: int) -> None:
        self._total, self._before, self._done, self._since = total, done, done, time.monotonic()
        known = f"; {done} graded before" if done else ""
        self._say(f"{total} submissions{known}; {total - done} to grade")
        if self._bar:
            self._task = self._bar.add_task("", total=total, completed=done, left=f"{total - done} left")

    def step(self, step: Step) -> None:
        self._done += 1
        words = f"not graded: {line(step.problem, 100)}" if step.problem else f"{number(step.points)}"
        words += "" if step.problem else f" of {number(step.out_of)}"
        left = self._left()
        if self._bar:
            self._bar.update(self._task, advance=1, left=left, description=escape(f"{line(step.student, 30)}  {words}"))
            if step.problem:
                self._say(f"{line(step.student)}  {words}")
        else:
            self._say(f"{self._done} of {self._total}  {line(step.student)}  {words}  ({left})")

    def _left(self) -> str:
        """How many are left, and how long that takes if it goes on like this."""
        left, now = self._total - self._done, self._done - self._before
        seconds = (time.monotonic() - self._since) / now * left
        about = f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
        return f"{left} left, about {about}" if left else "none left"

    def _say(self, words: str) -> None:
        self._console.print(escape(words), soft_wrap=True)
        self._console.file.flush()  # whoever reads a pipe wants to know now, too
