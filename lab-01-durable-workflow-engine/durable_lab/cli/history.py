"""The history of one run in a terminal, beside the world's own books."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from durable_lab.cli.output import say
from durable_lab.stores import Run
from durable_lab.timeline import table_of
from durable_lab.timeline.events import from_records
from durable_lab.timeline.rows import table_rows
from durable_lab.timeline.words import brief
from durable_lab.world import Effect

MOST = 20  # names or effects in one list; longer lists are cut in the middle


def shortened(items: Sequence[str], gap: str) -> list[str]:
    """The items, the middle of a long list replaced by `gap`."""
    return [*items] if len(items) <= MOST else [*items[: MOST // 2], gap, *items[-MOST // 2 :]]


def show_history(console: Console, run: Run, records: Sequence[Any], effects: Sequence[Effect] | None) -> None:
    """Print the timeline of one run, then what the world's own books say; `effects` is None if there are no books."""
    say(console, f"{run.workflow} {run.workflow_id}: {run.status}")
    say(console, f"input {brief(run.input, 100)}")
    told = from_records(records, run.sessions, status=run.status, detail=run.detail)
    for words in filter(None, (told.start, told.times)):
        say(console, words)
    console.print(table_of(table_rows(told), console.width))
    if effects is None:
        say(console, "the world's own books: not found beside this store, so its effects are unknown")
        return
    say(console, "the world's own books:")
    for line in shortened(list(map(_in_the_books, effects)), f"... ({len(effects):,} effects) ..."):
        say(console, f"  {line}")
    paid = sum(effect.operation == "pay_back" for effect in effects)
    say(console, f"  refunds paid by the bank: {paid}")


def _in_the_books(effect: Effect) -> str:
    key = f", key {effect.key}" if effect.key else ""
    return f"{effect.id}. {effect.service}: {effect.operation} {brief(effect.body, 100)}{key}"
