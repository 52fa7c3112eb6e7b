"""Turn a solution's source into the lab's: each answer is replaced by its TODO and a stub."""

from __future__ import annotations

import re
import textwrap

from durable_lab import source
from durable_lab.todos import Part, Todo, all_todos

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_REGION = re.compile(rf"^(?P<indent> *){BEGIN}\n(?P<answer>.*?)^ *{END}\n", re.DOTALL | re.MULTILINE)
WIDE = 95  # columns of a notebook cell that are visible without scrolling


class StubError(Exception):
    """The solution cannot be turned into a lab. The message says why, with the file and the line."""


def strip_answers(text: str, file: str) -> str:
    """Return a solution's source with a TODO and a stub in place of every answer."""
    if text.count(BEGIN) != text.count(END):
        raise StubError(f"{file}: {BEGIN} and {END} are not in pairs")
    parts = {part.function: (todo, i) for todo in all_todos().values() for i, part in enumerate(todo.parts)}
    spans = {name: source.span(node) for name, node in source.functions(text).items()}

    def stub(match: re.Match[str]) -> str:
        line = text.count("\n", 0, match.start())
        name = next((n for n, s in spans.items() if s.start <= line < s.stop), "no function")
        if name not in parts:
            raise StubError(f"{file}, line {line + 1}: the answer in {name} has no entry in durable_lab/todos.toml")
        todo, i = parts[name]
        return _stub(todo, i, len(_code_lines(match["answer"])), match["indent"])

    made = _REGION.sub(stub, text)
    if left := re.search(r"#.*(BEGIN|END)\s*SOLUTION", made):
        raise StubError(f"{file}: {left[0].strip()!r} is not in a pair, or is not alone on its line as it should be")
    return made


def _stub(todo: Todo, i: int, size: int, indent: str) -> str:
    part: Part = todo.parts[i]
    letter = f"part {'abc'[i]}, " if len(todo.parts) > 1 else ""
    head = f"TODO {todo.number} ({letter}about {size} lines): {part.text}"
    width = WIDE + 4 - len(indent)  # a cell does not have the margin of the class
    comment = textwrap.wrap(head, width, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
    title = f"TODO {todo.number}: {letter}{part.function} is still to be written"
    return "".join(f"{indent}{line}\n" for line in [*comment, f'raise NotImplementedError("{title}")'])


def _code_lines(answer: str) -> list[str]:
    return [line for line in answer.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def narrow(cell: str) -> str:
    """Return a stub's cell with its signature and its docstring in lines of at most WIDE columns."""
    lines = []
    for line in cell.split("\n"):
        if len(line) > WIDE and (found := re.fullmatch(r"(def \w+\()(.*)(\) -> .*:)", line)):
            lines += [found[1], f"    {found[2]}", found[3]]
        elif len(line) > WIDE and line.startswith('    """'):
            lines += textwrap.wrap(line, WIDE, subsequent_indent="    ", break_on_hyphens=False)
        else:
            lines.append(line)
    return "\n".join(lines)


def without_marks(text: str) -> str:
    """Return a solution's source without the lines that mark an answer."""
    return "".join(line for line in text.splitlines(keepends=True) if line.strip() not in (BEGIN, END))
