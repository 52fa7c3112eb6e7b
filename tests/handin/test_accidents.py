"""Accidental damage, one accident a test: it costs nothing, and it is reported."""

import json

import pytest

from grader.handin import boxes, read
from tests.handin.handin import NOW, REFERENCE, WAIT, function

THEIRS = "@todo(2)\ndef now(self):\n    return 7.0"
BOOK = "notebooks/03_determinism.ipynb"


def full(submission):
    """Is everything there that the solved notebooks have?"""
    assert submission.whole == REFERENCE
    assert submission.alone == dict.fromkeys(range(1, 6), REFERENCE)
    return submission


def dump(book, **more):
    return json.dumps(book, **more).encode()


def test_a_copied_cell_has_the_same_id_and_the_same_grade_id(solved):
    cell = solved.cell(NOW)
    cell["metadata"]["nbgrader"] = {"grade_id": "now", "schema_version": 3}
    cells = solved.books["03_determinism"]["cells"]
    cells.insert(20, {**cell, "source": "@todo(2)\ndef now(self):\n    pass"})
    assert full(solved.read()).repairs == (f"{BOOK} has several cells with the same id (cells 16, 21).",)


@pytest.mark.parametrize("stub", [True, False])
def test_the_last_cell_that_is_written_counts_and_it_is_said_which(solved, untouched, stub):
    hand_in = untouched if stub else solved
    hand_in.add("03_determinism", THEIRS, at=30)
    read = hand_in.read()
    assert "return 7.0" in read.whole
    assert read.origins[2] == f"{BOOK}, cell 31"
    assert read.repairs == (
        f"TODO 2 (Context.now) is written in {BOOK}, cell 31, and not in its own cell; so that counts."
        if stub
        else f"TODO 2 (Context.now) is written in {BOOK}, cell 16 and {BOOK}, cell 31; {BOOK}, cell 31 counts.",
    )


def test_of_two_copies_the_last_one_that_is_written_counts(untouched):
    del untouched.cell(NOW)["id"]
    untouched.add("03_determinism", THEIRS, at=30)
    untouched.add("03_determinism", THEIRS.replace("7.0", "8.0"), at=40)
    assert "return 8.0" in untouched.read().whole


def test_part_c_is_written_differently_in_two_lessons_and_the_file_knows_which_was_run_last(solved):
    first, second = solved.cell("02_replay-9"), solved.cell("04_retries_and_idempotency-15")
    second["source"] = "@todo(1)\ndef _perform(self, fn, name, args, policy):\n    return 4"
    assert "return 4" in function(solved.read().whole, "Context._perform")
    solved.files["lab/engine.py"] = REFERENCE.encode()
    assert first["source"]
    assert solved.read().whole == REFERENCE


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda book: book.update(nbformat=3), "states format version 3.5"),
        (lambda book: book.update(nbformat_minor=99), "states format version 4.99"),
        (lambda book: book.pop("nbformat"), "does not state its format version"),
        (lambda book: book.update(nbformat="four"), "does not state its format version"),
        (
            lambda book: book["cells"][0].update(metadata={"nbgrader": {"schema_version": 99}}),
            "has cells of an unknown nbgrader version",
        ),
        (lambda book: book["cells"].insert(2, None), "has an entry that is not a cell"),
        (lambda book: book["cells"].insert(2, {"cell_type": "code", "source": 3}), "has a cell without source"),
        (lambda book: book["cells"][4].update(source="a\r\nb"), "has Windows line endings"),
    ],
)
def test_strange_versions_and_cells_change_nothing(solved, change, said):
    change(solved.books["03_determinism"])
    assert full(solved.read()).repairs == (f"{BOOK} {said}.",)


def test_a_skip_execution_tag_changes_nothing(solved):
    for cell in solved.books["03_determinism"]["cells"]:
        cell["metadata"]["tags"] = ["skip-execution"]
    assert full(solved.read()).repairs == ()


def test_another_editor_stripped_all_metadata(solved):
    for book in solved.books.values():
        book["metadata"], book["nbformat_minor"] = {}, 4
        for cell in book["cells"]:
            cell.pop("id")
            cell["metadata"] = {}
    read = full(solved.read())
    assert len(read.repairs) == 7
    assert read.repairs[3] == f"The cells of {BOOK} have lost their ids; they were matched by their content."


def test_without_ids_a_bare_function_counts_where_it_belongs(untouched):
    for cell in untouched.books["03_determinism"]["cells"]:
        cell.pop("id")
    untouched.books["03_determinism"]["cells"][15]["source"] = THEIRS.partition("\n")[2]
    untouched.books["05_signals"]["cells"][8]["source"] = "def now(self):\n    return 'a function of the lesson'"
    read = untouched.read()
    assert "return 7.0" in read.whole
    assert f"TODO 2 in {BOOK}, cell 16: the line `@todo` is missing above it." in read.repairs


def test_cells_in_another_order(solved):
    solved.books["03_determinism"]["cells"].reverse()
    assert full(solved.read()).repairs == (f"The cells of {BOOK} are in another order, which changes nothing.",)


