"""A parsed command line as typed options, so that mypy finds a misspelled or missing one."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Options = TypeVar("Options", bound=DataclassInstance)
else:
    Options = TypeVar("Options")

Action = Callable[[Console, argparse.Namespace], int]


def action(kind: type[Options], act: Callable[[Console, Options], int]) -> Action:
    """The command `act`, whose options are of this kind. Every field is an option of its parser."""
    return lambda console, given: act(console, typed(kind, given))


def typed(kind: type[Options], given: argparse.Namespace) -> Options:
    """The options that were parsed, as this kind has them. Raises AttributeError if the parser does not make one."""
    values: dict[str, Any] = {field.name: getattr(given, field.name) for field in fields(kind)}
    return kind(**values)
