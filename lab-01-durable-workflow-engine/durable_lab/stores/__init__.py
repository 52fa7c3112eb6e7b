"""Where a history lives: on disk, one row a record, append-only, so that a killed process loses nothing recorded."""

from durable_lab.stores.errors import Conflict, InputMismatch, StoreError
from durable_lab.stores.runs import Run, Session
from durable_lab.stores.sqlite import SQLiteStore

__all__ = ["Conflict", "InputMismatch", "Run", "SQLiteStore", "Session", "StoreError"]