@pytest.mark.parametrize("name", ["Untitled.ipynb", "03_determinism (1).ipynb", "deep/er/05_signals.ipynb"])
def test_a_notebook_is_known_by_its_cells_wherever_it_lies(solved, name):
    book = solved.books.pop("03_determinism")
    solved.files[name] = dump(book)
    assert full(solved.read()).repairs == (
        f"{name} was taken as 03_determinism.ipynb: it has the cells of this notebook.",
    )


def test_a_common_parent_folder_and_files_that_tools_leave_are_ignored(solved):
    for stem, book in solved.books.items():
        solved.files[f"My Work/lab-01/{stem}.ipynb"] = dump(book)
        solved.files[f"My Work/lab-01/.ipynb_checkpoints/{stem}-checkpoint.ipynb"] = b"damaged"
        solved.files[f"__MACOSX/._{stem}.ipynb"] = b"\0\5\x16\7"
    solved.books.clear()
    assert full(solved.read()).repairs == ()


def test_two_copies_of_a_notebook_the_one_that_was_worked_on_counts(solved, untouched):
    untouched.files["notebooks/03_determinism-Copy1.ipynb"] = dump(solved.books["03_determinism"])
    read = untouched.read()
    assert set(read.alone) == {2}
    assert any("is another copy of 03_determinism.ipynb" in line for line in read.repairs)


def test_a_missing_notebook_costs_the_points_of_its_content(solved):
    del solved.books["03_determinism"]
    read = solved.read()
    assert read.refusals == {
        "notebook 03_determinism": "it is not in what was handed in",
        "TODO 2": "the notebook 03_determinism is needed for it, and it is not in what was handed in",
    }
    assert set(read.alone) == {1, 3, 4, 5}
    assert "NotImplementedError" in function(read.whole, "Context.now")


def test_a_missing_notebook_costs_no_todo_that_is_in_the_file(solved):
    del solved.books["03_determinism"]
    solved.files["lab/engine.py"] = REFERENCE.encode()
    assert "TODO 2" not in full(solved.read()).refusals


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (lambda book: b"\xef\xbb\xbf" + dump(book), "begins with a byte order mark"),
        (lambda book: json.dumps(book).encode("utf-16"), "is in UTF-16"),
        (lambda book: json.dumps(book).encode("utf-16-le"), "is in UTF-16"),
        (
            lambda book: dump(book).replace(b'"# 03', b'"# \xe9 03').replace(b"Kim", b"K\xefm"),
            "is not in UTF-8, and was read as Windows-1252",
        ),
        (lambda book: dump(book, indent=1).replace(b"\n", b"\r\n"), None),
    ],
)
def test_encodings_and_line_ends(solved, data, said):
    solved.files[BOOK] = data(solved.books.pop("03_determinism"))
    read = full(solved.read())
    assert list(read.repairs) == ([f"{BOOK} {said}."] if said else [])


def test_lines_of_a_cell_as_a_text_or_as_a_list_with_or_without_ends(solved):
    for stem, book in solved.books.items():
        for cell in book["cells"]:
            text = "".join(cell["source"])
            cell["source"] = {"0": text, "1": text.split("\n"), "2": text.splitlines(keepends=True)}.get(stem[1], text)
    read = full(solved.read())
    assert read.repairs == ("notebooks/01_event_sourcing.ipynb has cells whose lines lack line endings.",)


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_a_todo_in_a_cell_of_another_kind_counts(solved, kind):
    solved.cell(NOW)["cell_type"] = kind
    text = f"TODO 2 in {BOOK}, cell 16: its cell is of type {kind}, and counts all the same."
    assert full(solved.read()).repairs == (text,)
    solved.cell(NOW)["source"] = f"```python\n{''.join(solved.cell(NOW)['source'])}\n```"
    assert full(solved.read()).repairs == (text,)


