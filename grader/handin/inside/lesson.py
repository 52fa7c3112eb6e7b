"""What stands in the cells of a lesson: TODOs, questions and boxes for predictions."""

from __future__ import annotations

import ast
import re

from grader.handin.inside.lab import Box, Lesson
from grader.handin.inside.module import defined
from grader.handin.inside.notebook import notebook
from grader.handin.inside.syntax import Source, readable

_TODO = re.compile(r"^@todo\(\d+\)\ndef (\w+)\(", re.MULTILINE)


def lesson(stem: str, text: str, methods: dict[str, str]) -> Lesson:
    """The lesson in this notebook of ours. `methods`: "now" -> "Context.now". What is wrong in it is raised."""
    cells = notebook(stem, text.encode()).cells
    code = [(cell.id, readable(cell.source)) for cell in cells if cell.kind == "code"]
    return Lesson(
        stem,
        {cell.id: cell.tidy for cell in cells},
        {cell.id: cell.kind for cell in cells},
        {cell.grade_id: cell.id for cell in cells if cell.grade_id},
        frozenset(name for _, source in code for name in defined(source.tree.body)),
        {id_: methods[found[1]] for id_, source in code if (found := _TODO.search(source.text))},
        {asked: id_ for id_, source in code for asked, _ in calls_of_question(source.tree)},
        tuple(Box(id_, name, words) for id_, source in code for name, words, _ in boxes_of(source)),
    )


def calls_of_question(tree: ast.AST) -> list[tuple[str, ast.expr | None]]:
    """Each `question("name", answer)` in the order of its lines: the name, and what is given as the answer."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "question"]
    found = []
    for call in sorted(named, key=lambda call: (call.lineno, call.col_offset)):
        given = dict(zip(("name", "answer"), call.args, strict=False))
        given |= {word.arg: word.value for word in call.keywords if word.arg}
        if isinstance(name := given.get("name"), ast.Constant) and isinstance(name.value, str):
            found.append((name.value, given.get("answer")))
    return found


def boxes_of(source: Source) -> list[tuple[str, str, bool]]:
    """Each `name = predict(guess)  # words` of a cell: the name, the words, and whether there is a guess."""
    lines, found = source.lines, []
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
