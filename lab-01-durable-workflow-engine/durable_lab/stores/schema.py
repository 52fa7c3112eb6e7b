"""The file: its tables, how it is told from other files, and how it is opened.

    runs      one row a run: workflow, input, and how it was last left
    sessions  one row for each worker that took a run up
    history   one row a record, append-only:

        workflow_id  seq  type     record                                                          signal_key
        refund-7       0  command  {"kind":"activity","name":"assess","args":[...],"ok":true,...}  NULL
        refund-7       1  signal   {"name":"approval","payload":{"by":"Ana"},"received_at":1.5}    approval
        refund-7       2  command  {"kind":"signal","name":"approval",...}                         NULL

`record` is the JSON of that one Command or Signal just as `WorkflowState.to_json` has it.
"""

from __future__ import annotations

import contextlib
import sqlite3
import stat
import time
from pathlib import Path

from durable_lab.stores.errors import BUSY_SECONDS, StoreError, explain

APPLICATION_ID = 0x44574C31  # "DWL1", at byte 68 of the file: this file is a store of this lab
VERSION = 1  # at byte 60

# The triggers hold for whoever writes, with whatever program. `next_only` also stops INSERT OR REPLACE, which deletes
# without asking a DELETE trigger. The index has only the signals that came with a key: commands cost it nothing.
SCHEMA = """
CREATE TABLE runs(workflow_id TEXT PRIMARY KEY, workflow TEXT NOT NULL, input TEXT NOT NULL,
    status TEXT NOT NULL CHECK(status IN ('running', 'blocked', 'completed', 'failed')), detail TEXT) STRICT;
CREATE TABLE sessions(workflow_id TEXT NOT NULL, number INTEGER NOT NULL, engine TEXT NOT NULL,
    began_after INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY(workflow_id, number)) STRICT, WITHOUT ROWID;
CREATE TABLE history(workflow_id TEXT NOT NULL, seq INTEGER NOT NULL,
    type TEXT NOT NULL CHECK(type IN ('command', 'signal')), record TEXT NOT NULL, signal_key TEXT,
    PRIMARY KEY(workflow_id, seq)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX history_keys ON history(workflow_id, signal_key) WHERE signal_key IS NOT NULL;
CREATE TRIGGER no_update BEFORE UPDATE ON history BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON history BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
CREATE TRIGGER next_only BEFORE INSERT ON history
    WHEN new.seq <> coalesce((SELECT max(seq) + 1 FROM history WHERE workflow_id = new.workflow_id), 0)
        OR new.signal_key IS NOT NULL AND EXISTS (
            SELECT 1 FROM history WHERE workflow_id = new.workflow_id AND signal_key = new.signal_key)
    BEGIN SELECT RAISE(ABORT, 'history is append-only: this seq is not the next, or this key is known'); END;
"""


def connect(path: Path, synchronous: str) -> sqlite3.Connection:
    """Open the store, or make it where there is no file or an empty one. Raises StoreError; changes no foreign file."""
    if sqlite3.sqlite_version_info < (3, 37):
        raise StoreError(f"{path}: SQLite 3.37 or newer is needed; this Python has {sqlite3.sqlite_version}.")
    _check_file(path)
    try:
        # isolation_level None: each statement is a transaction of its own, unless BEGIN says otherwise
        db = sqlite3.connect(path.absolute(), timeout=BUSY_SECONDS, isolation_level=None)
    except sqlite3.Error as error:
        raise explain(error, path) from None
    try:
        _set_up(db, path)
        db.execute(f"PRAGMA synchronous={synchronous}")
        db.execute(f"PRAGMA fullfsync={int(synchronous == 'FULL')}")  # macOS: as far as the disk, not its cache
    except BaseException as error:
        db.close()
        if isinstance(error, sqlite3.Error):
            raise explain(error, path) from None
        raise
    return db


def _check_file(path: Path) -> None:
    """Refuse what is no store before it is opened for writing: SQLite may change a file merely by opening it."""
    try:
        info = path.stat()
    except FileNotFoundError:
        if not path.absolute().parent.is_dir():
            raise StoreError(f"{path}: its folder is not there. Make the folder, or name another file.") from None
        return
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} cannot be used: {error}. Name another file.") from None
    if not stat.S_ISREG(info.st_mode):
        raise StoreError(f"{path} is {'a folder' if stat.S_ISDIR(info.st_mode) else 'no regular file'}. Name a file.")
    if not info.st_size:
        return
    lags = any(_size(path.with_name(path.name + log)) for log in ("-wal", "-journal"))  # what is in there counts
    try:
        mark, page_size = _peek(path)
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_CORRUPT and lags:
            return
        if code == sqlite3.SQLITE_NOTADB:
            raise StoreError(f"{path} is not an SQLite file. It was left as it is; name another file.") from None
        raise explain(error, path) from None
    if mark != APPLICATION_ID:
        raise _foreign(path)
    if info.st_size % page_size and not lags:
        raise explain(sqlite3.DatabaseError("it ends in the middle of a page"), path, sqlite3.SQLITE_CORRUPT)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _peek(path: Path) -> tuple[int, int]:
    """The application id and the page size, read without a lock, a log or a change.

    Subtle: by SQLite, not by `open`: on POSIX, closing a file drops every lock that this process has on it.
    """
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        return db.execute("PRAGMA application_id").fetchone()[0], db.execute("PRAGMA page_size").fetchone()[0]


def _foreign(path: Path) -> StoreError:
    return StoreError(f"{path} is another program's SQLite file. It was left as it is; name another file.")


def _set_up(db: sqlite3.Connection, path: Path) -> None:
    """Make the tables if there are none, check the version, and switch to the write-ahead log."""
    if not db.execute("PRAGMA user_version").fetchone()[0]:
        db.execute("BEGIN IMMEDIATE")  # of several that find no tables, one makes them
        with contextlib.closing(db.execute("SELECT count(*) FROM sqlite_schema")) as tables:
            empty = tables.fetchone() == (0,)
        if empty:
            for statement in _statements(SCHEMA):
                db.execute(statement)
            # Subtle: before WAL, so that the mark is in the file itself from the first commit on.
            db.execute(f"PRAGMA application_id={APPLICATION_ID}")
            db.execute(f"PRAGMA user_version={VERSION}")
        db.execute("COMMIT")
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise _foreign(path)
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        raise StoreError(
            f"{path} has format {version}; this lab reads format {VERSION}. It was left as it is: update the lab "
            "(`git pull`), or name another file."
        )
    _switch_to_wal(db, path)


def _statements(script: str) -> list[str]:
    """The statements of a script, one by one: `executescript` would commit first."""
    parts, made = "", []
    for line in script.splitlines(keepends=True):
        parts += line
        if sqlite3.complete_statement(parts):
            made.append(parts)
            parts = ""
    return made


def _switch_to_wal(db: sqlite3.Connection, path: Path) -> None:
    """Lasting, so done once in a file's life. Of two that do it at once, SQLite sends one away without waiting."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            mode = db.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            break
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.005)
    if mode != "wal":
        raise StoreError(f"{path}: no write-ahead log is possible on this file system. Name a file on a local disk.")
