"""The timeline as a table of text: also what a screen reader gets."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from durable_lab.timeline.events import history_of
from durable_lab.timeline.model import History, repeated
from durable_lab.timeline.rows import MARKS, Row, table_rows

STYLES = {
    "failed": "red",
    "blocked": "yellow",
    "signal": "magenta",
    "worker": "cyan",
    "tried": "dim",
    "crash": "red",
    "divergence": "bold red",
}
MOST = 200  # rows of one text; longer histories are cut in the middle, with a word about it


def table_of(rows: Sequence[Row]) -> Table:
    """A rich Table. Every mark has its word beside it, so that colour and shape only repeat what is said."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    more = [
        (title, name)
        for title, name in (("ran", "ran"), ("live", "live_in"), ("replay", "replayed_by"))
        if any(getattr(row, name) for row in rows)
    ]
    for name in ("pos", "at", "", "event", "outcome", *(title for title, _ in more)):
        numeric = name in ("pos", "at")
        table.add_column(name, justify="right" if numeric else "left", overflow="fold", no_wrap=numeric)
    for row in rows:
        position = "" if row.position is None else str(row.position)
        at = "" if row.at is None else f"+{row.at:.2f} s"
        cells = (position, at, MARKS[row.mark], row.what, row.outcome, *(getattr(row, name) for _, name in more))
        table.add_row(*(Text(cell, style=STYLES.get(row.mark, "")) for cell in cells))
    return table


def plain_table(rows: Sequence[Row], width: int = 110) -> str:
    """The same table as plain text."""
    how: Any = {"force_terminal": False, "force_jupyter": False}  # or it would show itself in a notebook
    console = Console(width=width, color_system=None, file=io.StringIO(), **how)
    with console.capture() as captured:
        console.print(table_of(rows))
    return "\n".join(line.rstrip() for line in captured.get().splitlines() if line.strip())


def text_of(history: History, width: int = 110) -> str:
    """Title, table, what the world's books say, and the sentence: everything that the figure shows, in words."""
    rows = table_rows(history)
    parts = [history.title]
    if len(rows) > MOST:
        parts.append(f"{len(rows)} rows; the first {MOST // 2} and the last {MOST // 2} are shown")
        parts += [plain_table(rows[: MOST // 2], width), "...", plain_table(rows[-MOST // 2 :], width)]
    elif rows:
        parts.append(plain_table(rows, width))
    if history.effects:
        counts = [f"{name} {count} times" if count > 1 else name for name, count in repeated(history.effects).items()]
        parts.append(f"the world's own books ({len(history.effects)}): {', '.join(counts)}")
    return "\n".join([*parts, *([history.sentence] if history.sentence else [])])


def table(run: Any, *, width: int = 110, **options: Any) -> str:
    """The table of a RunResult or a WorkflowState; options as for `draw`. Anything else is shown as it is."""
    try:
        return text_of(history_of(run, **options), width)
    except TypeError:
        if hasattr(getattr(run, "state", run), "commands"):
            raise
        return repr(run)
