"""Syntax of a Python newer than the grader's is named and not marked down; other syntax errors are not called newer."""

from __future__ import annotations

import ast
import sys

import pytest

from grader.handin.inside.syntax import Unreadable, readable
from tests.handin.handin import NOW, REFERENCE

NEWER = {
    "3.12": [
        """x = f"{"now"}: {now}\"""",
        "x = f'{d['a']}'",
        """x = f"{", ".join(n for n in names)}\"""",
        'x = f"{\\n now\\n}"'.replace("\\n", "\n"),
        'x = f"{now # why\n}"',
        """x = f"{'\\n'.join(a)}\"""",
        """x = f"{f"{f"{1}"}"}\"""",
        """x = f"{d["a"]:>{w["b"]}}\"""",
        """x = f"{d["a"]!r} {d["a"] = }\"""",
        "type Names = list[str]",
        "type Names[T] = list[T]",
        "def now[T](self): return 1",
        "async def now[**P, *Ts](self): return 1",
        "class A[T: int]: pass",
        "%time go()\nx = f'{d['a']}'",
    ],
    "3.13": ["def f[T = int](x): pass", "class A[T: int = bool]: pass"],
    "3.14": ["try:\n    pass\nexcept A, B:\n    pass", 'x = t"{now}"'],
}
NONE = ['x = f"{', 'x = f"{a b}"', 'x = f"{}"', "def now(", "type = = 3", "def f[T(x): pass", "except A B:", "x = ("]
NONE += ["x = f'{d['a' b]}'", "def f[](x): pass", "def f[1 2](x): pass", 'print "a"', 'x = f"}"', "type 3 = X", '"""']


def here():
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.mark.parametrize(("version", "text"), [(v, text) for v, texts in NEWER.items() for text in texts])
def test_it_is_read_or_the_version_is_named(version, text):
    if tuple(map(int, version.split("."))) <= sys.version_info[:2]:
        assert readable(text)
        return
    with pytest.raises(
        Unreadable, match=f"uses syntax of Python {version}, and the grader runs Python {here()}"
    ) as got:
        readable(text)
    assert got.value.newer == version


@pytest.mark.parametrize("text", NONE)
def test_what_no_python_reads_is_not_called_newer(text):
    with pytest.raises(SyntaxError):
        ast.parse(text)
    with pytest.raises(Unreadable) as got:
        readable(text)
    assert not got.value.newer


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads it")
class TestOnAnOlderPython:
    LABEL = """    label = f"{"now"}"  # of 3.12\n"""

    def newer(self, solved, id_=NOW):
        cell = solved.cell(id_)
        first, rest = "".join(cell["source"]).split(":\n", 1)
        cell["source"] = f"{first}:\n{self.LABEL}{rest}"
        return cell

    def test_a_todo_in_a_notebook_has_no_mark_and_the_whole_engine_neither(self, solved):
        self.newer(solved)
        made = solved.read()
        assert set(made.ungraded) == {"TODO 2", "whole engine"}
        assert "uses syntax of Python 3.12" in made.ungraded["TODO 2"]
        assert set(made.alone) == {1, 3, 4, 5}

    def test_an_older_try_above_does_not_count_in_its_place(self, solved):
        cell = self.newer(solved)
        solved.add("03_determinism", "@todo(2)\ndef now(self):\n    return 7.0", at=2)
        assert set(solved.read().ungraded) == {"TODO 2", "whole engine"}
        assert cell["source"]

    def test_a_version_in_the_file_that_this_python_reads_counts_only_if_it_is_what_the_student_ran(self, solved):
        self.newer(solved)
        solved.files["lab/engine.py"] = REFERENCE.encode()
        assert "TODO 2" in solved.read().ungraded

    def test_a_helper_that_needs_it_leaves_the_todo_without_a_mark(self, solved):
        helper = """def label(now):\n    return f"{"now"}: {now}\""""
        solved.add("03_determinism", helper, at=2)
        cell = solved.cell(NOW)
        first, rest = "".join(cell["source"]).split(":\n", 1)
        cell["source"] = f"{first}:\n    label(1)\n{rest}"
        made = solved.read()
        assert set(made.ungraded) == {"TODO 2", "whole engine"}
        assert "it needs what is defined in notebooks/03_determinism.ipynb, cell 3" in made.ungraded["TODO 2"]

    def test_a_helper_that_no_todo_needs_changes_nothing(self, solved):
        solved.add("03_determinism", "type Names = list[str]", at=2)
        assert not solved.read().ungraded
        assert solved.read().whole == REFERENCE

    def test_in_the_file_its_todo_has_no_mark(self, tmp_path):
        from grader.handin import read

        before, context = REFERENCE.split("class Context", 1)
        text = f"{before}class Context{context.replace('def now(self)', 'def now[T](self)', 1)}"
        (tmp_path / "engine.py").write_text(text, encoding="utf-8")
        assert set(read(tmp_path, "ann").ungraded) == {"TODO 2", "whole engine"}

    def test_in_the_file_outside_of_the_todos_no_todo_has_a_mark(self, tmp_path):
        from grader.handin import read

        (tmp_path / "engine.py").write_text(f"{REFERENCE}\n\ntype Names = list[str]\n", encoding="utf-8")
        assert set(read(tmp_path, "ann").ungraded) == {*(f"TODO {n}" for n in range(1, 6)), "whole engine"}

    def test_a_question_and_a_prediction_have_no_mark(self, untouched):
        for book in untouched.books.values():
            for cell in book["cells"]:
                if cell["cell_type"] == "code" and "question(" in "".join(cell["source"]):
                    cell["source"] = "".join(cell["source"]) + "\ntype Names = str"
        assert "questions" in untouched.read().ungraded
