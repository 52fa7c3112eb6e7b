"""Submissions that consist of lab/engine.py."""

import re

import pytest

from durable_lab import todos
from grader.dev.bank import entries
from grader.handin import Submission, read
from tests.handin.handin import REFERENCE, SKELETON, HandIn, function


@pytest.fixture
def of(tmp_path):
    """Read a submission of one file."""

    def read_file(data: str | bytes, path: str = "lab/engine.py", **more) -> Submission:
        hand_in = HandIn(tmp_path / "ann", {}, {path: data.encode() if isinstance(data, str) else data})
        return hand_in.read(**more)

    return read_file


def changed(name, text, engine=REFERENCE):
    """The engine with another text in the place of this function."""
    return engine.replace(function(engine, name), text)


def broken(name, engine=REFERENCE):
    """The engine with a bracket that is not closed in this function."""
    return changed(name, function(engine, name) + "\n        return (1", engine)


def test_the_file_is_the_whole_engine_and_each_todo_has_the_others_substituted(of):
    text = changed("Context.now", "    def now(self):\n        return 7.0").replace(
        "import time\n", "import time\nX = 1\n"
    )
    read = of(text)
    assert read.whole == text
    assert function(read.alone[2], "Context.now") == "    def now(self):\n        return 7.0"
    assert "return 7.0" not in read.alone[3]
    assert all("\nX = 1\n" in engine for engine in read.alone.values())
    assert (read.stubs, read.repairs, read.refusals) == (frozenset(), (), {})
    assert read.origins[1].startswith("lab/engine.py, lines ")
    assert sum(read.predictions.values()) == 0


def test_the_skeleton_has_five_stubs(of):
    read = of(SKELETON)
    assert (read.stubs, read.alone, read.whole) == ({1, 2, 3, 4, 5}, {}, SKELETON)


def test_one_todo_written_is_checked_with_the_others_from_the_reference(of):
    read = of(changed("Context.now", function(REFERENCE, "Context.now"), SKELETON))
    assert read.alone == {2: REFERENCE}
    assert todos.open_todos(read.whole).keys() == {1, 3, 4, 5}


def test_the_file_counts_where_it_is_asked_for_and_the_notebooks_still_answer(solved):
    solved.files["lab/engine.py"] = SKELETON.encode()
    read = solved.read(files=True)
    assert (read.alone, read.whole) == ({}, SKELETON)
    solved.add("01_event_sourcing", 'question("log-1", "b")')
    assert solved.read(files=True).answers == {"log-1": "b"}


@pytest.mark.parametrize("path", ["engine.py", "a/b/lab/engine.py", "engine (1).py", "engine-2.py", "my_work.py"])
def test_the_file_is_found_wherever_it_lies(of, path):
    read = of(REFERENCE, path)
    assert read.whole == REFERENCE
    assert list(read.repairs) == ([] if path.endswith("engine.py") else [f"{path} was taken as lab/engine.py."])


def test_the_reference_and_the_skeleton_are_never_taken_for_the_students_file(tmp_path):
    files = {f"main/{name}": REFERENCE.encode() for name in ("solution/engine.py", "durable_lab/skeleton/engine.py")}
    found = HandIn(tmp_path / "ann", {}, files).read()
    assert found.whole is None
    assert "submission" in found.refusals


@pytest.mark.parametrize("part", [part.function for todo in todos.all_todos().values() for part in todo.parts])
def test_a_syntax_error_costs_its_todo_and_the_whole_engine_and_no_other(of, part):
    number = next(n for n, todo in todos.all_todos().items() if part in {p.function for p in todo.parts})
    text = broken(part)
    line = text[: text.index("return (1")].count("\n") + 1
    read = of(text)
    assert read.whole is None
    assert read.refusals.keys() == {"whole engine", f"TODO {number}"}
    assert read.refusals[f"TODO {number}"].endswith(f"is not Python: '(' was never closed (line {line})")
    assert read.alone == dict.fromkeys({1, 2, 3, 4, 5} - {number}, read.alone[2 if number != 2 else 3])
    assert {n: without_blank(engine) for n, engine in read.alone.items()} == dict.fromkeys(
        read.alone, without_blank(REFERENCE)
    )


