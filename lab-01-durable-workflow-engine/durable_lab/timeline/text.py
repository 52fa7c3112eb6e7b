"""The timeline as a table of text: also what a screen reader gets."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from durable_lab.timeline.rows import MARKS, Row

STYLES = {"failed": "red", "blocked": "yellow", "signal": "magenta", "worker": "cyan", "tried": "dim"}


def table_of(rows: Sequence[Row]) -> Table:
    """A rich Table. Every mark has its word beside it, so that colour and shape only repeat what is said."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in ("pos", "at", "", "event", "outcome", "live", "replay"):
        numeric = name in ("pos", "at")
        table.add_column(name, justify="right" if numeric else "left", overflow="fold", no_wrap=numeric)
    for row in rows:
        position = "" if row.position is None else str(row.position)
        at = "" if row.at is None else f"+{row.at:.2f} s"
        cells = (position, at, MARKS[row.mark], row.what, row.outcome, row.live_in, row.replayed_by)
        table.add_row(*(Text(cell, style=STYLES.get(row.mark, "")) for cell in cells))
    return table
