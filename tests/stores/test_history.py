"""What is journaled is what is loaded, in order, and it cannot be changed afterwards."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from durable_lab.stores import InputMismatch, SQLiteStore, StoreError
from durable_lab.stores.encoder import compact_encoder
from solution import engine
from solution.engine import Command, Signal, WorkflowState

VALUES: list[Any] = [
    None,
    True,
    0,
    -0.0,
    1e308,
    5e-324,
    2**70,
    -(2**70),
    "",
    "é 雪 🙂 \u2028",
    "a\0b",
    "lone \ud800 surrogate",
    'quotes " and \\ and \n',
    [],
    {},
    {"": [None, {"b": 1, "a": 2}]},
    [[1.5, "x"], {"k\0": "\udfff"}],
    "x" * 300_000,
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: ascii(value)[:30])
def test_a_loaded_history_equals_what_was_journaled(path: Path, value: Any) -> None:
    def workflow(ctx: engine.Context, given: Any) -> Any:
        try:
            ctx.call_activity(failing, given, retry=engine.RetryPolicy(max_attempts=2))
        except engine.ActivityError:
            return [ctx.call_activity(same, value), ctx.now(), ctx.wait_signal("go")]

    def same(given: Any) -> Any:
        return given

    def failing(given: Any) -> Any:
        raise OSError(f"no \0 \ud800 luck: {str(given)[:50]}")

    with SQLiteStore(path, engine=engine) as store:
        store.start("run é\0 7", "workflow", value)
        journal = store.journal("run é\0 7")
        host = engine.DurableEngine(clock=engine.SimulatedClock(1.5e9 + 0.1), journal=journal)
        state = host.signal(WorkflowState("run é\0 7", value), "go", value)
        state = host.run(workflow, state).state
        assert len(state.commands) == 4
    with SQLiteStore(path, engine=engine) as store:
        assert store.load("run é\0 7").to_json() == state.to_json()
        assert store.records("run é\0 7") == [*state.signals, *state.commands]


def test_a_row_is_the_record_as_the_engine_writes_it(store: SQLiteStore, command: Any) -> None:
    records = [command({"b": (1, 2), "a": None}), Signal("go", {"by": "Ana"}, 2.5), Command("now", "now", value=1.5)]
    journal = store.journal("w")
    assert [journal(record) for record in records] == [0, 1, 2]
    written = json.loads(WorkflowState("w", None, [records[0], records[2]], [records[1]]).to_json())
    with sqlite3.connect(store.path) as db:
        rows = db.execute("SELECT seq, type, record FROM history ORDER BY seq").fetchall()
    db.close()
    assert [row[:2] for row in rows] == [(0, "command"), (1, "signal"), (2, "command")]
    in_order = [written["commands"][0], written["signals"][0], written["commands"][1]]
    assert [row[2] for row in rows] == [json.dumps(record, separators=(",", ":")) for record in in_order]


@pytest.mark.parametrize("maker", ["this Python's", None, lambda indent: None], ids=["C", "none", "other arguments"])
def test_the_fast_encoder_writes_what_the_plain_one_writes(
    monkeypatch: pytest.MonkeyPatch, command: Any, maker: Any
) -> None:
    if not isinstance(maker, str):  # a Python without a C encoder, and one whose encoder is made otherwise
        monkeypatch.setattr(json.encoder, "c_make_encoder", maker)
    encode = compact_encoder()
    monkeypatch.undo()
    for value in [*VALUES, command({"b": (1, 2)}), Signal("go", VALUES, 0.1)]:
        assert encode(value) == json.dumps(value, default=vars, separators=(",", ":"))
    for bad in (float("nan"), {"a": [float("inf")]}, b"x"):
        with pytest.raises((TypeError, ValueError)):
            encode(bad)


def test_records_come_in_the_order_in_which_they_became_durable(store: SQLiteStore, command: Any) -> None:
    journal = store.journal("w")
    records = [Signal("go", 1, 0.0), command(1), Signal("go", 2, 0.0), Signal("stop", None, 0.0), command(2)]
    for record in records:
        journal(record)
    assert store.records("w") == records


def test_runs_in_one_file_do_not_see_each_other(store: SQLiteStore, command: Any) -> None:
    store.start("v", "refund", None)
    for i in range(5):
        assert store.journal("w")(command(i)) == i
        assert store.journal("v")(command(-i)) == i
    assert [c.value for c in store.load("w").commands] == [0, 1, 2, 3, 4]
    assert [c.value for c in store.load("v").commands] == [0, -1, -2, -3, -4]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE history SET record = '{}' WHERE seq = 0",
        "UPDATE history SET seq = 7 WHERE seq = 2",
        "DELETE FROM history WHERE seq = 2",
        "DELETE FROM history",
        "INSERT OR REPLACE INTO history VALUES ('w', 1, 'command', '{}', NULL)",
        "INSERT OR REPLACE INTO history VALUES ('w', 4, 'signal', '{}', 'key')",
        "INSERT INTO history VALUES ('w', 4, 'signal', '{}', NULL)",
        "INSERT INTO history VALUES ('w', -1, 'signal', '{}', NULL)",
        "INSERT INTO history VALUES ('v', 1, 'signal', '{}', NULL)",
        "INSERT OR IGNORE INTO history VALUES ('w', 2, 'signal', '{}', NULL)",
        "REPLACE INTO history VALUES ('w', 0, 'command', '{}', NULL)",
        "INSERT INTO history VALUES ('w', 3, 'event', '{}', NULL)",
        "INSERT INTO history VALUES ('w', 3, 'command', NULL, NULL)",
        "INSERT INTO history VALUES ('w', 3, 'command', x'00', NULL)",
    ],
)
def test_history_is_append_only_and_gap_free_whoever_writes(store: SQLiteStore, command: Any, statement: str) -> None:
    journal = store.journal("w", signal_key="key")
    for record in (command(0), Signal("go", 1, 0.0), command(2)):
        journal(record)
    vandal = sqlite3.connect(store.path)
    before = vandal.execute("SELECT * FROM history").fetchall()
    with pytest.raises(sqlite3.IntegrityError), vandal:
        vandal.execute(statement)
    assert vandal.execute("SELECT * FROM history").fetchall() == before
    vandal.close()


def test_a_replaced_signal_key_is_refused_too(store: SQLiteStore, command: Any) -> None:
    store.journal("w", signal_key="key")(Signal("go", 1, 0.0))
    vandal = sqlite3.connect(store.path)
    with pytest.raises(sqlite3.IntegrityError), vandal:
        vandal.execute("INSERT OR REPLACE INTO history VALUES ('w', 1, 'signal', '{}', 'key')")
    vandal.close()
    assert len(store.records("w")) == 1


def test_a_signal_with_a_key_arrives_once_and_without_one_each_time(store: SQLiteStore) -> None:
    store.start("other", "refund", None)
    for _ in range(2):
        store.journal("w", signal_key="click-1")(Signal("approval", True, 0.0))
        store.journal("other", signal_key="click-1")(Signal("approval", True, 0.0))
    assert len(store.load("w").signals) == 1
    assert len(store.load("other").signals) == 1, "a key counts for its run only"
    assert store.journal("w", signal_key="click-2")(Signal("approval", True, 0.0)) == 1
    assert store.journal("w", signal_key="click-1")(Signal("other name", True, 0.0)) is None
    for _ in range(2):
        store.journal("w")(Signal("approval", True, 0.0))
    assert len(store.load("w").signals) == 4


def test_a_dropped_signal_leaves_no_gap_behind_it(store: SQLiteStore, command: Any) -> None:
    journal = store.journal("w", signal_key="once")
    got = [journal(r) for r in (Signal("go", 1, 0.0), command(1), Signal("go", 1, 0.0), command(2), command(3))]
    assert got == [0, 1, None, 2, 3]


def test_a_record_that_json_cannot_represent_is_refused_and_not_kept(store: SQLiteStore, command: Any) -> None:
    journal = store.journal("w")
    for bad in (command(float("nan")), command(b"bytes"), Signal("go", float("inf"), 0.0), {"kind": "activity"}, None):
        with pytest.raises(StoreError, match="'w'"):
            journal(bad)
    assert journal(command(1)) == 0


def test_r14_a_workflow_id_started_again_with_another_input_is_refused(store: SQLiteStore) -> None:
    store.start("v", "refund", {"a": 1, "b": (1.5, None)})
    store.start("v", "refund", {"b": [1.5, None], "a": 1})
    for workflow, given in (("refund", {"a": 2, "b": [1.5, None]}), ("refund", {"a": 1.0}), ("repay", {"a": 1})):
        with pytest.raises(InputMismatch) as caught:
            store.start("v", workflow, given)
        text = str(caught.value)
        for part in (str(store.path), "'v'", '{"a":1,"b":[1.5,null]}', json.dumps(given, separators=(",", ":"))):
            assert part in text
        assert "new workflow id" in text
    assert store.run("v").input == {"a": 1, "b": [1.5, None]}
    assert store.run("v").workflow == "refund"


@pytest.mark.parametrize(("first", "second"), [(1, True), (0, False), (1, 1.0), (0.0, -0.0), ("1", 1), (None, "null")])
def test_r14_inputs_that_python_calls_equal_are_still_different(path: Path, first: Any, second: Any) -> None:
    with SQLiteStore(path, engine=engine) as store:
        store.start("v", "refund", first)
        store.start("v", "refund", first)
        with pytest.raises(InputMismatch):
            store.start("v", "refund", second)


def test_an_input_keeps_the_order_of_its_keys(store: SQLiteStore) -> None:
    store.start("v", "refund", {"b": 1, "a": 2})
    assert list(store.load("v").input) == ["b", "a"]


@pytest.mark.parametrize("given", [float("nan"), {1: 2}, b"x", {1, 2}], ids=ascii)
def test_an_input_that_json_cannot_represent_is_refused(store: SQLiteStore, given: Any) -> None:
    with pytest.raises(StoreError, match="'v' was not started: input"):
        store.start("v", "refund", given)
    assert [run.workflow_id for run in store.runs()] == ["w"]


@pytest.mark.parametrize("name", ["lone \ud800", 7, None], ids=ascii)
def test_a_workflow_id_that_is_not_a_string_is_refused(store: SQLiteStore, name: Any) -> None:
    with pytest.raises(StoreError, match="was not started"):
        store.start(name, "refund", None)


def test_an_unknown_run_is_answered_with_the_known_ones(store: SQLiteStore) -> None:
    store.start("v", "refund", None)
    asks: list[Callable[[], Any]] = [
        lambda: store.load("x"),
        lambda: store.run("x"),
        lambda: store.records("x"),
        lambda: store.journal("x"),
        lambda: store.begin("x", "solution", 0.0),
        lambda: store.finish("x", "failed"),
    ]
    for ask in asks:
        with pytest.raises(StoreError) as caught:
            ask()
        for part in (str(store.path), "'x'", "'w'", "'v'"):
            assert part in str(caught.value)


def test_a_run_tells_its_workers_and_how_it_was_left(store: SQLiteStore, command: Any, path: Path) -> None:
    assert (store.run("w").status, store.run("w").detail, store.run("w").sessions) == ("running", None, ())
    first = store.begin("w", "solution (solution/engine.py)", 10.5)
    store.journal("w")(command(1))
    store.finish("w", "blocked", "approval")
    assert (store.run("w").status, store.run("w").detail) == ("blocked", "approval")
    second = store.begin("w", "lab (lab/engine.py)", 20)
    assert (store.run("w").status, store.run("w").detail) == ("running", None), "until it says how it ended"
    store.finish("w", "completed", '{"a":1}')
    with SQLiteStore(path, engine=engine) as reader:
        run = reader.run("w")
        assert reader.runs() == [run]
    assert run.sessions == (first, second)
    assert [(s.number, s.engine, s.began_after, s.at) for s in run.sessions] == [
        (1, "solution (solution/engine.py)", 0, 10.5),
        (2, "lab (lab/engine.py)", 1, 20.0),
    ]
    assert (run.workflow_id, run.workflow, run.input) == ("w", "refund", {"id": "A1"})
    assert (run.status, run.detail) == ("completed", '{"a":1}')


def test_runs_are_listed_in_the_order_in_which_they_were_started(store: SQLiteStore) -> None:
    for name in ("z", "a", "m"):
        store.start(name, "refund", name)
    assert [(run.workflow_id, run.input) for run in store.runs()][1:] == [("z", "z"), ("a", "a"), ("m", "m")]


def test_a_status_that_is_none_is_refused(store: SQLiteStore) -> None:
    with pytest.raises(StoreError):
        store.finish("w", "paused")
    assert store.run("w").status == "running"


@pytest.mark.parametrize(("name", "number"), [("FULL", 2), ("NORMAL", 1)])
def test_synchronous_is_set_as_asked(path: Path, name: str, number: int) -> None:
    with SQLiteStore(path, synchronous=name, engine=engine) as store:
        assert store._db.execute("PRAGMA synchronous").fetchone() == (number,)
        assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert store._db.execute("PRAGMA busy_timeout").fetchone() == (30_000,)


def test_synchronous_is_full_if_nothing_is_said(store: SQLiteStore) -> None:
    assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)


@pytest.mark.parametrize("name", ["OFF", "full", "", "NORMAL; DROP TABLE runs"])
def test_no_other_synchronous_is_taken(path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="FULL"):
        SQLiteStore(path, synchronous=name)
    assert not path.exists()


def test_a_closed_store_and_a_foreign_thread_get_a_message(store: SQLiteStore, command: Any) -> None:
    from threading import Thread

    said: list[str] = []

    def intrude() -> None:
        try:
            store.journal("w")
        except StoreError as error:
            said.append(str(error))

    thread = Thread(target=intrude)
    thread.start()
    thread.join()
    assert "thread" in said[0]
    journal = store.journal("w")
    store.close()
    with pytest.raises(StoreError, match="closed"):
        journal(command(1))
    with pytest.raises(StoreError, match="closed"):
        store.runs()


def test_the_engine_under_study_is_the_one_that_builds_the_state(
    path: Path, monkeypatch: pytest.MonkeyPatch, command: Any
) -> None:
    monkeypatch.delenv("LAB_MODULE", raising=False)
    with SQLiteStore(path) as store:
        store.start("w", "refund", None)
        assert type(store.load("w")) is WorkflowState
    monkeypatch.setenv("LAB_MODULE", "lab")
    with SQLiteStore(path) as store:
        assert type(store.load("w")).__module__ == "lab.engine"
        with pytest.raises(StoreError, match=r"lab\.engine"):
            store.journal("w")(command(1))
