"""`@todo(n)`: write the method of a cell into the engine's file, and never overwrite newer code there.

`lab/.cells.json` stores the digest of every method that a cell has written, the latest last. So a cell that is older
than the file is recognised even after the kernel has been restarted.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import contextlib
import dis
import hashlib
import inspect
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

from durable_lab import source, study, todos
from durable_lab.files import keep, rewrite, rewrite_python
from durable_lab.source import Function

Method = Callable[..., Any]
NOTE = ".cells.json"
_last_cell: dict[str, tuple[str, str]] = {}  # name -> the cell of this kernel that wrote it last, and the digest


class NotTaken(Exception):
    """The cell is not written into the file. The message is for the student."""


def todo(number: int, *, over: str = "") -> Callable[[Method], Method]:
    """Write the method below into the student's `lab/engine.py`; `engine()` reloads the file when it has changed.

    over  the digest of the method in the file that this cell may overwrite, as an earlier message gave it

    A cell that is still a stub, or older than the code in the file, overwrites nothing. Code that a cell overwrites is
    kept in a backup beside the file. Prints what it did; raises nothing.
    """
    if callable(number):
        print("Nothing is written: @todo needs the number of the TODO. Write it as in @todo(2).")
        return number

    def put(method: Method) -> Method:
        try:
            print(_put(number, inspect.unwrap(method), over))
        except (study.StudyError, NotTaken, SyntaxError, OSError, ValueError) as error:
            print(f"TODO {number} is not written into the file: {error}")
        return method

    return put


def _put(number: int, method: Method, over: str) -> str:
    if type(number) is not int or number not in todos.all_todos():
        raise NotTaken(f"there is no TODO {number!r}; they are {_list(map(str, sorted(todos.all_todos())))}.")
    name = getattr(method, "__name__", "")
    part = next((p.function for p in todos.all_todos()[number].parts if p.function.endswith(f".{name}")), None)
    if part is None:
        names = _list(p.function.split(".")[1] for p in todos.all_todos()[number].parts)
        raise NotTaken(f"it consists of {names}, but this cell defines {name or 'another object'}. Keep the name.")
    engine = study.current()
    if engine.name != "lab":
        return f"LAB_MODULE is {engine.name}, so no file is changed."
    cell = _Cell(method)
    text = engine.text()
    found = source.functions(text)
    where = f"{study.shown(engine.path)}{f', line {found[part].lineno}' if part in found else ''}"
    old = source.indented(source.text_of(text, part), "") if part in found else ""
    begin = f"TODO {number}: {part}"
    if todos.open_todos(cell.text):
        if not old or todos.open_todos(old):
            return f"{begin} is still to be written, in this cell or in {where}."
        return f"{begin} is written in {where}. This cell is still the stub, so the file is kept."
    past = _Past(engine.path.with_name(NOTE))
    if cell.text == old:
        new, said = text, f"{begin} is the same here and in {where}."
    else:
        if (
            old
            and not _is_stub(part, old)
            and _digest(old) != over
            and (why := past.why_kept(part, cell.text, cell.id, old))
        ):
            return (
                f"{begin} in {where} {why}, so the file is kept. If the file is right, copy its code into this cell: "
                "if the two differ, the cell is graded. If this cell is right, overwrite the file with  "
                f'@todo({number}, over="{_digest(old)}")  above the method.'
            )
        new, said = _with(text, part, cell.text), f"{begin} is written into {where}."
    new, notes = _with_helpers(new, part, cell, past, over)
    if new != text:
        _check(new, study.shown(engine.path))
        if old and not _is_stub(part, old):
            said += f" The previous file is kept in {keep(engine.path).name}."
        rewrite_python(engine.path, new)
    past.add(part, cell.text, cell.id)
    past.save()
    return " ".join([said, *notes])


def _with(text: str, part: str, method: str) -> str:
    try:
        return source.put_function(text, part, method)
    except KeyError as error:
        raise NotTaken(
            f"the file has no class {error.args[0]} any more. `durable-lab reset` restores the whole file."
        ) from None


def _check(text: str, where: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, where, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise NotTaken(f"with this cell in it, {where} would not be valid Python: {error}.") from None


def _is_stub(part: str, method: str) -> bool:
    """Return whether the method has only the stub's own line, and statements that were handed out with it."""
    pristine = source.text_of((todos.SKELETON / "engine.py").read_text(encoding="utf-8"), part)
    given = set(_statements(source.indented(pristine, "")))
    return bool(todos.open_todos(method)) and set(_statements(method)) <= given


