"""Hostile submissions: each is refused with a reason, quickly, and none of its code is run."""

import json
import os
import random
import socket

import pytest

from grader.handin import limits, read
from grader.handin.release import current
from tests.handin.handin import NOW, REFERENCE, HandIn, function

BOOK = "notebooks/03_determinism.ipynb"
pytestmark = pytest.mark.timeout(30)


@pytest.fixture(autouse=True)
def warm():
    """The release is made once in a process; that is not what the limit above is for."""
    current()


def the_others(submission, why, what="TODO 2"):
    """Only this was refused, with this reason; the other TODOs are there."""
    assert why in submission.refusals[what]
    assert set(submission.alone) == {1, 3, 4, 5}
    assert "a fault of the grader" not in str(submission.refusals)
    return submission


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty"),
        (b" \n\t ", "is empty"),
        (b"\0" * 1000, "is damaged"),
        (b"{", "is damaged: it is not JSON (line 1)"),
        (b"\x80\x81\x82" * 1000, "is damaged"),
        (b"\xff\xfe\x00\xd8", "begins like UTF-16, but is not"),
        (b"[]", "is JSON, but not a notebook"),
        (b"null", "is JSON, but not a notebook"),
        (b"NaN", "is JSON, but not a notebook"),
        (b"{}", "has no cells"),
        (b'{"cells": {}}', "has no cells"),
        (b'{"cells": "code"}', "has no cells"),
        (b'{"worksheets": 3}', "has no cells"),
        (b'{"cells": ' + b"[" * 100_000, "is nested too deep"),
        (b'{"a":' * 100_000, "is nested too deep"),
        (b'{"cells": [' + b"9" * 10_000 + b"]}", "is damaged"),
        (b'{"cells": [' + b"0," * 5000 + b"0]}", "has more than 3,000 cells"),
        (b"PK\x03\x04" + b"x" * 100, "is a zip archive, not a notebook"),
        (b'{\n<<<<<<< HEAD\n"cells": []\n=======\n>>>>>>> mine\n}', "marks of a merge conflict (line 2)"),
        (b'{"cells": [{"source": "' + b"x" * 5_000_000 + b'"}]}', "has more than 4 MB without its outputs"),
        (b'{"cells": [{"outputs": [' + b"[]," * 30_000_000 + b"[]]}]}", "needs more memory than there is"),
        (b'{"cells": [{"outputs": [' + b"[" * 2_000_000, "is nested too deep"),
        (b'{"outputs": ["' + b"\\" * 2_000_001, "is damaged"),
        (b'{"outputs": ["' + b'\\"' * 20_000_000, "is damaged"),
        (b'{"cells": [{"outputs": ["' + b'x", "' * 10_000_000, "is damaged"),
        (b'{"cells": []}\n' + b" " * limits.NOTEBOOK, "has more than 100 MB"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.long(every=3)
def test_a_file_that_is_no_notebook_has_a_reason(solved, data, why):
    del solved.books["03_determinism"]
    solved.files[BOOK] = data
    read = the_others(solved.read(), why, "notebook 03_determinism")
    assert read.refusals["TODO 2"].startswith("the notebook 03_determinism is needed for it")


@pytest.mark.parametrize(
    "cells",
    [
        [None, True, 3, "x", [], {}],
        [{"cell_type": 3, "source": None, "id": [], "metadata": "x"}],
        [{"cell_type": "code", "source": ["@todo(2)\n", 3], "metadata": {"nbgrader": []}}],
        [{"cell_type": {}, "source": {"a": 1}, "id": {"b": 2}, "metadata": {"nbgrader": {"grade_id": {}}}}],
        [{"metadata": {"nbgrader": {"schema_version": [1]}}, "outputs": float("nan"), "source": "x", "id": "x" * 9999}],
    ],
)
def test_values_of_wrong_types_everywhere(solved, cells):
    solved.files[BOOK] = json.dumps({"cells": cells, "nbformat": [], "metadata": 7}).encode()
    del solved.books["03_determinism"]
    the_others(solved.read(), "its cell is not in 03_determinism any more")


@pytest.mark.parametrize("kind", ["link", "loop", "pipe", "socket", "folder", "closed"])
@pytest.mark.parametrize("path", [BOOK, "lab/engine.py"])
def test_what_is_no_ordinary_file_is_not_opened(solved, tmp_path, monkeypatch, kind, path):
    if path == BOOK:
        del solved.books["03_determinism"]
    target = solved.write() / path
    target.parent.mkdir(exist_ok=True)
    secret = tmp_path / "secret.ipynb"
    secret.write_text("SECRET", encoding="utf-8")
    if kind == "socket":
        monkeypatch.chdir(target.parent)  # its name may have 107 bytes only
        with socket.socket(socket.AF_UNIX) as its:
            its.bind(target.name)
    else:
        {
            "link": lambda: target.symlink_to(secret),
            "loop": lambda: target.symlink_to(target.name),
            "pipe": lambda: os.mkfifo(target),
            "folder": target.mkdir,
            "closed": lambda: (target.touch(), target.chmod(0)),
        }[kind]()
    found = read(solved.folder, "ann")
    if kind == "closed" and os.getuid():  # root reads everything: it is empty then
        assert target.name in found.not_graded
        return
    words = {"loop": "link", "pipe": "named pipe", "closed": "is empty"}
    what = "notebook 03_determinism" if path == BOOK else path
    assert words.get(kind, kind) in found.refusals[what]
    assert "SECRET" not in repr(found)
    assert set(found.alone) >= {1, 3, 4, 5}


def test_a_linked_folder_is_not_entered_and_a_linked_submission_is_ignored(solved, tmp_path):
    solved.write()
    other = tmp_path / "eve"
    other.mkdir()
    (other / "notebooks").symlink_to(solved.folder / "notebooks")
    (other / "up").symlink_to(other)
    assert "submission" in read(other, "eve").refusals
    (tmp_path / "max").symlink_to(solved.folder)
    assert read(tmp_path / "max", "max").refusals == {"submission": "what was handed in is not a folder of its own"}


DEEP = {
    "minus": "-" * 40_000 + "1",
    "not": "not " * 20_000 + "1",
    "dots": "a" + ".b" * 40_000,
    "plus": "a" + "+a" * 40_000,
    "calls": "f" + "()" * 40_000,
    "lambda": "lambda:" * 10_000 + "1",
    "lambdas": "lambda a, b:" * 6_000 + "1",
    "if": "1 if a else " * 6_000 + "1",
    "power": "1**" * 20_000 + "1",
    "brackets": "(" * 40_000 + ")" * 40_000,
    "open": "[" * 90_000,
    "calls in calls": "f(" * 199 + ")" * 199,
    "f-string": 'f"{' + "-" * 40_000 + '1}"',
    "f-strings": "f'''{" + "(" * 150 + "}'''",
    "backslashes": "-\\\n" * 20_000 + "1",
    "mixed": ("(" + "-" * 450) * 40 + "1" + ")" * 40,
    "import": "1\n    import a" + ".b" * 40_000,
    "elif": "1\n" + "    if a: pass\n" + "    elif a: pass\n" * 5_000,
    "indent": "1\n" + "".join(" " * (4 + i) + "if a:\n" for i in range(400)),
    "quotes": "'" * 90_000,
    "triple": '"""' * 30_001,
    "digits": "9" * 90_000,
    "size": "1\n" + "    x = 1\n" * 12_000,
    "half letters": "'\ud800'" * 100 + "(",
    "null": "1\0",
    "assigned": "1\n    " + "a=" * 40_000 + "1",
    "decorated": "1\n" + "    @a\n" * 10_000 + "    def f(): pass",
    "walrus": "(a:=" * 190,
    "match": "1\n    match a:\n        case " + "[" * 199 + "]" * 199 + ": pass",
    "star": "{**" * 190 + "{}" + "}" * 190,
}


@pytest.mark.parametrize("kind", DEEP)
@pytest.mark.parametrize("where", ["cell", "helper", "file", "question"])
@pytest.mark.long(every=4)
def test_source_that_overtaxes_the_parser_has_a_reason(solved, where, kind):
    text = f"@todo(2)\ndef now(self):\n    return {DEEP[kind]}"
    solved.add("00_why_a_for_loop_agent_dies", "x = 1")
    if where == "cell":
        solved.say(NOW, text)
    elif where == "helper":
        solved.say(NOW, "@todo(2)\ndef now(self):\n    return helper(1)")
        solved.add("03_determinism", f"def helper(x):\n    return {DEEP[kind]}")
    elif where == "question":
        solved.say(NOW, "")
        solved.add("03_determinism", f'question("log-1", {DEEP[kind]})')
    else:
        del solved.books["03_determinism"]
        broken = "    def now(self):\n        return " + DEEP[kind]
        data = REFERENCE.replace(function(REFERENCE, "Context.now"), broken)
        solved.files["lab/engine.py"] = data.encode("utf-8", "surrogatepass")
    read = solved.read()
    assert set(read.alone) >= {1, 3, 4, 5}
    assert "a fault of the grader" not in str(read.refusals)
    for engine in (read.whole, *read.alone.values()):
        compile(engine, "engine", "exec")
        engine.encode()


@pytest.mark.parametrize("size", [2, 40_000])
def test_honest_long_data_is_not_taken_for_deep_nesting(solved, size):
    solved.add("03_determinism", f"TABLE = [{'-1, ' * (size // 2)}]\n\ndef helper():\n    return TABLE")
    solved.say(NOW, "@todo(2)\ndef now(self):\n    return helper()")
    read = solved.read()
    assert "TABLE = [" in read.whole
    assert read.refusals == {}


def test_definitions_that_need_each_other_without_end(solved):
    chain = "\n".join(f"x{i} = x{i + 1}, x{i + 2}, x{i + 3}" for i in range(300))
    solved.add(
        "03_determinism", f"{chain}\na = b\nb = a\nc = c\n\ndef f():\n    return g()\n\ndef g():\n    return f()"
    )
    solved.say(NOW, "@todo(2)\ndef now(self):\n    return x0, a, b, c, f()")
    read = solved.read()
    assert "def g()" in read.whole
    assert "x0 =" not in read.whole
    assert any("`a` in" in line for line in read.repairs)


def test_thousands_of_files_and_folders_are_looked_at_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "FILES", 100)
    folder = tmp_path / "ann"
    folder.mkdir()
    for i in range(200):
        (folder / f"{i:03}.ipynb").touch()
    found = read(folder, "ann")
    assert "The folder holds more than 100 files, and only the first ones were looked at." in found.repairs
    assert len(found.refusals) < 40


