"""The history of a run, as rows and as text. Events are canonical; everything else is derived from them."""

from durable_lab.timeline.rows import Row, rows_of
from durable_lab.timeline.text import table_of

__all__ = ["Row", "rows_of", "table_of"]
