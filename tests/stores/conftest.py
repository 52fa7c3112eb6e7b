"""Fixtures of the store's tests: a store in a folder of its own, and a second process to kill."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from durable_lab.stores import SQLiteStore
from solution import engine


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    """An open store with one run in it, "w"."""
    with SQLiteStore(path, engine=engine) as opened:
        opened.start("w", "refund", {"id": "A1"})
        yield opened


@pytest.fixture
def command() -> Callable[..., engine.Command]:
    """A command that has ended: `command(7)` is step(7) with the result 7."""

    def make(value: Any = None) -> engine.Command:
        tries = (engine.Attempt(1.0, 1.5),)
        return engine.Command("activity", "step", [value], True, value, None, tries, 1.0, 1.5)

    return make


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start another process on a piece of Python; its output can be read line by line."""
    started: list[subprocess.Popen[str]] = []

    def start(code: str, *arguments: str | Path) -> subprocess.Popen[str]:
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        child = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True, env=env, cwd=tmp_path
        )
        started.append(child)
        return child

    yield start
    for child in started:
        with child:  # closes the pipe and waits
            child.kill()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)
