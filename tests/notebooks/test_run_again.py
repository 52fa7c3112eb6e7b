"""A lesson's truth is the same however its cells are run: twice in a row, all of them again, late, or beside a widget.

Cells are run in this process, without a kernel. `check`, `!` lines and the demo are not what is looked at here.
"""

import __future__

import ast
import contextlib
import io
import linecache
import re
import shutil
import subprocess

import nbformat
import pytest

from durable_lab.timeline import widget
from durable_lab.todos import SKELETON
from grader.dev.build import notebooks

HANDED_OUT = {path.stem: text for path, text in notebooks().items()}
SOLVED = {path.stem: text for path, text in notebooks(solved=True).items()}
FLAGS = __future__.annotations.compiler_flag  # as each lesson's first cell has it
HAPPENED = re.compile(r"The result: (.*)\. Next time", re.DOTALL)


class Lesson:
    """The code cells of a notebook in one namespace, and the value of each cell's last line."""

    def __init__(self, name, text):
        self.name, self.globals = name, {"__name__": "__main__"}
        code = [cell.source for cell in nbformat.reads(text, as_version=4).cells if cell.cell_type == "code"]
        self.cells = [re.sub(r"^!.*$", "", source, flags=re.MULTILINE) for source in code]
        self.last = [None] * len(self.cells)  # the value of each cell's last line

    def run(self, number):
        """Run a cell. Return each result that it prints below a prediction."""
        source, name = self.cells[number], f"<{self.name}, cell {number}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        tree = ast.parse(source)
        shown = tree.body.pop().value if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(tree, name, "exec", FLAGS, dont_inherit=True), self.globals)
            if shown is not None:
                self.last[number] = eval(compile(ast.Expression(shown), name, "eval"), self.globals)
        return [line for found in said.getvalue().split("\n") for line in HAPPENED.findall(found)]

    def play(self):
        """Use the widgets as a reader does."""
        for made in self.last:
            if isinstance(made, widget.TimelineWidget):
                made.step()
                made.crash(0)
                made.run()
                made.deliver("approval", {"approved": False, "by": "Bo"})
                made.drop(0)
                made.run()
                made.fork(0)
                made.keep()
                made.back()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Skip the 14 tests, and run equal demos once."""
    run, demos = subprocess.run, {}

    def once(command, **options):
        if "demo" not in command:
            return run(command, **options)
        key = tuple(map(str, command))
        demos[key] = demos.get(key) or run(command, **options)
        return demos[key]

    monkeypatch.setattr(subprocess, "run", once)
    monkeypatch.setattr("durable_lab.lesson.check", lambda number=None: None)
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.mark.parametrize("name", SOLVED)
@pytest.mark.long(every=7)
def test_each_truth_is_the_same_however_the_cells_are_run(monkeypatch, tmp_path, name):
    monkeypatch.setenv("LAB_MODULE", "solution")
    monkeypatch.chdir(tmp_path)
    lesson = Lesson(name, SOLVED[name])
    order = range(len(lesson.cells))
    truth = [lesson.run(number) for number in order]
    assert sum(map(len, truth)) == sum(source.count("predict(") for source in lesson.cells), "each one is told"
    lesson = Lesson(name, SOLVED[name])
    for number in order:
        for time in ("once", "twice"):
            assert lesson.run(number) == truth[number], (number, time)
            lesson.play()
    for number in order:
        assert lesson.run(number) == truth[number], (number, "run all once more")
    lesson.play()
    for number in reversed(order):
        if truth[number]:
            assert lesson.run(number) == truth[number], (number, "late")
            lesson.play()


@pytest.mark.parametrize("name", HANDED_OUT)
@pytest.mark.long(every=4)
def test_on_an_untouched_lab_no_cell_raises_however_often_it_is_run(monkeypatch, tmp_path, name):
    shutil.copytree(SKELETON, tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("LAB_MODULE", "lab")
    monkeypatch.setenv("LAB_WORKSPACE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    lesson = Lesson(name, HANDED_OUT[name])
    for number in range(len(lesson.cells)):
        lesson.run(number)
        lesson.run(number)
        lesson.play()
    for number in range(len(lesson.cells)):
        lesson.run(number)
    for number in reversed(range(len(lesson.cells))):
        if "compare(" in lesson.cells[number]:
            lesson.run(number)


@pytest.mark.parametrize("name", SOLVED)
def test_a_prediction_has_a_name_of_its_own(name):
    """Otherwise a late comparison would read another box, or a value that is not a prediction."""
    names = {}
    for node in ast.walk(ast.parse("\n".join(Lesson(name, SOLVED[name]).cells))):
        match node:
            case ast.Assign(targets=[ast.Name(id=box)], value=ast.Call(func=ast.Name(id="predict"))):
                names.setdefault(box, []).append("predict")
            case ast.Name(id=box, ctx=ast.Store()):
                names.setdefault(box, []).append("name")
            case ast.FunctionDef(name=box):
                names.setdefault(box, []).append("def")
    boxes = {box: kinds for box, kinds in names.items() if "predict" in kinds}
    assert boxes
    top = {box for box, kinds in boxes.items() if kinds.count("predict") > 1 or "def" in kinds}
    assert top == set(), "one box, one name"
