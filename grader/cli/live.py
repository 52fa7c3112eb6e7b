"""Progress while a class is graded: a bar in a terminal, a line for each submission in a pipe or file."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from grader.book import Entry
from grader.display import line, number

WINDOW = 20  # submissions that the speed is measured on


class Estimate:
    """How long the rest takes, estimated from the latest submissions. `jobs` of them are graded at a time."""

    def __init__(self, jobs: int, now: float) -> None:
        self._jobs = jobs
        self._ended = deque([now], WINDOW + 1)  # the first is the start of the window

    def ended(self, now: float) -> None:
        self._ended.append(now)

    def seconds(self, left: int, now: float) -> float | None:
        """For `left` submissions, of which up to `jobs` are being graded now; None if none has ended yet.

        Subtle: a submission that takes longer than the others, with nothing to grade beside it, is expected to take
        as long again as it has been alone. So the estimate grows while nothing ends, and never stays at 0.
        """
        many = len(self._ended) - 1
        if not many or not left:
            return None if left else 0.0
        begun = 0 if many == WINDOW else (self._jobs - 1) / 2  # at first, submissions that are half done count, too
        each = self._jobs * (self._ended[-1] - self._ended[0]) / (many + begun)  # of a worker's time
        at_work = min(self._jobs, left)
        rest = each * (left - at_work) / self._jobs + each * at_work / (at_work + 1)
        quiet = now - self._ended[-1]
        return max(rest - quiet, quiet)


def about(seconds: float) -> str:
    """`about 2 min`, `about 40 s`, `a few seconds`."""
    if seconds >= 90:
        return f"about {seconds / 60:.0f} min"
    return f"about {max(10, round(seconds / 10) * 10)} s" if seconds >= 5 else "a few seconds"


class Shown:
    """Shows each step as it happens. A context manager: leaving it removes the bar."""

    def __init__(self, console: Console, jobs: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._console, self._jobs, self._clock = console, jobs, clock
        self._bar: Bar | None = None
        self._holder: AbstractContextManager[object] = nullcontext()
        if console.is_terminal:
            columns = (BarColumn(30), MofNCompleteColumn(), _Left(self), TimeElapsedColumn())
            self._bar = self._holder = Bar(*columns, TextColumn("{task.description}", markup=False), console=console)

    def __enter__(self) -> Shown:
        self._holder.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._holder.__exit__(kind, error, at)

    def begins(self, total: int, done: int) -> None:
        self._total, self._done = total, done
        self._estimate = Estimate(self._jobs, self._clock())
        known = f"; {done} graded before" if done else ""
        self._say(f"{total} submissions{known}; {total - done} to grade")
        if self._bar:
            self._task = self._bar.add_task("", total=total, completed=done)

    def graded(self, entry: Entry) -> None:
        self._done += 1
        self._estimate.ended(self._clock())
        report = entry.report
        words = f"{number(report.points)} of {number(report.out_of)}" if report else ""
        words = words or f"not graded: {line(entry.problem, 100)}"
        if self._bar:
            self._bar.update(self._task, advance=1, description=f"{line(entry.student, 30)}  {words}")
            if not report:
                self._say(f"{line(entry.student)}  {words}")
        else:
            self._say(f"{self._done} of {self._total}  {line(entry.student)}  {words}  ({self.left()})")

    def left(self) -> str:
        """How many submissions are left, and how long they take."""
        left = self._total - self._done
        seconds = self._estimate.seconds(left, self._clock())
        if not left:
            return "none left"
        return f"{left} left" if seconds is None else f"{left} left, {about(seconds)}"

    def _say(self, words: str) -> None:
        self._console.print(words, soft_wrap=True, markup=False)
        self._console.file.flush()  # for the reader of a pipe


class _Left(ProgressColumn):
    """What is left as of now, not as of the last step: rich draws the bar several times a second."""

    def __init__(self, shown: Shown) -> None:
        super().__init__()
        self._shown = shown

    def render(self, task: Task) -> Text:
        return Text(self._shown.left())
