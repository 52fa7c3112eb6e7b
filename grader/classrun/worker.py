"""A worker process: it reads an order (a run and its folder) as a line of JSON, takes that run to its end, and answers.

    python -m grader.classrun.worker '{"store": ..., "grade": "grader.marks:grade", ...}'    (a Setting)

It exits with the process that started it, also if that one was killed, because its input ends then.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from durable_lab.stores import Conflict, SQLiteStore, StoreError
from durable_lab.worker import work
from grader.classrun.submissions import digest
from grader.classrun.workflow import ENGINE, grade_submission
from grader.display import plain
from grader.report import Part, Report, Source

MOST = 400_000  # characters of a report as JSON: a record has at most a million, and is read again at every recovery
ROOMS = (6_000, 1_000, 100)  # characters of one message: the first of these that makes the report fit


class Grade(Protocol):
    """Grades one submission. Raises NotGraded if it can have no mark."""

    def __call__(
        self, folder: Path, student: str, *, isolated: bool = True, source: Source = "notebooks"
    ) -> Report: ...


if TYPE_CHECKING:  # mypy cannot check a function that a string names; the one that is always used is checked here
    from grader.marks import grade as _marks

    _checked: Grade = _marks


@dataclass(frozen=True)
class Setting:
    """What is the same for all submissions of a class."""

    store: str  # see `as_hex`
    grade: str  # the function that grades one submission, "package.module:function"
    isolated: bool = True
    source: Source = "notebooks"


def as_hex(path: Path) -> str:
    """Return the bytes of a path, which the worker may decode in another encoding, or which are not UTF-8."""
    return os.fsencode(path).hex()


def _path(text: str) -> Path:
    return Path(os.fsdecode(bytes.fromhex(text)))


def named(name: str) -> Grade:
    """Return the function that "package.module:function" names. Raises ImportError, AttributeError or ValueError."""
    module, function = name.split(":")
    found: Grade = getattr(importlib.import_module(module), function)
    return found


def main(setting: Setting) -> None:
    """Answer {"ready": ...} or {"problem": ...}, then each order with {} or {"problem": ...}."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # nothing that is printed is taken for an answer
    try:
        grade, store = named(setting.grade), SQLiteStore(_path(setting.store), engine=ENGINE.module())
    except Exception as error:
        traceback.print_exc()
        _answer(answers, problem=f"{type(error).__name__}: {error}")
        return
    orders: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    _answer(answers, ready=os.getpid())
    while True:
        run, path = json.loads(orders.get())
        _answer(answers, **_work(store, run, _activity(grade, _path(path), setting)))


def _listen(orders: queue.SimpleQueue[str]) -> None:
    for order in sys.stdin:
        orders.put(order)
    if os.getpgrp() == os.getpid():  # with all processes that it started
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def _answer(answers: TextIO, **answer: Any) -> None:
    answers.write(json.dumps(answer) + "\n")


def _work(store: SQLiteStore, run: str, grade: Callable[..., Any]) -> dict[str, str]:
    """Take one run to its end. A problem is one of the store, which no other submission can do without."""
    once = ENGINE.module().RetryPolicy(max_attempts=1)  # a bug of the grader's own will not go away
    workflow = grade_submission(grade)
    try:
        with suppress(Conflict):
            work(store, ENGINE, run, workflow, lambda point: None, retry=once)
            return {}
        # Another writer: a worker of a grading that was killed. Its record counts, and the run ends with it.
        work(store, ENGINE, run, workflow, lambda point: None, retry=once)
    except StoreError as error:
        return {"problem": str(error)}
    return {}


def _activity(grade: Grade, folder: Path, setting: Setting) -> Callable[..., Any]:
    """Return the activity `grade` for this folder."""

    def graded(student: str, wanted: str) -> Any:
        try:
            if digest(folder) != wanted:
                raise RuntimeError("its files changed while the class was graded; grade once more")
            return shortened(grade(folder, student, isolated=setting.isolated, source=setting.source))
        except BaseException as error:
            print(f"--- {student}", file=sys.stderr)
            traceback.print_exc()  # into the log; the history and the report get one sentence
            if isinstance(error, Exception):
                raise
            raise RuntimeError(f"{type(error).__name__}: {error}") from None  # an outcome, which is recorded

    graded.__name__ = "grade"
    return graded


def shortened(report: Report) -> dict[str, Any]:
    """Return the report as JSON, its messages cut so that a record can hold it. Raises ValueError if that fails."""
    for room in ROOMS:
        made = replace(report, parts=tuple(_shortened(part, room) for part in report.parts)).to_json()
        if len(json.dumps(made)) <= MOST:
            return made
    raise ValueError(f"its report has over {MOST} characters")


def _shortened(part: Part, room: int) -> Part:
    return replace(part, outcomes=tuple(replace(one, message=plain(one.message, room)) for one in part.outcomes))


if __name__ == "__main__":
    main(Setting(**json.loads(sys.argv[1])))
