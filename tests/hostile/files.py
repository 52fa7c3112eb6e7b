"""Hostile files: what may lie in a student's folder, beside or in the place of the notebooks. Each makes one.

A function gets the hand-in (untouched, so that nothing is earned; or `on_full`, worth 100 points), and a room of the
test in which another student's work lies. It returns the folder to grade, or None for the hand-in's own.
"""

from __future__ import annotations

import json
import os
import socket
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.handin.handin import NOW, HandIn
from tests.hostile.attack import SOLVED, STUBS

MARK = "a-mark-of-a-hostile-test"
NOISE = f"__import__('os').system('touch /tmp/{MARK}-run /dev/shm/{MARK}-run')"
TODO_2 = 'raise NotImplementedError("TODO 2'
ONE_LESSON_LESS = -1.0  # a hundred points but for what stands in lesson 03
BOOK = "notebooks/03_determinism.ipynb"


@dataclass(frozen=True)
class Trick:
    """One hostile folder. `earns`: the points that it gets nevertheless."""

    make: Callable[[HandIn, Path], Path | None]
    earns: float
    on_full: bool

    @property
    def name(self) -> str:
        return self.make.__name__


TRICKS: list[Trick] = []


def trick(earns: float = 0, on_full: bool = False) -> Callable[[Any], Any]:
    def add(make: Any) -> Any:
        TRICKS.append(Trick(make, earns, on_full))
        return make

    return add


def others(room: Path) -> Path:
    """Another student's folder with a complete solution, for which no other student may get marks."""
    path = room / "submissions" / "bob" / "lab" / "engine.py"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{SOLVED}", encoding="utf-8")
    return path.parents[1]


# ------------------------------------------------------------ things that are no files


@trick()
def a_link_to_anothers_engine(hand_in, room):
    """lab/engine.py is a link to the work of another student."""
    (hand_in.folder / "lab").mkdir(parents=True)
    (hand_in.folder / "lab" / "engine.py").symlink_to(others(room) / "lab" / "engine.py")


@trick()
def a_link_to_the_reference(hand_in, room):
    """lab/engine.py is a link to the reference of this repository, and notebooks are links to its tests."""
    (hand_in.folder / "lab").mkdir(parents=True)
    root = Path(__file__).parents[2]
    (hand_in.folder / "lab" / "engine.py").symlink_to(root / "solution" / "engine.py")
    for number, path in enumerate(sorted((root / "grader" / "checker" / "hidden").glob("*.py"))):
        (hand_in.folder / f"{number}.ipynb").symlink_to(path)


@trick()
def a_linked_folder(hand_in, room):
    """The folder `lab` is a link to that of another student."""
    hand_in.folder.mkdir()
    (hand_in.folder / "lab").symlink_to(others(room) / "lab")


@trick()
def a_hand_in_that_is_a_link(hand_in, room):
    """The whole submission is a link to another student's."""
    link = room / "mallory-too"
    link.symlink_to(others(room))
    return link


@trick()
def links_in_circles(hand_in, room):
    """Links and folders that lead to themselves and to each other."""
    hand_in.folder.mkdir()
    for one, other in (("a", "b"), ("b", "a"), ("lab", "lab"), ("up", ".."), ("03_determinism.ipynb", "engine.py")):
        (hand_in.folder / one).symlink_to(other)
    (hand_in.folder / "engine.py").symlink_to("03_determinism.ipynb")


@trick()
def links_to_what_never_ends(hand_in, room):
    """Notebooks that are links to devices and to the grader's own memory and environment."""
    hand_in.folder.mkdir()
    for name, target in (
        ("00", "/dev/zero"),
        ("01", "/proc/self/environ"),
        ("02", "/proc/self/mem"),
        ("03", "/dev/stdin"),
    ):
        (hand_in.folder / f"{name}_determinism.ipynb").symlink_to(target)
    (hand_in.folder / "engine.py").symlink_to("/proc/self/environ")


@trick()
def named_pipes(hand_in, room):
    """Pipes in the places of the engine and of a notebook: who opens them waits for ever."""
    (hand_in.folder / "lab").mkdir(parents=True)
    (hand_in.folder / "notebooks").mkdir()
    os.mkfifo(hand_in.folder / "lab" / "engine.py")
    del hand_in.books["03_determinism"]
    os.mkfifo(hand_in.folder / BOOK)


@trick()
def sockets_and_devices(hand_in, room):
    """A socket in the place of the engine, and devices in those of notebooks where they may be made."""
    hand_in.folder.mkdir()
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(hand_in.folder)  # the name of a socket must be short
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("engine.py")
        if os.geteuid() == 0:
            os.mknod("03_determinism.ipynb", stat.S_IFCHR | 0o666, os.makedev(1, 5))
            os.mknod("05_signals.ipynb", stat.S_IFBLK | 0o666, os.makedev(7, 99))
    finally:
        os.fchdir(here)
        os.close(here)


