"""The student's command line, as the prose names it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from durable_lab.cli.main import DURABLE_LAB


@pytest.fixture(scope="session")
def durable_lab_takes() -> Callable[[Sequence[str]], None]:
    """durable_lab_takes(["check", "1"]) raises typer.TyperException if `durable-lab check 1` is no command."""
    parser = DURABLE_LAB.parser()

    def take(words: Sequence[str]) -> None:
        with parser.make_context("durable-lab", [*words]) as context:
            if words:
                name, command, rest = parser.resolve_command(context, [*words])
                command.make_context(name, rest, parent=context)

    return take