def _statements(method: str) -> Iterator[str]:
    """Yield the statements of a function, except its docstring and the stub's own line."""
    [node] = source.functions(method).values()
    for statement in node.body[ast.get_docstring(node) is not None :]:
        if not (isinstance(statement, ast.Raise) and todos.open_todos(ast.unparse(statement))):
            yield ast.dump(statement)


# ---------------------------------------------------------------- the cell


class _Cell:
    """A cell with a method in it: `text` is the method without `@todo`, dedented. Raises NotTaken."""

    def __init__(self, method: Method) -> None:
        self.whole, line = _source_of(method)
        self.node = node = self._node(method.__name__, line)
        lines = self.whole.split("\n")
        self.tree = ast.parse(self.whole)
        self.text = source.indented("\n".join(lines[node.lineno - 1 : node.end_lineno]), "")
        if "get_ipython()" in self.text:
            raise NotTaken("the method has a line for IPython (`%...` or `!...`), but the file must be plain Python.")
        self.comment = node.lineno > 1 and lines[node.lineno - 2].lstrip().startswith("#")
        self.decorators = [ast.unparse(d) for d in node.decorator_list if not _is_mark(d)]
        self.id = _cell_id()

    def _node(self, name: str, line: int) -> Function:
        try:
            found = [n for n in ast.walk(ast.parse(self.whole)) if isinstance(n, Function) and n.name == name]
        except (SyntaxError, ValueError):
            found = []
        if not found:
            first = next((line.strip() for line in _raw_cell().split("\n") if line.strip()), "")
            cause = f"the line `{first}` is above it. Remove it" if first.startswith("%") else "write it as a def"
            raise NotTaken(f"the source of {name} cannot be read; {cause}.")
        return next((node for node in found if _first(node) == line), found[-1])


def _source_of(method: Method) -> tuple[str, int]:
    """Return the cell of this method as Python, and the method's first line (0 if it is not known).

    `inspect` does not know a cell that was run by a magic; then the cell is read as it was typed.
    """
    try:
        lines, _ = inspect.findsource(method)
        return "".join(lines), method.__code__.co_firstlineno
    except (OSError, TypeError, AttributeError):
        lines = _raw_cell().split("\n")
        while lines and (not lines[0].strip() or lines[0].startswith("%%")):
            del lines[0]
        shell = _shell()
        return str(shell.transform_cell("\n".join(lines))) if shell else "", 0


def _raw_cell() -> str:
    """Return the running cell as it was typed; empty outside IPython."""
    try:
        return str(_shell().history_manager.input_hist_raw[-1])
    except (AttributeError, IndexError):
        return ""


def _cell_id() -> str:
    """Return the id that the front end gave the running cell; empty if it gives none."""
    try:
        return str(_shell().kernel.get_parent("shell")["metadata"].get("cellId") or "")
    except (AttributeError, KeyError, TypeError):
        return ""


def _shell() -> Any:
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def _is_mark(decorator: ast.expr) -> bool:
    call = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(call, ast.Name) and call.id == "todo"


# ---------------------------------------------------------------- what cells wrote before


class _Past:
    """The digests of what cells have written, by function, the latest last. If the file is lost, it is empty."""

    def __init__(self, path: Path) -> None:
        self.path, self.digests = path, {}
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            self.digests = {str(part): [str(one) for one in its] for part, its in told.items() if type(its) is list}
        except (OSError, ValueError, AttributeError):
            pass

    def why_kept(self, name: str, new: str, cell: str, old: str) -> str:
        """Return why this cell's `new` code must not overwrite the `old` code of the file; empty if it may."""
        its, here = self.digests.get(name, []), _digest(old)
        if not its or its[-1] != here:
            return "was changed after a cell wrote it last" if its else "differs from this cell"
        if _digest(new) in its and (not cell or _last_cell.get(name) != (cell, here)):
            return "is newer than this cell: another cell wrote it later"
        return ""

    def add(self, name: str, text: str, cell: str) -> None:
        """Note that the file and the cell now agree."""
        digest = _digest(text)
        _last_cell[name] = (cell, digest)
        self.digests[name] = [*[one for one in self.digests.get(name, []) if one != digest][-100:], digest]

    def save(self) -> None:
        """Write the digests to the file. If that fails, the next cell that differs overwrites nothing."""
        with contextlib.suppress(OSError):
            rewrite(self.path, json.dumps(self.digests, indent=0))


def _digest(method: str) -> str:
    """Return a digest that ignores spaces at the ends of lines."""
    return hashlib.sha256("\n".join(map(str.rstrip, method.strip().split("\n"))).encode()).hexdigest()[:8]


