"""The timeline as a table of text, which is also what a screen reader gets."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from durable_lab.printable import printable
from durable_lab.timeline.events import history_of
from durable_lab.timeline.model import History, repeated
from durable_lab.timeline.rows import MARKS, Row, table_rows
from durable_lab.timeline.times import NO_TIME
from durable_lab.timeline.words import duration

STYLES = {
    "failed": "red",
    "blocked": "yellow",
    "signal": "magenta",
    "worker": "cyan",
    "tried": "dim",
    "crash": "red",
    "divergence": "bold red",
}
MOST = 200  # rows of one table; a row stands for the middle of a longer history
CELL = 300  # characters of one cell


def table_of(rows: Sequence[Row], width: int = 110) -> Table:
    """Return a rich Table. Each mark has its word beside it, so that nothing depends on colour or shape.

    If `width` is under 76, outcomes stand below events: side by side, both would be broken inside words.
    """
    hidden = len(rows) - MOST
    if hidden > 0:
        gap = Row("tried", None, None, f"... {hidden:,} rows are not shown ...")
        rows = [*rows[: MOST // 2], gap, *rows[-MOST // 2 :]]
    narrow = width < 76
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    more = [
        (title, name)
        for title, name in (("ran", "ran"), ("live", "live_in"), ("replay", "replayed_by"))
        if any(getattr(row, name) for row in rows)
    ]
    for name in ("pos", "at", "", "event", *([] if narrow else ["outcome"]), *(title for title, _ in more)):
        numeric = name in ("pos", "at")
        table.add_column(name, justify="right" if numeric else "left", overflow="fold", no_wrap=numeric)
    for row in rows:
        position = "" if row.position is None else str(row.position)
        at = NO_TIME if row.untimed else "" if row.at is None else f"+{duration(row.at)}"
        told = [_shown(row.what), _shown(row.outcome)]
        told = ["\n-> ".join(filter(None, told))] if narrow else told
        cells = (position, at, MARKS[row.mark], *told, *(_shown(getattr(row, name), 20) for _, name in more))
        table.add_row(*(Text(cell, style=STYLES.get(row.mark, "")) for cell in cells))
    return table


def _shown(cell: str, most: int = CELL) -> str:
    return printable(cell if len(cell) <= most else cell[: most - 3] + "...")


def plain_table(rows: Sequence[Row], width: int = 110) -> str:
    """Return the same table as plain text."""
    how: Any = {"force_terminal": False, "force_jupyter": False}  # otherwise it displays itself in a notebook
    console = Console(width=width, color_system=None, file=io.StringIO(), **how)
    with console.capture() as captured:
        console.print(table_of(rows, width))
    return "\n".join(line.rstrip() for line in captured.get().splitlines() if line.strip())


def text_of(history: History, width: int = 110) -> str:
    """Return everything that the figure shows as text: title, table, the world's books, and the sentence."""
    rows = table_rows(history)
    parts = [" · ".join(part for part in (history.title, history.start) if part)]
    if len(rows) > MOST:
        parts.append(f"{len(rows)} rows; the first {MOST // 2} and the last {MOST // 2} are shown")
    if rows:
        parts.append(plain_table(rows, width))
    if history.effects:
        counts = [f"{name} {count} times" if count > 1 else name for name, count in repeated(history.effects).items()]
        parts.append(f"the world's own books ({len(history.effects)}): {', '.join(counts)}")
    return "\n".join([*parts, *([history.sentence] if history.sentence else [])])


def table(run: Any, *, width: int = 110, **options: Any) -> str:
    """Return the table of a RunResult or a WorkflowState; options as for `draw`. Of any other value, its `repr`."""
    try:
        return text_of(history_of(run, **options), width)
    except TypeError:
        if hasattr(getattr(run, "state", run), "commands"):
            raise
        return repr(run)