def test_folders_within_folders_without_end(tmp_path):
    deepest = tmp_path / "ann"
    for _ in range(100):
        deepest /= "d"
    deepest.mkdir(parents=True)
    (deepest / "engine.py").write_text(REFERENCE, encoding="utf-8")
    assert read(tmp_path / "ann", "ann").whole is None


def test_of_many_notebooks_only_the_first_ones_are_read(solved, monkeypatch):
    monkeypatch.setattr(limits, "NOTEBOOKS", 8)
    for i in range(20):
        solved.files[f"notebooks/copy {i:02}.ipynb"] = json.dumps(solved.books["03_determinism"]).encode()
    found = solved.read()
    assert any("too many notebooks" in why for why in found.refusals.values())
    assert set(found.alone) == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(
    "name", ["a\nb.ipynb", "\x1b[31m.ipynb", "x" * 200 + ".ipynb", "\u202egnp.ipynb", b"\xff\xfe.ipynb"]
)
def test_names_of_files_fit_into_one_line(tmp_path, name):
    folder = tmp_path / "ann"
    folder.mkdir()
    with open(os.path.join(os.fsencode(folder), os.fsencode(name)), "wb") as file:  # noqa: PTH118, PTH123 - bytes
        file.write(b"damaged")
    found = read(folder, "ann")
    for line in (*found.repairs, *found.refusals, *found.refusals.values()):
        assert line.isprintable()
        assert len(line) < 300
        line.encode()


