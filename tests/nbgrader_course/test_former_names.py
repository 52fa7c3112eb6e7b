"""Courses and scripts that name the grader's modules as they were called before 0.2 still work."""

import importlib
import pkgutil
import subprocess
import sys

import pytest
from traitlets.utils.importstring import import_item

from durable_lab.study import ROOT
from grader.former_names import PRESENT
from grader.nbgrader_course import steps

CONFIG = """\
from pathlib import Path

try:
    from grader.course.config import settings
except ImportError as error:  # nbgrader would go on without, and run students' code as it comes
    raise SystemExit(f"{__file__}: start nbgrader from the lab's own environment ({error}).") from None

c = get_config()  # noqa: F821 - nbgrader gives it
c.merge(settings(Path(__file__).parent, "durable"))
"""
PROGRAMS = ("grader.bench", "grader.bench_grading", "grader.bench_timeline", "grader.build")  # with `python -m`


def modules(package):
    """The package and its modules, by the rest of the name. Some of grader.dev are scripts, and not imported."""
    if package.startswith("grader.dev"):
        return [""]
    found = importlib.import_module(package)
    inner = pkgutil.iter_modules(getattr(found, "__path__", []))
    return ["", *(f".{module.name}" for module in inner if not module.name.startswith("_"))]


@pytest.mark.parametrize("former", PRESENT)
def test_a_former_name_imports_the_same_modules_as_the_present_one(former):
    for rest in modules(PRESENT[former]):
        present = importlib.import_module(f"{PRESENT[former]}{rest}")
        assert importlib.import_module(f"{former}{rest}") is present
        assert present.__spec__.name == f"{PRESENT[former]}{rest}"


def test_the_programs_run_by_their_former_names():
    code = f"import runpy; print([callable(runpy.run_module(n, run_name='x')['main']) for n in {PROGRAMS}])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == f"{[True] * len(PROGRAMS)}\n", done.stderr


def test_a_course_made_by_the_previous_version_still_loads(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    config = steps.config(tmp_path)
    assert config.CourseDirectory.course_id == "durable"
    ours = [value for section in config.values() for value in section.values() if str(value).startswith("grader.")]
    assert ours
    assert all(callable(import_item(name)) for name in ours)


@pytest.mark.parametrize(
    "name", ["exchange.Collect", "exchange.Release", "release.ClearAnswers", "page.FeedbackExporter"]
)
def test_a_class_that_a_course_names_by_its_former_module_is_the_present_class(name):
    assert import_item(f"grader.course.{name}") is import_item(f"grader.nbgrader_course.{name}")
