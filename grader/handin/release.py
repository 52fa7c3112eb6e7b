"""What was handed out: for each notebook its cells, and which of them hold a TODO, a question or a prediction."""

from __future__ import annotations

import ast
import re
import symtable
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from durable_lab.todos import all_todos
from grader.handin.notebook import Notebook, notebook, tidy
from grader.handin.syntax import Source, readable

__all__ = ["METHODS", "PARTS", "Box", "Lesson", "Release", "boxes", "current", "released", "tidy"]

HANDED_OUT = Path(__file__).with_name(
    "handed_out"
)  # the released notebooks; those in notebooks/ may be changed by their user
PARTS = {part.function: todo.number for todo in all_todos().values() for part in todo.parts}  # in the order of work
METHODS = {part.rpartition(".")[2]: part for part in PARTS}  # "now" -> "Context.now"; the names are all different
_TODO = re.compile(r"^@todo\(\d+\)\ndef (\w+)\(", re.MULTILINE)


@dataclass(frozen=True)
class Box:
    """A place for a prediction: `name = predict(...)  # words`."""

    cell: str
    name: str
    words: str


@dataclass(frozen=True)
class Lesson:
    """One notebook as handed out."""

    stem: str
    texts: dict[str, str]  # cell id -> its text, tidied, in the order of the cells
    names: frozenset[str]  # what its cells define
    todos: dict[str, str]  # cell id -> the function that is written there
    questions: dict[str, str]  # question -> cell id
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class Release:
    """All notebooks as handed out, by stem, in their order."""

    lessons: dict[str, Lesson]
    owners: dict[str, Lesson]  # cell id -> its lesson
    telling: dict[str, str]  # a text that stands in one notebook only -> the stem of this one
    texts: frozenset[str]
    asked: dict[str, frozenset[str]]  # cell id -> the questions in it


def released(notebooks: Mapping[str, str]) -> Release:
    """The release that these notebooks (stem -> JSON) are. They are ours: what is wrong in them is raised."""
    lessons = {stem: _lesson(stem, notebook(stem, text.encode())) for stem, text in sorted(notebooks.items())}
    stems = [(text, stem) for stem, lesson in lessons.items() for text in set(lesson.texts.values()) if text]
    times = Counter(text for text, _ in stems)
    return Release(
        lessons,
        {id_: lesson for lesson in lessons.values() for id_ in lesson.texts},
        {text: stem for text, stem in stems if times[text] == 1},
        frozenset(times),
        _by_cell(lessons.values()),
    )


def _by_cell(lessons: Iterable[Lesson]) -> dict[str, frozenset[str]]:
    pairs = [(id_, name) for lesson in lessons for name, id_ in lesson.questions.items()]
    return {id_: frozenset(name for its, name in pairs if its == id_) for id_, _ in pairs}


@cache
def current() -> Release:
    """The release that this repository makes. It takes a moment, once in a process."""
    return released(handed_out())


@cache
def stems() -> tuple[str, ...]:
    """The names of the notebooks that were handed out, without `.ipynb`."""
    return tuple(sorted(path.stem for path in HANDED_OUT.glob("*.ipynb")))


def handed_out() -> dict[str, str]:
    """The notebooks as students get them, stem -> JSON. Those in notebooks/ are for working in, and may be changed."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(HANDED_OUT.glob("*.ipynb"))}


def boxes() -> dict[str, int]:
    """How many prediction boxes each notebook of the release has, by its stem."""
    return {stem: len(lesson.boxes) for stem, lesson in current().lessons.items()}


def _lesson(stem: str, book: Notebook) -> Lesson:
    code = [(cell.id, readable(cell.source)) for cell in book.cells if cell.kind == "code"]
    return Lesson(
        stem,
        {cell.id: cell.tidy for cell in book.cells},
        frozenset(name for _, source in code for name in _defined(source.text)),
        {id_: METHODS[found[1]] for id_, source in code if (found := _TODO.search(source.text))},
        {asked: id_ for id_, source in code for asked, _ in calls_of_question(source.tree)},
        tuple(Box(id_, name, words) for id_, source in code for name, words, _ in boxes_of(source)),
    )


def _defined(text: str) -> Iterable[str]:
    table = symtable.symtable(text, "a lesson", "exec")
    return [name.get_name() for name in table.get_symbols() if name.is_assigned() or name.is_imported()]


def calls_of_question(tree: ast.AST) -> list[tuple[str, ast.expr | None]]:
    """Each `question("name", answer)` in the order of its lines: the name, and what is given as the answer."""
    found = []
    for call in _calls(tree, "question"):
        given = dict(zip(("name", "answer"), call.args, strict=False))
        given |= {word.arg: word.value for word in call.keywords if word.arg}
        if isinstance(name := given.get("name"), ast.Constant) and isinstance(name.value, str):
            found.append((name.value, given.get("answer")))
    return found


def boxes_of(source: Source) -> list[tuple[str, str, bool]]:
    """Each `name = predict(guess)  # words` of a cell: the name, the words, and whether there is a guess."""
    lines, found = source.text.split("\n"), []
    for node in ast.walk(source.tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="predict")) as call):
                words = lines[(node.end_lineno or 1) - 1].rpartition("# ")[2].strip()
                found.append((node.lineno, name, words, _is_filled(call)))
    return [box[1:] for box in sorted(found)]


def _is_filled(call: ast.Call) -> bool:
    given = [*call.args[:1], *(word.value for word in call.keywords if word.arg == "guess")]
    return bool(given) and not any(
        isinstance(part, ast.Starred) or (isinstance(part, ast.Constant) and part.value is ...)
        for value in given
        for part in ast.walk(value)
    )


def _calls(tree: ast.AST, name: str) -> list[ast.Call]:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name]
    return sorted(named, key=lambda call: (call.lineno, call.col_offset))