def test_a_note_that_is_planted_is_only_a_few_plain_lines(solved):
    note = {"refusals": ["x\n" * 9999, 3, None, *map(str, range(99))], "late": ["<b>"]}
    solved.files[".unpacked.json"] = json.dumps(note).encode()
    found = solved.read()
    assert len(found.refusals["archive"]) < 1_000
    assert found.refusals["archive"].isprintable()
    assert found.late == ""
    for data in (b"[1]", b'{"refusals": 3}', b"\xff", b"[" * 100_000):
        solved.files[".unpacked.json"] = data
        assert solved.read().refusals == {}


def test_no_code_of_a_submission_is_run_or_imported(solved, tmp_path, monkeypatch):
    touch = f"open({str(tmp_path / 'touched')!r}, 'w').close()"
    monkeypatch.chdir(solved.write())
    solved.files |= {
        name: touch.encode() for name in ("sitecustomize.py", "json.py", "ast.py", "nbformat.py", "conftest.py")
    }
    solved.files["lab/engine.py"] = f"{touch}\n{REFERENCE}".encode()
    solved.add("03_determinism", f"{touch}\ndef helper(x={touch}):\n    return x")
    solved.say(NOW, f"{touch}\n@todo(2)\ndef now(self, x={touch}):\n    return helper()")
    solved.read()
    assert not (tmp_path / "touched").exists()


