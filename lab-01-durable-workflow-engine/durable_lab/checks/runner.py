"""Run the 14 tests in a separate process, and return the verdict of each."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from durable_lab import processes, todos
from durable_lab.checks.substitute import REFERENCE, VARIABLE
from durable_lab.study import ROOT, Study, StudyError

TESTS = ROOT / "tests" / "lab"
PRINTED = "printed"  # the property of a test with a line that the engine printed
COUNT = 14
SECONDS = 90  # for all 14; each has its own limit of a few seconds
# Only the tests: no other plugin, no conftest.py or settings from parent folders, no folder before Python's own.
_OPTIONS = [
    "-q",
    "-c",
    str(ROOT / "pyproject.toml"),
    f"--rootdir={ROOT}",
    f"--confcutdir={TESTS}",
    "-p",
    "pytest_timeout",
]
_OPTIONS += ["-p", "no:debugging", "-o", "pythonpath=", "-o", "filterwarnings="]


@dataclass(frozen=True)
class Verdict:
    """The verdict of one test. `name` is its sentence, `todos` what it is about, `message` is empty if it passed.

    `printed`: what the engine printed during the test, cut to a few lines.
    """

    name: str
    todos: tuple[int, ...]
    passed: bool
    message: str
    printed: tuple[str, ...] = ()


def run_tests(study: Study, only: int | None = None) -> list[Verdict]:
    """All 14 on this engine, or only those about TODO `only`; the reference substitutes the other open TODOs.

    Raises StudyError if the tests are missing, the engine cannot be imported, or the tests do not end.
    """
    if not TESTS.is_dir():
        raise StudyError(
            f"The tests are not here: {TESTS} does not exist. Get the whole repository, or ask who gave you this."
        )
    study.prove()
    numbers = ",".join(map(str, to_substitute(study, only)))
    variables = {"LAB_MODULE": study.name, "LAB_WORKSPACE": str(study.folder), VARIABLE: numbers}
    variables["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        options = [*_OPTIONS, f"--junitxml={report}"]
        try:
            done = processes.run("pytest", str(TESTS), *options, seconds=SECONDS, cwd=ROOT, variables=variables)
        except subprocess.TimeoutExpired:
            raise StudyError(
                f"The tests did not end within {SECONDS} seconds: a loop in the engine does not end."
            ) from None
        verdicts = list(map(_verdict, ElementTree.parse(report).iter("testcase"))) if report.is_file() else []
    if len(verdicts) != COUNT:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it gave no reason"]
        raise StudyError(
            f"{len(verdicts)} of {COUNT} tests gave a verdict, so none is shown: their process ended with exit code "
            f"{done.returncode} ({said[-1].strip()}). Look in {study.path} for what ends a process, such as os._exit."
        )
    return [verdict for verdict in verdicts if only is None or only in verdict.todos]


def to_substitute(study: Study, only: int | None) -> Sequence[int]:
    """The open TODOs that the reference substitutes while TODO `only` is checked; none for the whole engine."""
    if only is None:
        return []
    if study.name != "lab" or not REFERENCE.is_file():
        return []
    try:
        return [number for number in todos.open_todos(study.text()) if number != only]
    except StudyError:
        return []


def _verdict(case: ElementTree.Element) -> Verdict:
    numbers = tuple(int(p.get("value", "0")) for p in case.iter("property") if p.get("name") == "todo")
    problem = case.find("failure") if case.find("failure") is not None else case.find("error")
    name = (case.get("name") or "").removeprefix("test_").replace("_", " ")
    text = "" if problem is None else (problem.text or problem.get("message") or "").strip()
    printed = tuple(str(p.get("value", "")) for p in case.iter("property") if p.get("name") == PRINTED)
    return Verdict(name, numbers, problem is None, text, printed)
