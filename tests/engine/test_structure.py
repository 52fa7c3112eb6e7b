"""The engine is one short file on the standard library; imports go in one direction (DESIGN, section 1)."""

import ast
import re
import statistics
import sys

import pytest

from durable_lab import source
from durable_lab.study import LAB_DIR, ROOT
from durable_lab.todos import SKELETON

ENGINE = ROOT / "solution" / "engine.py"


def imported(path):
    """Every module that a file imports, at any place in it: absolute names, and `.name` for relative ones."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield base
            yield from (f"{base.rstrip('.')}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant))


def tops(path):
    return {name.partition(".")[0] for name in imported(path)}


def python_files(folder, *without):
    files = [path for path in sorted(folder.rglob("*.py")) if not {*path.relative_to(folder).parts} & {*without}]
    assert files
    return files


def test_the_engine_is_one_file_of_under_400_lines_that_are_not_too_long():
    lines = ENGINE.read_text(encoding="utf-8").splitlines()
    assert len(lines) < 400
    assert max(map(len, lines)) <= 120


def test_the_functions_of_the_engine_are_short():
    text = ENGINE.read_text(encoding="utf-8")
    sizes = {name: node.end_lineno - node.lineno + 1 for name, node in source.functions(text).items()}
    assert statistics.median(sizes.values()) <= 10
    assert {name: size for name, size in sizes.items() if size > 40} == {}


def test_the_engine_imports_the_standard_library_only():
    assert tops(ENGINE) <= sys.stdlib_module_names
    assert not [name for name in imported(ENGINE) if name.startswith(".")]


ARROWS = {  # folder -> (what its files must not import, subfolders that are something else)
    "solution": (ROOT / "solution", {"durable_lab", "grader", "tests", "lab"}, ["notebooks"]),
    "durable_lab": (LAB_DIR / "durable_lab", {"grader", "solution", "tests", "lab"}, ["skeleton"]),
    "grader": (ROOT / "grader", {"tests", "lab"}, []),
}


@pytest.mark.parametrize("folder", ARROWS)
def test_imports_go_one_way(folder):
    root, forbidden, without = ARROWS[folder]
    wrong = {path.name: tops(path) & forbidden for path in python_files(root, *without) if tops(path) & forbidden}
    assert wrong == {}


def test_nothing_but_tests_imports_tests():
    everywhere = [
        *python_files(ROOT / "solution"),
        *python_files(LAB_DIR / "durable_lab"),
        *python_files(ROOT / "grader"),
    ]
    assert [path for path in everywhere if "tests" in tops(path)] == []
    for path in python_files(ROOT / "tests"):  # what tests share stands in a file that is none
        assert not re.search(r"^\s*(from|import) tests\.\S*(test_|conftest)", path.read_text(encoding="utf-8"), re.M), (
            path
        )


def test_what_is_handed_out_stands_without_the_solution():
    for path in python_files(SKELETON):
        assert not tops(path) & {"solution", "durable_lab", "grader", "tests"}, path.name


def test_the_14_tests_use_nothing_but_the_bench():
    allowed = {"durable_lab", "pytest", ""} | sys.stdlib_module_names
    for path in sorted((ROOT / "tests" / "lab").glob("*.py")):
        assert tops(path) <= allowed, path.name
