"""Histories on disk: append-only, one row a record, so that a killed process loses no record."""

from durable_lab.stores.errors import Conflict, InputMismatch, StoreError
from durable_lab.stores.runs import Run, Session
from durable_lab.stores.sqlite import SQLiteStore

__all__ = ["Conflict", "InputMismatch", "Run", "SQLiteStore", "Session", "StoreError"]
