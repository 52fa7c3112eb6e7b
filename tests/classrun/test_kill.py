"""After a kill -9 in the middle of a class, graded students stay graded, and the result is as without a kill."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from grader.classrun.recorded import STORE, open_store
from grader.classrun.submissions import submission_folders
from grader.classrun.worker import as_hex
from grader.classrun.workflow import plan

JOBS = 2
KILLS = (3, 8, 6)  # after so many more that were told to be done
MIXED = {
    **{f"student{i:02}": f"ok {i}" for i in range(24)},
    "hana": "large",
    "igor": "once",
    "jo": "large",
    "kai": "ok",
}
MIXED |= {"lena": "die", "mo": "bug"}


def graded_then_killed(classroom: Any, lines: int) -> list[str]:
    """Grade until so many are done, kill it then and there, and say who had been done."""
    process = classroom.start("grade", str(classroom.folder), "--jobs", str(JOBS))
    assert "submissions" in process.stdout.readline()
    done = [process.stdout.readline() for _ in range(lines)]
    os.kill(process.pid, signal.SIGKILL)
    done += process.stdout.readlines()  # what it had said, but we had not read
    assert process.wait() == -signal.SIGKILL, "it was killed, and had not come to its end"
    return [line.split()[3] for line in done if line.endswith("\n") and " of 30 " in line]


def test_a_class_of_30_killed_three_times_ends_as_one_that_was_not_killed(classroom, tmp_path):
    unkilled = type(classroom)(tmp_path / "unkilled")  # counted in the same side file, so it goes first
    for each in (classroom, unkilled):
        each.hand_in(**MIXED)
    unkilled.grade("--jobs", str(JOBS), code=1)  # mo's report is not there, by a bug of ours
    (classroom.home / "side").rename(unkilled.home / "side")
    seen: set[str] = set()
    shown = 0
    for lines in (*KILLS, None):
        before = classroom.graded
        done = graded_then_killed(classroom, lines) if lines else classroom.grade("--jobs", str(JOBS), code=1).split()
        assert not set(classroom.graded - before) & seen, "who was done before the last kill is not graded again"
        shown += len(done) if lines else 0
        seen |= set(done) & set(MIXED) - {"mo"}  # what failed is tried again
    assert shown >= sum(KILLS), "these were seen to be done before the kills"
    in_flight = len(KILLS) * JOBS
    assert (
        sum(classroom.graded.values()) <= sum(unkilled.graded.values()) + in_flight + len(KILLS) * 2
    )  # mo; lena's other half
    assert classroom.files() == unkilled.files()
    reports = [
        {run: h for run, h in each.history().items() if not run.startswith(("class", "mo@"))}
        for each in (classroom, unkilled)
    ]
    assert reports[0] == reports[1]
    assert len(reports[0]) == 29


def test_a_kill_between_the_record_and_the_end_of_the_run_grades_no_student_again(classroom):
    classroom.hand_in(ana="ok", bo="ok")
    classroom.grade()
    before = classroom.files()
    with closing(sqlite3.connect(classroom.out / "grades.db", isolation_level=None)) as db:
        db.execute("UPDATE runs SET status = 'running'")
        assert db.execute("SELECT count(*) FROM runs").fetchone() == (3,)
    classroom.grade()
    assert classroom.graded == {"ana": 1, "bo": 1}
    assert classroom.files() == before


def test_the_report_on_a_finished_class_is_the_same_to_the_byte(classroom):
    classroom.hand_in(ana="ok 1", bo="ok 2", cy="large")
    classroom.grade()
    before, history = classroom.files(), classroom.history()
    assert "3 graded before; 0 to grade" in classroom.grade("--jobs", "1")
    classroom.run("report")
    assert classroom.files() == before
    assert classroom.history() == history


def test_a_worker_dies_with_the_process_that_started_it(classroom):
    classroom.hand_in(ana="hang")
    classroom.out.mkdir()
    with open_store(classroom.out) as store:
        (child,) = plan(store, submission_folders(classroom.folder)[0], {})
    setting = {"store": as_hex(classroom.out / STORE), "grade": "tests.classrun.fakes:grade"}
    worker = classroom.popen("-m", "grader.classrun.worker", json.dumps(setting), stdin=subprocess.PIPE)
    assert "ready" in worker.stdout.readline()
    worker.stdin.write(json.dumps([child.run, as_hex(child.submission.folder)]) + "\n")
    worker.stdin.close()  # as the system does it for a process that was killed
    assert worker.wait(30) == -signal.SIGKILL
    assert worker.stdout.read() == ""


def test_of_two_graders_at_once_the_second_says_so_and_grades_no_student(classroom):
    classroom.hand_in(ana="ok", bo="hang")
    first = classroom.start("grade", str(classroom.folder))
    assert "2 to grade" in first.stdout.readline()
    assert "ana" in first.stdout.readline()
    said = classroom.grade(code=2)
    assert f"process {first.pid}" in said
    assert "goes on from there" in said
    assert classroom.graded["ana"] == 1
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    classroom.hand_in(bo="ok")
    assert "1 graded before; 1 to grade" in classroom.grade()
    assert classroom.graded["ana"] == 1


def test_ctrl_c_says_that_it_can_go_on(classroom):
    classroom.hand_in(ana="ok", bo="hang")
    process = classroom.start("grade", str(classroom.folder))
    assert "2 to grade" in process.stdout.readline()
    assert "ana" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "the same command goes on from there" in errors
    assert "Traceback" not in errors
    classroom.hand_in(bo="ok")
    classroom.grade()
    assert classroom.graded["ana"] == 1


@pytest.mark.parametrize("file", ["grades.db", "grades.db-wal"])
def test_marks_cut_short_after_a_kill_are_refused_or_read_but_never_wrong(classroom, file):
    classroom.hand_in(ana="ok", bo="hang")
    process = classroom.start("grade", str(classroom.folder))
    assert "2 to grade" in process.stdout.readline()
    assert "ana" in process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    path = Path(classroom.out, file)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2 + 7])
    classroom.hand_in(bo="ok")
    process = classroom.start("grade", str(classroom.folder))
    said, errors = process.communicate(timeout=30)
    assert process.returncode == 0 or (process.returncode == 2 and "grades.db" in errors), said + errors
    assert "Traceback" not in errors
