"""Make what is generated: `lab/` (the solution minus its answers) and `notebooks/` (from text, through jupytext).

`python -m grader.build` writes; `python -m grader.build --check` writes nothing and exits 1 where a file has drifted.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

from durable_lab import source
from durable_lab.study import LAB_DIR, ROOT
from durable_lab.todos import SKELETON, Part, Todo, all_todos

HANDED_OUT = Path(__file__).parent / "submission" / "handed_out"  # notebooks/ once more, for the grader
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
_REGION = re.compile(rf"^(?P<indent> *){BEGIN}\n(?P<answer>.*?)^ *{END}\n", re.DOTALL | re.MULTILINE)


WIDE = 95  # columns of a cell that need no scrolling in a notebook
_TODO_CELL = re.compile(r"# @todo ([\w.]+)")


class BuildError(Exception):
    """The solution cannot be made into a lab. The message says what is wrong and where."""


def strip_answers(text: str, file: str) -> str:
    """A solution's source with a TODO and a stub in the place of every answer."""
    if text.count(BEGIN) != text.count(END):
        raise BuildError(f"{file}: {BEGIN} and {END} are not in pairs")
    parts = {part.function: (todo, i) for todo in all_todos().values() for i, part in enumerate(todo.parts)}
    spans = {name: source.span(node) for name, node in source.functions(text).items()}

    def stub(match: re.Match[str]) -> str:
        line = text.count("\n", 0, match.start())
        name = next((n for n, s in spans.items() if s.start <= line < s.stop), "no function")
        if name not in parts:
            raise BuildError(f"{file}, line {line + 1}: the answer in {name} has no entry in durable_lab/todos.toml")
        todo, i = parts[name]
        return _stub(todo, i, len(_code_lines(match["answer"])), match["indent"])

    made = _REGION.sub(stub, text)
    if left := re.search(r"#.*(BEGIN|END)\s*SOLUTION", made):
        raise BuildError(f"{file}: {left[0].strip()!r} is not in a pair, or is not alone on its line as it should be")
    return made


def _stub(todo: Todo, i: int, size: int, indent: str) -> str:
    part: Part = todo.parts[i]
    letter = f"part {'abc'[i]}, " if len(todo.parts) > 1 else ""
    head = f"TODO {todo.number} ({letter}about {size} lines): {part.text}"
    width = WIDE + 4 - len(indent)  # a cell loses the margin of the class
    comment = textwrap.wrap(head, width, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
    title = f"TODO {todo.number}: {letter}{part.function} is still to be written"
    return "".join(f"{indent}{line}\n" for line in [*comment, f'raise NotImplementedError("{title}")'])


def _code_lines(answer: str) -> list[str]:
    return [line for line in answer.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def lab_files() -> dict[Path, str]:
    """Every generated Python file and its text. `lab/` is the student's; the skeleton is what `reset` goes back to."""
    made = {}
    for path in sorted((ROOT / "solution").glob("*.py")):
        text = strip_answers(path.read_text(encoding="utf-8"), f"solution/{path.name}")
        text = text.replace("solution.refund", "lab.refund")
        if path.name == "__init__.py":
            text = '"""Your engine. Fill the TODOs in engine.py; see the README beside this folder."""\n'
        made[LAB_DIR / "lab" / path.name] = text
        made[SKELETON / path.name] = text
    return made


def notebooks(solved: bool = False) -> dict[Path, str]:
    """Every notebook and its text: no outputs, and cell ids that do not change from build to build.

    A cell `# @todo Context.now` becomes the method itself: the stub for a student, the answer where `solved`.
    """
    import jupytext
    import nbformat

    engine = (ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
    methods = _without_marks(engine) if solved else strip_answers(engine, "solution/engine.py")
    made = {}
    for path in sorted((ROOT / "solution" / "notebooks").glob("*.py")):
        book = jupytext.read(path)
        for i, cell in enumerate(book.cells):
            cell.id = f"{path.stem}-{i}"
            cell.metadata = {key: value for key, value in cell.metadata.items() if key == "tags"}
            cell.source = re.sub(r"\n{3,}", "\n\n", cell.source.strip("\n"))  # the formatter's two lines are for files
            if match := _TODO_CELL.fullmatch(cell.source):
                made_cell = _todo_cell(match[1], methods, path)
                cell.source = made_cell if solved else narrow(made_cell)
        book.metadata = {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
        book.nbformat, book.nbformat_minor = 4, 5
        nbformat.validate(book)
        made[ROOT / "notebooks" / f"{path.stem}.ipynb"] = nbformat.writes(book) + "\n"
    return made


def everything() -> dict[Path, str]:
    """Every generated file and its text. The notebooks are there twice: to work in, and unchanged for the grader."""
    books = notebooks()
    return {**lab_files(), **books, **{HANDED_OUT / path.name: text for path, text in books.items()}}


def _committed(paths: set[Path]) -> set[Path]:
    """Those of these files that git knows. A person's own files beside the generated ones are not ours to judge."""
    try:
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    except (OSError, subprocess.SubprocessError):
        return set()
    return paths & {ROOT / name for name in done.stdout.split("\0")}


def _todo_cell(function: str, methods: str, path: Path) -> str:
    number = next((t.number for t in all_todos().values() for part in t.parts if part.function == function), None)
    if number is None:
        raise BuildError(f"{path.name}: `# @todo {function}` names no function of durable_lab/todos.toml")
    return f"@todo({number})\n{textwrap.dedent(source.text_of(methods, function))}"


def narrow(cell: str) -> str:
    """A stub's cell with its signature and its docstring in lines of WIDE columns."""
    lines = []
    for line in cell.split("\n"):
        if len(line) > WIDE and (found := re.fullmatch(r"(def \w+\()(.*)(\) -> .*:)", line)):
            lines += [found[1], f"    {found[2]}", found[3]]
        elif len(line) > WIDE and line.startswith('    """'):
            lines += textwrap.wrap(line, WIDE, subsequent_indent="    ", break_on_hyphens=False)
        else:
            lines.append(line)
    return "\n".join(lines)


def _without_marks(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if line.strip() not in (BEGIN, END))


def main(arguments: list[str]) -> int:
    """Write, or with `--check` compare. Returns the exit code."""
    try:
        made = everything()
    except (BuildError, SyntaxError) as error:
        print(f"build: {error}", file=sys.stderr)
        return 1
    old = {path: path.read_text(encoding="utf-8") if path.is_file() else None for path in made}
    there = {p for folder in {path.parent for path in made} for p in folder.glob("*") if p.suffix in (".py", ".ipynb")}
    changed = [path for path, text in made.items() if old[path] != text] + sorted(_committed(there - made.keys()))
    if "--check" in arguments:
        for path in changed:
            print(f"build: {path.relative_to(ROOT)} is not what solution/ makes. Run `make build`.", file=sys.stderr)
        return 1 if changed else 0
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path in made:
            path.write_text(made[path], encoding="utf-8")
        else:
            path.unlink()
        print(f"build: {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
