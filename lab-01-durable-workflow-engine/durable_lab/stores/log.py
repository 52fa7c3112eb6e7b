"""One row ties a file to its write-ahead log (FILE-wal).

SQLite applies any log that it finds beside a file, even one of another store, or one that is older or newer than the
file, and mixes the two without an error. A copy of the file alone lacks the records in its log. So one row ties them:

    tie   id        of this store, for ever
          state     new for each log: the state of the file that the log begins with
          before    at the end of a log, the state that it began with
          complete  0 in the file itself; 1 in its log, so that it is 1 in the file only once the log was moved into it

Each log begins with this row (`renew`), and belongs to the file whose state it names. A file that is not complete, and
has no log beside it, was copied or moved without it. Only `renew` restarts the log: automatic checkpoints are off.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import time
from pathlib import Path

from durable_lab.stores.errors import StoreError

# All values have a fixed length, so SQLite overwrites the row in place and a page never holds an older version of it.
SCHEMA = """
CREATE TABLE IF NOT EXISTS tie(one INTEGER PRIMARY KEY CHECK(one = 1), id TEXT NOT NULL, state TEXT NOT NULL,
    before TEXT NOT NULL, complete INTEGER NOT NULL) STRICT;
INSERT OR IGNORE INTO tie VALUES (1, lower(hex(randomblob(16))), '0000000000000000', '0000000000000000', 1);
"""
_NEW = "0" * 16  # the state of a file that had no log yet
_HEADER, _FRAME_HEADER = 32, 24  # bytes, as in SQLite's file format
_LOOKS, _PAUSE = 10, 0.03  # seconds: a mismatch must last for all looks
_CHECKPOINT_WAIT = 100  # milliseconds: while there are readers, the log grows a little more


def log_of(path: Path, ending: str = "-wal") -> Path:
    """The path of this file's log. SQLite puts it beside the file that a symbolic link points to."""
    real = path.resolve()
    return real.with_name(real.name + ending)


def size(file: Path) -> int:
    """The size of a file in bytes, 0 if it does not exist."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def has_records(log: Path) -> bool:
    """Whether it contains more than the tie."""
    return size(log) > _HEADER + _FRAME_HEADER + 4096


def renew(db: sqlite3.Connection) -> None:
    """Move the log into the file, and begin a new one with the row that ties it to the file. Syncs as `db` does."""
    db.execute("UPDATE tie SET before = state, state = ?, complete = 0", (secrets.token_hex(8),))
    (wait,) = db.execute("PRAGMA busy_timeout").fetchone()
    db.execute(f"PRAGMA busy_timeout={_CHECKPOINT_WAIT}")
    try:
        with contextlib.suppress(sqlite3.OperationalError):  # there are readers, or another process does it
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        db.execute(f"PRAGMA busy_timeout={wait}")
    # Subtle: `before` gets a new value too, because SQLite does not write an unchanged page.
    db.execute("UPDATE tie SET complete = 1, before = ?", (secrets.token_hex(8),))


def complete(db: sqlite3.Connection) -> None:
    """Set `complete` in the log, and so in the file once the log has been moved into it."""
    if db.execute("SELECT complete FROM tie").fetchone() != (1,):
        db.execute("UPDATE tie SET complete = 1")


def refuse_without_file(path: Path) -> None:
    """SQLite deletes a log that it finds beside no file, or beside an empty one. Raises StoreError instead."""
    log = log_of(path)
    for _ in range(_LOOKS):
        if size(path) or size(log) <= _HEADER:
            return
        time.sleep(_PAUSE)  # subtle: another thread or process may be about to create the file
    raise StoreError(
        f"{path} is not there or empty, but its log is: {log}. SQLite would delete the log, which may be the only "
        "copy of the last records. Put the file back beside it, or move the log away."
    )


def refuse_foreign(path: Path) -> None:
    """Raise StoreError if the log beside this file is of another file or state, or if its own log is missing."""
    log = log_of(path)
    for _ in range(_LOOKS):
        tie = _tie_of(path)
        if tie is None:
            return  # an old file, or one left in the middle of a checkpoint
        root, id, state, complete = tie
        if state != _NEW and size(log_of(path, "-journal")):  # a journal of its own exists only before the first log
            raise StoreError(
                f"{path}: the rollback journal beside it, {log_of(path, '-journal')}, belongs to another file. SQLite "
                "would write it over this one. Nothing was changed. Move the journal away, then try again."
            )
        if _belongs(log, root, id, state) if size(log) > _HEADER else complete or log.exists():
            return
        time.sleep(_PAUSE)  # subtle: another process may be about to renew the log, or to close the file
    if size(log) > _HEADER:
        raise StoreError(
            f"{path}: the log beside it, {log}, belongs to another file, or to another state of this file. SQLite "
            "would mix the two. Nothing was changed. Put the file back that belongs to this log, or move the log "
            "away to go on with this file as it is."
        )
    raise StoreError(
        f"{path}: its log, {log.name}, is not beside it: the file was copied or moved without it, so the last records "
        "may be missing, and their activities would run again. Nothing was changed. Put the log beside it. If there is "
        f'none: `sqlite3 {path} "UPDATE tie SET complete = 1"` makes the lab accept the file as it is.'
    )


def _tie_of(path: Path) -> tuple[int, str, str, int] | None:
    """Read the tie from the file alone: the number of its page, id, state, complete. None if that is not possible."""
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as db:
            (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'tie'").fetchone()
            id, state, complete = db.execute("SELECT id, state, complete FROM tie").fetchone()
            return int(root), str(id), str(state), int(complete)
    except (sqlite3.Error, TypeError, ValueError):
        return None


def _belongs(log: Path, root: int, id: str, state: str) -> bool:
    """Whether a tie in this log has this id and names this state.

    A log without any tie counts as this file's: its process was killed just after it began a new log.
    """
    no_tie = True
    try:
        with log.open("rb") as file:  # SQLite has no lock on this file
            header = file.read(_HEADER)
            page_size, salt = int.from_bytes(header[8:12], "big"), header[16:24]
            while len(frame := file.read(_FRAME_HEADER)) == _FRAME_HEADER:
                if frame[8:16] != salt:
                    break  # the rest of the file is left from an older log
                if int.from_bytes(frame[:4], "big") != root:
                    file.seek(page_size, os.SEEK_CUR)
                    continue
                page, no_tie = file.read(page_size), False
                if id.encode() in page and state.encode() in page:
                    return True
    except OSError:
        pass
    return no_tie
