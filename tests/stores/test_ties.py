"""An open store is bound to its file, its log and its process; a file beside a foreign log is refused."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from durable_lab.stores import SQLiteStore, StoreError
from durable_lab.world import Ledger
from solution import engine
from tests.stores.snapshots import snapshot


def with_log(path: Path, name: str, count: int = 5, opened: SQLiteStore | None = None) -> SQLiteStore:
    """An open store whose last records are in its log only."""
    store = opened or SQLiteStore(path, synchronous="NORMAL", engine=engine)
    store.start(name, "refund", name)
    journal = store.journal(name)
    for i in range(count):
        journal(engine.Signal("go", f"{name} {i}", float(i)))
    return store


def copied(path: Path, target: Path, *endings: str) -> Path:
    """The file, and so much of what is beside it, as a killed process leaves it."""
    for ending in ("", *endings):
        shutil.copy(f"{path}{ending}", f"{target}{ending}")
    return target


def payloads(path: Path, name: str) -> list[Any]:
    with SQLiteStore(path, engine=engine) as store:
        return [signal.payload for signal in store.load(name).signals]


def refused_and_left(path: Path, *words: str) -> None:
    before = snapshot(path.parent)
    for look in (False, True):
        with pytest.raises(StoreError) as caught:
            SQLiteStore(path, engine=engine, look=look)
        for word in (str(path), *words):
            assert word in str(caught.value)
    assert snapshot(path.parent) == before


# ------------------------------------------------------------ the log beside it


def test_a_killed_process_leaves_a_file_and_a_log_that_belong_together(tmp_path: Path) -> None:
    with with_log(tmp_path / "live.db", "a"):
        copy = copied(tmp_path / "live.db", tmp_path / "copy.db", "-wal")
    assert payloads(copy, "a") == [f"a {i}" for i in range(5)]
    assert payloads(copy, "a") == [f"a {i}" for i in range(5)], "once more, now that the log is in the file"


def test_the_log_of_another_store_is_refused(tmp_path: Path) -> None:
    with with_log(tmp_path / "a.db", "a", 60), with_log(tmp_path / "b.db", "b"):
        mixed = tmp_path / "mixed"
        mixed.mkdir()
        copied(tmp_path / "a.db", mixed / "runs.db")
        shutil.copy(tmp_path / "b.db-wal", mixed / "runs.db-wal")
        refused_and_left(mixed / "runs.db", "belongs to another file", "move the log away")
    shutil.copy(tmp_path / "a.db", mixed / "runs.db")  # now a.db was closed, and is complete
    refused_and_left(mixed / "runs.db", "belongs to another file")
    (mixed / "runs.db-wal").unlink()
    assert len(payloads(mixed / "runs.db", "a")) == 60


def test_an_older_state_of_a_store_beside_its_newer_log_is_refused_and_the_reverse(tmp_path: Path) -> None:
    live, mixed = tmp_path / "live.db", tmp_path / "mixed"
    mixed.mkdir()
    with with_log(live, "first", 60):
        early = copied(live, tmp_path / "early.db", "-wal")
    with with_log(live, "second", 60):
        late = copied(live, tmp_path / "late.db", "-wal")
    for file, log in ((early, late), (late, early)):
        shutil.copy(file, mixed / "runs.db")
        shutil.copy(f"{log}-wal", mixed / "runs.db-wal")
        refused_and_left(mixed / "runs.db", "another state of this file")
    assert len(payloads(early, "first")) == len(payloads(late, "second")) == 60


def test_a_backup_beside_a_log_that_a_checkpoint_began_is_refused(tmp_path: Path) -> None:
    live, mixed = tmp_path / "live.db", tmp_path / "mixed"
    mixed.mkdir()
    with with_log(live, "a", 20) as store:
        backup = copied(live, tmp_path / "backup.db", "-wal")
        with_log(live, "b", 600, store)  # the log was moved into the file meanwhile, and begins again
        whole = copied(live, tmp_path / "whole.db", "-wal")
    shutil.copy(backup, mixed / "runs.db")
    shutil.copy(f"{whole}-wal", mixed / "runs.db-wal")
    refused_and_left(mixed / "runs.db", "another state of this file")
    assert len(payloads(whole, "b")) == 600
    assert len(payloads(backup, "a")) == 20


def test_a_copy_of_the_file_alone_is_refused_if_records_are_in_its_log(tmp_path: Path) -> None:
    with with_log(tmp_path / "live.db", "a"):
        copy = copied(tmp_path / "live.db", tmp_path / "copy.db")
        refused_and_left(copy, "copied or moved without it", "Put the log beside it")
    whole = copied(tmp_path / "live.db", tmp_path / "whole.db")
    assert len(payloads(whole, "a")) == 5, "a store that was closed is complete"


def test_what_sqlite_itself_moved_into_the_file_is_complete(tmp_path: Path) -> None:
    with with_log(tmp_path / "live.db", "a"):
        copy = copied(tmp_path / "live.db", tmp_path / "copy.db", "-wal")
    db = sqlite3.connect(copy)
    assert db.execute("SELECT count(*) FROM history").fetchone() == (5,)
    db.close()  # the last one to close it moves the log into the file, and deletes the log
    assert not Path(f"{copy}-wal").exists()
    assert len(payloads(copy, "a")) == 5


def test_a_log_without_its_file_is_refused_before_sqlite_deletes_it(tmp_path: Path) -> None:
    with with_log(tmp_path / "live.db", "a"):
        shutil.copy(tmp_path / "live.db-wal", tmp_path / "gone.db-wal")
    before = snapshot(tmp_path)
    with pytest.raises(StoreError, match="is not there or empty, but its log is"):
        SQLiteStore(tmp_path / "gone.db", engine=engine)
    (tmp_path / "gone.db").touch()
    with pytest.raises(StoreError, match="is not there or empty, but its log is"):
        SQLiteStore(tmp_path / "gone.db", engine=engine)
    assert snapshot(tmp_path) == {**before, "gone.db": b""}


def test_the_rollback_journal_of_another_file_is_refused(tmp_path: Path) -> None:
    with_log(tmp_path / "runs.db", "a").close()
    other = sqlite3.connect(tmp_path / "other.db", isolation_level=None)
    other.execute("CREATE TABLE t(x)")
    other.execute("INSERT INTO t VALUES (zeroblob(100000))")
    other.execute("PRAGMA cache_size=1")  # so that it has to write before it commits
    other.execute("BEGIN")
    for _ in range(50):
        other.execute("UPDATE t SET x = randomblob(100000)")
    shutil.copy(tmp_path / "other.db-journal", tmp_path / "runs.db-journal")
    other.close()
    refused_and_left(tmp_path / "runs.db", "rollback journal", "Move the journal away")
    (tmp_path / "runs.db-journal").unlink()
    assert len(payloads(tmp_path / "runs.db", "a")) == 5


def test_a_store_of_before_there_were_ties_is_read_and_tied(tmp_path: Path) -> None:
    with_log(tmp_path / "runs.db", "a").close()
    db = sqlite3.connect(tmp_path / "runs.db")
    db.executescript("DROP TABLE tie; DROP TABLE attempts")
    db.close()
    before = snapshot(tmp_path)
    with SQLiteStore(tmp_path / "runs.db", engine=engine, look=True) as store:
        assert (len(store.load("a").signals), store.id) == (5, None)
    assert snapshot(tmp_path) == before
    with with_log(tmp_path / "runs.db", "b") as store:
        assert store.id
        copy = copied(tmp_path / "runs.db", tmp_path / "copy.db")
        refused_and_left(copy, "copied or moved without it")
    assert len(payloads(tmp_path / "runs.db", "a")) == 5


def test_a_long_run_keeps_its_log_short(tmp_path: Path) -> None:
    with with_log(tmp_path / "runs.db", "a", 499) as store:
        long = (tmp_path / "runs.db-wal").stat().st_size
        with_log(tmp_path / "runs.db", "b", 2, store)
        assert (tmp_path / "runs.db-wal").stat().st_size < long / 10


# ------------------------------------------------------------ the file at its path


def deleted(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def moved(path: Path) -> None:
    path.rename(path.with_name("moved.db"))


def replaced(path: Path) -> None:
    with with_log(path.with_name("other.db"), "other"):
        pass
    path.with_name("other.db").rename(path)


def without_its_log(path: Path) -> None:
    Path(f"{path}-wal").unlink()


def with_another_log(path: Path) -> None:
    log = Path(f"{path}-wal")
    shutil.copy(log, f"{log}.copy")
    Path(f"{log}.copy").rename(log)


CHANGES = [deleted, moved, replaced, without_its_log, with_another_log]


@pytest.mark.parametrize("quiet", [False, True], ids=["a folder that was just changed", "a quiet folder"])
@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_recorded_once_the_file_is_no_longer_the_one_that_was_opened(
    path: Path, command: Any, change: Callable[[Path], None], quiet: bool
) -> None:
    with SQLiteStore(path, engine=engine) as store:
        store.start("w", "refund", None)
        journal = store.journal("w")
        if quiet:
            os.utime(path.parent, (1, 1))
        journal(command(0))
        change(path)
        for use in (
            lambda: journal(command(1)),
            lambda: journal(engine.Signal("go", 1, 0.0)),
            lambda: store.begin("w", "solution", 0.0),
            lambda: store.finish("w", "failed"),
            lambda: store.start("v", "refund", None),
            lambda: store.load("w"),
        ):
            with pytest.raises(StoreError, match="no longer the file that was opened"):
                use()


def test_a_file_that_is_moved_while_it_is_open_takes_its_records_along(path: Path, command: Any) -> None:
    with SQLiteStore(path, engine=engine) as store:
        store.start("w", "refund", None)
        store.journal("w")(command(0))
        moved(path)
    with SQLiteStore(path.with_name("moved.db"), engine=engine) as store:
        assert len(store.load("w").commands) == 1
    with SQLiteStore(path, engine=engine) as fresh:
        assert fresh.runs() == []


def test_closing_a_store_leaves_the_log_of_its_successor_alone(path: Path) -> None:
    first = with_log(path, "first")
    deleted(path)
    with with_log(path, "second"):
        first.close()
        assert Path(f"{path}-wal").exists()
        copy = copied(path, path.with_name("copy.db"), "-wal")
    assert len(payloads(copy, "second")) == 5


def test_a_link_that_is_pointed_elsewhere_is_no_longer_the_store(path: Path, command: Any) -> None:
    for name in ("a.db", "b.db"):
        SQLiteStore(path.with_name(name), engine=engine).close()
    path.symlink_to("a.db")
    with SQLiteStore(path, engine=engine) as store:
        store.start("w", "refund", None)
        journal = store.journal("w")
        path.unlink()
        path.symlink_to("b.db")
        with pytest.raises(StoreError, match="no longer the file"):
            journal(command(0))


def test_a_file_with_a_second_name_is_refused(path: Path) -> None:
    with_log(path, "a").close()
    os.link(path, path.with_name("second.db"))
    for name in (path, path.with_name("second.db")):
        with pytest.raises(StoreError, match="hard links"):
            SQLiteStore(name, engine=engine)
        with SQLiteStore(name, engine=engine, look=True) as store:
            assert len(store.load("a").signals) == 5
    path.with_name("second.db").unlink()
    assert len(payloads(path, "a")) == 5


# ------------------------------------------------------------ its process


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.parametrize("look", [False, True])
def test_a_forked_child_may_not_use_a_store_and_may_close_it(path: Path, command: Any, look: bool) -> None:
    with_log(path, "w").close()
    with SQLiteStore(path, engine=engine, look=look) as store, with_log(path, "v"):
        journal = store.journal("w") if not look else None
        uses: list[Callable[[], Any]] = [
            lambda: store.load("w"),
            lambda: store.records("w"),
            lambda: store.run("w"),
            store.runs,
            lambda: store.start("x", "refund", None),
            lambda: store.begin("w", "solution", 0.0),
            lambda: store.finish("w", "failed"),
            lambda: store.journal("w"),
            lambda: store.attempts("w", 0),
        ]
        if journal:
            uses.append(lambda: journal(command(0)))
        child = os.fork()
        if not child:
            refused = 0
            for use in uses:
                try:
                    use()
                except StoreError as error:
                    refused += "after a fork" in str(error)
            store.close()
            os._exit(refused)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == len(uses)
        assert Path(f"{path}-wal").exists(), "the child's close took nothing from the parent"
        assert len(store.load("w").signals) == 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_forked_child_may_not_use_the_books(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "world.db")
    uses: list[Callable[[], Any]] = [
        ledger.effects,
        lambda: ledger.call("bank", "pay_back", "k"),
        lambda: ledger.effect("bank", "pay_back", "k", 1, True),
        lambda: ledger.count_calls("bank", "pay_back"),
    ]
    child = os.fork()
    if not child:
        refused = 0
        for use in uses:
            try:
                use()
            except StoreError as error:
                refused += "after a fork" in str(error)
        ledger.close()
        os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == len(uses)
    assert ledger.effect("bank", "pay_back", "k", 1, True).id == 1
    ledger.close()


# ------------------------------------------------------------ only looked at

LOOKER = """
import os, sys, shutil, tempfile, urllib.parse  # all that is needed is imported while Python's files may be read
from durable_lab.stores import SQLiteStore, StoreError
from solution import engine
if os.getuid() == 0:
    os.setuid(65534)  # root may write anywhere