def test_the_net_below_all_says_that_it_is_our_fault(solved, monkeypatch):
    def broken(*_):
        raise KeyError("x")

    monkeypatch.setattr("grader.handin.reading.look", broken)
    [why] = solved.read().refusals.values()
    assert "that is a fault of the grader" in why


JUNK = [
    None,
    True,
    -1,
    1e308,
    float("nan"),
    "",
    "\0",
    "\ud800",
    "@todo(2)\ndef now(self",
    [],
    {},
    [[]],
    {"id": 1},
    "x" * 999,
]


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*path, key))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.long(every=12)
def test_a_notebook_with_random_places_changed_is_read(made, tmp_path, monkeypatch, seed):
    rng = random.Random(seed)
    stem = rng.choice(["02_replay", "03_determinism", "05_signals"])
    for turn in range(25):
        book = json.loads(json.dumps(made[True][stem]))
        for path in rng.sample(list(places(book))[1:], rng.randint(1, 8)):
            change(book, path, rng)
        text = json.dumps(book)
        if rng.random() < 0.3:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(["", '"', "\\", "}", "\ud800"]) + text[at + rng.randint(0, 3) :]
        hand_in = HandIn(tmp_path / str(turn), {}, {f"{stem}.ipynb": text.encode("utf-8", "surrogatepass")})
        found = hand_in.read()
        assert "a fault of the grader" not in str(found.refusals), (seed, turn)
        for engine in filter(None, (found.whole, *found.alone.values())):
            compile(engine, "engine", "exec")
            engine.encode()


def change(book, path, rng):
    """Put junk into a place, if it is still there."""
    *way, last = path
    try:
        for key in way:
            book = book[key]
        old = book[last]
        if isinstance(old, str) and rng.random() < 0.7:
            at = rng.randrange(len(old) + 1)
            book[last] = old[:at] + rng.choice(["\0", "(", '"""', "\n", "\t", "\u00a0", "%", "é", "def "]) + old[at:]
        elif rng.random() < 0.2:
            del book[last]
        else:
            book[last] = rng.choice(JUNK)
    except (KeyError, IndexError, TypeError):
        pass
