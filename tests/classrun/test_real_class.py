"""A class with the real grader: read, sandboxed, diagnosed and killed; no student's accident stops another."""

from __future__ import annotations

import os
import signal

import pytest

from durable_lab.todos import SKELETON
from grader.classrun.recorded import read_book
from grader.dev.bank import entries
from grader.dev.bank.splice import REFERENCE

pytestmark = pytest.mark.usefixtures("bubblewrap")
COMMAND = "import sys; from grader.cli import main; sys.exit(main(sys.argv[1:]))"
WRONG = next(entry for entry in entries("wrong") if entry.path.stem == "signals_one_queue_for_all_names")


def hand_in(folder):
    """Six submissions of six kinds."""
    solved = REFERENCE.read_text(encoding="utf-8")
    engines = {
        "ana": solved,
        "bo": WRONG.source(),
        "cy": (SKELETON / "engine.py").read_text(encoding="utf-8"),
        "dina": solved.replace(
            "        ended: BaseException", "        __import__('os')._exit(0)\n        ended: BaseException"
        ),
        "emre": "def broken(:\n",
    }
    for name, text in engines.items():
        (folder / name / "lab").mkdir(parents=True)
        (folder / name / "lab" / "engine.py").write_text(text, encoding="utf-8")
    (folder / "farah").mkdir()


@pytest.mark.long
def test_six_kinds_of_submissions_killed_on_the_way_have_the_marks_that_they_earned(classroom):
    hand_in(classroom.folder)
    process = classroom.popen("-P", "-c", COMMAND, "grade", str(classroom.folder))
    assert "6 submissions" in process.stdout.readline()
    assert "1 of 6" in process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert "graded before" in classroom.grade(grade="grader.marks:grade")
    reports = {report.student: report for report in read_book(classroom.out).reports}
    marks = {name: report.points for name, report in reports.items()}
    assert marks["ana"] == 84, "all but the lessons"
    assert 60 < marks["bo"] < 84
    assert marks["cy"] == marks["emre"] == marks["farah"] == 0
    assert 40 < marks["dina"] < 60, "a run that ends its process costs TODO 4 and the whole engine"
    assert WRONG.belief in {part.diagnosis.belief for part in reports["bo"].parts if part.diagnosis}
