"""The TODO cells of the notebooks count, with what they use; the file counts if the cells are still stubs."""

import ast

import pytest

from durable_lab import todos
from durable_lab.lesson.questions import all_questions, digest
from grader.dev.bank import Judge
from grader.handin import boxes, read, right_answers
from tests.handin.handin import NOW, REFERENCE, SKELETON, WAIT, function, loaded

TODOS = {1, 2, 3, 4, 5}
THEIRS = "@todo(2)\ndef now(self):\n    return 7.0"


def filled(number, engine=SKELETON):
    """An engine in which this TODO is the reference's."""
    for part in todos.all_todos()[number].parts:
        text = function(REFERENCE, part.function)
        engine = engine.replace(function(engine, part.function), text)
    return engine


def test_solved_notebooks_make_the_reference_and_nothing_is_said_of_them(solved):
    read = solved.read()
    assert read.whole == REFERENCE
    assert {number: text == REFERENCE for number, text in read.alone.items()} == dict.fromkeys(TODOS, True)
    assert (read.stubs, read.repairs, read.refusals) == (frozenset(), (), {})
    assert read.origins[2] == "notebooks/03_determinism.ipynb, cell 16"
    assert read.origins[1] == (
        "notebooks/02_replay.ipynb, cells 6 and 8; notebooks/04_retries_and_idempotency.ipynb, cell 16"
    )


def test_notebooks_as_handed_out_have_five_stubs_and_the_skeleton(untouched):
    read = untouched.read()
    assert read.whole == SKELETON
    assert (read.alone, read.origins, read.answers, read.repairs, read.refusals) == ({}, {}, {}, (), {})
    assert read.stubs == TODOS
    assert read.predictions == dict.fromkeys(boxes(), 0)


def test_reading_twice_gives_the_same(solved):
    solved.say(NOW, "%time 1\n" + THEIRS)
    assert solved.read() == solved.read()


def test_one_todo_is_tested_with_the_others_from_the_reference(untouched):
    untouched.say(NOW, THEIRS)
    read = untouched.read()
    assert set(read.alone) == {2}
    assert read.stubs == TODOS - {2}
    assert "return 7.0" in function(read.alone[2], "Context.now")
    assert read.alone[2].replace(function(read.alone[2], "Context.now"), "") == REFERENCE.replace(
        function(REFERENCE, "Context.now"), ""
    )
    assert todos.open_todos(read.whole).keys() == TODOS - {2}


def test_of_todo_1_one_part_is_enough_to_count_and_the_others_stay_stubs(untouched, solved):
    untouched.say("02_replay-9", solved.cell("02_replay-9")["source"])
    read = untouched.read()
    assert 1 not in read.stubs
    assert todos.open_todos(read.alone[1]).keys() == {1}
    assert "_attempt" in function(read.alone[1], "Context._perform")


def test_no_part_of_a_todo_is_substituted_for_itself(untouched):
    """Also where the student's code does not name it: it could be found by a name that is put together."""
    body = "    return getattr(self, '_a' + 'sk')"
    untouched.say("02_replay-5", f"@todo(1)\ndef call_activity(self, fn, *args, retry=None):\n{body}")
    alone = untouched.read().alone[1]
    assert "NotImplementedError" in function(alone, "Context._ask")
    assert "NotImplementedError" in function(alone, "Context._perform")
    assert function(alone, "Context.now") == function(REFERENCE, "Context.now")


def test_the_engines_really_pass_the_14(solved, tmp_path):
    solved.say(NOW, "@todo(2)\ndef now(self):\n    return helper(self)")
    solved.add("03_determinism", "import statistics\n\ndef helper(ctx):\n    return statistics.mean([1.0])")
    read = solved.read()
    with Judge() as judge:
        whole = judge.verdict(read.whole, tmp_path / "whole")
        signals = judge.verdict(read.alone[3], tmp_path / "alone")
    assert (len(whole.tests), len(signals.tests)) == (14, 14)
    assert 0 < len(whole.failed) < 14
    assert not signals.failed


