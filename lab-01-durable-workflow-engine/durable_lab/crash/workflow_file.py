"""A workflow in a file: find it, and import the file as a new process does."""

from __future__ import annotations

import inspect
import json
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from durable_lab import files
from durable_lab.crash.play import Workflow
from durable_lab.processes import NoTerminal
from durable_lab.study import Study, shown, why_import_failed

PACKAGE = "workflow_file"
ENGINES = ("lab", "solution")  # the names by which a file may import the engine


class FileError(Exception):
    """The file cannot be run. The message is a sentence for its author."""


@dataclass(frozen=True)
class WorkflowFile:
    """The file, and which of its workflows: `name` is an expression in the file's own names, or empty."""

    path: Path
    name: str = ""

    @property
    def shown(self) -> str:
        return shown(self.path)

    @staticmethod
    def named(text: str) -> WorkflowFile:
        """`FILE.py` or `FILE.py:NAME`."""
        found = re.fullmatch(r"(.+\.py):(.+)", text, re.DOTALL | re.IGNORECASE)
        if not found or Path(text).is_file():
            return WorkflowFile(Path(text).absolute())
        return WorkflowFile(Path(found[1]).absolute(), found[2].strip())

    def code(self) -> Any:
        """The compiled file. Raises FileError."""
        try:
            if self.path.is_dir():
                raise FileError(f"{self.shown} is a folder. Name the Python file in it.")
            if self.path.suffix != ".py":
                raise FileError(f"{self.shown} is not a Python file: its name does not end in .py.")
            return compile(files.read(self.path), str(self.path), "exec", dont_inherit=True)
        except files.Unreadable as error:
            raise FileError(f"{self.shown} {error}") from None
        except OSError as error:
            raise FileError(f"{self.shown} cannot be read: {error.strerror or error}.") from None
        except SyntaxError as error:
            raise FileError(
                f"{self.shown}, line {error.lineno}: {type(error).__name__}: {error.msg}. Python cannot read the file; "
                "fix this line first."
            ) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise FileError(f"{self.shown}: Python cannot read the file ({error}).") from None

    def place(self, error: BaseException) -> str:
        """The line of this file in an error's traceback, as ", line 12"; empty if there is none."""
        lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if self.owns(frame.f_code.co_filename)]
        return f", line {lines[-1]}" if lines else ""

    def owns(self, file: str) -> bool:
        return file == str(self.path)


class Importer:
    """Imports the engine and the file again and again, each time as in a new process."""

    def __init__(self, study: Study, file: WorkflowFile) -> None:
        self._study, self.file, self._code = study, file, file.code()
        self._ours = set(sys.modules)
        if (folder := str(file.path.parent)) not in sys.path:
            sys.path.append(folder)  # last: a random.py beside the file must not replace Python's module

    def fresh(self) -> tuple[Any, Workflow]:
        """The engine's module and the workflow. Raises FileError, StudyError."""
        engine, module = self.module()
        return engine, self._workflow(module)

    def module(self) -> tuple[Any, ModuleType]:
        """The engine's module, and that of the file."""
        self._forget()
        engine = self._study.fresh()
        for name in (*ENGINES, PACKAGE):
            package: Any = ModuleType(name)
            package.__path__ = [str((self.file if name == PACKAGE else self._study).path.parent)]
            package.engine = sys.modules[f"{name}.engine"] = engine
            sys.modules[name] = package
        module = ModuleType(f"{PACKAGE}.file")
        module.__file__, module.__package__ = str(self.file.path), PACKAGE
        sys.modules[module.__name__] = module
        try:
            exec(self._code, vars(module))
        except BaseException as error:
            where = f"{self.file.shown}{self.file.place(error)}"
            if isinstance(error, NoTerminal):
                raise FileError(f"{where}: {error}") from None
            raise FileError(f"{where}: {why_import_failed(error)} Nothing could be run; fix this line first.") from None
        return engine, module

    def _forget(self) -> None:
        """Forget all modules of the last time: those of the engine, and those beside the file."""
        folder = self.file.path.parent
        for name in set(sys.modules) - self._ours:
            home = getattr(sys.modules[name], "__file__", None)
            beside = home and Path(home).is_relative_to(folder) and not Path(home).is_relative_to(sys.prefix)
            package, _, part = name.partition(".")
            if beside or (package in (*ENGINES, PACKAGE) and part not in ("", "engine")):
                del sys.modules[name]

    def constants(self) -> dict[str, Any]:
        """The constants INPUT and SIGNALS of the file, as JSON data. Raises FileError."""
        _, module = self.module()
        given = {"INPUT": vars(module).get("INPUT"), "SIGNALS": vars(module).get("SIGNALS", {})}
        if isinstance(given["SIGNALS"], dict):
            given["SIGNALS"] = list(given["SIGNALS"].items())
        try:
            data = json.loads(json.dumps(given, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise FileError(f"{self.file.shown}: INPUT and SIGNALS must be plain JSON values: {error}.") from None
        pairs = data["SIGNALS"]
        if not (
            isinstance(pairs, list) and all(isinstance(p, list) and len(p) == 2 and type(p[0]) is str for p in pairs)
        ):
            raise FileError(
                f"{self.file.shown}: SIGNALS is {given['SIGNALS']!r:.100}; it must be an object of payloads by name, "
                "or a list of pairs (name, payload)."
            )
        return dict(data)

    # ------------------------------------------------------------ which function

    def _workflow(self, module: ModuleType) -> Workflow:
        found = self._named(module) if self.file.name else vars(module).get("WORKFLOW") or self._only(module)
        if not callable(found):
            raise FileError(f"{self.file.shown}: {self.file.name or 'WORKFLOW'} is {found!r:.100}, and not a function.")
        try:
            inspect.signature(found).bind(None, None)
        except TypeError:
            name = getattr(found, "__name__", self.file.name)
            raise FileError(
                f"{self.file.shown}: a workflow takes two arguments, `ctx` and its input, and {name} does not."
            ) from None
        except ValueError:
            pass  # a callable without a signature
        workflow: Workflow = found
        return workflow

    def _named(self, module: ModuleType) -> Any:
        try:
            return eval(self.file.name, vars(module))
        except BaseException as error:
            has = ", ".join(_workflows(module)) or "none"
            raise FileError(
                f"{self.file.shown} has no workflow {self.file.name!r:.100} ({type(error).__name__}: {error}). "
                f"Functions whose first parameter is `ctx`: {has}."
            ) from None

    def _only(self, module: ModuleType) -> Any:
        found = _workflows(module)
        if len(found) == 1:
            return next(iter(found.values()))
        name = self.file.path.name
        if not found:
            raise FileError(
                f"{self.file.shown} has no workflow: no function of it has a first parameter `ctx`. Write "
                f"`def workflow(ctx, order)`, or name what makes one: {name}:refund_with(World())."
            )
        raise FileError(
            f"{self.file.shown} has {len(found)} functions whose first parameter is `ctx`: {', '.join(found)}. Name "
            f"the workflow: {name}:{next(iter(found))}."
        )


def _workflows(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The functions that this file defines whose first parameter is `ctx`, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and _first(value) == "ctx"
    }


def _first(function: Any) -> str:
    return next(iter(inspect.signature(function).parameters), "")