@trick()
def a_folder_in_the_place_of_a_file(hand_in, room):
    """Folders that are called engine.py and 03_determinism.ipynb, a hundred deep."""
    deep = hand_in.folder / "engine.py" / "03_determinism.ipynb" / Path(*["engine.py"] * 100)
    deep.mkdir(parents=True)


# ------------------------------------------------------------ sizes


@trick(earns=100, on_full=True)
def sixty_megabytes_in_one_line_of_output(hand_in, room):
    """60 MB in one line of an output, and 30 MB of HTML in another."""
    hand_in.cell(NOW)["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": "x" * 60_000_000},
        {"output_type": "display_data", "metadata": {}, "data": {"text/html": "<script>alert(1)</script>" * 1_200_000}},
    ]


@trick(earns=ONE_LESSON_LESS, on_full=True)
def sixty_megabytes_of_code(hand_in, room):
    """60 MB of code in a cell: that is not read, and costs what this notebook is worth."""
    hand_in.add("03_determinism", "x = 1\n" * 10_000_000)


@trick(earns=ONE_LESSON_LESS, on_full=True)
def a_sparse_file_of_a_terabyte(hand_in, room):
    """A notebook of a terabyte that takes no place on the disk."""
    del hand_in.books["03_determinism"]
    path = hand_in.folder / BOOK
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(1 << 40)


@trick(earns=ONE_LESSON_LESS, on_full=True)
def ten_thousand_cells(hand_in, room):
    """A notebook of ten thousand cells: that is not read, and costs what this notebook is worth."""
    cells = hand_in.books["03_determinism"]["cells"]
    cells += [{"cell_type": "code", "id": f"x{k}", "metadata": {}, "outputs": [], "source": "1"} for k in range(10_000)]


@trick(earns=ONE_LESSON_LESS, on_full=True)
def a_hundred_thousand_brackets(hand_in, room):
    """A notebook whose JSON nests a hundred thousand deep."""
    del hand_in.books["03_determinism"]
    hand_in.files[BOOK] = b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@trick()
def ten_thousand_files(hand_in, room):
    """Six thousand files and folders, before the ones that count and behind them."""
    for number in range(3_000):
        (hand_in.folder / f"{number}" / "lab").mkdir(parents=True)
    for number in range(3_000):
        (hand_in.folder / f"{number}.ipynb").write_text("{}", encoding="utf-8")


@trick()
def a_thousand_copies_of_a_cell(hand_in, room):
    """The cell of a TODO a thousand times under one name, each with another body."""
    cells = hand_in.books["03_determinism"]["cells"]
    cell = hand_in.cell(NOW)
    cells += [{**cell, "source": f"@todo(2)\ndef now(self):\n    return {k}.0"} for k in range(1_000)]


# ------------------------------------------------------------ claims


@trick()
def tags_that_skip_tests(hand_in, room):
    """Every cell is tagged `skip-execution`, locked, hidden and deletable: plain nbgrader gives full marks for that."""
    for book in hand_in.books.values():
        for cell in book["cells"]:
            tags = ["skip-execution", "raises-exception", "remove-cell", "hide-input"]
            cell["metadata"] = {"tags": tags, "deletable": True, "editable": True, "jupyter": {"source_hidden": True}}


@trick()
def metadata_that_claim_points(hand_in, room):
    """The metadata of notebook and cells say how many points there were, and who has given them."""
    for book in hand_in.books.values():
        book["metadata"] |= {
            "grade": 100,
            "points": 100,
            "nbgrader": {"score": 100, "max_score": 1},
            "widgets": {"x": "y" * 9},
        }
        for cell in book["cells"]:
            claim = {
                "grade": True,
                "solution": True,
                "points": 1e308,
                "grade_id": "now",
                "locked": False,
                "schema_version": 3,
            }
            cell["metadata"]["nbgrader"] = {**claim, "score": 100, "checksum": "0"}


@trick()
def files_that_claim_points(hand_in, room):
    """Reports, gradebooks and settings of a grader, as they could be found in its own folders."""
    report = {"student": "mallory", "parts": [{"name": "TODO 1", "points": 24, "out_of": 24}], "points": 100}
    for name in ("report.json", "results.json", "grades.json", "grades/grades.json", "verdict.json", ".unpacked.json"):
        hand_in.files[name] = json.dumps(report).encode()
    hand_in.files |= {"gradebook.db": b"SQLite format 3\0", "weights.toml": b"[todo]\n1 = 100\n"}
    hand_in.files["nbgrader_config.py"] = f"c = get_config()\n{NOISE}\n".encode()


