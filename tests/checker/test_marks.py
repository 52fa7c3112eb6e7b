"""Marks of a whole submission: the folder is read, run in the sandbox, and weighted."""

import re

import pytest

from durable_lab import source
from durable_lab.todos import SKELETON, all_todos
from grader.checker import hidden
from grader.dev.bank import entries
from grader.dev.bank.as_submission import fits_notebooks, hand_in
from grader.dev.bank.splice import REFERENCE
from grader.dev.build import notebooks
from grader.marks import NotIsolated, grade
from grader.report import Report
from grader.rubric import weights
from grader.sandbox import bubblewrap

pytestmark = pytest.mark.usefixtures("bubblewrap")
RIGHT = entries("right")
WRONG = {entry.path.stem: entry for entry in entries("wrong")}
STUBS = (SKELETON / "engine.py").read_text(encoding="utf-8")
SOLVED = REFERENCE.read_text(encoding="utf-8")


def file_only(engine, folder):
    (folder / "lab").mkdir(parents=True)
    (folder / "lab" / "engine.py").write_text(engine, encoding="utf-8")
    return folder


def points(report):
    return {part.name: part.points for part in report.parts}


def engine_points():
    return sum(weights()["todo"].values()) + weights()["whole"]["points"]


def test_the_weights_make_a_hundred():
    table = weights()
    assert engine_points() + table["lessons"]["questions"] + table["lessons"]["predictions"] == 100
    assert {*table["todo"]} == {str(number) for number in all_todos()}


@pytest.mark.parametrize("entry", RIGHT, ids=lambda entry: entry.path.stem)
@pytest.mark.long(every=22)
def test_a_right_engine_has_full_marks_however_it_is_written(entry, tmp_path):
    report = grade(hand_in(entry, tmp_path / "a"), "a")
    made = points(report)
    assert made["questions"] == made["predictions"] == 0.0  # nothing was answered
    assert report.points == engine_points(), [(p.name, p.note, p.points) for p in report.parts]
    assert not any(part.diagnosis for part in report.parts), "a right engine is never accused"


def test_the_lab_as_handed_out_has_no_points_and_says_what_to_do(tmp_path):
    for path, text in notebooks().items():
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    report = grade(tmp_path, "a")
    assert report.points == 0
    assert {report.part(f"TODO {number}").note for number in all_todos()} == {"still to be written"}


@pytest.mark.parametrize(
    ("stem", "number"),
    [
        ("now_is_not_recorded", 2),
        ("a_falsy_payload_is_no_signal", 3),
        ("signal_has_no_time", 5),
        ("retries_for_ever", 1),
    ],
)
@pytest.mark.long(every=4)
def test_one_mistake_costs_one_todo(stem, number, tmp_path):
    assert WRONG[stem].todo == number
    report = grade(hand_in(WRONG[stem], tmp_path / "a"), "a")
    for other in all_todos():
        part = report.part(f"TODO {other}")
        assert (part.points < part.out_of) == (other == number), part.name
    assert report.part("whole engine").points < report.part("whole engine").out_of


def test_one_todo_alone_earns_its_points_while_the_others_are_open(tmp_path):
    text = source.replace_function(STUBS, "Context.now", source.text_of(SOLVED, "Context.now"))
    report = grade(file_only(text, tmp_path), "a")
    assert {name: got for name, got in points(report).items() if got} == {"TODO 2": weights()["todo"]["2"]}


TRIVIAL = ["pass", "return None", "return 0.0", "raise RuntimeError", "return state", "return self._engine.clock.now()"]


@pytest.mark.parametrize("body", TRIVIAL)
@pytest.mark.long(every=6)
def test_a_body_that_does_nothing_earns_nothing(body, tmp_path):
    text = STUBS
    for todo in all_todos().values():
        for part in todo.parts:
            head = source.text_of(STUBS, part.function).splitlines()[0]
            text = source.replace_function(text, part.function, f"{head}\n        {body}")
    assert grade(file_only(text, tmp_path), "a").points == 0


def test_parts_that_fit_each_other_only_earn_their_points(tmp_path):
    """`_ask` and its callers agree on other values than the reference's: alone they fail, together they are right."""
    text = SOLVED.replace("            return None\n        recorded", "            return ()\n        recorded", 1)
    text = text.replace("if command is None:", "if command == ():")
    assert text.count("command == ()") == 3
    assert grade(file_only(text, tmp_path), "a").points == engine_points()


@pytest.mark.parametrize("stem", ["results_are_found_by_name", "now_reads_the_wall_clock", "random_key"])
@pytest.mark.long
def test_graded_twice_the_report_is_the_same(stem, tmp_path):
    folder = hand_in(WRONG[stem], tmp_path / "a")
    first = grade(folder, "a")
    assert grade(folder, "a") == first
    assert Report.from_json(first.to_json()) == first


def test_a_report_never_shows_a_hidden_test_or_the_reference(tmp_path):
    """An engine that puts all that it can see into its errors: they are shown only where it has seen the 14."""
    spy = """
import sys
_seen = []

def _watch(frame, event, argument):
    if event == "call":
        _seen.append(f"{frame.f_code.co_name} {list(frame.f_locals.values())!r}")

class _Spy(RuntimeError):
    def __str__(self):
        from lab import engine
        import linecache
        return "".join(_seen[-20:]) + "".join(linecache.getlines("lab/engine.py"))[-9000:]
"""
    text = re.sub(r'        raise NotImplementedError\("TODO 2.*', "        raise _Spy", STUBS)
    text = text.replace("from typing import Any, cast", f"{spy}\nfrom typing import Any, cast")
    said = str(grade(file_only(text, tmp_path), "a").to_json())
    assert "BEGIN SOLUTION" not in said
    for function in ("Context.call_activity", "Context._ask", "Context.wait_signal", "DurableEngine.run"):
        for line in source.text_of(SOLVED, function).splitlines():
            known = line.strip() in STUBS or len(line.strip()) < 30
            assert known or line.strip() not in said


def test_hidden_variants_are_the_twins_of_the_14():
    from grader.checker import suite

    assert {*hidden.load()} == {test.name for test in suite.public()}


def test_without_a_sandbox_strangers_code_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(bubblewrap, "missing", lambda: "bubblewrap is not installed")
    folder = file_only(SOLVED, tmp_path)
    with pytest.raises(NotIsolated, match="bubblewrap is not installed"):
        grade(folder, "a")
    report = grade(folder, "a", isolated=False)
    assert (report.isolated, report.points) == (False, engine_points())


def test_the_bank_hands_in_notebooks_and_files():
    fits = (fits_notebooks(entry.source()) for entry in RIGHT)
    assert {next(fits), next(fits)} == {True, False}  # the first two are one of each kind
