"""The books of the outside world, in a SQLite file of their own: what came in, and what it did.

Effects are counted here, outside the engine, so that no engine can say that it paid once when the bank paid twice.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls(id INTEGER PRIMARY KEY, service TEXT, operation TEXT, key TEXT) STRICT;
CREATE TABLE IF NOT EXISTS effects(id INTEGER PRIMARY KEY, service TEXT, operation TEXT, key TEXT, body TEXT) STRICT;
CREATE INDEX IF NOT EXISTS calls_by_operation ON calls(service, operation);
CREATE INDEX IF NOT EXISTS effects_by_key ON effects(service, operation, key);
"""


@dataclass(frozen=True)
class Effect:
    """Something that happened in the world: money moved, an e-mail left. `id` counts from 1 over all services."""

    id: int
    service: str
    operation: str
    key: str | None
    body: Any


class Ledger:
    """One file of books. Every method is one transaction, so a killed process leaves no half entry."""

    def __init__(self, path: str | Path) -> None:
        try:
            self._db = sqlite3.connect(path, isolation_level=None, timeout=30)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise OSError(
                f"{path} cannot hold the world's books: {error}. Move it away, or name another file."
            ) from None

    def call(self, service: str, operation: str, key: str | None) -> int:
        """Note that a call came in. Returns its number among the calls of this operation, from 1."""
        self._db.execute("INSERT INTO calls(service, operation, key) VALUES (?, ?, ?)", (service, operation, key))
        return self.count_calls(service, operation)

    def effect(self, service: str, operation: str, key: str | None, body: Any, deduplicate: bool) -> Effect:
        """Make it happen; where `deduplicate` is set and the key is known, return what happened the first time."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            known = "SELECT * FROM effects WHERE service = ? AND operation = ? AND key = ?"
            row = self._db.execute(known, (service, operation, key)).fetchone() if deduplicate and key else None
            if row is None:
                insert = "INSERT INTO effects(service, operation, key, body) VALUES (?, ?, ?, ?) RETURNING *"
                row = self._db.execute(insert, (service, operation, key, json.dumps(body))).fetchone()
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        return _effect(row)

    def effects(self, operation: str | None = None) -> list[Effect]:
        """What has happened, in order; of one operation only, if it is named."""
        query = "SELECT * FROM effects WHERE :operation IS NULL OR operation = :operation ORDER BY id"
        rows = self._db.execute(query, {"operation": operation})
        return [_effect(row) for row in rows]

    def number(self, effect: Effect) -> int:
        """Which effect of its operation this is, from 1."""
        query = "SELECT count(*) FROM effects WHERE service = ? AND operation = ? AND id <= ?"
        return int(self._db.execute(query, (effect.service, effect.operation, effect.id)).fetchone()[0])

    def count_calls(self, service: str, operation: str) -> int:
        """How many calls of this operation came in, with or without an effect."""
        query = "SELECT count(*) FROM calls WHERE service = ? AND operation = ?"
        return int(self._db.execute(query, (service, operation)).fetchone()[0])

    def close(self) -> None:
        self._db.close()

    def __del__(self) -> None:  # books that nobody holds any more; Python 3.13 warns where they stay open
        if hasattr(self, "_db"):
            self._db.close()


def _effect(row: tuple[int, str, str, str | None, str]) -> Effect:
    return Effect(*row[:4], json.loads(row[4]))
