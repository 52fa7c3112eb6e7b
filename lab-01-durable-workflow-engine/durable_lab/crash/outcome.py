"""Crash a workflow file everywhere, in a process of its own, and read what came of it."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from durable_lab import processes
from durable_lab.crash.compare import Broken
from durable_lab.crash.process import Request
from durable_lab.crash.workflow_file import FileError, WorkflowFile
from durable_lab.study import Study

SPARE = 30  # seconds: the process ends itself before; this is for one that cannot


@dataclass(frozen=True)
class Mark:
    """What came of one run: `broken` is None if it survived. `crashes` is empty for the run without a crash."""

    crashes: tuple[int, ...]
    words: str
    broken: Broken | None


@dataclass
class Outcome:
    """What came of all runs. `points` has position, command, kind and words of each point, in order."""

    workflow: str = ""
    input: Any = None
    end: str = ""  # how the run without a crash ended
    status: str = ""
    calls: int = 0  # of activities, in that run
    points: list[tuple[int, str, str, str]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    complete: bool = False  # whether all points were tried in the time

    @property
    def first(self) -> Mark | None:
        """The first failing point."""
        return next((mark for mark in self.marks if mark.broken), None)


@dataclass(frozen=True)
class Options:
    """How to run the file. `given` has "input" and "signals", as far as they do not come from the file."""

    given: dict[str, Any] = field(default_factory=dict)
    pairs: bool = False
    store: str = "memory"
    seed: int = 0
    seconds: float = 60.0


def crash_file(study: Study, file: WorkflowFile, options: Options) -> Outcome:
    """Stop the file's workflow at every point. Raises FileError if the file cannot be run, or differs by itself."""
    file.code()
    with tempfile.TemporaryDirectory(prefix="crash-", ignore_cleanup_errors=True) as folder:
        lines = _Lines(study, file, options, Path(folder))
        outcome = Outcome()
        for line in lines.of("all", options.seed):
            _read(line, outcome, file, options.seed)
        if lines.seen.is_file() and outcome.first is None:
            for line in lines.of("again", options.seed + 1):  # another order of sets
                _read(line, outcome, file, options.seed)
    return outcome


def _read(line: dict[str, Any], outcome: Outcome, file: WorkflowFile, seed: int) -> None:
    """Take one line of the process into the outcome. Raises FileError."""
    match line:
        case {"refused": why}:
            raise FileError(f"{why} (seed {seed})")
        case {"endless": why}:
            raise FileError(f"{file.shown}: {outcome.workflow} does not end: {why}. Fix this first. (seed {seed})")
        case {"differs": what} if what:
            raise FileError(
                f"{file.shown}: {outcome.workflow} is not deterministic by itself: {what}. A workflow takes the time "
                f"from ctx.now(), and random numbers, sets and settings from an activity or its input. (seed {seed})"
            )
        case {"workflow": name, "input": given}:
            outcome.workflow, outcome.input = name, given
        case {"points": points, "end": end, "status": status, "calls": calls}:
            outcome.points = [(at, of, what, words) for at, of, what, words in points]
            outcome.end, outcome.status, outcome.calls = end, status, calls
        case {"tried": crashes, "words": words, "broken": broken}:
            outcome.marks.append(Mark(tuple(crashes), words, Broken(*broken) if broken else None))
        case {"done": _}:
            outcome.complete = True


class _Lines:
    """Starts the process, and yields its lines. One that ended too early is told as a line, too."""

    def __init__(self, study: Study, file: WorkflowFile, options: Options, folder: Path) -> None:
        self._study, self._file, self._options, self._folder = study, file, options, folder
        self.seen = folder / "seen"

    def of(self, name: str, hash_seed: int) -> Iterator[dict[str, Any]]:
        stores = self._folder / f"{name}-stores"
        stores.mkdir()
        said, trace = self._folder / f"{name}-said", self._folder / f"{name}-trace"
        given = self._options
        request = Request(
            str(self._file.path),
            self._file.name,
            given.given,
            given.pairs,
            given.store,
            str(given.seed),
            given.seconds,
            str(stores),
            str(said),
            str(trace),
            str(self.seen) if self.seen.is_file() else "",
        )
        ended = self._run(json.dumps(asdict(request)), hash_seed)
        lines = [json.loads(line) for line in said.read_text("utf-8").splitlines()] if said.is_file() else []
        for line in lines:
            if "saw" in line:
                self.seen.write_text(json.dumps(line["saw"]), encoding="utf-8")
            if "stage" not in line:
                yield line
        if ended or not lines or "stage" in lines[-1]:
            yield self._died(lines, ended, trace.read_text("utf-8", "replace") if trace.is_file() else "")

    def _run(self, request: str, hash_seed: int) -> str:
        """Run the process. Returns why it ended before its time, or an empty string."""
        command = processes.command("durable_lab.crash.process", request)
        command.remove("-E")  # for PYTHONHASHSEED; `environment` has removed all other such variables
        variables = {"LAB_MODULE": self._study.name, "LAB_WORKSPACE": str(self._study.folder)}
        env = processes.environment(**variables, PYTHONHASHSEED=str(hash_seed % 2**32))
        none, seconds = subprocess.DEVNULL, 2 * self._options.seconds + SPARE
        try:
            done = subprocess.run(command, env=env, stdin=none, stdout=none, stderr=none, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return f"did not end within {seconds:g} seconds"
        return f"ended its process (exit code {done.returncode}), as `os._exit` does" if done.returncode else ""

    def _died(self, lines: list[dict[str, Any]], ended: str, trace: str) -> dict[str, Any]:
        """The line for a process that ended before its time. Only a loop in the engine is the engine's fault."""
        stage = next((line for line in reversed(lines) if "stage" in line), {"stage": "import", "seconds": 0})
        ended = ended or "ended its process, as `os._exit(0)` does"
        if "Timeout" in trace:
            ended = f"did not end within {stage['seconds']:.0f} seconds"
        files = {str(self._file.path): self._file.shown, str(self._study.path): ""}
        frames = re.findall(r'File "(.+)", line (\d+) in', trace)  # the innermost first
        file, line = next(((file, line) for file, line in frames if file in files), ("", ""))
        if stage["stage"] == "point" and file == str(self._study.path):
            broken = Broken("", "the recovered run ends", f"it {ended}: {self._study.label}, line {line}, does not end")
            return {"tried": stage["tried"], "words": stage["words"], "broken": broken}
        where = f"{self._file.shown}, line {line}" if files.get(file) else self._file.shown
        what = {"import": "the import of the file", "run": "the run without a crash", "replay": "the replay"}
        which = what.get(str(stage["stage"])) or f"the run that was stopped {stage['words']}"
        return {"refused": f"{where}: {which} {ended}. Fix this first."}