with SQLiteStore(sys.argv[1], engine=engine, look=True) as store:
    print(len(store.load("a").signals), store.run("a").status)
    try:
        store.finish("a", "failed")
    except StoreError as error:
        print(error)
"""


@pytest.mark.parametrize("log", [False, True], ids=["closed", "with a log"])
def test_a_read_only_place_can_be_looked_at(open_folder: Path, tmp_path: Path, process: Any, log: bool) -> None:
    with with_log(tmp_path / "live.db", "a"):
        copied(tmp_path / "live.db", open_folder / "runs.db", "-wal")
    if not log:
        SQLiteStore(open_folder / "runs.db", engine=engine).close()
    for file in open_folder.iterdir():
        file.chmod(0o444)
    before = snapshot(open_folder)
    open_folder.chmod(0o555)
    said, _ = process(LOOKER, open_folder / "runs.db").communicate()
    open_folder.chmod(0o755)
    assert said.splitlines()[0] == "5 running"
    assert "opened only to be read" in said
    assert snapshot(open_folder) == before


def test_a_look_sees_a_store_that_is_in_use_and_makes_no_file(path: Path) -> None:
    with with_log(path, "a") as store:
        before = sorted(file.name for file in path.parent.iterdir())
        with SQLiteStore(path, engine=engine, look=True) as look:
            assert len(look.load("a").signals) == 5
            with_log(path, "b", 3, store)
            assert len(look.load("b").signals) == 3
        assert sorted(file.name for file in path.parent.iterdir()) == before
    with with_log(path, "c"):
        killed = copied(path, path.with_name("killed.db"), "-wal")
    before = sorted(file.name for file in path.parent.iterdir())
    with SQLiteStore(killed, engine=engine, look=True) as look:
        assert len(look.load("c").signals) == 5
    assert sorted(file.name for file in path.parent.iterdir()) == before, "nor beside the log of a killed process"
    with pytest.raises(StoreError, match="there is no file"):
        SQLiteStore(path.with_name("typo.db"), engine=engine, look=True)
    assert not path.with_name("typo.db").exists()
