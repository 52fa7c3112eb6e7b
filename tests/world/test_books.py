"""The world's books are protected like a store, belong to one store, and accept a known key only with its request."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from pathlib import Path

import pytest

from durable_lab.stores import SQLiteStore, StoreError
from durable_lab.world import Bank, BooksError, IdempotencyError, Ledger, Mailer, Service, World, books_of
from solution import engine


@pytest.fixture
def path(tmp_path):
    return tmp_path / "refund.world.db"


@pytest.fixture
def ledger(path):
    made = Ledger(path)
    yield made
    made.close()


def refused(path, *words):
    before = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
    with pytest.raises(BooksError) as caught:
        Ledger(path)
    for word in (str(path), *words):
        assert word in str(caught.value)
    assert isinstance(caught.value, StoreError), "the command line says it in one sentence"
    assert {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()} == before


# ------------------------------------------------------------ one key, one request


def test_a_bank_refuses_a_known_key_with_another_amount(ledger):
    bank = Bank(ledger)
    receipt = bank.pay_back("A1", 30, idempotency_key="r/3")
    for order, amount in (("A1", 99), ("A1", 30.0), ("A1", True), ("B2", 30)):
        with pytest.raises(IdempotencyError) as caught:
            bank.pay_back(order, amount, idempotency_key="r/3")
        for word in ("bank", "'r/3'", '"amount": 30, "order": "A1"', "another request"):
            assert word in str(caught.value)
    assert bank.pay_back("A1", 30, idempotency_key="r/3") == receipt
    assert [effect.body["amount"] for effect in ledger.effects("pay_back")] == [30]


def test_a_mailer_refuses_a_known_key_with_another_text(ledger):
    mailer = Mailer(ledger)
    mailer.send_email("kim", "30 is on its way", idempotency_key="r/4")
    with pytest.raises(IdempotencyError, match=r"the mailer got the idempotency key 'r/4' before"):
        mailer.send_email("kim", "we could not pay", idempotency_key="r/4")
    assert len(ledger.effects()) == 1


def test_every_service_refuses_a_known_key_with_another_operation(ledger):
    class Agency(Service):
        name = "agency"

    agency = Agency(ledger)
    agency._perform("book", "k", {"what": "car"})
    with pytest.raises(IdempotencyError, match=r"then book .* now cancel"):
        agency._perform("cancel", "k", {"what": "car"})
    Bank(ledger).pay_back("A1", 30, idempotency_key="k")  # another service has keys of its own
    agency._perform("book", "k", {"what": "car"})
    assert len(ledger.effects()) == 2


def test_a_naive_service_looks_at_no_key(ledger):
    bank = Bank(ledger, deduplicates=False)
    bank.pay_back("A1", 30, idempotency_key="k")
    bank.pay_back("A1", 99, idempotency_key="k")
    assert len(ledger.effects()) == 2


# ------------------------------------------------------------ whose books


@pytest.mark.parametrize(
    ("store", "books"),
    [
        ("refund.db", "refund.world.db"),
        ("run.1", "run.1.world.db"),
        ("run.2", "run.2.world.db"),
        ("a.db", "a.world.db"),
        ("a.sqlite", "a.sqlite.world.db"),
        ("folder.d/x.db", "folder.d/x.world.db"),
    ],
)
def test_the_name_of_the_books_has_the_whole_name_of_the_store(store, books):
    assert books_of(store) == Path(books)


def test_a_link_to_a_store_has_the_same_books(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "refund.db").touch()
    (tmp_path / "link.db").symlink_to("inner/refund.db")
    assert books_of(tmp_path / "link.db") == (tmp_path / "inner" / "refund.world.db").resolve()


def test_two_stores_never_share_a_world(tmp_path):
    """ "a" and "a.db" have one name for their books."""
    with SQLiteStore(tmp_path / "a.db", engine=engine) as first, SQLiteStore(tmp_path / "a", engine=engine) as second:
        assert books_of(first.path) == books_of(second.path)
        World(books_of(first.path), of=first).pay_back("A1", 30, idempotency_key="r/3")
        for look in (False, True):
            with pytest.raises(BooksError, match=r"another store .*a\.db.*Name another store"):
                World(books_of(second.path), of=second, look=look)
        assert World(books_of(first.path), of=first).pay_back("A1", 30, idempotency_key="r/3") == "receipt-1"


def test_a_store_that_was_deleted_and_made_again_does_not_get_the_old_books(tmp_path, path):
    with SQLiteStore(tmp_path / "refund.db", engine=engine) as store:
        Ledger(path, of=store).close()
    (tmp_path / "refund.db").unlink()
    with SQLiteStore(tmp_path / "refund.db", engine=engine) as store:
        with pytest.raises(BooksError, match=r"deleted to begin again, delete refund\.world\.db as well"):
            Ledger(path, of=store)
        path.unlink()
        Ledger(path, of=store).close()


def test_a_store_that_was_moved_with_its_books_keeps_them(tmp_path, path):
    with SQLiteStore(tmp_path / "refund.db", engine=engine) as store, closing(Ledger(path, of=store)) as books:
        books.effect("bank", "pay_back", "k", 30, True)
    (tmp_path / "refund.db").rename(tmp_path / "renamed.db")
    path.rename(tmp_path / "renamed.world.db")
    moved = tmp_path / "renamed.db"
    with SQLiteStore(moved, engine=engine) as store, closing(Ledger(books_of(moved), of=store)) as books:
        assert len(books.effects()) == 1


def test_books_of_before_there_were_owners_are_used_on(tmp_path, path):
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE TABLE calls(id INTEGER PRIMARY KEY, service TEXT, operation TEXT, key TEXT) STRICT;"
            "CREATE TABLE effects(id INTEGER PRIMARY KEY, service TEXT, operation TEXT, key TEXT, body TEXT) STRICT;"
            "CREATE INDEX calls_by_operation ON calls(service, operation);"
            "CREATE INDEX effects_by_key ON effects(service, operation, key);"
            "PRAGMA journal_mode=WAL;"
            """INSERT INTO effects VALUES (1, 'bank', 'pay_back', 'k', '{"order": "A1", "amount": 30}')"""
        )
    with closing(Ledger(path, look=True)) as books:
        assert len(books.effects()) == 1
    with SQLiteStore(tmp_path / "refund.db", engine=engine) as store:
        world = World(path, of=store)
        assert world.pay_back("A1", 30, idempotency_key="k") == "receipt-1"
        with pytest.raises(IdempotencyError):
            world.pay_back("A1", 99, idempotency_key="k")
        world.ledger.close()
    with SQLiteStore(tmp_path / "other.db", engine=engine) as store, pytest.raises(BooksError, match="another store"):
        Ledger(path, of=store)


# ------------------------------------------------------------ files that cannot be books


def test_another_programs_file_is_refused_and_left_alone(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE effects(x)")
        db.commit()
    refused(path, "another program's")


def test_a_store_is_no_book_and_books_are_no_store(tmp_path, path):
    SQLiteStore(path, engine=engine).close()
    refused(path, "another program's")
    path.unlink()
    Ledger(path).close()
    with pytest.raises(StoreError, match="another program's"):
        SQLiteStore(path, engine=engine)


def test_books_of_a_newer_lab_are_refused_and_left_alone(path):
    Ledger(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version=9")
    refused(path, "format 9", "update the lab")


def test_books_with_a_second_name_are_refused(path):
    Ledger(path).close()
    os.link(path, path.with_name("second.db"))
    refused(path, "hard links")


def test_a_folder_and_a_missing_folder_are_refused(tmp_path):
    for place, word in ((tmp_path, "folder"), (tmp_path / "no" / "w.db", "folder is not there")):
        with pytest.raises(BooksError, match=word):
            Ledger(place)


def test_the_log_of_other_books_is_refused(tmp_path):
    first, second = Ledger(tmp_path / "a.db"), Ledger(tmp_path / "b.db")
    for books in (first, second):
        books.effect("bank", "pay_back", "k", books is first, True)
    (tmp_path / "mixed").mkdir()
    shutil.copy(tmp_path / "a.db", tmp_path / "mixed" / "a.db")
    shutil.copy(tmp_path / "b.db-wal", tmp_path / "mixed" / "a.db-wal")
    refused(tmp_path / "mixed" / "a.db", "belongs to another file")
    first.close()
    second.close()


def test_books_that_are_locked_for_long_are_refused_before_any_step(path, monkeypatch):
    Ledger(path).close()
    monkeypatch.setattr("durable_lab.stores.database.BUSY_SECONDS", 0)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(BooksError, match=r"has kept it locked.*End that program"):
            World(path)
    World(path).ledger.close()


def test_books_that_are_locked_later_are_no_outcome_of_a_service(path, monkeypatch):
    monkeypatch.setattr("durable_lab.stores.database.BUSY_SECONDS", 0)
    world = World(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BooksError, match="has kept it locked"):
            world.pay_back("A1", 30, idempotency_key="k")
    world.pay_back("A1", 30, idempotency_key="k")
    assert len(world.ledger.effects()) == 1
    world.ledger.close()


READ_ONLY = """
import os, sys, urllib.parse  # all that is needed is imported while Python's own files may be read
from durable_lab.world import BooksError, Ledger
if os.getuid() == 0:
    os.setuid(65534)  # root may write anywhere
