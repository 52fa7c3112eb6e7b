"""The engine under study: only this file reads `LAB_MODULE`, and finds and reads the engine's file.

Run as a script, it tries to import an engine: see `Study._try_import`.
"""

from __future__ import annotations

import faulthandler
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

LAB_DIR = Path(__file__).resolve().parents[1]
ROOT = LAB_DIR.parent
IMPORT_SECONDS = 5  # an import takes milliseconds, unless a line at module level loops or waits
T = TypeVar("T")


_imported: dict[Study, dict[Path, int]] = {}  # by engine: the times of the files that it was imported from
_refused: dict[tuple[Study, str], tuple[dict[Path, int], str]] = {}  # what could not be imported: file times, and why


class StudyError(Exception):
    """The engine under study cannot be used. The message is one line for the user."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback: the message."""
        return [str(self)]


@dataclass(frozen=True)
class Study:
    """An engine by name ("lab" or "solution"), and the folder that contains its package."""

    name: str
    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / self.name / "engine.py"

    @property
    def label(self) -> str:
        """Shown with every result: which engine ran, and from which file."""
        return f"{self.name} ({shown(self.path)})"

    def text(self) -> str:
        """The engine's source. Raises StudyError if it cannot be read, or is not Python."""
        from durable_lab import files, todos

        where = shown(self.path)
        try:
            text = files.read(self.path)
        except files.Unreadable as error:
            raise StudyError(f"{where} {error}") from None
        except OSError as error:
            raise StudyError(f"{where} cannot be read: {error.strerror or error}.{_remedy(self)}") from None
        if not text.strip():
            raise StudyError(f"{where} is empty.{_remedy(self)}")
        try:
            todos.open_todos(text)
        except SyntaxError as error:
            raise StudyError(
                f"{where}, line {error.lineno}: {type(error).__name__}: {error.msg}. Python cannot read the file; "
                "fix this line first."
            ) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise StudyError(f"{where}: Python cannot read the file ({error}).{_remedy(self)}") from None
        return text

    def module(self, part: str = "engine") -> ModuleType:
        """The engine's module, or another one of its package. Raises StudyError if it cannot be imported.

        A student's file is first imported in a separate process, for at most IMPORT_SECONDS: a loop or an `os._exit` at
        module level must not end a notebook's kernel.
        """
        home = str(self.path.parent)
        if home not in getattr(sys.modules.get(self.name), "__path__", []):
            # By its path, not by a search: sys.path may have another `lab`.
            _forget(self.name)
        elif f"{self.name}.{part}" in sys.modules:
            return sys.modules[f"{self.name}.{part}"]
        self.prove(part)
        return self._import(part)

    def prove(self, part: str = "engine") -> None:
        """Raise StudyError if a student's file cannot be imported. It is not imported in this process."""
        if self.name != "lab":
            return
        self.text()
        times, why = _refused.get((self, part), ({}, ""))
        if times != self._times():
            times, why = self._times(), self._try_import(part)
            _refused[self, part] = times, why
        if why:
            raise StudyError(why)

    def _import(self, part: str) -> ModuleType:
        package = sys.modules.setdefault(self.name, ModuleType(self.name))
        package.__path__ = [str(self.path.parent)]
        importlib.invalidate_caches()
        return self._imported(part, lambda: importlib.import_module(f"{self.name}.{part}"))

    def fresh(self) -> ModuleType:
        """The engine's module, imported again as in a new process: it contains nothing of an earlier import."""
        self.module()
        name = f"{self.name}.engine_of_a_new_process"
        spec = importlib.util.spec_from_file_location(name, self.path)
        assert spec is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        self._imported("engine", lambda: exec(_compiled(self.path, self.path.stat().st_mtime_ns), vars(module)))
        return module

    def _imported(self, part: str, work: Callable[[], T]) -> T:
        try:
            return work()
        except (Exception, SystemExit) as error:
            owned = [(f.filename, f.lineno) for f in traceback.extract_tb(error.__traceback__) if self._owns(f)]
            if isinstance(error, SyntaxError) and error.filename:
                owned.append((error.filename, error.lineno))
            file, line = owned[-1] if owned else (f"{part}.py", None)
            raise StudyError(
                f"{self._at(Path(file).stem, line)}: {why_import_failed(error)} "
                "Nothing could be run; fix this line first."
            ) from None

    def _try_import(self, part: str) -> str:
        """Import in a separate process without a terminal. Returns why that failed, or an empty string."""
        from durable_lab.processes import environment  # not at the top: this file runs as a script, too

        with tempfile.TemporaryDirectory(prefix="import-", ignore_cleanup_errors=True) as folder:
            said = Path(folder, "said")
            places = [str(place) for place in sys.path]
            given = json.dumps([self.name, str(self.folder), part, str(said), places, IMPORT_SECONDS])
            command, none = [sys.executable, "-E", "-P", "-X", "utf8", __file__, given], subprocess.DEVNULL
            env = environment()
            try:
                code = subprocess.run(command, env=env, stdin=none, stdout=none, stderr=none, timeout=60).returncode
            except subprocess.TimeoutExpired:
                return f"{self._at(part, None)}: the import of this file did not end within a minute."
            told = said.read_text(encoding="utf-8", errors="replace") if said.exists() else ""
        if told.startswith("{"):
            return str(json.loads(told)["why"])
        if "Timeout" in told:
            frames = re.findall(r'(\w+)\.py", line (\d+)', told)  # the innermost first
            file, line = next((f for f in frames if self.path.with_name(f"{f[0]}.py").exists()), (part, 0))
            return (
                f"{self._at(file, int(line))}: the import of this file did not end within "
                f"{IMPORT_SECONDS} seconds: a line outside of all functions loops or waits. Remove it."
            )
        if told != "imported":
            return (
                f"{self._at(part, None)}: the import of this file ended the process (exit code {code}), as `os._exit` "
                "does. Remove the line outside of all functions that does so."
            )
        return ""

    def _times(self) -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in self.path.parent.glob("*.py")}

    def _at(self, part: str, line: int | None) -> str:
        return f"{shown(self.path.with_name(f'{part}.py'))}{f', line {line}' if line else ''}"

    def refresh(self) -> None:
        """Forget the engine's modules if one of their files has changed since they were imported."""
        times = self._times()
        if times != _imported.setdefault(self, times):
            _forget(self.name)
        _imported[self] = times

    def place(self, error: BaseException) -> str:
        """Where to look, as a sentence: the last line of the engine's file in an error's traceback."""
        return self.passed(error) or f"No line of {shown(self.path)} was running when it was raised."

    def passed(self, error: BaseException) -> str:
        """The last line of the engine's file in an error's traceback, as a sentence; empty if there is none."""
        frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).resolve() == self.path]
        if not frames:
            return ""
        return f"Look at {shown(self.path)}, line {frames[-1].lineno}, in {frames[-1].name}: {frames[-1].line}"

    def _owns(self, frame: traceback.FrameSummary) -> bool:
        return Path(frame.filename).parent == self.path.parent


