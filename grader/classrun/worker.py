"""A worker process: it reads a run's id on a line, takes that run to its end, and answers with a line of JSON.

    python -m grader.classrun.worker '{"store": ..., "folder": ..., "grade": "grader.marks:grade", ...}'    (a Setting)

It dies with whoever started it, also when that one was killed: its input ends then.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from durable_lab.stores import Conflict, SQLiteStore, StoreError
from durable_lab.worker import work
from grader.classrun.bounded import fitted
from grader.classrun.settings import Setting
from grader.classrun.submissions import digest
from grader.classrun.workflow import ENGINE, grade_submission
from grader.report import Report, Source


class Grade(Protocol):
    """Grades one submission. Raises NotGraded if it can have no mark."""

    def __call__(
        self, folder: Path, student: str, *, isolated: bool = True, source: Source = "notebooks"
    ) -> Report: ...


if TYPE_CHECKING:  # a function that is named in a string is not seen by mypy; the one that counts is checked here
    from grader.marks import grade as _marks

    _checked: Grade = _marks


def named(name: str) -> Grade:
    """The function that "package.module:function" names. Raises ImportError, AttributeError or ValueError."""
    module, function = name.split(":")
    found: Grade = getattr(importlib.import_module(module), function)
    return found


def main(setting: Setting) -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # what anybody prints is not an answer
    try:
        grade, store = named(setting.grade), SQLiteStore(setting.store, engine=ENGINE.module())
    except Exception as error:
        traceback.print_exc()
        _say(answers, cannot=f"{type(error).__name__}: {error}")
        return
    orders: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    _say(answers, ready=os.getpid())
    while True:
        _say(answers, **_take(store, orders.get(), grade, setting))


def _listen(orders: queue.SimpleQueue[str]) -> None:
    for order in sys.stdin:
        orders.put(order.rstrip("\n"))
    if os.getpgrp() == os.getpid():  # with all that it has started
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def _say(answers: TextIO, **answer: Any) -> None:
    answers.write(json.dumps(answer) + "\n")


def _take(store: SQLiteStore, order: str, grade: Grade, setting: Setting) -> dict[str, Any]:
    """Work on one run. `status` is "completed" or "failed", or "store": then it is the store that cannot go on."""
    run, path = json.loads(order)
    activity = _activity(grade, Path(setting.folder) / os.fsdecode(bytes.fromhex(path)), setting)
    once = ENGINE.module().RetryPolicy(max_attempts=1)  # what our code got wrong, it gets wrong again
    workflow = grade_submission(activity)
    try:
        try:
            result = work(store, ENGINE, run, workflow, lambda point: None, retry=once)
        except Conflict:  # a worker of a grading that was killed recorded it just then: its result counts
            result = work(store, ENGINE, run, workflow, lambda point: None, retry=once)
    except StoreError as error:
        return {"run": run, "status": "store", "error": str(error)}
    return {"run": run, "status": result.status, "error": result.error}


def _activity(grade: Grade, folder: Path, setting: Setting) -> Callable[..., Any]:
    """The activity `grade` for this folder."""

    def graded(student: str, wanted: str) -> Any:
        try:
            if digest(folder) != wanted:
                raise RuntimeError("its files changed while the class was graded; grade once more")
            return fitted(grade(folder, student, isolated=setting.isolated, source=setting.source))
        except BaseException as error:
            print(f"--- {student}", file=sys.stderr)
            traceback.print_exc()  # for us; the history and the report get one sentence
            if isinstance(error, Exception):
                raise
            raise RuntimeError(f"{type(error).__name__}: {error}") from None  # no crash: an outcome, and recorded

    graded.__name__ = "grade"
    return graded


if __name__ == "__main__":
    main(Setting(**json.loads(sys.argv[1])))
