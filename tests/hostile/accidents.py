"""Accidental damage by honest students. Each happens to a submission of 100 points.

`costs` says what it takes, in points or in parts; nothing where nothing is said.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from durable_lab import source
from tests.handin.handin import NOW, WAIT, HandIn
from tests.hostile.attack import SOLVED

BOOK = "notebooks/03_determinism.ipynb"


@dataclass(frozen=True)
class Accident:
    """`costs`: "" for nothing, "TODO 2" for that and what in the whole engine needs it, "lesson 3" for a notebook."""

    make: Callable[[HandIn], None]
    costs: str

    @property
    def name(self) -> str:
        return self.make.__name__


ACCIDENTS: list[Accident] = []


def accident(costs: str = "") -> Callable[[Any], Any]:
    def add(make: Any) -> Any:
        ACCIDENTS.append(Accident(make, costs))
        return make

    return add


def text(cell: Any) -> str:
    return "".join(cell["source"])


def body(hand_in: HandIn, id_: str) -> str:
    """The function in the cell of a TODO, without its `@todo`."""
    return text(hand_in.cell(id_)).partition("\n")[2]


@accident()
def nothing_at_all(hand_in):
    """An undamaged submission."""


@accident()
def a_graded_cell_is_copied(hand_in):
    """A graded cell was copied with its name: this ended plain nbgrader for everyone after it (nbgrader#1083)."""
    cell = hand_in.cell(NOW)
    cell["metadata"]["nbgrader"] = {"grade_id": "todo-2", "schema_version": 3, "solution": True, "grade": False}
    hand_in.books["03_determinism"]["cells"] += [dict(cell), dict(cell)]


@accident()
def a_schema_of_99(hand_in):
    """A newer nbgrader has written its metadata: this, too, ended the run for everyone."""
    for cell in hand_in.books["03_determinism"]["cells"]:
        cell["metadata"]["nbgrader"] = {
            "grade_id": f"x{id(cell)}",
            "schema_version": 99,
            "grade": True,
            "points": "many",
        }


@accident()
def a_newer_notebook_format(hand_in):
    """A newer Jupyter has written the file."""
    for book in hand_in.books.values():
        book |= {"nbformat_minor": 99, "new_in_4_99": {"a": 1}}
        for cell in book["cells"]:
            cell["new_in_4_99"] = [1]


@accident()
def an_older_notebook_format(hand_in):
    """An old tool has saved the notebook in version 3, with worksheets."""
    book = hand_in.books["03_determinism"]
    for cell in book["cells"]:
        cell["input"] = cell["source"]
    book |= {"nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": book.pop("cells")}]}


@accident()
def all_metadata_is_stripped(hand_in):
    """Another editor has thrown away all ids and metadata."""
    for book in hand_in.books.values():
        book["metadata"] = {}
        for cell in book["cells"]:
            cell.pop("id", None)
            cell["metadata"] = {}


@accident()
def cells_are_moved(hand_in):
    """Cells were moved around, the last one to the top."""
    for book in hand_in.books.values():
        book["cells"].insert(0, book["cells"].pop())
        book["cells"][3], book["cells"][9] = book["cells"][9], book["cells"][3]


@accident()
def cells_are_cut_in_two_and_put_together(hand_in):
    """The cell of a TODO was split in front of it and joined with the cell behind it."""
    cells = hand_in.books["03_determinism"]["cells"]
    at = next(i for i, cell in enumerate(cells) if cell["id"] == NOW)
    cells[at]["source"] = f"# what I tried first:\nx = 1\n\n{text(cells[at])}\n\nprint('done')"
    cells.insert(at, {"cell_type": "code", "id": "split", "metadata": {}, "outputs": [], "source": "# notes"})


@accident()
def notebooks_are_renamed(hand_in):
    """The notebooks are called what Jupyter, a browser and a person call them."""
    names = ("Untitled.ipynb", "03_determinism (1).ipynb", "Lesson5 FINAL final.ipynb", "Kopie von 02.ipynb")
    for name, stem in zip(names, [*hand_in.books][1:], strict=False):
        hand_in.files[name] = json.dumps(hand_in.books.pop(stem)).encode()


@accident(costs="lesson 3")
def a_notebook_is_missing(hand_in):
    """One notebook is missing: this costs the points of its content."""
    del hand_in.books["03_determinism"]


@accident(costs="lesson 3")
def a_notebook_is_empty(hand_in):
    """One notebook has no bytes, because the disk was full."""
    del hand_in.books["03_determinism"]
    hand_in.files[BOOK] = b""


@accident(costs="lesson 3")
def a_notebook_is_cut_off(hand_in):
    """One notebook is truncated: this costs the points of its content."""
    hand_in.files[BOOK] = json.dumps(hand_in.books.pop("03_determinism")).encode()[:-2000]


@accident()
def a_notebook_is_in_another_encoding(hand_in):
    """Notebooks in UTF-16, in Windows-1252, and with a byte order mark."""
    for stem, encoding in (("03_determinism", "utf-16"), ("05_signals", "utf-8-sig"), ("06_sagas", "cp1252")):
        data = json.dumps(hand_in.books.pop(stem), ensure_ascii=encoding == "cp1252")
        data = data if encoding == "cp1252" else data.replace("Kim", "K\u00efm")
        hand_in.files[f"notebooks/{stem}.ipynb"] = data.encode(encoding, "replace")


@accident()
def line_ends_of_windows(hand_in):
    """All cells and the file have the line ends of Windows, and a byte order mark."""
    for book in hand_in.books.values():
        for cell in book["cells"]:
            cell["source"] = text(cell).replace("\n", "\r\n")
    hand_in.files["lab/engine.py"] = b"\xef\xbb\xbf" + SOLVED.replace("\n", "\r\n").encode()