@cache
def _compiled(path: Path, changed: int) -> Any:
    """The compiled file: each new process of a test imports it again."""
    return importlib.machinery.SourceFileLoader(path.stem, str(path)).get_code(path.stem)


def why_import_failed(error: BaseException) -> str:
    """Why an import failed, as a sentence."""
    name = type(error).__name__
    if name == "BdbQuit":
        return "a breakpoint() was left in."
    if isinstance(error, SystemExit):
        return f"the file ends the process (SystemExit: {error}), as `sys.exit()` does."
    if isinstance(error, EOFError):
        return "the file asks for input() while it is imported, and nothing can answer."
    return f"{name}: {error}."


def _remedy(study: Study) -> str:
    return " `durable-lab reset` restores the file as it was released." if study.name == "lab" else ""


def shown(path: Path) -> str:
    """A path for people: relative to the current folder, if both are in this project."""
    here = Path.cwd()
    inside = path.is_relative_to(here) or (path.is_relative_to(ROOT) and here.is_relative_to(ROOT))
    return os.path.relpath(path, here) if inside else str(path)


def _forget(package: str) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


def for_show() -> Study:
    """The engine for demos: what LAB_MODULE names, else the reference, else the student's."""
    return current("solution" if (ROOT / "solution" / "engine.py").is_file() else "lab")


def current(default: str = "lab") -> Study:
    """The engine under study, as `named` finds it. Raises StudyError also if its file does not exist."""
    study = named(default)
    try:
        study.path.stat()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StudyError(f"{shown(study.path)} cannot be read: {error.strerror or error}.{_remedy(study)}") from None
    if study.path.is_dir():
        raise StudyError(f"{shown(study.path)} is a folder, and must be a file. Rename it.{_remedy(study)}")
    if not study.path.is_file():
        raise StudyError(f"LAB_MODULE is {study.name!r}, but there is no file {study.path}.{_remedy(study)}")
    return study


def named(default: str = "lab") -> Study:
    """The engine that LAB_MODULE names. The student's `lab/` is in `LAB_WORKSPACE`; if that is not set, in the current
    folder (a fetched assignment has its own); if there is none, beside this package.

    Raises StudyError if LAB_MODULE is neither `lab` nor `solution`.
    """
    name = os.environ.get("LAB_MODULE") or default
    if name not in ("lab", "solution"):
        raise StudyError(f"LAB_MODULE is {name!r}; it must be 'lab' (your engine) or 'solution' (the reference).")
    folder = Path(os.environ.get("LAB_WORKSPACE") or _workspace()).resolve() if name == "lab" else ROOT
    return Study(name, folder)


def _workspace() -> Path:
    here = Path.cwd()
    return here if any(Path(here, "lab", name).exists() for name in ("engine.py", "refund.py")) else LAB_DIR


def _on_trial(name: str, folder: str, part: str, said: str, places: list[str], seconds: float) -> None:
    """Import an engine and write the outcome into `said`. A watchdog ends an import that loops, and writes where."""
    sys.path[:] = places
    with open(said, "w", encoding="utf-8") as file:  # noqa: PTH123 - the watchdog needs it open
        faulthandler.dump_traceback_later(seconds, exit=True, file=file)
        try:
            Study(name, Path(folder))._import(part)
            file.write("imported")
        except StudyError as error:
            file.write(json.dumps({"why": str(error)}))
        faulthandler.cancel_dump_traceback_later()
    os._exit(0)  # do not wait for a thread that the engine started


if __name__ == "__main__":
    _on_trial(*json.loads(sys.argv[1]))