def test_helpers_constants_and_imports_of_own_cells_come_with_what_needs_them(solved):
    solved.add("03_determinism", "from statistics import mean, stdev\nimport os", at=2)
    solved.add("03_determinism", "FACTOR = 2\nprint('an effect')\nunused = 1", at=3)
    solved.add(
        "03_determinism", "class Box:\n    size = FACTOR\n\ndef other(x):\n    return mean([x * Box.size])", at=9
    )
    solved.say(NOW, "def helper(x):\n    return other(x)\n\n@todo(2)\ndef now(self):\n    return helper(1)")
    read = solved.read()
    for engine in (read.whole, read.alone[2]):
        made = ast.parse(engine)
        names = [getattr(node, "name", "") for node in made.body]
        assert {"helper", "other", "Box"} <= set(names)
        assert "from statistics import mean\n" in engine
        assert "FACTOR = 2\n" in engine
        assert not any(word in engine for word in ("stdev", "import os", "an effect", "unused"))
        assert loaded(engine).Context.now(None) == 2
    assert "helper" not in read.alone[3]
    assert "`other` was taken from notebooks/03_determinism.ipynb, cell 10, because a TODO needs it." in read.repairs


def test_what_a_signature_needs_is_defined_above_the_class(solved):
    solved.add("03_determinism", "DIGITS = 1 + 1")
    solved.say(NOW, "@todo(2)\ndef now(self, digits=DIGITS):\n    return digits")
    assert loaded(solved.read().whole).Context.now(None) == 2


@pytest.mark.parametrize(
    ("helper", "why"),
    [
        ("def deepcopy(value):\n    return value", "`deepcopy` in {} was not taken: the engine has its own."),
        ("class Command:\n    pass", "`Command` in {} was not taken: the engine has its own."),
        ("Command = 1, 2", "`Command` in {} was not taken: the engine has its own."),
        ("import numpy as np", "`np` in {} was not taken: an engine imports nothing but Python's own modules."),
        ("value = attempt_run(1)", "`value` in {} was not taken: it needs `attempt_run` at once, which no engine has."),
        ("from lab.engine import Command", None),
        ("from time import *", None),
        ("Command = engine().Command", None),
    ],
)
def test_code_that_cannot_be_in_an_engine_is_not_taken_and_that_is_reported(solved, helper, why):
    solved.add("05_signals", helper, at=2)
    solved.say(WAIT, "@todo(3)\ndef wait_signal(self, name):\n    return deepcopy(Command), np, value")
    read = solved.read()
    assert helper not in read.whole
    assert list(read.repairs) == ([why.format("notebooks/05_signals.ipynb, cell 3")] if why else [])


def test_names_of_the_lesson_itself_are_not_taken(solved):
    solved.say(NOW, "@todo(2)\ndef now(self):\n    return attempt_run, Crash")
    read = solved.read()
    assert "import attempt_run" not in read.whole
    assert read.repairs == ()


def test_two_notebooks_have_helpers_of_the_same_name(solved):
    solved.add("03_determinism", "def helper():\n    return 'determinism'")
    solved.add("05_signals", "def helper():\n    return 'signals'")
    solved.say(NOW, "@todo(2)\ndef now(self):\n    return helper()")
    solved.say(WAIT, "@todo(3)\ndef wait_signal(self, name):\n    return helper()")
    read = solved.read()
    assert "'determinism'" in read.alone[2]
    assert "'signals'" not in read.alone[2]
    assert "'signals'" in read.alone[3]
    assert any("Two cells define `helper`" in line for line in read.repairs)


def test_a_stub_in_the_notebook_gives_way_to_the_file(untouched):
    untouched.files["lab/engine.py"] = filled(2).encode()
    read = untouched.read()
    assert read.whole == filled(2)
    assert read.alone == {2: REFERENCE}
    line = filled(2).partition('    def now(self) -> float:\n        """The time in seconds')[0].count("\n") + 1
    assert read.origins == {2: f"lab/engine.py, line {line}"}
    assert read.repairs == ("TODO 2: written in lab/engine.py and not in the notebooks, so the file counts.",)


def test_a_notebook_that_differs_from_the_file_counts(solved):
    solved.say(NOW, THEIRS)
    solved.files["lab/engine.py"] = REFERENCE.encode()
    read = solved.read()
    assert "return 7.0" in read.whole
    [said] = read.repairs
    assert said.startswith("TODO 2 (Context.now) is another one in lab/engine.py, line ")
    assert said.endswith("than in notebooks/03_determinism.ipynb, cell 16; the notebook counts.")


