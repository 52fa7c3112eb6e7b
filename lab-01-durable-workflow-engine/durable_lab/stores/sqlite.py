"""The store in an SQLite file. The file is described in `schema.py`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from durable_lab import study
from durable_lab.stores.encoder import compact_encoder
from durable_lab.stores.errors import Conflict, InputMismatch, StoreError, explain
from durable_lab.stores.runs import Run, Session
from durable_lab.stores.schema import connect

_encode = compact_encoder()
_canonical = json.JSONEncoder(allow_nan=False, separators=(",", ":"), sort_keys=True).encode

_APPEND = "INSERT INTO history(workflow_id, seq, type, record) VALUES (?, ?, 'command', ?)"
# :unseen is the first seq that this worker has not seen: signals may have come in since, but no command of another one.
_APPEND_BEHIND_SIGNALS = """
    INSERT INTO history(workflow_id, seq, type, record)
    SELECT :run, (SELECT max(seq) + 1 FROM history WHERE workflow_id = :run), 'command', :record
    WHERE NOT EXISTS (SELECT 1 FROM history WHERE workflow_id = :run AND seq >= :unseen AND type = 'command')
    RETURNING seq"""
_APPEND_SIGNAL = """
    INSERT INTO history(workflow_id, seq, type, record, signal_key)
    SELECT :run, coalesce((SELECT max(seq) + 1 FROM history WHERE workflow_id = :run), 0), 'signal', :record, :key
    WHERE :key IS NULL OR NOT EXISTS (SELECT 1 FROM history WHERE workflow_id = :run AND signal_key = :key)
    RETURNING seq"""
_COUNT = "SELECT coalesce(max(seq) + 1, 0) FROM history WHERE workflow_id = ?"  # gap-free, so the last one tells

Journal = Callable[[Any], int | None]


class SQLiteStore:
    """Runs and their histories in one file, for any number of processes; each thread opens a store of its own.

    path         the file; it is made if it is not there
    synchronous  "FULL": a record is on the disk before the workflow goes on, and a power cut cannot take it back.
                 "NORMAL": several times faster. A killed process loses nothing, but a power cut may lose the last
                 records, and their activities run again
    engine       the engine's module; if None, the one that LAB_MODULE names, else the reference

    Raises StoreError where the file cannot be a store; each method raises StoreError where the file fails it.
    """

    def __init__(self, path: str | Path, synchronous: str = "FULL", engine: ModuleType | None = None) -> None:
        if synchronous not in ("FULL", "NORMAL"):
            raise ValueError(f'synchronous is "FULL" or "NORMAL", not {synchronous!r}')
        self.path = Path(path)
        self._engine: Any = engine or study.current(default="solution").module()
        self._seen: dict[str, int] = {}  # by workflow id: how many records `load` saw
        self._db = connect(self.path, synchronous)

    # ------------------------------------------------------------ a run's life

    def start(self, workflow_id: str, workflow: str, input: Any) -> None:
        """Make a run known. Again with the same input: nothing changes. With another one: InputMismatch (R14)."""
        try:
            workflow_id.encode()  # SQLite has no lone surrogates
            given = json.loads(self._engine.WorkflowState(workflow_id, input).to_json())["input"]
        except (AttributeError, TypeError, ValueError) as error:
            raise StoreError(f"{self.path}: run {workflow_id!r} was not started: {error}") from None
        with self._explained():
            insert = "INSERT INTO runs VALUES (?, ?, ?, 'running', NULL) ON CONFLICT DO NOTHING"
            self._db.execute(insert, (workflow_id, workflow, _encode(given)))
        known = self.run(workflow_id)
        asked, had = (
            f"{w} with the input {_canonical(i)}" for w, i in ((workflow, given), (known.workflow, known.input))
        )
        if asked != had:
            raise InputMismatch(
                f"{self.path}: run {workflow_id!r} was started before, and not like this.\n"
                f"  then: {had:.500}\n  now:  {asked:.500}\n"
                "Ask with the same input to go on with that run, or take a new workflow id."
            )

    def load(self, workflow_id: str) -> Any:
        """The run's WorkflowState. Takes time in proportion to its history."""
        types, state = self._read(workflow_id)
        self._seen[workflow_id] = len(types)
        return state

    def begin(self, workflow_id: str, engine_label: str, at: float) -> Session:
        """A worker takes the run up, at this time in seconds. The run counts as running from here."""
        with self._explained(), self._transaction():
            self._find(workflow_id)
            (number,) = self._one("SELECT count(*) + 1 FROM sessions WHERE workflow_id = ?", workflow_id)
            session = Session(number, engine_label, self._one(_COUNT, workflow_id)[0], at)
            row = (workflow_id, session.number, session.engine, session.began_after, session.at)
            self._db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", row)
            self._db.execute("UPDATE runs SET status = 'running', detail = NULL WHERE workflow_id = ?", (workflow_id,))
        return session

    def journal(self, workflow_id: str, signal_key: str | None = None) -> Journal:
        """The `journal` of a DurableEngine: it appends each record behind what `load` last saw, durably.

        It returns the record's seq. A Signal whose `signal_key` the run has had already is dropped: None.
        Raises Conflict where another worker has recorded a command since, StoreError where the file fails.
        """
        with self._explained():
            self._find(workflow_id)
            unseen: int = self._seen.get(workflow_id, self._one(_COUNT, workflow_id)[0])
        execute = self._db.cursor().execute  # one cursor and one statement for the whole run
        command_type, signal_type = self._engine.Command, self._engine.Signal

        def signal(text: str) -> int | None:
            nonlocal unseen
            rows = execute(_APPEND_SIGNAL, {"run": workflow_id, "record": text, "key": signal_key}).fetchall()
            if not rows:
                return None
            seq = int(rows[0][0])
            if seq == unseen:  # subtle: otherwise there are records before it that this worker does not know
                unseen += 1
            return seq

        def append(record: Any) -> int | None:
            nonlocal unseen
            try:
                text = _encode(record)
                if isinstance(record, signal_type):
                    return signal(text)
                if not isinstance(record, command_type):
                    raise TypeError(f"{record!r:.60} is no Command or Signal of {self._engine.__name__}")
                try:
                    seq = unseen
                    execute(_APPEND, (workflow_id, seq, text))  # <- the commit point
                except sqlite3.IntegrityError:  # somebody was here
                    behind = {"run": workflow_id, "record": text, "unseen": seq}
                    rows = execute(_APPEND_BEHIND_SIGNALS, behind).fetchall()
                    if not rows:
                        raise self._conflict(workflow_id, seq) from None
                    seq = int(rows[0][0])
                unseen = seq + 1
                return seq
            except sqlite3.Error as error:
                raise explain(error, self.path) from None
            except (RecursionError, TypeError, ValueError) as error:
                raise StoreError(
                    f"{self.path}: run {workflow_id!r}: this record cannot be kept: {error} (R5)"
                ) from None

        return append

    def finish(self, workflow_id: str, status: str, detail: str | None = None) -> None:
        """Note how a worker left the run: see `Run` for the words. History does not change."""
        with self._explained():
            update = "UPDATE runs SET status = ?, detail = ? WHERE workflow_id = ?"
            if not self._db.execute(update, (status, detail, workflow_id)).rowcount:
                self._find(workflow_id)

    # ------------------------------------------------------------ looking

    def records(self, workflow_id: str) -> list[Any]:
        """The run's Commands and Signals, in the order in which they became durable."""
        types, state = self._read(workflow_id)
        by_type = {"command": iter(state.commands), "signal": iter(state.signals)}
        return [next(by_type[type_]) for type_ in types]

    def run(self, workflow_id: str) -> Run:
        """One run. Raises StoreError if there is none of this id."""
        with self._explained():
            return self._run(*self._find(workflow_id))

    def runs(self) -> list[Run]:
        """All runs, in the order in which they were started."""
        with self._explained():
            return [self._run(*row) for row in self._db.execute("SELECT * FROM runs ORDER BY rowid").fetchall()]

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> SQLiteStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------ inside

    def _one(self, query: str, workflow_id: str) -> Any:
        return self._db.execute(query, (workflow_id,)).fetchone()

    def _find(self, workflow_id: str) -> Any:
        """The run's row."""
        row = self._one("SELECT * FROM runs WHERE workflow_id = ?", workflow_id)
        if row is None:
            known = [name for (name,) in self._db.execute("SELECT workflow_id FROM runs ORDER BY rowid DESC LIMIT 11")]
            names = ", ".join(map(repr, known[:10])) + (", ..." if len(known) > 10 else "")
            raise StoreError(
                f"{self.path} has no run {workflow_id!r}. "
                + (f"It has {names} (the latest first)." if known else "It has no run at all; start one first.")
            )
        return row

    def _run(self, workflow_id: str, workflow: str, given: str, status: str, detail: str | None) -> Run:
        query = "SELECT number, engine, began_after, at FROM sessions WHERE workflow_id = ? ORDER BY number"
        sessions = tuple(Session(*row) for row in self._db.execute(query, (workflow_id,)))
        try:
            value = json.loads(given)
        except (RecursionError, ValueError) as error:
            raise self._damaged(workflow_id, "its input", error) from None
        return Run(workflow_id, workflow, value, status, detail, sessions)

    def _read(self, workflow_id: str) -> tuple[list[str], Any]:
        """The types of the records in order, and the state that they make up, checked by the engine."""
        with self._explained():
            given = self._find(workflow_id)[2]
            query = "SELECT seq, type, CAST(record AS BLOB) FROM history WHERE workflow_id = ? ORDER BY seq"
            rows = self._db.execute(query, (workflow_id,)).fetchall()
        for i, (seq, _, _) in enumerate(rows):
            if seq != i:
                raise self._damaged(workflow_id, f"record {i}", f"the next one is {seq}")
        try:
            state = self._parse(workflow_id, given, rows)
        except ValueError as error:
            for seq, type_, record in rows:  # which one?
                try:
                    self._parse(workflow_id, "null", [(0, type_, record)])
                except ValueError as why:
                    raise self._damaged(workflow_id, f"record {seq}", why) from None
            raise self._damaged(workflow_id, "its input", error) from None
        return [type_ for _, type_, _ in rows], state

    def _parse(self, workflow_id: str, given: str, rows: list[tuple[int, str, bytes]]) -> Any:
        """The rows, put together to the JSON that the engine documents, and read by it. Raises ValueError."""
        commands, signals = ([row[2] for row in rows if row[1] == type_] for type_ in ("command", "signal"))
        state = self._engine.WorkflowState.from_json(
            f'{{"version":1,"workflow_id":{_encode(workflow_id)},"input":{given},'
            f'"commands":[{b",".join(commands).decode()}],"signals":[{b",".join(signals).decode()}]}}'
        )
        if (len(state.commands), len(state.signals)) != (len(commands), len(signals)):
            raise ValueError("there is more or less than one record in it")
        return state

    def _damaged(self, workflow_id: str, what: str, why: object) -> StoreError:
        return StoreError(
            f"{self.path}: run {workflow_id!r}, {what}: {why}. This was written by something else, or the disk is bad. "
            "Nothing was changed. Put a copy of the file back, or start the work again under a new workflow id."
        )

    def _conflict(self, workflow_id: str, seq: int) -> Conflict:
        return Conflict(
            f"{self.path}: run {workflow_id!r}: another worker has recorded a command at seq {seq} or after, so this "
            "worker stops, and its last result does not count. Let the other one go on, or load the run once more."
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # a full disk has ended it already
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """SQLite's errors, said for a person."""
        try:
            yield
        except sqlite3.Error as error:
            raise explain(error, self.path) from None
