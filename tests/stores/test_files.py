"""A file that cannot be a store is named, with what to do next; a foreign file is not changed."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from durable_lab.stores import SQLiteStore, StoreError
from durable_lab.stores.errors import explain
from solution import engine
from solution.engine import Signal
from tests.stores.snapshots import snapshot


def refused(path: Path, *words: str) -> str:
    """Open it, as it must not be opened. Returns what was said."""
    with pytest.raises(StoreError) as caught:
        SQLiteStore(path, engine=engine)
    text = str(caught.value)
    for word in (str(path), *words):
        assert word in text
    assert "Traceback" not in text
    return text


def filled(path: Path, command: Any, count: int = 200) -> Path:
    """A store of one run with `count` records, closed."""
    with SQLiteStore(path, synchronous="NORMAL", engine=engine) as store:
        store.start("w", "refund", None)
        journal = store.journal("w")
        for i in range(count):
            journal(command(i))
    return path


GARBAGE = {
    "text": b"Dear diary, today I built an engine.\n" * 100,
    "one byte": b"x",
    "zeros": bytes(8192),
    "a header only": b"SQLite format 3\0",
    "half a header": b"SQLite format 3\0" + bytes(50),
    "JSON": b'{"version": 1}',
}


@pytest.mark.parametrize("content", GARBAGE.values(), ids=GARBAGE.keys())
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    refused(path, "name another file")
    assert snapshot(path.parent) == {path.name: content}


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_another_programs_database_is_refused_and_left_alone(path: Path, mode: str) -> None:
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA journal_mode={mode}")
    db.execute("CREATE TABLE history(x)")
    db.commit()
    db.close()
    before = snapshot(path.parent)
    refused(path, "another program's", "name another file")
    assert snapshot(path.parent) == before


def test_another_programs_unfinished_write_ahead_log_is_left_alone(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "live.db")
    db.execute("CREATE TABLE t(x)")
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("INSERT INTO t VALUES (1)")
    db.commit()
    (tmp_path / "copy").mkdir()
    for suffix in ("", "-wal"):  # as it looks when that program was killed
        shutil.copy(tmp_path / f"live.db{suffix}", tmp_path / "copy" / f"runs.db{suffix}")
    db.close()
    before = snapshot(tmp_path / "copy")
    refused(tmp_path / "copy" / "runs.db", "another program's")
    assert snapshot(tmp_path / "copy") == before


def test_an_empty_database_without_an_owner_is_not_adopted(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("VACUUM")
    db.execute("PRAGMA user_version=3")
    db.close()
    refused(path, "another program's")


def test_an_empty_file_becomes_a_store(path: Path, command: Any) -> None:
    path.touch()
    filled(path, command, 3)
    with SQLiteStore(path, engine=engine) as store:
        assert len(store.records("w")) == 3


def test_a_file_of_a_newer_lab_is_refused_and_left_alone(path: Path, command: Any) -> None:
    filled(path, command)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=2")
    db.close()
    refused(path, "format 2", "format 1", "update the lab")
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA user_version").fetchone() == (2,)
    assert db.execute("SELECT count(*) FROM history").fetchone() == (200,)
    db.close()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    refused(tmp_path, "folder")


def test_a_pipe_is_refused_at_once(path: Path) -> None:
    os.mkfifo(path)
    refused(path, "no regular file")


def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    refused(tmp_path / "file" / "runs.db", "another file")
    refused(tmp_path / "not" / "there" / "runs.db", "folder is not there")
    refused(tmp_path / ("long" * 100), "another file")
    refused(tmp_path / "nul\0.db", "another file")


READ_ONLY = """
import os, sys, urllib.parse
from durable_lab.stores import SQLiteStore, StoreError
from solution import engine
if os.getuid() == 0:
    os.setuid(65534)  # root may write anywhere
try:
    SQLiteStore(sys.argv[1], engine=engine)
except StoreError as error:
    print(error)
