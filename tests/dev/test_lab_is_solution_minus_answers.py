"""The lab is the solution without its answers: nothing else differs, and no part of an answer is left."""

import ast
import re
import subprocess
import sys
import types

import nbformat
import pytest

from durable_lab import source, todos
from durable_lab.stubs import BEGIN, END, WIDE, StubError, strip_answers
from durable_lab.study import LAB_DIR, ROOT
from durable_lab.todos import SKELETON
from grader.dev import build
from grader.dev.build import lab_files

PARTS = [(todo.number, part.function) for todo in todos.all_todos().values() for part in todo.parts]


def code_lines(text):
    return {line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith(("#", '"""'))}


def answers(text):
    """Return the lines between the markers, by function."""
    found = [*re.finditer(rf"{BEGIN}\n(.*?)^ *{END}\n", text, re.DOTALL | re.MULTILINE)]
    inside = {}
    for name, node in source.functions(text).items():
        lines = source.span(node)
        inside.update((name, m[1]) for m in found if lines.start <= text.count("\n", 0, m.start()) < lines.stop)
    assert len(inside) == len(found)
    return inside


WORKED_IN = (LAB_DIR / "lab", ROOT / "notebooks")  # a student changes these; `make check` compares them


def test_the_generated_files_are_what_the_solution_makes():
    for path, text in build.everything().items():
        if path.parent not in WORKED_IN:
            assert path.read_text(encoding="utf-8") == text, f"{path.relative_to(ROOT)} has drifted: run `make build`"


def test_every_file_of_the_lab_is_generated():
    made = {path.name for path in lab_files() if path.parent == LAB_DIR / "lab"}
    assert {path.name for path in SKELETON.glob("*.py")} == made
    assert made == {path.name for path in (ROOT / "solution").glob("*.py")}


def test_the_skeleton_to_reset_to_is_the_lab_as_handed_out():
    made = lab_files()
    for path, text in made.items():
        assert made[todos.SKELETON / path.name] == text


def test_no_marker_is_left_in_what_is_handed_out():
    for path, text in lab_files().items():
        assert "SOLUTION" not in text, path.name


def test_the_solution_has_one_region_for_each_part_of_a_todo(solution):
    assert sorted(answers(solution)) == sorted(function for _, function in PARTS)


@pytest.mark.parametrize(("number", "function"), PARTS)
def test_no_line_of_an_answer_is_left_in_its_stub(solution, lab, number, function):
    answer = answers(solution)[function]
    assert code_lines(answer)
    assert code_lines(answer) & code_lines(source.text_of(lab, function)) == set()


def test_outside_the_stubs_the_lab_is_the_solution_line_for_line(solution, lab):
    rest = []
    for text in (solution, lab):
        for _, function in PARTS:
            text = source.replace_function(text, function, "    # here")
        rest.append([line for line in text.splitlines() if line.strip() != END])
    assert rest[0] == rest[1]


@pytest.mark.parametrize(("number", "function"), PARTS)
def test_a_stub_says_its_number_its_size_and_what_to_do(lab, solution, number, function):
    stub = source.text_of(lab, function)
    answer = answers(solution)[function]
    head = re.search(r"# TODO (\d+) \((part [abc], )?about (\d+) lines\): (.*)", stub)
    assert head, stub
    assert int(head[1]) == number
    assert int(head[3]) == len([line for line in answer.splitlines() if line.strip() and line.strip()[0] != "#"])
    words = " ".join(line.strip().removeprefix("# ") for line in stub.splitlines())
    part = next(part for part in todos.all_todos()[number].parts if part.function == function)
    assert part.text in words
    assert ast.get_docstring(source.functions(lab)[function])


@pytest.fixture
def handed_out(lab, monkeypatch):
    """Return the engine that is handed out, as a module."""
    module = types.ModuleType("handed_out")
    monkeypatch.setitem(sys.modules, "handed_out", module)
    exec(compile(lab, "handed_out", "exec"), vars(module))
    return module


