"""`check(n)` in a lesson: the verdict, the points, and the timeline of a small run on the student's own engine."""

import re
import shutil

import pytest

from durable_lab import source
from durable_lab.lesson import check
from durable_lab.study import ROOT
from durable_lab.todos import SKELETON


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """The file of a lab in which every TODO is written."""
    shutil.copytree(ROOT / "solution", tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__", "notebooks"))
    monkeypatch.setenv("LAB_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("LAB_MODULE", "lab")
    return tmp_path / "lab" / "engine.py"


def test_a_good_todo_has_its_points_and_a_picture_of_a_run(engine):
    checked = check(5)
    assert checked.points == (4, 4)
    assert "check · completed" in repr(checked)
    assert "waited for approval" in repr(checked)
    assert '<img alt="check' in checked._repr_html_()


def test_an_open_todo_is_shown_in_the_picture_where_the_run_stops(engine):
    pristine = (SKELETON / "engine.py").read_text(encoding="utf-8")
    text = source.replace_function(engine.read_text(), "Context.now", source.text_of(pristine, "Context.now"))
    engine.write_text(text, encoding="utf-8")
    checked = check(2)
    assert checked.points[0] == 0
    assert "failed: NotImplementedError: TODO 2" in repr(checked)


@pytest.mark.long
def test_a_todo_that_never_ends_still_has_a_verdict(engine, monkeypatch):
    monkeypatch.setattr("durable_lab.lesson.picture.SECONDS", 1)
    endless = "    def now(self):\n        while True:\n            pass"
    engine.write_text(source.replace_function(engine.read_text(), "Context.now", endless), encoding="utf-8")
    checked = check(2)
    assert checked.picture is None
    assert checked.points[0] == 0
    assert "did not return within" in repr(checked)


def test_what_a_test_says_cannot_put_a_script_into_the_page(engine):
    evil = '    def now(self):\n        raise ValueError("<script>alert(1)</script>")'
    engine.write_text(source.replace_function(engine.read_text(), "Context.now", evil), encoding="utf-8")
    assert "<script" not in check(2)._repr_html_()


@pytest.mark.parametrize("number", [7, 0, "1", 1.0, True, None, [1], "x"])
def test_a_number_that_is_no_todo_is_reported_in_one_sentence(engine, monkeypatch, number):
    monkeypatch.setattr("durable_lab.lesson.checking.run_tests", lambda engine, only: [])
    monkeypatch.setattr("durable_lab.lesson.checking.picture", lambda *given: None)
    said = repr(check(number))
    assert ("There is no TODO" in said) == (number is not None)
    assert "\n" not in said


def test_what_the_engine_prints_is_shown_and_breaks_nothing(engine):
    noisy = (
        "def now(self):\n        print('asked ' * 100)\n        print('<b>', flush=True)\n        for i in range(9):"
    )
    noisy += "\n            print('x', i)\n        import os\n        os.write(1, b'no line end')\n"
    text = engine.read_text().replace("def now(self) -> float:", noisy)
    engine.write_text(text + "print('at module level')\n", encoding="utf-8")
    checked = check(2)
    assert checked.points == (2, 2)
    assert "check · completed" in repr(checked), "the picture is drawn all the same"
    shown = [line for line in repr(checked).splitlines() if "printed: " in line]
    assert 2 <= len(shown) <= 12
    assert all(len(line) < 220 for line in shown)
    assert "more lines" in repr(checked)
    assert "printed: &lt;b&gt;" in checked._repr_html_()


def test_the_table_has_the_colours_of_the_page_and_breaks_long_words(engine):
    html = check(2)._repr_html_()
    assert "width:100%" in html
    assert "word-break:normal;overflow-wrap:anywhere" in html
    styles = re.findall(r"style=['\"](.*?)['\"]", html)
    assert styles
    for style in styles:
        assert not re.search(r"(^|;)\s*(color|background[\w-]*)\s*:", style), "a colour of our own fits one theme only"
