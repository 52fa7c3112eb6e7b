"""Measure the grading of a class: `python -m grader.dev.bench_grading` (or `make bench-grading`), some minutes.

It compares `lab-grader grade` on ordinary submissions with a plain `nbgrader autograde` of the same notebooks, on the
same machine. nbgrader takes so long that it grades only the first few, unless `--all` is given. Its start-up is
measured separately and subtracted.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from durable_lab.study import ROOT
from grader.dev.bank import entries
from grader.dev.bank.as_submission import fits_notebooks, hand_in
from grader.nbgrader_course.make import make_course
from grader.nbgrader_course.names import ASSIGNMENT

TARGET = 10  # times faster
_PLAIN = "c = get_config()\nc.CourseDirectory.root = {root!r}\nc.CourseDirectory.course_id = 'plain'\n"


def main(arguments: list[str] | None = None) -> int:
    """Measure and print. Return 0 whatever the figures are."""
    parser = argparse.ArgumentParser(
        prog="python -m grader.dev.bench_grading", description="Grading a class: lab-grader and nbgrader."
    )
    parser.add_argument("--class", dest="many", type=int, default=100, metavar="N", help="submissions (default: 100)")
    parser.add_argument("--sample", type=int, default=3, metavar="N", help="of these nbgrader grades (default: 3)")
    parser.add_argument("--all", action="store_true", help="nbgrader grades them all; an hour or so")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="grading-bench-") as folder:
        submissions = _class(Path(folder, "class"), options.many)
        ours = _timed(lambda: _run(["-m", "grader", "grade", str(submissions), "--out", f"{folder}/grades"]))
        names = sorted(path.name for path in submissions.iterdir())
        some = names if options.all else names[: options.sample]
        start, theirs = _nbgrader(Path(folder, "plain"), submissions, some)
        _report(options.many, ours, len(some), theirs, start)
    return 0


def _class(folder: Path, many: int) -> Path:
    """Write the submissions, notebooks and engine.py: half of them right, half with one mistake of the bank."""
    kinds = [[entry for entry in entries(kind) if fits_notebooks(entry.source())] for kind in ("right", "wrong")]
    ordinary = itertools.chain.from_iterable(zip(*map(itertools.cycle, kinds), strict=False))
    for i, entry in enumerate(itertools.islice(ordinary, many)):
        hand_in(entry, folder / f"student-{i:03}")
    return folder


def _nbgrader(course: Path, submissions: Path, students: Sequence[str]) -> tuple[float, float]:
    """Return the seconds of nbgrader's start-up, and of its run on these students."""
    make_course(course)
    (course / "nbgrader_config.py").write_text(_PLAIN.format(root=str(course)), encoding="utf-8")
    _run(["-m", "nbgrader", "generate_assignment", ASSIGNMENT], cwd=course)
    for student in students:
        shutil.copytree(submissions / student, course / "submitted" / student / ASSIGNMENT)
    start = _timed(lambda: _run(["-m", "nbgrader", "autograde", "--help"], cwd=course))
    return start, _timed(lambda: _run(["-m", "nbgrader", "autograde", ASSIGNMENT], cwd=course))


def _run(command: list[str], cwd: Path = ROOT) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    env = {name: value for name, value in os.environ.items() if not name.startswith("LAB_")} | {"PATH": path}
    done = subprocess.run([sys.executable, *command], cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")


def _timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def _report(many: int, ours: float, some: int, theirs: float, start: float) -> None:
    each = (theirs - start) / some
    rows = [
        ("", "submissions", "seconds", "seconds each"),
        ("lab-grader grade, with start-up", str(many), f"{ours:.1f}", f"{ours / many:.2f}"),
        ("nbgrader autograde, without start-up", str(some), f"{theirs - start:.1f}", f"{each:.2f}"),
    ]
    for name, *figures in rows:
        print(f"{name:38}" + "".join(f"{figure:>14}" for figure in figures))
    print(f"\n{each / (ours / many):.0f} times faster (target: at least {TARGET}), on {os.cpu_count()} cores")


if __name__ == "__main__":
    sys.exit(main())
