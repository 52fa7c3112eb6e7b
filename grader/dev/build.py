"""Generate `lab/` (the solution minus its answers) and `notebooks/` (from text, through jupytext).

`python -m grader.dev.build` writes the files. With `--check` it writes nothing and exits 1 if a file has drifted.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

from durable_lab import source
from durable_lab.stubs import StubError, narrow, strip_answers, without_marks
from durable_lab.study import LAB_DIR, ROOT
from durable_lab.todos import SKELETON, all_todos
from grader.handin.release import HANDED_OUT

_TODO_CELL = re.compile(r"# @todo ([\w.]+)")


def lab_files() -> dict[Path, str]:
    """Return every generated Python file and its text: `lab/` for the student, and the skeleton for `reset`."""
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
    """Return every notebook and its text, without outputs, and with cell ids that do not change from build to build.

    A cell `# @todo Context.now` becomes the method itself: the stub for a student, or the answer if `solved`.
    """
    import jupytext
    import nbformat

    engine = (ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
    methods = without_marks(engine) if solved else strip_answers(engine, "solution/engine.py")
    made = {}
    for path in sorted((ROOT / "solution" / "notebooks").glob("*.py")):
        book = jupytext.read(path)
        for i, cell in enumerate(book.cells):
            cell.id = f"{path.stem}-{i}"
            cell.metadata = {key: value for key, value in cell.metadata.items() if key == "tags"}
            cell.source = re.sub(r"\n{3,}", "\n\n", cell.source.strip("\n"))  # two blank lines are for files
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
    """Return every generated file and its text. The notebooks are generated twice: to work in, and for the grader."""
    books = notebooks()
    return {**lab_files(), **books, **{HANDED_OUT / path.name: text for path, text in books.items()}}


def _committed(paths: set[Path]) -> set[Path]:
    """Return those of these files that git tracks; other files in the same folders are ignored."""
    try:
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    except (OSError, subprocess.SubprocessError):
        return set()
    return paths & {ROOT / name for name in done.stdout.split("\0")}


def _todo_cell(function: str, methods: str, path: Path) -> str:
    number = next((t.number for t in all_todos().values() for part in t.parts if part.function == function), None)
    if number is None:
        raise StubError(f"{path.name}: `# @todo {function}` names no function of durable_lab/todos.toml")
    return f"@todo({number})\n{textwrap.dedent(source.text_of(methods, function))}"


def main(arguments: list[str]) -> int:
    """Write the files, or with `--check` compare them. Return the exit code."""
    try:
        made = everything()
    except (StubError, SyntaxError) as error:
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