try:
    Ledger(sys.argv[1])
except BooksError as error:
    print(error)
print(len(Ledger(sys.argv[1], look=True).effects()))
"""


@pytest.mark.parametrize("folder_too", [False, True])
def test_books_that_may_not_be_written_are_refused_at_once_and_can_be_looked_at(folder_too):
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    path = folder / "refund.world.db"
    books = Ledger(path)
    books.effect("bank", "pay_back", "k", 30, True)
    if folder_too:
        books.close()
    path.chmod(0o444)
    folder.chmod(0o555 if folder_too else 0o777)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", READ_ONLY, str(path)]
    said = subprocess.run(command, env=env, capture_output=True, text=True, check=False).stdout
    folder.chmod(0o777)
    books.close()
    assert "it may not be written" in said
    assert said.splitlines()[-1] == "1"
    shutil.rmtree(folder)


def test_books_that_are_not_there_have_no_effects_and_a_look_makes_none(path):
    with closing(Ledger(path, look=True)) as books:
        assert books.effects() == []
        assert books.count_calls("bank", "pay_back") == 0
    assert list(path.parent.iterdir()) == []


def test_books_that_are_looked_at_cannot_be_written(ledger, path):
    with closing(Ledger(path, look=True)) as look, pytest.raises(BooksError, match="only to be read"):
        look.effect("bank", "pay_back", "k", 30, True)
    assert ledger.effects() == []


# ------------------------------------------------------------ while they are open


def test_a_full_disk_is_said_to_be_full(ledger):
    (pages,) = ledger._db.execute("PRAGMA page_count").fetchone()
    ledger._db.execute(f"PRAGMA max_page_count={pages + 2}")
    fill = (ledger.effect("bank", "pay_back", f"k{i}", {"x": "y" * 3000}, True) for i in range(100))
    with pytest.raises(BooksError, match="the disk is full"):
        list(fill)
    before = ledger.effects()
    ledger._db.execute("PRAGMA max_page_count=1000000")
    ledger.effect("bank", "pay_back", "more", 1, True)
    assert len(ledger.effects()) == len(before) + 1, "no transaction was left open"


def test_an_error_while_rolling_back_does_not_hide_the_first_one(ledger):
    def interrupted(row):
        ledger._db.execute("ROLLBACK")
        raise KeyError("the cause")

    with pytest.raises(KeyError, match="the cause"), ledger._file.transaction():
        interrupted(None)


@pytest.mark.parametrize("how", ["deleted", "moved"])
def test_books_that_were_taken_away_take_no_effect(ledger, path, how):
    ledger.effect("bank", "pay_back", "k", 30, True)
    if how == "deleted":
        for file in path.parent.glob("refund.world.db*"):
            file.unlink()
    else:
        path.rename(path.with_name("moved.db"))
    with pytest.raises(BooksError, match="no longer the file that was opened"):
        ledger.effect("bank", "pay_back", "l", 30, True)


def test_books_that_another_thread_collects_raise_no_error_there(path, monkeypatch):
    problems = []
    monkeypatch.setattr(sys, "unraisablehook", lambda problem: problems.append(problem.exc_value))
    held = [Ledger(path)]
    connection = held[0]._db
    collector = threading.Thread(target=held.clear)
    collector.start()
    collector.join()
    connection.close()  # in the thread that it belongs to
    assert problems == []
