"""An SQLite file of this lab, a store or the world's books: how it is recognised, opened and guarded.

An open file belongs to its process, its path and its log (see `log.py`). Each of them can change while it is open: the
process forks, or the file is deleted, moved or replaced. Then every further call raises an error that says so.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sqlite3
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile

from durable_lab.stores import log
from durable_lab.stores.errors import BUSY_SECONDS, StoreError, explain

_COARSEST = 3_000_000_000  # nanoseconds: no file system has coarser file times
_forks: list[int] = []  # one entry for each fork that led to this process; os.getpid costs more
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _forks.append(1))


@dataclass(frozen=True)
class Format:
    """The contents of one kind of file. `schema` makes the tables, `later` those added without a new version."""

    noun: str
    application_id: int  # at byte 68 of the file
    version: int  # at byte 60
    schema: str
    later: str = ""
    unmarked: frozenset[str] = frozenset()  # a file without an application id is of this kind if it has these tables
    error: type[StoreError] = StoreError


class Database:
    """An open file. `db` is its connection: each statement is its own transaction, unless BEGIN starts a longer one.

    look  read-only: the file must exist, nothing is changed, and no file is made beside it

    Raises `format.error` if the file cannot be used.
    """

    def __init__(self, path: Path, format: Format, synchronous: str = "FULL", look: bool = False) -> None:
        self.path, self.format, self.look = path, format, look
        try:
            _check_file(path, format, look)
            self._where = str(path.absolute())  # as it was given: a link may point to another file later
            self._log = str(log.log_of(path))
            self._copy: contextlib.ExitStack | None = None
            self.db = self._look() if look else self._open(synchronous)
        except StoreError as error:
            raise format.error(str(error)) from None
        except sqlite3.Error as error:
            raise explain(error, path, kind=format.error) from None
        self._pid = os.getpid()
        self._ours = self._found()

    def _open(self, synchronous: str) -> sqlite3.Connection:
        if sqlite3.sqlite_version_info < (3, 37):
            raise StoreError(f"{self.path}: SQLite 3.37 or newer is needed; this Python has {sqlite3.sqlite_version}.")
        db = sqlite3.connect(self._where, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            set_up(db, self.path, self.format)
            db.execute("PRAGMA wal_autocheckpoint=0")  # only `checkpoint` does, so that each log names its file
            if not log.size(Path(self._log)):  # there are no records that a power cut could lose, so no sync
                db.execute("PRAGMA synchronous=OFF")
                log.renew(db)
            db.execute(f"PRAGMA synchronous={synchronous}")
            db.execute(f"PRAGMA fullfsync={int(synchronous == 'FULL')}")  # macOS: as far as the disk, not its cache
        except BaseException:
            db.close()
            raise
        return db

    def _look(self) -> sqlite3.Connection:
        """A connection that only reads. It uses a copy if SQLite would make a file beside the original."""
        uri, in_use = f"{Path(self._where).as_uri()}?mode=ro", log.log_of(self.path, "-shm").exists()
        if not log.size(Path(self._log)) and not in_use:
            return sqlite3.connect(f"{uri}&immutable=1", uri=True, isolation_level=None)
        if in_use:
            db = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
            try:
                db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
                return db
            except sqlite3.OperationalError:  # its folder is read-only
                db.close()
        with contextlib.ExitStack() as stack:
            copy = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="durable-lab-"))) / "copy.db"
            copyfile(self._where, copy)
            if Path(self._log).exists():
                copyfile(self._log, f"{copy}-wal")
            db = sqlite3.connect(copy, isolation_level=None)
            self._copy = stack.pop_all()
        return db

    # ------------------------------------------------------------ guarded use

    def check(self) -> None:
        """Raise an error in another process, or if the file that was opened or its log is gone."""
        if os.getpid() != self._pid:
            raise self.format.error(
                f"{self.path} was opened in process {self._pid}, and this is process {os.getpid()}: SQLite forbids "
                "using a connection after a fork, and so nothing was read or written. Open the file in this process."
            )
        if not self.look and self._found() != self._ours:
            raise self.format.error(
                f"{self.path} is no longer the file that was opened, or its log, {self._log}, is gone: it was deleted, "
                "moved or replaced in the meantime. So nothing more is recorded here. Put both back as they were, or "
                "start the work again under a new name."
            )

    def is_there(self) -> Callable[[], bool]:
        """A fast form of `check`, to be called before each record. If it returns False, `check` says why.

        A file or a log cannot leave its folder without a new time on the folder. So one look at that time is enough,
        once it is old enough that any later change gives another one.
        """
        stat, now, forks = os.stat, time.time_ns, _forks.copy()
        folder = str(Path(self._where).parent)
        linked = Path(self._where).resolve() != Path(self._where)  # then the file may leave another folder
        settled: tuple[int, int] | None = None  # time and inode of the folder when all was found
        look_at = 0  # the time from which the folder may be settled; until then, its time says nothing

        def there() -> bool:
            nonlocal settled, look_at
            try:
                if settled or now() >= look_at:
                    folder_now = stat(folder)
                    seen = folder_now.st_mtime_ns, folder_now.st_ino
                    if seen == settled:
                        return forks == _forks
                    look_at = seen[0] + _COARSEST
                    settled = seen if now() > look_at and not linked else None
            except OSError:
                return False
            return forks == _forks and self._found() == self._ours

        return there

    def _log_was_replaced(self) -> bool:
        with contextlib.suppress(OSError):
            return self._ours is not None and Path(self._log).stat().st_ino != self._ours[2]
        return False

    def _found(self) -> tuple[int, ...] | None:
        try:
            file, log = os.stat(self._where), os.stat(self._log)  # noqa: PTH116 - a Path costs as much again
        except OSError:
            return None
        return (file.st_ino, file.st_dev, log.st_ino)

    @contextlib.contextmanager
    def explained(self, writes: bool = False) -> Iterator[None]:
        """Check, then turn errors of SQLite into messages for a person."""
        self.check()
        if writes and self.look:
            raise self.format.error(f"{self.path} was opened only to be read. Open it for writing, then try again.")
        try:
            yield
        except sqlite3.Error as error:
            raise self.explain(error) from None

    def explain(self, error: sqlite3.Error) -> StoreError:
        return explain(error, self.path, kind=self.format.error)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        with transaction(self.db):
            yield

    def has(self, table: str) -> bool:
        """Whether it has this table: a file that is opened to look may be older."""
        return self.db.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone() is not None

    def checkpoint(self) -> None:
        """Move the log into the file. Call it from time to time: SQLite does not checkpoint these connections."""
        with self.explained(writes=True):
            log.renew(self.db)

    def close(self) -> None:
        """Close it. A log of another process, or of a file that replaced this one, is left alone."""
        if not self.look and (os.getpid() != self._pid or self._log_was_replaced()):
            # Subtle: on close, SQLite would delete the log at this path, which is not ours. So it never closes.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.db))
            return
        with contextlib.suppress(sqlite3.Error):
            if not self.look and self._found() != self._ours:  # SQLite leaves the log of a file that was moved
                self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            elif not self.look:
                if not log.has_records(Path(self._log)):
                    self.db.execute("PRAGMA synchronous=OFF")  # there is nothing to sync
                log.complete(self.db)
        self.db.close()
        if self._copy:
            self._copy.close()


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """BEGIN, then COMMIT or ROLLBACK. An error of the ROLLBACK never hides the one that caused it."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            if db.in_transaction:  # a full disk may have ended it
                db.execute("ROLLBACK")
        raise