CALLS = {
    "Context.call_activity": lambda m, ctx: ctx.call_activity(len, "abc"),
    "Context._ask": lambda m, ctx: ctx._ask("now", "now", []),
    "Context._perform": lambda m, ctx: ctx._perform(len, "len", ["abc"], m.RetryPolicy()),
    "Context.now": lambda m, ctx: ctx.now(),
    "Context.wait_signal": lambda m, ctx: ctx.wait_signal("go"),
    "DurableEngine.run": lambda m, ctx: m.DurableEngine().run(lambda ctx, order: 1, m.WorkflowState("w")),
    "DurableEngine.signal": lambda m, ctx: m.DurableEngine().signal(m.WorkflowState("w"), "go"),
}


@pytest.mark.parametrize(("number", "function"), PARTS)
def test_every_stub_raises_an_error_that_says_it_is_still_to_be_written(handed_out, number, function):
    ctx = handed_out.Context(handed_out.DurableEngine(), handed_out.WorkflowState("w"))
    with pytest.raises(NotImplementedError, match=rf"^TODO {number}: .*{re.escape(function)} is still to be written$"):
        CALLS[function](handed_out, ctx)


def test_the_lines_of_the_lab_are_not_too_long(lab):
    assert max(map(len, lab.splitlines())) <= 120


# ---------------------------------------------------------------- strip_answers


def wrapped(indent, *lines):
    return "".join(f"{indent}{line}\n" for line in [BEGIN, *lines, END])


def test_an_answer_gives_way_to_a_stub_at_its_own_indentation():
    text = "class Context:\n    def now(self):\n        if self:\n            for x in self:\n"
    made = strip_answers(text + wrapped(" " * 16, "secret = x", "return secret") + "        return 0\n", "engine.py")
    assert made.startswith(text + " " * 16 + "# TODO 2 (about 2 lines): ")
    assert made.endswith("        return 0\n")
    assert "secret" not in made
    assert 'raise NotImplementedError("TODO 2: Context.now is still to be written")' in made
    stub = [line for line in made.splitlines() if "TODO" in line or line.strip().startswith("#")]
    assert all(line.startswith(" " * 16) and len(line) <= 120 for line in stub)
    ast.parse(made)


def test_blank_lines_and_comments_of_an_answer_do_not_count_and_do_not_stay():
    region = wrapped(" " * 8, "# a secret comment", "", "x = 1", "    # deeper", "return x")
    made = strip_answers("class Context:\n    def now(self):\n" + region, "engine.py")
    assert "(about 2 lines)" in made
    assert "secret" not in made
    assert "deeper" not in made


def test_text_around_an_answer_stays_as_it_is():
    before = 'class Context:\n    def now(self):\n        """Doc."""\n        first = 1  # kept\n'
    after = "        return first\n\n    def other(self):\n        return 2\n"
    made = strip_answers(before + wrapped(" " * 8, "first = 2") + after, "engine.py")
    assert made.startswith(before)
    assert made.endswith(after)


def test_a_text_without_answers_stays_as_it_is():
    assert strip_answers("x = 1\n", "other.py") == "x = 1\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def other():\n" + wrapped("    ", "return 1"), "engine.py, line 2: the answer in other has no entry"),
        (wrapped("", "x = 1"), "engine.py, line 1: the answer in no function has no entry"),
        ("class Context:\n    def later(self):\n" + wrapped(" " * 8, "x = 1"), "line 3: the answer in Context.later"),
        (f"class Context:\n    def now(self):\n        {BEGIN}\n        return 1\n", "engine.py: .* not in pairs"),
        (f"class Context:\n    def now(self):\n        return 1\n        {END}\n", "engine.py: .* not in pairs"),
    ],
)
def test_an_answer_that_has_no_todo_or_no_end_is_a_clear_error(text, says):
    with pytest.raises(StubError, match=says):
        strip_answers(text, "engine.py")


