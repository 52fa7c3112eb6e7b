"""The entry in the sandbox, run as a file by confine.py: a submission on standard input, its document on output.

Comes in: the size of our modules, compiled, and these; a line of JSON, `{"lab": ..., "given": ..., "python": 3}`; then
each file, a line `[path, size, why not]` and its bytes: first so many Python files, then the notebooks. Goes out:
"ready", then "+" and the document as JSON, or "-" and the name of an error that is the grader's fault.
"""

from __future__ import annotations

import itertools
import json
import marshal
import sys
import threading
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

NESTING = 700  # frames: what can be parsed here can be parsed in the grader, too, whose limit is 1,000
STACK = 64 << 20  # bytes: Python's own limits for nesting are reached before this
_SOURCE = sys.stdin.buffer


class Modules:
    """Imports our modules, which come compiled, so that no file of ours is read and none is compiled again."""

    def __init__(self, code: dict[str, tuple[bool, CodeType]]) -> None:
        self.code = code

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The spec of a module of ours."""
        loader: Any = self
        return ModuleSpec(name, loader, is_package=self.code[name][0]) if name in self.code else None

    def create_module(self, spec: ModuleSpec) -> None:
        """An ordinary one."""

    def exec_module(self, module: ModuleType) -> None:
        """Run its code."""
        exec(self.code[module.__name__][1], vars(module))


def main() -> None:
    """Read, describe, write."""
    from grader.handin.inside.describe import Given, describe
    from grader.handin.inside.lab import from_json

    out = sys.stdout.buffer
    out.write(b"ready\n")
    out.flush()
    try:
        told = json.loads(_SOURCE.readline())
        files = _files()
        python = dict(itertools.islice(files, told["python"]))
        given = Given(**told["given"], python=python, notebooks=files)
        said = json.dumps(describe(given, from_json(told["lab"])), default=plain, ensure_ascii=False)
        out.write(b"+" + said.encode("utf-8", "replace"))
    except Exception as error:
        out.write(f"-{type(error).__name__}".encode())
    out.flush()


def _files() -> Iterator[tuple[str, bytes | str]]:
    """The files, or why they are not there, with their paths. Each is read when it is asked for, to save memory."""
    for line in iter(_SOURCE.readline, b""):
        path, size, why = json.loads(line)
        yield path, why or _SOURCE.read(size)


def plain(value: object) -> Any:
    """A value of the document as JSON can hold it."""
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    assert isinstance(value, frozenset)
    return sorted(value)


def _begin() -> None:
    """Take the limits, find the modules, and go."""
    globals()["confinement"].restrict()
    finder: Any = Modules(marshal.loads(_SOURCE.read(int(_SOURCE.readline()))))
    sys.meta_path.insert(0, finder)
    sys.setrecursionlimit(NESTING)
    threading.stack_size(STACK)
    work = threading.Thread(target=main)
    work.start()
    work.join()


if __name__ == "__main__":
    _begin()
