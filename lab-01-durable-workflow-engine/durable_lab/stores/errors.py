"""The errors of a store. Each message says what happened, to which file, and what to do next."""

from __future__ import annotations

import sqlite3
from pathlib import Path


class StoreError(Exception):
    """The store cannot do what was asked. Existing records stay as they are."""


class InputMismatch(StoreError):
    """A workflow id was started again with another input, or as another workflow (R14)."""


class Conflict(StoreError):
    """Another worker has recorded this position first. Two writers never both win."""

    @classmethod
    def at(cls, path: Path, workflow_id: str, seq: int) -> Conflict:
        return cls(
            f"{path}: run {workflow_id!r}: another worker has recorded a command at seq {seq} or after, so this worker "
            "stops, and its last result does not count. Let the other worker go on, or load the run again."
        )


_SPACE = (
    "the disk is full or failing ({error}). This last write was undone; every history is good up to its last "
    "record. Free some space, then resume."
)
_DAMAGED = (
    "the file is damaged ({error}). Nothing was changed. Restore a copy of it, or move it away and start a new one; "
    "`sqlite3 FILE .recover` may recover part of it."
)
_BUSY = (
    "another program has kept it locked for {seconds} s ({error}). End that program, then try again; nothing is lost."
)
_ADVICE = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_READONLY: "it may not be written ({error}). Copy it to a folder of your own, and name that file.",
    sqlite3.SQLITE_IOERR: _SPACE,
    sqlite3.SQLITE_FULL: _SPACE,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened ({error}). Is its folder there, and may you write in it?",
    sqlite3.SQLITE_PERM: "it may not be opened ({error}). Name a file that you may write.",
}
_OTHER = "SQLite says: {error}. This last write was undone."
_MISUSED = "{error} Only the thread that opened a connection may use it, until it is closed. Open another one."
BUSY_SECONDS = 30


def explain(
    error: sqlite3.Error, path: Path, code: int | None = None, kind: type[StoreError] = StoreError
) -> StoreError:
    """Return an error of this kind that says what SQLite's error means for the owner of `path`."""
    code = getattr(error, "sqlite_errorcode", code)  # no code: it comes from Python's sqlite3 module, not from SQLite
    advice = _MISUSED if code is None else _ADVICE.get(code & 0xFF, _OTHER)
    return kind(f"{path}: {advice.format(error=error, seconds=BUSY_SECONDS)}")
