"""`doctor`: what the lab needs, what is missing, and how to get it."""

from __future__ import annotations

import platform
import shutil
import sqlite3
import sys
from collections.abc import Iterator

import typer

from durable_lab import study
from durable_lab.checks.runner import TESTS
from durable_lab.cli.output import styled

PACKAGES = {
    "pytest": "make demo",
    "pytest-timeout": "make demo",
    "rich": "make demo",
    "typer": "make demo",
    "jupyterlab": "make lab",
    "ipywidgets": "make lab",
    "matplotlib": "make lab",
    "nbgrader": "make lab",
}
Finding = tuple[bool, str, str, str]  # good, what, found, how to get it


def doctor(context: typer.Context) -> int:
    """Show versions and paths, what is missing, and how to get it.

    The exit code is 1 if something that every command needs is missing.
    """
    findings = [*_machine(), *_paths(), *_packages()]
    for good, what, found, remedy in findings:
        word = ("ok     ", "green") if good else ("missing", "yellow")
        styled(context.obj, word, f"  {what:<16} {found}{'' if good else f'  ->  {remedy}'}")
    needed = {"Python", "SQLite", "engine", "tests", "pytest", "pytest-timeout", "rich", "typer"}
    return 1 if any(not good and what in needed for good, what, _, _ in findings) else 0


def _machine() -> Iterator[Finding]:
    version = platform.python_version()
    yield sys.version_info >= (3, 11), "Python", f"{version} ({sys.executable})", "install Python 3.11 or newer"
    yield sys.prefix != sys.base_prefix, "environment", sys.prefix, "run `make demo`; it makes .venv"
    yield sqlite3.sqlite_version_info >= (3, 37), "SQLite", sqlite3.sqlite_version, "install a newer Python"
    make, bubblewrap = shutil.which("make"), shutil.which("bwrap")
    yield bool(make), "make", str(make), "install make, or read the Makefile"
    yield bool(bubblewrap), "bubblewrap", "isolates student code, for instructors", "Linux: install bubblewrap"


def _paths() -> Iterator[Finding]:
    try:
        yield True, "engine", study.current().label, ""
    except study.StudyError as error:
        yield False, "engine", "", str(error)
    yield TESTS.is_dir(), "tests", str(TESTS), "get the whole repository"


def _packages() -> Iterator[Finding]:
    from importlib import metadata  # slow to import, and no other command needs it

    for name, remedy in PACKAGES.items():
        try:
            yield True, name, metadata.version(name), ""
        except metadata.PackageNotFoundError:
            yield False, name, "", f"run `{remedy}`"
