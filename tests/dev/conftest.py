"""Workspaces for a student's engine, and the 14 tests on them in a separate process."""

import os
import subprocess
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from durable_lab import source, todos
from durable_lab.study import LAB_DIR, ROOT
from grader.dev.build import lab_files


@pytest.fixture(scope="session")
def solution():
    """The text of the reference engine."""
    return (ROOT / "solution" / "engine.py").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def lab():
    """The text of the engine as it is handed out, generated from the solution."""
    return lab_files()[LAB_DIR / "lab" / "engine.py"]


@pytest.fixture(scope="session")
def filled(solution, lab):
    """The lab with these TODOs taken from the solution."""

    def fill(*numbers):
        text = lab
        for number in numbers:
            for part in todos.all_todos()[number].parts:
                text = source.replace_function(text, part.function, source.text_of(solution, part.function))
        return text

    return fill


@pytest.fixture
def run_pytest():
    """Run pytest as a student would, with the one plugin of the base installation: exit code and output."""

    def run(*arguments, cwd=ROOT, **variables):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "LAB_", "COV"))}
        command = [sys.executable, "-m", "pytest", "--color=no", "-p", "pytest_timeout", *arguments]
        variables["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        done = subprocess.run(command, cwd=cwd, env={**env, **variables}, capture_output=True, text=True, timeout=120)
        return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr)

    return run


@pytest.fixture
def run_14(run_pytest, tmp_path):
    """The 14 tests on an engine of this text; `said` has the message of each, empty if it passed."""

    def run(text, *arguments):
        package = tmp_path / "lab"
        package.mkdir(exist_ok=True)
        (package / "__init__.py").write_text("", encoding="utf-8")
        (package / "engine.py").write_text(text, encoding="utf-8")
        report = tmp_path / "report.xml"
        done = run_pytest(
            "tests/lab", "-q", f"--junitxml={report}", *arguments, LAB_MODULE="lab", LAB_WORKSPACE=str(tmp_path)
        )
        done.said = {}
        for case in ElementTree.parse(report).iter("testcase"):
            problem = next(iter([*case.iter("failure"), *case.iter("error")]), None)
            done.said[case.get("name")] = "" if problem is None else problem.text.strip()
        done.passed = [name for name, message in done.said.items() if not message]
        return done

    return run