def test_a_broken_solution_ends_the_build_with_one_line_and_exit_code_1(monkeypatch, capsys):
    def broken():
        raise StubError("solution/x.py, line 3: no")

    monkeypatch.setattr(build, "lab_files", broken)
    assert build.main(["--check"]) == 1
    assert capsys.readouterr().err == "build: solution/x.py, line 3: no\n"


def test_a_drifted_file_is_named_and_nothing_is_written(monkeypatch, capsys, tmp_path):
    path = tmp_path / "engine.py"
    path.write_text("edited by hand\n", encoding="utf-8")
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "lab_files", lambda: {path: "as made\n"})
    monkeypatch.setattr(build, "notebooks", dict)
    assert build.main(["--check"]) == 1
    assert "engine.py is not what solution/ makes" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "edited by hand\n"
    assert build.main([]) == 0
    assert path.read_text(encoding="utf-8") == "as made\n"
    assert build.main(["--check"]) == 0


def test_a_file_that_the_solution_no_longer_makes_is_named_and_then_removed(monkeypatch, capsys, tmp_path):
    path, extra = tmp_path / "engine.py", tmp_path / "left_over.py"
    for file in (path, extra):
        file.write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "lab_files", lambda: {path: "x = 1\n"})
    monkeypatch.setattr(build, "notebooks", dict)
    for command in (["init", "-q"], ["add", "left_over.py"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert build.main(["--check"]) == 1
    assert "left_over.py" in capsys.readouterr().err
    assert build.main([]) == 0
    assert (path.is_file(), extra.exists()) == (True, False)


def test_files_of_a_persons_own_beside_the_generated_ones_are_left_alone(monkeypatch, tmp_path):
    path, own, other = tmp_path / "lab" / "engine.py", tmp_path / "lab" / "my notes.ipynb", tmp_path / "README.md"
    path.parent.mkdir()
    for file in (path, own, other):
        file.write_text("x = 1\n", encoding="utf-8")
    for command in (["init", "-q"], ["add", "README.md"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "lab_files", lambda: {path: "x = 1\n"})
    monkeypatch.setattr(build, "notebooks", dict)
    assert (build.main(["--check"]), build.main([])) == (0, 0)
    own.unlink()  # and with none of them, nothing else is taken for one
    assert (build.main(["--check"]), build.main([])) == (0, 0)
    assert other.exists()


# ---------------------------------------------------------------- notebooks


@pytest.fixture(params=[False, True], ids=["handed out", "solved"])
def books(request):
    made = build.notebooks(solved=request.param)
    assert made
    return request.param, {path: nbformat.reads(text, as_version=4) for path, text in made.items()}


def test_a_notebook_has_no_outputs_and_ids_that_stay(books):
    solved, made = books
    again = build.notebooks(solved=solved)
    for path, book in made.items():
        assert (book.nbformat, book.nbformat_minor) == (4, 5)
        ids = [cell.id for cell in book.cells]
        assert len(set(ids)) == len(ids)
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", id) for id in ids), path.name
        for cell in book.cells:
            if cell.cell_type == "code":
                assert (cell.outputs, cell.execution_count) == ([], None)
        assert f'"id": "{ids[0]}"' in again[path]


def test_a_todo_in_a_notebook_is_the_stub_of_the_lab_or_the_answer_of_the_solution(books, lab, solution):
    solved, made = books
    cells = [cell.source for book in made.values() for cell in book.cells if cell.source.startswith("@todo(")]
    for cell in cells:
        assert ("NotImplementedError" in cell) is not solved
        assert "SOLUTION" not in cell
        ast.parse(cell)
    if not solved:
        shown = code_lines("\n".join(cells))
        for answer in answers(solution).values():
            assert (code_lines(answer) - code_lines(lab)) & shown == set()


def test_a_todo_cell_fits_the_width_of_a_notebook():
    cells = [cell for text in build.notebooks().values() for cell in nbformat.reads(text, as_version=4).cells]
    stubs = [cell.source for cell in cells if cell.source.startswith("@todo(")]
    assert len(stubs) == 8
    for stub in stubs:
        assert max(map(len, stub.split("\n"))) <= WIDE == 95
        ast.parse(stub)