# ---------------------------------------------------------------- what the method uses from its cell


def _with_helpers(text: str, part: str, cell: _Cell, past: _Past, over: str) -> tuple[str, list[str]]:
    """Return the engine's source with the definitions that the method uses from its cell, and notes for the student."""
    pristine = _names_of(ast.parse((todos.SKELETON / "engine.py").read_text(encoding="utf-8")))
    here = {name: node for node in cell.tree.body for name in _defined(node)}
    known, wanted = _names_of(ast.parse(text)), _names_used(source.functions(text)[part])
    taken: dict[str, ast.stmt] = {}
    missing: list[str] = []
    while wanted:
        name = wanted.pop(0)
        if name in taken or name in pristine or hasattr(builtins, name):
            continue
        if name in here and "get_ipython()" not in _text(cell.whole, here[name]):
            taken[name] = here[name]
            wanted += _names_used(here[name])
        elif name not in known and name not in missing:
            missing.append(name)
    copied, kept = [], []
    for node in dict.fromkeys(taken.values()):
        names, statement = [name for name, its in taken.items() if its is node], _text(cell.whole, node)
        old = next((_text(text, its) for its in ast.parse(text).body if set(_defined(its)) & set(names)), statement)
        if old not in (statement,) and _digest(old) != over and past.why_kept(names[0], statement, cell.id, old):
            kept.append(f'{_list(names)} (to overwrite it with the cell: over="{_digest(old)}")')
            continue
        if old != statement or set(names) - known:
            text = _with_statement(text, part, names, statement)
            copied += names
        past.add(names[0], statement, cell.id)
    own = {name for name in pristine & here.keys() if not isinstance(here[name], ast.Import | ast.ImportFrom)}
    return text, [*_notes(cell, copied, kept, missing, own)]


def _notes(cell: _Cell, copied: list[str], kept: list[str], missing: list[str], own: set[str]) -> Iterator[str]:
    if own := own - {cell.node.name}:
        yield f"Not copied, because the engine defines it: {_list(sorted(own))}."
    if copied:
        yield f"Also written, above the class: {_list(copied)}."
    if kept:
        yield f"Not overwritten, although the file differs from this cell: {_list(kept)}."
    if missing:
        yield (
            f"But the engine's file does not define {_list(missing)}, so the method would raise NameError: "
            "put the definition into this cell, above @todo, and run the cell again."
        )
    if cell.decorators:
        yield f"Not copied: @{', @'.join(cell.decorators)}."
    if cell.comment:
        yield "The comment above `def` is not copied; comments inside the method are."


def _with_statement(text: str, part: str, names: list[str], statement: str) -> str:
    """Put a statement of a cell above the method's class, or in place of one that defines the same names."""
    tree, lines = ast.parse(text), text.split("\n")
    owner = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == part.partition(".")[0])
    for node in tree.body:
        if set(_defined(node)) & set(names):
            lines[_first(node) - 1 : node.end_lineno] = statement.split("\n")
            return "\n".join(lines)
    start = _first(owner) - 1
    while start and lines[start - 1].startswith("#"):
        start -= 1
    gap = ["", ""] if isinstance(ast.parse(statement).body[0], (Function, ast.ClassDef)) else [""]
    lines[start:start] = [*statement.split("\n"), *gap]
    return "\n".join(lines)


def _names_used(node: ast.stmt) -> list[str]:
    """Return the global names that a statement uses, except in its annotations and `@todo`."""
    if isinstance(node, Function):
        node.decorator_list = [d for d in node.decorator_list if not _is_mark(d)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flags = __future__.annotations.compiler_flag
        return sorted(_loaded(compile(ast.Module([node], []), "<cell>", "exec", flags, dont_inherit=True)))


def _loaded(code: CodeType) -> set[str]:
    loads = {"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}
    steps = list(dis.get_instructions(code))
    stored = {step.argval for step in steps if step.opname == "STORE_NAME"}
    names = {step.argval for step in steps if step.opname in loads}
    return names.union(*(_loaded(const) for const in code.co_consts if isinstance(const, CodeType))) - stored


def _names_of(tree: ast.Module) -> set[str]:
    return {name for node in tree.body for name in _defined(node)}


def _defined(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a top-level statement defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in names)
        case ast.Assign() | ast.AnnAssign():
            yield from (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _first(node: ast.stmt) -> int:
    marks: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(mark.lineno for mark in marks)])


def _text(whole: str, node: ast.stmt) -> str:
    return "\n".join(whole.split("\n")[_first(node) - 1 : node.end_lineno])


def _list(names: Any) -> str:
    return ", ".join(names)