@trick()
def a_note_of_ours_that_is_theirs(hand_in, room):
    """A note as unpacking leaves it, made by the student, with script, ten thousand sentences and a date."""
    note = {"refusals": ["<script>alert(1)</script>\u202e\x1b[2J" * 10] * 100, "late": "\x1b[31m" + "on time " * 500}
    hand_in.files[".unpacked.json"] = json.dumps(note).encode()


@trick()
def all_letters_at_once(hand_in, room):
    """All letters as the answer to each question: in one string, in a list, as an expression that finds it."""
    for book in hand_in.books.values():
        for cell in book["cells"]:
            for old, new in (("-1", '"abcd"'), ("-2", '["a", "b", "c", "d"]'), ("-3", "min('abcd', key=right)")):
                if (text := "".join(cell["source"])).startswith("question(") and f'{old}"' in text:
                    cell["source"] = text.replace("...", new)
                    cell["source"] += (
                        "\nfor letter in 'abcd':\n    question(name, letter)\n    question('agent-1', letter)"
                    )


@trick()
def boxes_filled_by_a_machine(hand_in, room):
    """Prediction boxes that are filled in by a loop or by a star, or are in strings and comments."""
    for stem, book in hand_in.books.items():
        for cell in book["cells"]:
            text = "".join(cell["source"])
            if "predict(...)" in text:
                cell["source"] = text.replace("predict(...)", "predict(*[1])")
        hand_in.add(stem, "for name in 'payments', 'model_calls', 'saved':\n    globals()[name] = predict(1)")
        hand_in.add(stem, "'''\npayments = predict(1)\nsaved = predict(1)\n'''\n# payments = predict(1)", at=4)
        hand_in.add(stem, "exec('payments = predict(1)')", at=5)


# ------------------------------------------------------------ code that is not to be run


@trick()
def shell_commands_in_cells(hand_in, room):
    """Shell commands, magics and JavaScript in all cells, also in that of a TODO."""
    shell = f"touch /tmp/{MARK}-shell"
    for stem in hand_in.books:
        for at, text in enumerate(
            (f"!{shell}", f"%%bash\n{shell}", f"get_ipython().system('{shell}')", f"%run -e {NOISE}"), 2
        ):
            hand_in.add(stem, text, at=at)
        hand_in.add(stem, "%%javascript\nfetch('//evil.example')", at=2)
    hand_in.say(NOW, f"!{shell}\n@todo(2)\ndef now(self):\n    x = !{shell}\n    %system {shell}\n    return 0.0")


@trick(earns=100, on_full=True)
def script_in_outputs_and_markdown(hand_in, room):
    """Script in outputs, in Markdown, in attachments, in SVG and in the title of a notebook that is right."""
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    for stem, book in hand_in.books.items():
        book["metadata"]["title"] = evil
        book["cells"].insert(
            0, {"cell_type": "markdown", "id": "evil", "metadata": {}, "source": f"[x](javascript:alert(1)) {evil}"}
        )
        hand_in.add(
            stem, "1", at=1, outputs=[{"output_type": "display_data", "metadata": {}, "data": {"image/svg+xml": evil}}]
        )


@trick()
def modules_that_shadow_the_graders(hand_in, room):
    """Modules of the names of the grader, of the lab, of pytest and of Python, that act when they are imported."""
    names = (
        "solution/engine",
        "solution/__init__",
        "durable_lab/__init__",
        "grader/marks",
        "grader/__init__",
        "pytest",
    )
    for name in (*names, "json", "conftest", "sitecustomize", "usercustomize", "lab/__init__", "lab/checker"):
        hand_in.files[f"{name}.py"] = f"{NOISE}\nraise SystemExit\n".encode()
        hand_in.files[f"notebooks/{name}.py"] = hand_in.files[f"{name}.py"]
    hand_in.files["pytest.ini"] = b"[pytest]\naddopts = -p conftest\n"
    hand_in.files["lab/evil.pth"] = f"import os; {NOISE}\n".encode()


@trick()
def code_around_the_function(hand_in, room):
    """Code that acts when the function is defined: decorators, defaults, annotations, a class around it."""
    hand_in.say(NOW, f"@todo(2)\n@{NOISE}\ndef now(self, x={NOISE}) -> ({NOISE}):\n    return 0.0\n\n{NOISE}\n")
    hand_in.add("03_determinism", f"class Context:\n    {NOISE}\n    def wait_signal(self, name):\n        return None")
    hand_in.add("05_signals", f"class DurableEngine({NOISE}):\n    def signal(self, *args):\n        return args[0]")