@pytest.mark.parametrize("outputs", ["one line", "many lines", "html"])
@pytest.mark.long(every=3)
def test_sixty_megabytes_of_output_are_passed_over(solved, outputs):
    made = {
        "one line": [{"output_type": "stream", "text": "x" * 60_000_000}],
        "many lines": [{"output_type": "stream", "text": ["again and again and again\n"] * 2_000_000}],
        "html": [{"output_type": "display_data", "data": {"text/html": '<p class="a">\n' * 4_000_000}}],
    }
    solved.cell("03_determinism-3")["outputs"] = made[outputs]
    [said] = full(solved.read()).repairs
    assert said.startswith(f"{BOOK} has outputs of ")


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("%%time\n" + THEIRS, "lines for IPython (such as `%time` or `!ls`) were left out"),
        ("!ls\n" + THEIRS + "\nx = !ls\nnow?", "lines for IPython (such as `%time` or `!ls`) were left out"),
        ("    @todo(2)\n    def now(self):\n        return 7.0", "it was moved to the left"),
        ("@todo(2)\ndef now(self):\n\tif 1:\n        return 7.0", "tabs were replaced by spaces"),
        ("@todo(2)\ndef now(self):\n\u00a0   return 7.0\u200b", "unusual spaces or lone surrogates were replaced"),
        (
            "@todo(2)\ndef now(self):\n    return 7.0  # \ud800" + "\n(\u00a0)",
            "unusual spaces or lone surrogates were replaced",
        ),
        ("def now(self):\n    return 7.0", "the line `@todo` is missing above it"),
        (
            "@todo(3)\ndef now(self):\n    return 7.0",
            "its `@todo` has another number, and its name shows that it is TODO 2",
        ),
        ("@todo(2)\ndef the_time(self):\n    return 7.0", "it was called `the_time`, and was renamed now"),
        ("@todo(2)\n@property\ndef now(self):\n    return 7.0", "other decorators above it were removed"),
        ("class Context:\n    @todo(2)\n    def now(self):\n        return 7.0", None),
        ("from __future__ import annotations\n@todo(2)\ndef now(self) -> Nothing:\n    return 7.0", None),
        ("@todo(2)\r\ndef now(self):\r\n    return 7.0\r\n", ""),
        ("import time\n\n\n@todo(2)\ndef now(self): return 7.0", None),
    ],
)
def test_what_people_do_to_a_cell(solved, text, note):
    solved.say(NOW, text)
    read = solved.read()
    made = function(read.whole, "Context.now")
    assert made.startswith("    def now(self)")
    assert "return 7.0" in made
    compile(read.whole, "engine", "exec")
    read.whole.encode()
    if note == "":
        assert read.repairs == (f"{BOOK} has Windows line endings.",)
    else:
        assert list(read.repairs) == ([f"TODO 2 in {BOOK}, cell 16: {note}."] if note else [])
    assert (read.refusals, set(read.alone)) == ({}, {1, 2, 3, 4, 5})


def test_texts_over_several_lines_are_not_moved(solved):
    solved.say(WAIT, '@todo(3)\ndef wait_signal(self, name):\n    """One.\n\n    Two."""\n    return """a\n  b\nc"""')
    space = {}
    exec(compile("class C:\n" + function(solved.read().whole, "Context.wait_signal"), "engine", "exec"), space)
    assert space["C"]().wait_signal("x") == "a\n  b\nc"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("@todo(2)\ndef now(self):\n    return (7.0", "is not Python: '(' was never closed (line 3)"),
        (
            "@todo(2)\ndef now(self):\n<<<<<<< HEAD\n    return 7.0\n=======\n    return 8.0\n>>>>>>> mine",
            "holds the marks of a merge conflict, so it is not clear which text is meant (line 3)",
        ),
        ("%%bash\n@todo(2)\ndef now(self):\n    return 7.0", "is not Python: invalid syntax (line 1)"),
        (
            "@todo(2)\ndef now(self):\n    nonlocal x\n    return 7.0",
            "is not Python: no binding for nonlocal 'x' found",
        ),
        ("@todo(2)\ndef now(self):\n    return 7\0", "holds a null character (line 3)"),
    ],
)
def test_a_cell_that_cannot_be_read_costs_its_todo_and_no_other(solved, text, why):
    solved.say(NOW, text)
    read = solved.read()
    assert read.refusals["TODO 2"].startswith(f"Context.now in {BOOK}, cell 16 {why}")
    assert set(read.alone) == {1, 3, 4, 5}
    assert read.stubs == frozenset()
    assert "NotImplementedError" in function(read.whole, "Context.now")
    solved.files["lab/engine.py"] = REFERENCE.encode()
    again = full(solved.read())
    assert again.refusals == {}
    assert any(line.startswith(f"TODO 2 (Context.now) in {BOOK}, cell 16 {why}") for line in again.repairs)


def test_an_emptied_cell_has_a_reason_and_a_begun_one_counts(solved):
    solved.say(NOW, "")
    said = f"there is no function `now` in its cell ({BOOK}, cell 16), nor under `@todo(2)` in any other"
    assert solved.read().refusals == {"TODO 2": said}
    solved.say(NOW, '@todo(2)\ndef now(self):\n    x = 1\n    raise NotImplementedError("TODO 2: now")\n')
    read = solved.read()
    assert "x = 1" in read.alone[2]
    assert read.repairs == (f"TODO 2 (Context.now) in {BOOK}, cell 16 still has its line `raise NotImplementedError`.",)


def test_predictions_survive_lost_ids_and_do_not_count_twice(untouched):
    book = untouched.books["06_sagas"]
    for cell in book["cells"]:
        cell.pop("id")
        cell["source"] = "".join(cell["source"]).replace("predict(...)", "predict([1])").replace("\n    ...\n", "None")
    book["cells"] += [dict(cell) for cell in book["cells"] if "predict" in cell["source"]]
    assert untouched.read().predictions["06_sagas"] == boxes()["06_sagas"]


def test_a_note_of_unpack_is_reported(solved):
    solved.files[".unpacked.json"] = json.dumps({"refusals": ["x was left out."], "late": "Late."}).encode()
    found = read(solved.write(), "ann", refused=["y was left out."])
    assert found.refusals == {"archive": "x was left out. y was left out."}
    assert found.late == "Late."
