"""Which engine is under study: the one place that reads `LAB_MODULE`, and that finds the engine's file."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

LAB_DIR = Path(__file__).resolve().parents[1]
ROOT = LAB_DIR.parent


_imported: dict[Study, dict[Path, int]] = {}  # the times of the files that each engine was imported from


class StudyError(Exception):
    """The engine under study cannot be used. The message is for the user, in one line."""


@dataclass(frozen=True)
class Study:
    """An engine by name ("lab" or "solution") and the folder that its package stands in."""

    name: str
    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / self.name / "engine.py"

    @property
    def label(self) -> str:
        """Said beside every result: which engine ran, and from which file."""
        return f"{self.name} ({shown(self.path)})"

    def module(self, part: str = "engine") -> ModuleType:
        """The engine's module, or another one of its package. Raises StudyError where it cannot be imported."""
        home = str(self.path.parent)
        if home not in getattr(sys.modules.get(self.name), "__path__", []):
            # By its path, not by a search: another `lab` on sys.path must never be taken for this one.
            _forget(self.name)
            package = sys.modules[self.name] = ModuleType(self.name)
            package.__path__ = [home]
        try:
            return importlib.import_module(f"{self.name}.{part}")
        except Exception as error:
            line = next((f.lineno for f in reversed(traceback.extract_tb(error.__traceback__)) if self._owns(f)), None)
            line = error.lineno if isinstance(error, SyntaxError) else line
            where = shown(self.path.with_name(f"{part}.py"))
            raise StudyError(
                f"{where}{f', line {line}' if line else ''}: {type(error).__name__}: {error}. "
                "Nothing could be run; mend this line first."
            ) from None

    def refresh(self) -> None:
        """Forget the engine's modules where a file of theirs has changed since they were imported."""
        times = {path: path.stat().st_mtime_ns for path in self.path.parent.glob("*.py")}
        if times != _imported.setdefault(self, times):
            _forget(self.name)
        _imported[self] = times

    def place(self, error: BaseException) -> str:
        """The last line of the engine's own file that an error passed: where its owner has to look."""
        frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).resolve() == self.path]
        if not frames:
            return "It came from no line of this file: something that your code returned could not be used."
        return f"Look at {shown(self.path)}, line {frames[-1].lineno}, in {frames[-1].name}: {frames[-1].line}"

    def _owns(self, frame: traceback.FrameSummary) -> bool:
        return Path(frame.filename).parent == self.path.parent


def shown(path: Path) -> str:
    """A path as a person likes it: relative to the folder they are in, where both are in this project."""
    here = Path.cwd()
    inside = path.is_relative_to(here) or (path.is_relative_to(ROOT) and here.is_relative_to(ROOT))
    return os.path.relpath(path, here) if inside else str(path)


def _forget(package: str) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


def for_show() -> Study:
    """The engine for demos: what LAB_MODULE names, or the reference, or the student's where that is all there is."""
    return current("solution" if (ROOT / "solution" / "engine.py").is_file() else "lab")


def current(default: str = "lab") -> Study:
    """The engine that LAB_MODULE names. The student's `lab/` is that of `LAB_WORKSPACE`; without it, that of the folder
    they work in (an assignment that was fetched has its own); without that, the one that came with this package.

    Raises StudyError where LAB_MODULE is neither `lab` nor `solution`, or its file is not there.
    """
    name = os.environ.get("LAB_MODULE") or default
    if name not in ("lab", "solution"):
        raise StudyError(f"LAB_MODULE is {name!r}; it must be 'lab' (your engine) or 'solution' (the reference).")
    folder = Path(os.environ.get("LAB_WORKSPACE") or _workspace()).resolve() if name == "lab" else ROOT
    study = Study(name, folder)
    if not study.path.is_file():
        raise StudyError(f"LAB_MODULE is {name!r}, but there is no file {study.path}.")
    return study


def _workspace() -> Path:
    here = Path.cwd()
    return here if Path(here, "lab", "engine.py").is_file() else LAB_DIR