# ------------------------------------------------------------ which file it is


def _check_file(path: Path, format: Format, look: bool) -> None:
    """Refuse a file of another kind before it is opened for writing: SQLite may change a file by opening it."""
    try:
        info = path.stat()
    except FileNotFoundError:
        if look:
            raise StoreError(f"there is no file {path}. Name a file that exists.") from None
        if not path.absolute().parent.is_dir():
            raise StoreError(f"{path}: its folder is not there. Make the folder, or name another file.") from None
        log.refuse_without_file(path)
        return
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} cannot be used: {error}. Name another file.") from None
    if not stat.S_ISREG(info.st_mode):
        raise StoreError(f"{path} is {'a folder' if stat.S_ISDIR(info.st_mode) else 'no regular file'}. Name a file.")
    if not info.st_size:
        log.refuse_without_file(path)
        return
    if info.st_nlink > 1 and not look:
        raise StoreError(
            f"{path} has {info.st_nlink} names (hard links). SQLite keeps a log for each name, so two of them "
            "would damage the file. Copy it to a file of its own, or delete the other names."
        )
    if not look and not os.access(path, os.W_OK):
        raise explain(sqlite3.OperationalError("attempt to write a readonly database"), path, sqlite3.SQLITE_READONLY)
    lags = log.size(log.log_of(path)) or log.size(log.log_of(path, "-journal"))  # their contents belong to the file
    try:
        with contextlib.closing(peek(path)) as db:
            _refuse_foreign(db, path, format)
            (page_size,) = db.execute("PRAGMA page_size").fetchone()
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_CORRUPT and lags:
            return
        if code == sqlite3.SQLITE_NOTADB:
            raise StoreError(f"{path} is not an SQLite file. It was left as it is; name another file.") from None
        raise explain(error, path) from None
    if info.st_size % page_size and not lags:
        raise explain(sqlite3.DatabaseError("it ends in the middle of a page"), path, sqlite3.SQLITE_CORRUPT)
    log.refuse_foreign(path)