def without_blank(text):
    return [line for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize(
    "line",
    [
        '        x = """',
        "        x = (",
        "x = 1",
        "        if x:",
        "\tx = 1",
        "        return {[}",
        "        class = 1",
    ],
)
def test_an_error_of_any_kind_in_a_todo_leaves_the_others(of, line):
    read = of(changed("Context.now", f"    def now(self):\n        y = 1\n{line}"))
    assert set(read.alone) >= {1, 3, 4, 5}
    for number in (1, 3, 4, 5):
        compile(read.alone[number], "engine", "exec")
        assert function(read.alone[number], "Context.wait_signal") == function(REFERENCE, "Context.wait_signal")


def test_an_error_outside_of_the_todos_costs_the_whole_engine_only(of):
    read = of(broken("Context._attempt"))
    assert read.whole is None
    assert set(read.alone) == {1, 2, 3, 4, 5}
    assert read.alone[2] == REFERENCE
    assert list(read.refusals) == ["whole engine"]
    [why] = read.refusals.values()
    assert why.startswith("lab/engine.py is not Python: '(' was never closed (line ")


def test_a_merge_conflict_in_one_todo(of):
    text = "    def now(self):\n<<<<<<< HEAD\n        return 1.0\n=======\n        return 2.0\n>>>>>>> other"
    read = of(changed("Context.now", text))
    assert read.refusals.keys() == {"whole engine", "TODO 2"}
    assert "merge conflict" in read.refusals["TODO 2"]
    assert set(read.alone) == {1, 3, 4, 5}


def test_a_todo_that_is_missing_has_a_reason(of):
    assert of(changed("Context.now", "")).refusals == {"TODO 2": "lab/engine.py has no Context.now"}
    assert of("x = 1").refusals["TODO 5"] == "lab/engine.py has no DurableEngine.signal"


def test_an_engine_without_the_classes_is_still_run_as_a_whole(of):
    read = of("def f():\n    return 1\n")
    assert (read.whole, read.alone) == ("def f():\n    return 1\n", {})


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (REFERENCE.replace("\n", "\r\n").encode(), "has Windows line endings"),
        (REFERENCE.replace("\n", "\r").encode(), "has Windows line endings"),
        (b"\xef\xbb\xbf" + REFERENCE.encode(), "begins with a byte order mark"),
        (REFERENCE.encode("utf-16"), "is in UTF-16"),
        (REFERENCE.encode() + b"# \xe9\n", "is not in UTF-8, and was read as Windows-1252"),
        (b"# -*- coding: latin-1 -*-\n" + REFERENCE.encode() + b"# \xe9\n", "is in latin-1"),
        (
            REFERENCE.replace("        return float", "\treturn float").encode(),
            "was repaired: tabs were replaced by spaces",
        ),
    ],
)
def test_editors_leave_their_marks(of, data, said):
    read = of(data)
    assert read.repairs == (f"lab/engine.py {said}.",)
    assert read.refusals == {}
    assert "coding:" not in read.whole.split("\n")[0]
    assert function(read.whole, "Context.now").replace("\t", " " * 8) == function(REFERENCE, "Context.now")


def test_an_encoding_that_is_named_but_not_known_is_utf_8(of):
    for cookie in ("utf-7", "zlib_codec", "no such"):
        read = of(f"# coding: {cookie}\n{REFERENCE}é = 1\n")
        assert read.whole.startswith(f"# coded: {cookie}\n")
        assert "é = 1" in read.whole


def test_a_class_with_another_indentation_accepts_the_substituted_functions(of):
    head, context, rest = REFERENCE.partition("class Context:")
    context, engine, rest = (context + rest).partition("@dataclass(eq=False)")
    with_tabs = re.sub("^ +", lambda spaces: "\t" * (len(spaces[0]) // 4), context, flags=re.MULTILINE)
    text = head + with_tabs + engine + rest
    compile(text, "engine", "exec")
    read = of(text)
    assert set(read.alone) == {1, 2, 3, 4, 5}
    assert "\n\tdef now(self)" in read.alone[4]
    for engine in read.alone.values():
        compile(engine, "engine", "exec")


@pytest.mark.parametrize("entry", entries("right"), ids=lambda entry: entry.path.stem)
@pytest.mark.long(every=6)
def test_right_engines_of_another_design_make_engines_that_can_be_run(of, entry):
    read = of(entry.source())
    assert read.whole == entry.source()
    assert (set(read.alone), read.stubs, read.refusals) == ({1, 2, 3, 4, 5}, frozenset(), {})
    for engine in read.alone.values():
        compile(engine, "engine", "exec")


def test_an_engine_that_the_reference_does_not_fit_into_is_tried_as_a_whole(of):
    text = next(entry for entry in entries("right") if entry.path.stem == "counters_instead_of_queues").source()
    read = of(text.replace("_inbox", "_waiting"))
    assert read.alone[2] == read.whole
    assert any("is not in this engine, and the reference's TODOs need it" in line for line in read.repairs)


def test_reading_a_file_twice_gives_the_same(tmp_path):
    hand_in = HandIn(tmp_path / "ann", {}, {"engine.py": broken("Context.now").encode()})
    assert hand_in.read() == read(hand_in.folder, "ann")
