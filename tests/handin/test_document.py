"""A submission is read once, in a sandbox with limits, into one document that names the place of everything in it."""

import json
import marshal

import pytest

from grader.handin import reading
from grader.handin.release import current
from grader.marks import grade
from grader.report import NotGraded
from grader.sandbox import bubblewrap
from tests.handin.handin import NOW, REFERENCE

BOOK = "notebooks/03_determinism.ipynb"


def cells(submission, lesson):
    [book] = [book for book in submission.notebooks if book.lesson == lesson and book.main]
    return book.cells


def test_each_function_has_its_place_how_it_was_found_and_what_it_needs(solved):
    solved.add("03_determinism", "import statistics\n\n\ndef helper():\n    return statistics.mean([7.0])", at=2)
    solved.say(NOW, "x = 1\n\n@todo(2)\ndef now(self):\n    return helper()")
    found = {one.part: one for one in solved.read().functions}
    now = found["Context.now"]
    assert (now.todo, str(now.place), now.place.line, now.found) == (2, f"{BOOK}, cell 17", 4, "id")
    assert now.text == "def now(self):\n    return helper()"
    assert [(one.name, one.place.cell) for one in now.needs] == [("statistics", 3), ("helper", 3)]
    assert found.keys() == current().parts.keys()


def test_a_function_in_the_file_has_its_line(untouched):
    untouched.files["lab/engine.py"] = REFERENCE.encode()
    place = next(one for one in untouched.read().functions if one.part == "Context.now").place
    assert "def now(self" in REFERENCE.split("\n")[place.line - 1]
    assert str(place) == f"lab/engine.py, line {place.line}"


def test_every_cell_of_a_lesson_knows_the_released_cell_that_it_stands_for(solved, made):
    for cell in solved.books["03_determinism"]["cells"]:
        del cell["id"]
    solved.add("03_determinism", "mine = 1", at=4)
    found = cells(solved.read(), "03_determinism")
    expected = [cell["id"] for cell in made[True]["03_determinism"]["cells"]]
    assert [cell.stands_for for cell in found] == [*expected[:4], "", *expected[4:]]


def test_answers_and_predictions_have_their_places(untouched):
    book = untouched.books["03_determinism"]
    at = next(i for i, cell in enumerate(book["cells"]) if "".join(cell["source"]).startswith('question("'))
    text = "".join(book["cells"][at]["source"])
    book["cells"][at]["source"] = text.replace("...", '"a"')
    box = next(i for i, cell in enumerate(book["cells"]) if "predict(...)" in "".join(cell["source"]))
    book["cells"][box]["source"] = "".join(book["cells"][box]["source"]).replace("predict(...)", "predict(1)")
    found = untouched.read()
    [answer] = found.answered.values()
    assert (answer.letter, str(answer.place)) == ("a", f"{BOOK}, cell {at + 1}")
    assert {str(place) for place in found.predicted["03_determinism"]} == {f"{BOOK}, cell {box + 1}"}


@pytest.fixture
def inside(monkeypatch):
    """Lets a test put other code in the place of the module that describes a submission."""

    def put(source):
        modules = marshal.loads(reading._modules())
        code = compile(source, "describe.py", "exec")
        modules["grader.handin.inside.describe"] = (False, code)
        monkeypatch.setattr(reading, "_modules", lambda: marshal.dumps(modules))

    return put


READ = "class Given:\n    def __init__(self, **given): pass\ndef describe(given, lab):\n    "
HEAVY = {
    "time": "while True: pass",
    "memory": "import sys; x = bytearray(1 << 33)",
    "an end": "import os; os._exit(0)",
    "a crash": "import os; os.abort()",
    "another document": "return {'student': 3}",
    "no JSON": "return {'student': float('nan')}",
    "too much": "return {'student': 'x' * 200_000_000}",
}


@pytest.mark.parametrize("kind", HEAVY)
@pytest.mark.long(every=4)
def test_files_that_cannot_be_read_within_the_limits_are_not_graded_and_never_0(solved, inside, monkeypatch, kind):
    monkeypatch.setattr(reading, "LIMITS", bubblewrap.Limits(memory_mb=1_500, cpu_seconds=1, processes=4))
    inside(READ + HEAVY[kind])
    with pytest.raises(NotGraded, match="could not be read"):
        grade(solved.write(), "ann", isolated=not bubblewrap.missing())


def test_the_reading_process_sees_nothing_of_this_machine_and_cannot_write(solved, inside, bubblewrap, tmp_path):
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    tries = [f"open({str(tmp_path / 'secret')!r})", f"open({str(tmp_path / 'new')!r}, 'w')", "open('/tmp/new', 'w')"]
    tries += ["__import__('socket').create_connection(('127.0.0.1', 9))", "open('/proc/1/environ')"]
    lines = "".join(f"\n    try: {one}; raise SystemExit\n    except OSError: pass" for one in tries)
    inside(f"{READ}pass{lines}\n    raise ArithmeticError")
    assert "could not be read (ArithmeticError)" in solved.read().not_graded


def test_without_a_sandbox_the_same_is_read_in_a_process_with_limits(solved):
    assert solved.read(isolated=False) == solved.read()


def test_a_large_notebook_is_read_without_its_outputs(solved):
    solved.cell(NOW)["outputs"] = [{"output_type": "stream", "text": ["line\n"] * 3_000_000}]
    [said] = solved.read().repairs
    assert said == f"{BOOK} has outputs of {len(json.dumps(solved.books['03_determinism'])) // 1_000_000} MB, " + (
        "which were passed over."
    )


def test_an_engine_of_too_much_code_is_refused_with_its_size(solved):
    solved.say(NOW, "@todo(2)\ndef now(self):\n    return 1.0\n" + "    x = 1\n" * 40_000)
    found = solved.read()
    assert "has more than 300,000 characters" in found.refusals["TODO 2"]
    assert set(found.alone) == {1, 3, 4, 5}


def test_an_engine_that_is_made_of_too_many_helpers_is_refused_with_its_size(solved):
    for i in range(3):
        solved.add("03_determinism", f"TABLE_{i} = [{'1, ' * 50_000}]", at=2)
    solved.say(NOW, "@todo(2)\ndef now(self):\n    return TABLE_0, TABLE_1, TABLE_2")
    found = solved.read()
    assert "has more than 300,000 characters" in found.refusals["TODO 2"]
    assert (found.whole, set(found.alone)) == (None, {1, 3, 4, 5})
