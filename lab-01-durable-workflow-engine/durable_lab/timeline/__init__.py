"""The history of a run as text, as a figure, and as a widget: events -> rows or a scene -> a painter."""

from durable_lab.timeline.events import history_of
from durable_lab.timeline.figure import Drawing, draw
from durable_lab.timeline.model import History
from durable_lab.timeline.notebook import Timeline
from durable_lab.timeline.rows import Row, rows_of
from durable_lab.timeline.text import table, table_of

__all__ = ["Drawing", "History", "Row", "Timeline", "draw", "history_of", "rows_of", "table", "table_of"]
