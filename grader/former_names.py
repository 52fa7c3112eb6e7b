"""Names that modules of the grader had before 0.2. They still import, as the same modules under their present names.

An nbgrader course stores such names in its settings, and instructors' scripts import them.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType

PRESENT = {
    "grader.bank": "grader.dev.bank",
    "grader.bench": "grader.dev.bench",
    "grader.bench_grading": "grader.dev.bench_grading",
    "grader.bench_timeline": "grader.dev.bench_timeline",
    "grader.build": "grader.dev.build",
    "grader.course": "grader.nbgrader_course",
    "grader.submission": "grader.handin",
}


class FormerNames(MetaPathFinder, Loader):
    """Finds a module by its former name. Put first in sys.meta_path: else a submodule would be loaded a second time."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of the present module, or None if the name is not a former one."""
        present = self._present(name)
        spec = find_spec(present) if present else None
        if spec is None:
            return None
        return ModuleSpec(name, self, origin=spec.origin, is_package=spec.submodule_search_locations is not None)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module under its present name."""
        module = importlib.import_module(self._present(spec.name))
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to execute; the import system has replaced the module's spec, which is put back."""
        module.__spec__ = self._spec

    def get_code(self, name: str) -> CodeType | None:
        """The code of the module, for `python -m`."""
        spec = find_spec(self._present(name))
        return spec.loader.get_code(spec.name) if spec and isinstance(spec.loader, InspectLoader) else None

    @staticmethod
    def _present(name: str) -> str:
        package, dot, rest = name.removeprefix("grader.").partition(".")
        present = PRESENT.get(f"grader.{package}", "") if name.startswith("grader.") else ""
        return f"{present}{dot}{rest}" if present else ""
