"""Start a Python process for the lab that the user's environment does not affect.

PYTEST_ADDOPTS and PYTHONOPTIMIZE are meant for other programs, a `random.py` in the current folder must not replace
Python's module, and a debugger would wait for a terminal forever. Such a process runs this file first:

    python -E -P -X utf8 processes.py FOLDERS MODULE [ARGUMENT ...]
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path

_LAB_DIR = str(Path(__file__).resolve().parents[1])
_FOREIGN = ("PYTHON", "PYTEST", "PY_COLORS", "FORCE_COLOR", "TTY_", "COV_", "COVERAGE_")
_OURS = ("LAB_MODULE", "LAB_WORKSPACE", "LAB_SUBSTITUTE")  # set by the caller only


def command(module: str, *arguments: str) -> list[str]:
    """The command for `python -m module`. The folders of this process's sys.path come after Python's own."""
    folders = json.dumps([*(os.path.abspath(entry) for entry in sys.path if entry), _LAB_DIR])  # noqa: PTH100 - not links
    return [sys.executable, "-E", "-P", "-X", "utf8", str(Path(__file__).resolve()), folders, module, *arguments]


def environment(**variables: str) -> dict[str, str]:
    """This process's environment with these variables, and without those that change Python or pytest."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN) and name not in _OURS}
    return {**kept, **variables}


def run(
    module: str, *arguments: str, variables: Mapping[str, str], seconds: float | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `python -m module` to its end, with an empty stdin. Raises subprocess.TimeoutExpired and OSError."""
    return subprocess.run(
        command(module, *arguments),
        env=environment(**variables),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=seconds,
        check=False,
    )


class NoTerminal(BaseException):
    """Code in such a process called a debugger. A BaseException, so that no `except Exception` hides it."""


def no_debugger(*_: object, **__: object) -> None:
    """What `breakpoint()` calls in such a process."""
    raise NoTerminal("A `breakpoint()` is left in the code. There is no terminal for a debugger here: remove it.")


def _main(folders: str, module: str, *arguments: str) -> None:
    sys.path += [entry for entry in json.loads(folders) if entry not in sys.path]
    sys.argv[1:] = arguments
    from durable_lab import processes

    sys.breakpointhook = processes.no_debugger
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except processes.NoTerminal as error:
        frame = traceback.extract_tb(error.__traceback__)[-2]
        sys.exit(f"{frame.filename}, line {frame.lineno}: {error}")


if __name__ == "__main__":
    _main(*sys.argv[1:])
