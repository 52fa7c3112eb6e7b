"""The process in which a student's file runs: `python -m durable_lab.crash.process REQUEST`.

It writes one JSON object a line into the file `said`: what it is about to do ("stage"), and what came of it. If the
process ends before its time, the last line says where. Nothing that the file prints is kept, and nothing is asked.
"""

from __future__ import annotations

import builtins
import faulthandler
import itertools
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from durable_lab import study
from durable_lab.checks.bench import NotStarted
from durable_lab.crash.compare import compare
from durable_lab.crash.determinism import difference, saw
from durable_lab.crash.everywhere import everywhere, uncrashed
from durable_lab.crash.keeping import InMemory, Keeping, OnDisk
from durable_lab.crash.play import NeverEnds, Scenario
from durable_lab.crash.played import Played
from durable_lab.crash.workflow_file import FileError, Importer, WorkflowFile
from durable_lab.judge.play import ENGINE_ERRORS
from durable_lab.judge.workflow import is_a
from durable_lab.processes import NoTerminal

IMPORT_SECONDS = 5.0
SLOWER = 4  # so many times as long as the uncrashed run may one take that is crashed: it repeats what was in flight


@dataclass(frozen=True)
class Request:
    """What to do. `file` and `name` are the workflow's; `seen` is empty, or a file to replay in this process."""

    file: str
    name: str
    options: dict[str, Any]  # "input" and "signals", as far as they were given
    pairs: bool
    store: str
    seed: str
    seconds: float
    folder: str  # for the stores
    said: str
    trace: str  # where the watchdog writes what was running
    seen: str = ""


class Session:
    """One request. The watchdog ends this process if a stage takes too long."""

    def __init__(self, request: Request, said: IO[str], trace: IO[str]) -> None:
        self.request, self._said, self._trace, self._pid = request, said, trace, os.getpid()
        self._end = time.monotonic() + request.seconds
        self._importer: Importer | None = None

    def tell(self, **line: Any) -> None:
        """Write a line; the copy of this process that a `fork` in the file makes writes nothing."""
        if os.getpid() == self._pid:
            self._said.write(json.dumps(line) + "\n")
            self._said.flush()

    def stage(self, name: str, seconds: float, **more: Any) -> None:
        """Begin a stage, which may take so many seconds."""
        self.tell(stage=name, seconds=seconds, **more)
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._trace)

    def run(self) -> None:
        """Do what is asked, and write what came of it."""
        self.stage("import", IMPORT_SECONDS)
        file = WorkflowFile(Path(self.request.file), self.request.name)
        importer = self._importer = Importer(study.current(), file)
        constants = importer.constants()
        given = self.request.options.get("input", constants["INPUT"])
        signals = [(name, payload) for name, payload in self.request.options.get("signals") or constants["SIGNALS"]]
        _, workflow = importer.fresh()
        self.tell(workflow=getattr(workflow, "__name__", "workflow"), input=given)
        scenario = Scenario(importer.fresh, self._keeping(), given, signals, seed=self.request.seed)
        if self.request.seen:
            seen = json.loads(Path(self.request.seen).read_text(encoding="utf-8"))
            self.stage("replay", self.request.seconds / 4)
            self.tell(differs=difference(seen, importer.fresh, given, self.request.seed))
        else:
            self._everywhere(scenario)

    def _everywhere(self, scenario: Scenario) -> None:
        part = self.request.seconds / 4
        self.stage("run", part)
        begin = time.monotonic()
        reference, script = uncrashed(scenario)
        self._part = max(part, SLOWER * (time.monotonic() - begin) + 2)
        self._refuse_bugs(reference)
        seen = saw(reference)
        self.tell(saw=seen)
        self.stage("replay", part)
        if differs := difference(seen, scenario.fresh, scenario.input, self.request.seed):
            self.tell(differs=differs)
            return
        points = [[point.position, point.of, point.what, point.words] for point in reference.points[0]]
        calls = len(list(reference.of("calls")))
        self.tell(points=points, end=reference.end.words, status=reference.end.status, calls=calls)
        self.tell(tried=[], words="without a crash", broken=compare(reference, reference))
        for tried in everywhere(scenario, reference, script, self.request.pairs, self._at):
            self.tell(tried=tried.crashes, words=tried.words, broken=tried.broken)
            if time.monotonic() > self._end:
                return
        self.tell(done=True)

    def _at(self, crashes: tuple[int, ...], words: str) -> None:
        self.stage("point", self._part, tried=crashes, words=words)

    def _refuse_bugs(self, reference: Played) -> None:
        """Raise FileError if the uncrashed run ended with an error that no engine can be blamed for."""
        error = reference.raised
        todo = str(error or reference.end.error or "")
        if "TODO" in todo and (isinstance(error, NotImplementedError) or "NotImplementedError" in todo):
            raise FileError(
                f"the engine is not finished: {todo.removeprefix('NotImplementedError: ').rstrip('.'):.200}."
            )
        if error is None or any(is_a(error, name) for name in ENGINE_ERRORS):
            return  # `compare` has a rule for it
        assert self._importer is not None
        file = self._importer.file
        where = f"{file.shown}{file.place(error)}"
        if isinstance(error, NoTerminal):
            raise FileError(f"{where}: {error}")
        look = "Fix it first." if file.place(error) else study.current().place(error)
        what = f"{type(error).__name__}: {error}"
        raise FileError(f"{where}: the workflow does not run without a crash either: {what:.300}. {look}")

    def _keeping(self) -> Callable[[], Keeping]:
        if self.request.store == "memory":
            return InMemory
        numbers = itertools.count()
        folder = Path(self.request.folder)

        def on_disk() -> Keeping:
            for old in folder.iterdir():
                old.unlink()
            return OnDisk(folder / f"{next(numbers)}.db")

        return on_disk


def no_input(*_: object) -> str:
    """What `input()` calls in this process. It is no ordinary error, so that no activity fails and tries again."""
    raise NoTerminal("the code asks for input(), and nothing can answer. Put the value into the workflow's input.")


def main(text: str) -> None:
    request = Request(**json.loads(text))
    sys.dont_write_bytecode, builtins.input = True, no_input
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    with open(request.said, "a", encoding="utf-8") as said, open(request.trace, "w") as trace:  # noqa: PTH123
        session = Session(request, said, trace)
        try:
            session.run()
        except (FileError, study.StudyError) as error:
            session.tell(refused=str(error))
        except NeverEnds as error:
            session.tell(endless=str(error))
        except NotStarted:
            raise
        except BaseException as error:  # of the file, where it was imported again
            session.tell(refused=f"{request.file}: {type(error).__name__}: {error}")
        os._exit(0)  # do not wait for a thread that the file started


if __name__ == "__main__":
    main(sys.argv[1])