def peek(path: Path) -> sqlite3.Connection:
    """A connection to the file alone: it takes no lock, ignores the log and changes nothing.

    Subtle: by SQLite, not by `open`: on POSIX, closing a file drops every lock that this process has on it.
    """
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _refuse_foreign(db: sqlite3.Connection, path: Path, format: Format) -> None:
    mark = db.execute("PRAGMA application_id").fetchone()[0]
    if mark == format.application_id:
        return
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if mark or not format.unmarked or not format.unmarked <= tables:
        raise StoreError(f"{path} is another program's SQLite file. It was left as it is; name another file.")


def set_up(db: sqlite3.Connection, path: Path, format: Format) -> None:
    """Make missing tables, check the version, and switch to the write-ahead log."""
    if not db.execute("PRAGMA user_version").fetchone()[0]:
        with transaction(db):  # of several processes that find no tables, one makes them
            with contextlib.closing(db.execute("SELECT count(*) FROM sqlite_schema")) as tables:
                empty = tables.fetchone() == (0,)
            if empty:
                for statement in _statements(format.schema + format.later):
                    db.execute(statement)
            else:
                _refuse_foreign(db, path, format)
            # Subtle: before WAL, so that the first commit puts the mark into the file itself.
            db.execute(f"PRAGMA application_id={format.application_id}")
            db.execute(f"PRAGMA user_version={format.version}")
    _refuse_foreign(db, path, format)
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version != format.version:
        raise StoreError(
            f"{path} has format {version}; this lab reads format {format.version}. It was left as it is: update the "
            "lab (`git pull`), or name another file."
        )
    made = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if not made >= set(re.findall(r"CREATE TABLE IF NOT EXISTS (\w+)", format.later)):
        with transaction(db):
            for statement in _statements(format.later):
                db.execute(statement)
        log.renew(db)
    _switch_to_wal(db, path)


def _statements(script: str) -> list[str]:
    """The statements of a script. (`executescript` would commit first.)"""
    parts, made = "", []
    for line in script.splitlines(keepends=True):
        parts += line
        if sqlite3.complete_statement(parts):
            made.append(parts)
            parts = ""
    return made


def _switch_to_wal(db: sqlite3.Connection, path: Path) -> None:
    """Switch, which a file needs only once. If two processes do so at once, SQLite refuses one of them immediately."""
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