"""


@pytest.mark.parametrize("there", [False, True], ids=["a new file", "an old file"])
def test_a_read_only_folder_is_refused(open_folder: Path, process: Any, command: Any, there: bool) -> None:
    path = open_folder / "runs.db"
    if there:
        filled(path, command).chmod(0o444)
    before = snapshot(open_folder)
    open_folder.chmod(0o555)
    said, _ = process(READ_ONLY, path).communicate()
    open_folder.chmod(0o755)
    assert str(path) in said
    assert "may" in said
    assert "write" in said
    assert snapshot(open_folder) == before


def test_a_file_cut_off_anywhere_is_never_read_as_a_shorter_history(path: Path, command: Any) -> None:
    whole = filled(path, command).read_bytes()
    seed = random.randrange(10**6)
    print("seed", seed)
    sizes = {1, 15, 16, 99, 100, 511, 512, 4095, 4096, 4097, len(whole) - 4096, len(whole) - 1}
    sizes |= {random.Random(seed + i).randrange(1, len(whole)) for i in range(60)}
    for size in sorted(sizes):
        path.write_bytes(whole[:size])
        refused(path)
        assert path.read_bytes() == whole[:size], "it was left as it was"
    path.write_bytes(whole)
    with SQLiteStore(path, engine=engine) as store:
        assert len(store.load("w").commands) == 200


def test_a_log_cut_off_anywhere_gives_the_history_up_to_there(tmp_path: Path, command: Any) -> None:
    live = tmp_path / "live.db"
    with SQLiteStore(live, synchronous="NORMAL", engine=engine) as store:
        store.start("w", "refund", None)
        journal = store.journal("w")
        for i in range(30):
            journal(command(i))
        main, log = live.read_bytes(), Path(f"{live}-wal").read_bytes()
    seed = random.randrange(10**6)
    print("seed", seed)
    lengths = []
    for i, size in enumerate([*sorted(random.Random(seed).sample(range(20_000, len(log)), 15)), len(log)]):
        copy = tmp_path / f"copy-{i}.db"
        copy.write_bytes(main)
        Path(f"{copy}-wal").write_bytes(log[:size])
        with SQLiteStore(copy, engine=engine) as store:
            values = [c.value for c in store.load("w").commands]
        assert values == list(range(len(values)))
        lengths.append(len(values))
    assert lengths == sorted(lengths)
    assert lengths[-1] == 30


def test_a_page_of_noise_is_damage_and_said_to_be(path: Path, command: Any) -> None:
    whole = filled(path, command, 400).read_bytes()
    seed = random.randrange(10**6)
    print("seed", seed)
    values: list[int] | str
    for page in range(1, len(whole) // 4096):
        noise = random.Random(seed + page).randbytes(4096)
        path.write_bytes(whole[: page * 4096] + noise + whole[(page + 1) * 4096 :])
        try:
            with SQLiteStore(path, engine=engine) as store:
                values = [c.value for c in store.load("w").commands]
        except StoreError as error:
            values = str(error)
        # A page that this run does not need may be noise; one that it needs is missed.
        assert values == list(range(400)) if isinstance(values, list) else str(path) in values


BROKEN: dict[str, tuple[Any, ...]] = {
    "no JSON": ('{"kind":"activ',),
    "nothing": ("",),
    "JSON of something else": ("[1,2]",),
    "a missing field": ('{"kind":"activity","name":"step"}',),
    "NaN": ('{"name":"go","payload":NaN,"received_at":0.0}',),
    "bytes that are no text": (b'{"name":"\xff\xfe"}',),
    "two records in one": ('{"name":"go","payload":1,"received_at":0.0},{"name":"go","payload":1,"received_at":0.0}',),
    "the end of the list": ('{"name":"go","payload":1,"received_at":0.0}],"x":[',),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.parametrize("seq", [0, 2, 3])
def test_a_broken_record_is_named_by_file_run_and_seq(store: SQLiteStore, command: Any, seq: int, content: Any) -> None:
    journal = store.journal("w")
    for record in (command(0), Signal("go", 1, 0.0), Signal("go", 2, 0.0), command(3)):
        journal(record)
    vandalise(store.path, "UPDATE history SET record = CAST(? AS TEXT) WHERE seq = ?", *content, seq)
    for read in (store.load, store.records):
        with pytest.raises(StoreError) as caught:
            read("w")
        for part in (str(store.path), "'w'", f"record {seq}", "Nothing was changed"):
            assert part in str(caught.value)


def test_a_missing_record_is_named(store: SQLiteStore, command: Any) -> None:
    journal = store.journal("w")
    for i in range(5):
        journal(command(i))
    vandalise(store.path, "DELETE FROM history WHERE seq = ?", 3)
    with pytest.raises(StoreError, match=r"'w', record 3: the next one is 4"):
        store.load("w")


def test_a_broken_input_is_named(store: SQLiteStore) -> None:
    vandalise(store.path, "UPDATE runs SET input = ?", '{"id":')
    for read in (store.load, store.records, store.run):
        with pytest.raises(StoreError, match="'w', its input"):
            read("w")


def test_a_missing_table_is_said_in_one_line(store: SQLiteStore) -> None:
    vandalise(store.path, "DROP TABLE history")
    with pytest.raises(StoreError, match="no such table"):
        store.load("w")


def vandalise(path: Path, statement: str, *values: Any) -> None:
    """What no program of ours does: it takes the triggers away first."""
    db = sqlite3.connect(path)
    for trigger in ("no_update", "no_delete"):
        db.execute(f"DROP TRIGGER {trigger}")
    db.execute(statement, values)
    db.commit()
    db.close()


def _locked(path: Path) -> sqlite3.Error:
    first, second = sqlite3.connect(path), sqlite3.connect(path, timeout=0)
    first.execute("BEGIN EXCLUSIVE")
    try:
        second.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        return error
    finally:
        first.close()
        second.close()
    raise AssertionError("it was not locked")


def _read_only(path: Path) -> sqlite3.Error:
    sqlite3.connect(path).close()
    db = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        db.execute("CREATE TABLE t(x)")
    except sqlite3.Error as error:
        return error
    finally:
        db.close()
    raise AssertionError("it was not read-only")


@pytest.mark.parametrize(("make", "advice"), [(_locked, "End that program"), (_read_only, "Copy it to a folder")])
def test_an_error_of_sqlite_is_followed_by_what_to_do(
    path: Path, make: Callable[[Path], sqlite3.Error], advice: str
) -> None:
    path.touch()
    text = str(explain(make(path), path))
    assert text.startswith(str(path))
    assert advice in text


def test_a_store_opened_while_another_one_writes_takes_no_lock_away(store: SQLiteStore, process: Any) -> None:
    """POSIX drops all of a process's locks on a file when it closes any handle of it: a raw `open` would do that."""
    store._db.execute("BEGIN IMMEDIATE")
    for _ in range(3):
        SQLiteStore(store.path, engine=engine).close()
    code = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
for statement in ("BEGIN IMMEDIATE", "PRAGMA journal_mode=DELETE"):
    try:
        db.execute(statement)
        print("got it")
    except sqlite3.OperationalError as error:
        print(error)
"""
    said, _ = process(code, store.path).communicate()
    assert said.splitlines() == ["database is locked"] * 2
    store._db.execute("ROLLBACK")
