"""A class in a folder, and `lab-grader` as a separate process, with a `grade` that leaves a trace outside."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from durable_lab.study import ROOT
from grader.cli import main
from grader.sandbox import bubblewrap

FAKE = "tests.classrun.fakes:grade"
COMMAND = f"""
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for processes in the background
from grader.cli import main
from grader.sandbox import bubblewrap
bubblewrap.missing = lambda: None  # the fake needs none
sys.exit(main(sys.argv[1:], grade={FAKE!r}))
"""


@dataclass
class Classroom:
    """`folder` has the students, `out` the marks; `side` is where each call of `grade` leaves a line."""

    home: Path
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.home / "class"

    @property
    def out(self) -> Path:
        return self.home / "grades"

    @property
    def graded(self) -> Counter[str]:
        """How often each was graded, counted outside."""
        side = self.home / "side"
        return Counter(side.read_text(encoding="utf-8").splitlines() if side.exists() else [])

    def hand_in(self, **students: str) -> None:
        """By name: what `grade` will find, "ok" or a word that the fake knows."""
        for name, words in students.items():
            (self.folder / name).mkdir(parents=True, exist_ok=True)
            (self.folder / name / "engine.py").write_text(words, encoding="utf-8")

    def start(self, *arguments: str, **how: Any) -> subprocess.Popen[str]:
        """`lab-grader` with these arguments, as a process of its own."""
        return self.popen("-P", "-c", COMMAND, *arguments, **how)

    def popen(self, *arguments: str, **how: Any) -> subprocess.Popen[str]:
        """This Python, in a session of its own."""
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), *sys.path]))}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
        self.started.append(
            subprocess.Popen([sys.executable, *arguments], env=env, **{**pipes, "cwd": self.home, **how})
        )
        return self.started[-1]

    def run(self, *arguments: str, code: int = 0, grade: str = FAKE) -> str:
        """Run a command to its end, in this process: what it says, with its errors."""
        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            try:
                got = main(arguments, grade=grade)
            except SystemExit as asked_wrongly:
                got = asked_wrongly.code
        assert got == code, f"{got}: {said.getvalue()}"
        return said.getvalue()

    def grade(self, *arguments: str, code: int = 0, grade: str = FAKE) -> str:
        return self.run("grade", str(self.folder), *arguments, code=code, grade=grade)

    def marks(self) -> dict[str, Any]:
        """The written JSON, by student."""
        data = json.loads((self.out / "grades.json").read_text(encoding="utf-8"))
        return {row["student"]: row for row in data["students"]}

    def files(self) -> dict[str, bytes]:
        """All that was written for people."""
        kinds = (".html", ".txt", ".csv", ".json")
        return {
            str(path.relative_to(self.out)): path.read_bytes() for path in self.out.rglob("*") if path.suffix in kinds
        }

    def history(self) -> dict[str, list[Any]]:
        """By run: what is recorded, without its times."""
        made: dict[str, list[Any]] = {}
        with closing(sqlite3.connect(self.out / "grades.db")) as db:
            for run, text in db.execute("SELECT workflow_id, record FROM history ORDER BY workflow_id, seq"):
                record = json.loads(text)
                times = ("tries", "started_at", "ended_at")
                made.setdefault(run, []).append({k: v for k, v in record.items() if k not in times})
        return made


@pytest.fixture
def classroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Classroom]:
    made = Classroom(tmp_path)
    monkeypatch.setenv("SIDE_FILE", str(tmp_path / "side"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bubblewrap, "missing", lambda: None)
    yield made
    for process in made.started:
        with process:
            process.kill()
