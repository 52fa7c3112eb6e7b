"""The books of the outside world, in their own SQLite file: the calls that came in, and their effects.

Effects are counted here, outside the engine, so that no engine can claim that it paid once when the bank paid twice.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from durable_lab.stores import SQLiteStore, StoreError, log
from durable_lab.stores.database import Database, Format, transaction

_SCHEMA = """
CREATE TABLE calls(id INTEGER PRIMARY KEY, service TEXT, operation TEXT, key TEXT) STRICT;
CREATE TABLE effects(id INTEGER PRIMARY KEY, service TEXT, operation TEXT, key TEXT, body TEXT) STRICT;
CREATE INDEX calls_by_operation ON calls(service, operation);
CREATE INDEX effects_by_key ON effects(service, operation, key);
"""
_LATER = """
CREATE TABLE IF NOT EXISTS owner(one INTEGER PRIMARY KEY CHECK(one = 1), store TEXT NOT NULL,
    path TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS effects_by_service_key ON effects(service, key);
"""


class BooksError(StoreError, OSError):
    """The books cannot be read or written. No service has answered, so this is never the outcome of an activity."""


class IdempotencyError(ValueError):
    """A service received a known idempotency key with another request. A retry does not help."""


BOOKS = Format(
    "the world's books",
    application_id=0x44574231,  # "DWB1"
    version=1,
    schema=_SCHEMA,
    later=_LATER + log.SCHEMA,
    unmarked=frozenset({"calls", "effects"}),  # made before books had an application id
    error=BooksError,
)


def books_of(store: str | Path) -> Path:
    """The file of the world that belongs to a store: refund.db has refund.world.db, run.1 has run.1.world.db.

    A symbolic link to a store has the books of that store.
    """
    path = Path(store).resolve() if Path(store).is_symlink() else Path(store)
    return path.with_name(path.name.removesuffix(".db") + ".world.db")


@dataclass(frozen=True)
class Effect:
    """Something that happened in the world: money moved, an e-mail left. `id` counts from 1 over all services."""

    id: int
    service: str
    operation: str
    key: str | None
    body: Any


class Ledger:
    """One file of books. Every method is one transaction, so a killed process leaves no half entry.

    of     the store that these books belong to: they refuse any other store, so that two stores never share a world
    look   read-only; if the file does not exist, nothing has happened yet

    Raises BooksError at once if the file cannot be used, before anything happens.
    """

    def __init__(self, path: str | Path, *, of: SQLiteStore | None = None, look: bool = False) -> None:
        self._file = Database(Path(path), BOOKS, look=look) if not look or Path(path).exists() else None
        if self._file is None:
            self._db = sqlite3.connect(":memory:", isolation_level=None)
            self._db.executescript(_SCHEMA)
            return
        self._db = self._file.db
        try:
            if of is not None:
                self._belong_to(of)
            elif not look:
                with self._file.explained(), self._file.transaction():
                    pass  # find out whether it may be written, before any step
        except BaseException:
            self.close()
            raise

    def _belong_to(self, store: SQLiteStore) -> None:
        """Note which store the books belong to. Raises BooksError if it is another one."""
        file, mine = self._file, store.id
        assert file
        with file.explained(), ExitStack() as stack:
            if not file.look:
                stack.enter_context(file.transaction())
                insert = "INSERT OR IGNORE INTO owner VALUES (1, ?, ?)"
                self._db.execute(insert, (mine, str(store.path).encode(errors="backslashreplace").decode()))
            row = self._db.execute("SELECT store, path FROM owner").fetchone() if file.has("owner") else None
        if row and mine and row[0] != mine:
            raise BooksError(
                f"{file.path} has the books of another store (its name was {row[1]}), so {store.path} would share a "
                "world with it, and known keys would come with new requests. Name another store. If that other one was "
                f"deleted to begin again, delete {file.path.name} as well."
            )

    def call(self, service: str, operation: str, key: str | None) -> int:
        """Note a call. Returns its number among the calls of this operation, from 1."""
        with self._explained(writes=True):
            self._db.execute("INSERT INTO calls(service, operation, key) VALUES (?, ?, ?)", (service, operation, key))
        return self.count_calls(service, operation)

    def effect(self, service: str, operation: str, key: str | None, body: Any, deduplicate: bool) -> Effect:
        """Record a new effect. If `deduplicate` is set and the key is known, return the effect of the first call.

        Raises IdempotencyError if the service has received this key with another request.
        """
        asked = json.dumps(body, sort_keys=True)
        with self._explained(writes=True), transaction(self._db):
            known = "SELECT * FROM effects WHERE service = ? AND key = ? ORDER BY id LIMIT 1"
            row = self._db.execute(known, (service, key)).fetchone() if deduplicate and key else None
            if row is None:
                insert = "INSERT INTO effects(service, operation, key, body) VALUES (?, ?, ?, ?) RETURNING *"
                row = self._db.execute(insert, (service, operation, key, json.dumps(body))).fetchone()
        effect = _effect(row)
        then = json.dumps(effect.body, sort_keys=True)
        if (effect.operation, then) != (operation, asked):
            raise IdempotencyError(
                f"the {service} got the idempotency key {key!r} before, with another request: then {effect.operation} "
                f"{then:.200}, now {operation} {asked:.200}. One key stands for one request, so nothing was done. Ask "
                "as before, or use a new key (another workflow id)."
            )
        return effect

    def effects(self, operation: str | None = None) -> list[Effect]:
        """The effects in order; only those of one operation, if it is named."""
        query = "SELECT * FROM effects WHERE :operation IS NULL OR operation = :operation ORDER BY id"
        with self._explained():
            return [_effect(row) for row in self._db.execute(query, {"operation": operation})]

    def number(self, effect: Effect) -> int:
        """The number of this effect among those of its operation, from 1."""
        query = "SELECT count(*) FROM effects WHERE service = ? AND operation = ? AND id <= ?"
        with self._explained():
            return int(self._db.execute(query, (effect.service, effect.operation, effect.id)).fetchone()[0])

    def count_calls(self, service: str, operation: str) -> int:
        """The number of calls of this operation, with or without an effect."""
        query = "SELECT count(*) FROM calls WHERE service = ? AND operation = ?"
        with self._explained():
            return int(self._db.execute(query, (service, operation)).fetchone()[0])

    def close(self) -> None:
        if self._file:
            self._file.close()
        else:
            self._db.close()

    def __del__(self) -> None:  # Python 3.13 warns if a connection stays open
        if hasattr(self, "_db"):
            with suppress(sqlite3.ProgrammingError):  # the garbage collector may run in another thread
                self.close()

    def _explained(self, writes: bool = False) -> AbstractContextManager[None]:
        return self._file.explained(writes) if self._file else nullcontext()


def _effect(row: tuple[int, str, str, str | None, str]) -> Effect:
    return Effect(*row[:4], json.loads(row[4]))