@trick()
def the_marks_of_the_solution(hand_in, room):
    """The marks by which our own tools find solutions, and the line of a stub, where they do not belong."""
    body = f'### BEGIN SOLUTION\n    {TODO_2}: x")\n    ### END SOLUTION\n    return 0.0\n    ### BEGIN SOLUTION'
    hand_in.say(NOW, f"@todo(2)\ndef now(self):\n    {body}")
    hand_in.files["lab/engine.py"] = STUBS.replace(TODO_2, f"### END SOLUTION\n        {TODO_2}").encode()


@trick()
def raw_cells_with_what_is_looked_for(hand_in, room):
    """Raw and unknown cells, worksheets and cells in outputs, with empty answers to TODOs."""
    for kind in ("raw", "markdown", "heading", "<script>", None, 5, ["code"]):
        cell = {
            "cell_type": kind,
            "metadata": {},
            "source": "@todo(5)\ndef signal(self, state, name, payload=None):\n    pass",
        }
        hand_in.books["05_signals"]["cells"].append(cell)
    hand_in.books["05_signals"]["worksheets"] = [{"cells": [{"cell_type": "code", "input": NOISE}]}]


# ------------------------------------------------------------ names


@trick()
def names_that_cannot_be_said(hand_in, room):
    """File names with scripts, colours, line ends, lone surrogates and bytes that are not text."""
    hand_in.folder.mkdir()
    names = [
        b"<script>alert(1)</script>".replace(b"/", b"\xe2\x88\x95"),
        b"\x1b[31m",
        b"a\nb",
        b"\xff\xfe",
        b"-rf",
        b"~",
        b"%s{x}",
    ]
    for name in [*names, b"x" * 240, "\u202etxt.exe".encode(), b" ", b"..."]:
        for ending in (b".ipynb", b".py"):
            path = hand_in.folder / os.fsdecode(name + ending)
            path.write_bytes(b"class DurableEngine: pass\nclass Context: pass\n")


@trick()
def names_of_lessons_with_nothing_in_them(hand_in, room):
    """Notebooks with the names of lessons, and with no, unusual or another student's content."""
    contents = [b"", b"{}", b"[]", b"null", b"PK\x03\x04", b"\x89PNG", b'{"cells": {}}', b"\xff\xfe\x00"]
    for stem, data in zip([*hand_in.books], contents, strict=False):
        hand_in.files[f"notebooks/{stem}.ipynb"] = data
    hand_in.books.clear()


PARSED = {
    "brackets": "(" * 100_000,
    "closing": ")" * 100_000,
    "signs": "-" * 100_000 + "1",
    "nots": "x = " + "not " * 50_000 + "1",
    "dots": "x = a" + ".b" * 50_000,
    "sums": "x = " + "1+" * 50_000 + "1",
    "lambdas": "x = " + "lambda:" * 20_000 + "0",
    "ifs": "if x:\n pass\n" + "elif x:\n pass\n" * 20_000,
    "digits": "x = " + "9" * 100_000,
    "null": "x = 1\0",
    "f-strings": "x = " + "f'{" * 2_000,
    "strings": "'''" + "\\" * 99_999,
    "indents": "".join(" " * k + "if x:\n" for k in range(3_000)),
    "cookie": "# coding: rot13\ncevag(1)",
    "no such cookie": "# coding: nothing\nx = 1",
    "utf-7": "# coding: utf-7\n+AG8AcwAuAF8AZQB4-",
    "half letters": "x = '\\ud800'",
    "names": "x" * 200_000 + " = 1",
    "commas": "x = [" + "1," * 100_000 + "]",
    "calls": "f" + "()" * 20_000,
    "walrus": "(a:=" * 5_000,
    "stars": "x = 2" + "**2" * 20_000,
    "await": "await " * 5_000,
    "match": "match x:\n case " + "[" * 5_000,
    "spaces": " " * 290_000,
    "lines": "\n" * 290_000 + "x",
    "form feeds": "\f" * 200_000,
}


def _parsed(name: str, text: str) -> None:
    def make(hand_in, room):
        hand_in.files["lab/engine.py"] = f"{STUBS}\n{text}\n".encode("utf-8", "surrogatepass")
        hand_in.say(NOW, f"{text}\n@todo(2)\ndef now(self):\n    return 0.0")

    make.__name__ = f"code that is hard to read: {name}"
    make.__doc__ = f"Code that a parser cannot bear ({name}), in the engine and in the cell of a TODO."
    TRICKS.append(Trick(make, 0, False))


for _name, _text in PARSED.items():
    _parsed(_name, _text)