@accident()
def a_helper_in_a_cell_of_its_own(hand_in):
    """A TODO uses a function, a class and a constant from the student's own cells."""
    hand_in.add("03_determinism", "FACTOR = 1\n\nclass Box:\n    size = FACTOR", at=2)
    hand_in.add("03_determinism", "def the_time(ctx):\n    return ctx._engine.clock.now() * Box.size", at=3)
    hand_in.say(NOW, "@todo(2)\n" + body(hand_in, NOW).replace("self._engine.clock.now()", "the_time(self)"))


@accident()
def an_import_in_a_cell_of_its_own(hand_in):
    """What a TODO needs of Python is imported at the top of the notebook."""
    hand_in.add("05_signals", "import copy as c, sys\nfrom collections import *\nimport pandas", at=1)
    hand_in.say(
        WAIT, "@todo(3)\n" + body(hand_in, WAIT).replace("deepcopy(command.value)", "c.deepcopy(command.value)")
    )


@accident()
def prints_and_warnings(hand_in):
    """A TODO prints, logs and warns: in plain nbgrader anything on stderr scored 0."""
    noise = "    import logging, sys, warnings\n    print('here', self)\n    print('there', file=sys.stderr)\n"
    noise += "    warnings.warn('careful')\n    logging.getLogger().warning('careful')\n    command = self._ask"
    hand_in.say(NOW, "@todo(2)\n" + body(hand_in, NOW).replace("    command = self._ask", noise))
    hand_in.add("03_determinism", "import sys\nprint('a warning', file=sys.stderr)", outputs=[{"output_type": "error"}])


@accident()
def a_late_date(hand_in):
    """The file with the submission time says that it was late: this is noted, and costs nothing."""
    hand_in.files["timestamp.txt"] = b"2099-01-01 00:00:00.000000 UTC"
    hand_in.files[".unpacked.json"] = json.dumps({"refusals": [], "late": "two days late"}).encode()


@accident(costs="TODO 2")
def a_slip_of_the_pen_in_one_todo(hand_in):
    """A bracket is missing in one TODO: that costs this TODO and what in the whole engine needs it."""
    hand_in.say(NOW, text(hand_in.cell(NOW)) + "\n    return (1")


@accident()
def a_slip_of_the_pen_in_an_own_cell(hand_in):
    """A cell of the student's own is no Python, and another one raises."""
    hand_in.add("03_determinism", "what if I")
    hand_in.add("03_determinism", "1 / 0", at=4)
    hand_in.add("03_determinism", "while True:\n    pass", at=5)
    hand_in.add("03_determinism", "import sys\nsys.exit(1)\nquit()", at=6)


@accident()
def all_is_in_the_file(hand_in):
    """The TODOs are written in lab/engine.py only; the cells are stubs."""
    for book in hand_in.books.values():
        for cell in book["cells"]:
            if text(cell).startswith("@todo("):
                head, name = text(cell).split("\n")[:2]
                cell["source"] = f'{head}\n{name}\n    raise NotImplementedError("TODO {head[6]}: x")'
    hand_in.files["lab/engine.py"] = SOLVED.encode()


@accident()
def a_file_with_tabs(hand_in):
    """The file is indented with tabs, the cells with three spaces."""
    for id_ in (NOW, WAIT):
        hand_in.say(id_, text(hand_in.cell(id_)).replace("    ", "   "))
    hand_in.files["lab/engine.py"] = SOLVED.replace("    ", "\t").encode()


@accident()
def a_stale_file_beside_it(hand_in):
    """lab/engine.py is the one that was handed out, or an old one that does not even parse: the notebooks count."""
    hand_in.files["lab/engine.py"] = b"this was my first idea:\n    (((\n"


@accident()
def shell_commands_beside_the_function(hand_in):
    """The cell of a TODO has a line with `!pip` and one with `%time`."""
    hand_in.say(NOW, f"!pip install nothing\n%matplotlib inline\n{text(hand_in.cell(NOW))}\n%time")


@accident()
def what_a_computer_leaves_behind(hand_in):
    """Checkpoints, caches, a virtual environment, a repository and what macOS puts beside each file."""
    for name in (
        ".ipynb_checkpoints/03_determinism-checkpoint.ipynb",
        "__MACOSX/._03_determinism.ipynb",
        "._engine.py",
    ):
        hand_in.files[f"notebooks/{name}"] = b"\0\5\x16\7"
    for name in (
        "__pycache__/engine.cpython-311.pyc",
        ".git/hooks/engine.py",
        "venv/lib/engine.py",
        ".DS_Store",
        "Thumbs.db",
    ):
        hand_in.files[name] = b"\0"


@accident()
def a_folder_around_a_folder(hand_in):
    """All lies two folders deeper, with spaces and umlauts in their names."""
    for stem, book in [*hand_in.books.items()]:
        hand_in.files[f"My Work/\u00dcbung 1/lab-01/{stem}.ipynb"] = json.dumps(book).encode()
        del hand_in.books[stem]


@accident()
def other_types_and_another_signature(hand_in):
    """A TODO without its type hints, with a docstring, with other names of its parameters."""
    text_ = source.text_of(SOLVED, "Context.wait_signal").replace("name", "signal_name").replace(": str) -> Any", ")")
    lines = [line.removeprefix("    ") for line in text_.split("\n")]
    hand_in.say(
        WAIT,
        "@todo(3)\n" + "\n".join(lines).replace('self._ask("signal", signal_name', 'self._ask("signal", signal_name'),
    )


@accident()
def a_zip_lies_beside_it(hand_in):
    """The zip that was uploaded before lies in the folder, too."""
    hand_in.folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(hand_in.folder / "old.zip", "w") as archive:
        archive.writestr("engine.py", "x")