def test_what_the_notebook_needs_of_the_file_counts_too(untouched):
    engine = SKELETON.replace("class Context:", "def helper():\n    return 3.0\n\n\nclass Context:")
    untouched.files["lab/engine.py"] = engine.encode()
    untouched.say(NOW, "@todo(2)\ndef now(self):\n    return helper()")
    read = untouched.read()
    for text in (read.whole, read.alone[2]):
        assert loaded(text).Context.now(None) == 3.0


def test_answers_are_letters_in_quotes_and_the_last_one_in_the_released_cell_counts(untouched):
    cells = dict(question_cells(untouched))
    untouched.say(cells["log-1"], 'question("log-1", "a")\nquestion("log-1", "B")')
    untouched.say(cells["log-2"], 'question("log-2", answer="c")')
    untouched.say(cells["log-3"], 'question("log-3", "a" if 1 else "b")')
    untouched.say(cells["agent-1"], 'question("agent-1", a)')
    untouched.say(cells["agent-2"], 'question("agent-2", "z")')
    untouched.say(cells["agent-3"], "question('agent-3', 'a'")
    untouched.add("02_replay", 'question("log-1", "c")\nquestion("replay-1", "c")\nquestion("no such", "a")')
    read = untouched.read()
    assert read.answers == {"log-1": "b", "log-2": "c", "replay-1": "c"}
    assert {what.removeprefix("question "): why.partition(" (")[0] for what, why in read.refusals.items()} == {
        "log-3": "the answer must be a letter in quotes",
        "agent-1": "the answer must be a letter in quotes",
        "agent-2": "the answer is none of the choices",
        "agent-3": "the cell is not Python: '(' was never closed",
    }
    assert any(line.startswith("The question log-1 is answered in several places") for line in read.repairs)


def question_cells(hand_in):
    for book in hand_in.books.values():
        for cell in book["cells"]:
            if (text := "".join(cell["source"])).startswith('question("'):
                yield text.split('"')[1], cell["id"]


def test_right_answers_are_counted_over_all_questions():
    right = {
        name: next(letter for letter in asked["choices"] if digest(name, letter) == asked["answer"])
        for name, asked in all_questions().items()
    }
    assert right_answers(right) == (len(right), len(right))
    assert right_answers({**right, "log-1": "z", "no such": "a"}) == (len(right) - 1, len(right))
    assert right_answers({}) == (0, len(right))


def test_a_prediction_counts_once_where_it_is_filled_in(untouched):
    ids = [cell["id"] for cell in untouched.books["04_retries_and_idempotency"]["cells"]]
    box = {id_: "".join(untouched.cell(id_)["source"]) for id_ in ids if "predict(..." in str(untouched.cell(id_))}
    first, three = next(iter(box)), next(id_ for id_, text in box.items() if text.count("predict") == 3)
    untouched.say(first, box[first].replace("...", "91"))
    untouched.say(three, box[three].replace("calls = predict(...)", "calls = predict(2 + 1)").replace("...", "", 1))
    untouched.add("04_retries_and_idempotency", box[first].replace("...", "92"), at=40)
    untouched.add("04_retries_and_idempotency", "nothing = predict(1)\npredict(2)", at=50)
    assert untouched.read().predictions == {**dict.fromkeys(boxes(), 0), "04_retries_and_idempotency": 2}


def test_boxes_are_those_of_the_release(made):
    cells = {stem: [c for c in book["cells"] if c["cell_type"] == "code"] for stem, book in made[False].items()}
    assert boxes() == {stem: sum("".join(c["source"]).count("predict(") for c in cells[stem]) for stem in cells}


def test_an_empty_folder_has_nothing(tmp_path):
    (tmp_path / "ann").mkdir()
    found = read(tmp_path / "ann", "ann", late="an hour late")
    assert found.refusals == {"submission": "there is neither a notebook of the lab nor an engine.py in it"}
    assert (found.whole, found.alone, found.late) == (None, {}, "an hour late")
    assert "submission" in read(tmp_path / "no such folder", "ann").refusals
