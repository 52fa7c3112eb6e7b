"""kill -9 in the middle of a class: whoever is graded stays graded, and the end is that of a run without a kill."""

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

from grader.classrun.results import STORE, open_store
from grader.classrun.submissions import roll
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


def graded_then_killed(klass: Any, lines: int) -> list[str]:
    """Grade until so many are done, kill it then and there, and say who had been done."""
    process = klass.start("grade", str(klass.folder), "--jobs", str(JOBS))
    assert "submissions" in process.stdout.readline()
    done = [process.stdout.readline() for _ in range(lines)]
    os.kill(process.pid, signal.SIGKILL)
    done += process.stdout.readlines()  # what it had said, but we had not read
    assert process.wait() == -signal.SIGKILL, "it was killed, and had not come to its end"
    return [line.split()[3] for line in done if line.endswith("\n") and " of 30 " in line]


def test_a_class_of_30_killed_three_times_ends_as_one_that_was_not_killed(klass, tmp_path):
    unkilled = type(klass)(tmp_path / "unkilled")  # counted in the same side file, so it goes first
    for each in (klass, unkilled):
        each.hand_in(**MIXED)
    unkilled.grade("--jobs", str(JOBS), code=1)  # mo's report is not there, by a bug of ours
    (klass.home / "side").rename(unkilled.home / "side")
    seen: set[str] = set()
    for lines in (*KILLS, None):
        before = klass.graded
        done = graded_then_killed(klass, lines) if lines else klass.grade("--jobs", str(JOBS), code=1).split()
        assert not set(klass.graded - before) & seen, "who was done before the last kill is not graded again"
        seen |= set(done) & set(MIXED) - {"mo"}  # what failed is tried again
    assert len(seen) >= sum(KILLS), "these were seen to be done"
    in_flight = len(KILLS) * JOBS
    assert (
        sum(klass.graded.values()) <= sum(unkilled.graded.values()) + in_flight + len(KILLS) * 2
    )  # mo; lena's other half
    assert klass.files() == unkilled.files()
    reports = [
        {run: h for run, h in each.history().items() if not run.startswith(("class", "mo@"))}
        for each in (klass, unkilled)
    ]
    assert reports[0] == reports[1]
    assert len(reports[0]) == 29


def test_a_kill_between_the_record_and_the_note_that_it_ended_grades_nobody_again(klass):
    klass.hand_in(ana="ok", bo="ok")
    klass.grade()
    before = klass.files()
    with closing(sqlite3.connect(klass.out / "grades.db", isolation_level=None)) as db:
        db.execute("UPDATE runs SET status = 'running'")
        assert db.execute("SELECT count(*) FROM runs").fetchone() == (3,)
    klass.grade()
    assert klass.graded == {"ana": 1, "bo": 1}
    assert klass.files() == before


def test_what_a_finished_class_says_again_is_the_same_to_the_byte(klass):
    klass.hand_in(ana="ok 1", bo="ok 2", cy="large")
    klass.grade()
    before, history = klass.files(), klass.history()
    assert "3 graded before; 0 to grade" in klass.grade("--jobs", "1")
    klass.run("report")
    assert klass.files() == before
    assert klass.history() == history


def test_a_worker_dies_with_whoever_started_it(klass):
    klass.hand_in(ana="hang")
    klass.out.mkdir()
    with open_store(klass.out) as store:
        (child,) = plan(store, roll(klass.folder)[0], {})
    setting = {"store": str(klass.out / STORE), "folder": str(klass.folder), "grade": "tests.classrun.fakes:grade"}
    worker = klass.popen("-m", "grader.classrun.worker", json.dumps(setting), stdin=subprocess.PIPE)
    assert "ready" in worker.stdout.readline()
    worker.stdin.write(json.dumps([child.run, b"ana".hex()]) + "\n")
    worker.stdin.close()  # as the system does it for a process that was killed
    assert worker.wait(30) == -signal.SIGKILL
    assert worker.stdout.read() == ""


def test_two_graders_at_once_the_second_says_so_and_grades_nobody(klass):
    klass.hand_in(ana="ok", bo="hang")
    first = klass.start("grade", str(klass.folder))
    assert "2 to grade" in first.stdout.readline()
    assert "ana" in first.stdout.readline()
    said = klass.grade(code=2)
    assert f"process {first.pid}" in said
    assert "goes on from there" in said
    assert klass.graded["ana"] == 1
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    klass.hand_in(bo="ok")
    assert "1 graded before; 1 to grade" in klass.grade()
    assert klass.graded["ana"] == 1


def test_ctrl_c_says_that_it_can_go_on(klass):
    klass.hand_in(ana="ok", bo="hang")
    process = klass.start("grade", str(klass.folder))
    assert "2 to grade" in process.stdout.readline()
    assert "ana" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "the same command goes on from there" in errors
    assert "Traceback" not in errors
    klass.hand_in(bo="ok")
    klass.grade()
    assert klass.graded["ana"] == 1


@pytest.mark.parametrize("file", ["grades.db", "grades.db-wal"])
def test_marks_cut_short_after_a_kill_are_refused_or_read_but_never_wrong(klass, file):
    klass.hand_in(ana="ok", bo="hang")
    process = klass.start("grade", str(klass.folder))
    assert "2 to grade" in process.stdout.readline()
    assert "ana" in process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    path = Path(klass.out, file)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2 + 7])
    klass.hand_in(bo="ok")
    process = klass.start("grade", str(klass.folder))
    said, errors = process.communicate(timeout=30)
    assert process.returncode == 0 or (process.returncode == 2 and "grades.db" in errors), said + errors
    assert "Traceback" not in errors
