"""The store in an SQLite file. The file is described in `schema.py`."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from durable_lab import study
from durable_lab.stores.database import Database
from durable_lab.stores.encoder import compact_encoder
from durable_lab.stores.errors import Conflict, InputMismatch, StoreError
from durable_lab.stores.journal import Journal
from durable_lab.stores.records import is_time, storable
from durable_lab.stores.runs import ENDED, STATUSES, Run, Session
from durable_lab.stores.schema import STORE

_encode = compact_encoder()
_canonical = json.JSONEncoder(allow_nan=False, separators=(",", ":"), sort_keys=True).encode

_LATER_COMMAND = "SELECT 1 FROM history WHERE workflow_id = ? AND seq >= ? AND type = 'command'"
_COUNT = "SELECT coalesce(max(seq) + 1, 0) FROM history WHERE workflow_id = ?"  # gap-free, so the last seq tells


class SQLiteStore:
    """Runs and their histories in one file, for any number of processes. Each thread opens its own store.

    path         the file; it is created if it does not exist
    synchronous  "FULL": a record is on the disk before the workflow goes on, and a power cut cannot take it back.
                 "NORMAL": several times faster. A killed process loses nothing, but a power cut may lose the last
                 records, and their activities run again
    engine       the engine's module; if None, the one that LAB_MODULE names, else the reference
    look         read-only: the file must exist, and nothing is created or changed

    Raises StoreError if the file cannot be a store. Each method raises StoreError if the file cannot be read or
    written, if it is no longer the file that was opened, or in a process that was forked since.
    """

    def __init__(
        self, path: str | Path, synchronous: str = "FULL", engine: ModuleType | None = None, look: bool = False
    ) -> None:
        if synchronous not in ("FULL", "NORMAL"):
            raise ValueError(f'synchronous is "FULL" or "NORMAL", not {synchronous!r}')
        self.path = Path(path)
        self._engine: Any = engine or study.current(default="solution").module()
        self._seen: dict[str, int] = {}  # by workflow id: the number of records that `load` returned
        self._reached: dict[str, int] = {}  # ... and the seq after the last command that a journal appended
        self._session: dict[str, Session] = {}  # by workflow id: the last one that this worker began
        self._file = Database(self.path, STORE, synchronous, look)
        self._db = self._file.db
        self._explained = self._file.explained

    @property
    def id(self) -> str | None:
        """The unique id of this store, whatever its name; None for an old file that was opened to look."""
        with self._explained():
            return str(self._db.execute("SELECT id FROM tie").fetchone()[0]) if self._file.has("tie") else None

    # ------------------------------------------------------------ a run's life

    def start(self, workflow_id: str, workflow: str, input: Any) -> None:
        """Create a run. If it exists with the same input, nothing changes; with another one, InputMismatch (R14)."""
        try:
            for what, name in (("its id", workflow_id), ("the name of its workflow", workflow)):
                if not isinstance(name, str):
                    raise TypeError(f"{what} is {name!r:.60}, and must be a string")
            if storable(workflow_id) != workflow_id:
                raise ValueError("its id has a lone surrogate, which SQLite cannot store. Use another id")
            workflow = storable(workflow)
            given = json.loads(self._engine.WorkflowState(workflow_id, input).to_json())["input"]
        except (AttributeError, RecursionError, TypeError, ValueError) as error:
            raise StoreError(f"{self.path}: run {workflow_id!r:.200} was not started: {error}") from None
        with self._explained(writes=True):
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
                "Start it with the same input to go on with that run, or use a new workflow id."
            )

    def load(self, workflow_id: str) -> Any:
        """The run's WorkflowState. Takes time in proportion to its history."""
        types, state = self._read(workflow_id)
        self._seen[workflow_id] = len(types)
        return state

    def begin(self, workflow_id: str, engine_label: str, at: float) -> Session:
        """Note that a worker starts on the run, at this time in seconds. The run is then running, unless it has ended.

        Raises Conflict if another worker has recorded a command since `load`.
        """
        if not is_time(at):
            raise StoreError(f"{self.path}: run {workflow_id!r}: a worker's time is {at!r:.60}, and must be a number.")
        with self._explained(writes=True), self._file.transaction():
            self._find(workflow_id)
            self._refuse_late(workflow_id)
            (number,) = self._one("SELECT count(*) + 1 FROM sessions WHERE workflow_id = ?", workflow_id)
            session = Session(number, storable(engine_label), self._one(_COUNT, workflow_id)[0], at)
            row = (workflow_id, session.number, session.engine, session.began_after, session.at)
            self._db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", row)
            update = "UPDATE runs SET status = 'running', detail = NULL WHERE workflow_id = ? AND status = 'blocked'"
            self._db.execute(update, (workflow_id,))
            (commands,) = self._one(
                "SELECT count(*) FROM history WHERE workflow_id = ? AND type = 'command'", workflow_id
            )
            self._db.execute("DELETE FROM attempts WHERE workflow_id = ? AND position < ?", (workflow_id, commands))
        self._session[workflow_id] = session
        return session

    def journal(self, workflow_id: str, signal_key: str | None = None) -> Journal:
        """Return a `journal` for a DurableEngine: it appends each record durably, after those that `load` returned.

        A Signal is dropped if the run already has one with this `signal_key`.
        """
        if not (signal_key is None or isinstance(signal_key, str)):
            raise StoreError(f"{self.path}: the key of a signal is {signal_key!r:.60}, and must be a string.")
        signal_key = signal_key and storable(signal_key)
        with self._explained(writes=True):
            self._find(workflow_id)
            unseen: int = self._seen.get(workflow_id, self._one(_COUNT, workflow_id)[0])
        return Journal(
            self._file, self._engine, workflow_id, unseen=unseen, reached=self._reached, signal_key=signal_key
        )

    def finish(self, workflow_id: str, status: str, detail: object = None) -> None:
        """Note how a worker left the run, in the words of `Run`. The history does not change.

        Only a worker that knows the whole history may do so: raises Conflict if another one has recorded a command
        since. A run that has ended stays as it is if a newer session ended it, or if it had completed before and this
        worker has recorded nothing new.
        """
        if status not in STATUSES or (status == "blocked" and not isinstance(detail, str | None)):
            raise StoreError(
                f"{self.path}: run {workflow_id!r}: a worker left it as {status!r:.60} ({detail!r:.60}). A status is "
                f"one of {', '.join(STATUSES)}, and the signal that a blocked run waits for is a string."
            )
        with self._explained(writes=True), self._file.transaction():
            now = self._find(workflow_id)[3]
            session = self._session.get(workflow_id)
            if session:
                self._refuse_late(workflow_id)
                (newest,) = self._one("SELECT max(number) FROM sessions WHERE workflow_id = ?", workflow_id)
                new = self._db.execute(_LATER_COMMAND, (workflow_id, session.began_after)).fetchone()
                if (now in ENDED and newest > session.number) or (now == "completed" and not new):
                    return
            update = "UPDATE runs SET status = ?, detail = ? WHERE workflow_id = ?"
            self._db.execute(update, (status, None if detail is None else storable(detail), workflow_id))

    # ------------------------------------------------------------ attempts that failed

    def attempts(self, workflow_id: str, position: int) -> list[Any]:
        """The attempts (JSON data) that were kept for the command at this position, in order."""
        query = "SELECT attempt FROM attempts WHERE workflow_id = ? AND position = ? ORDER BY rowid"
        with self._explained():
            try:
                return [json.loads(text) for (text,) in self._db.execute(query, (workflow_id, position))]
            except ValueError as error:
                raise self._damaged(workflow_id, f"an attempt of command {position}", error) from None

    def keep_attempt(self, workflow_id: str, position: int, attempt: Any) -> None:
        """Keep an attempt (JSON data) that failed, durably. It counts until the command at this position is recorded.

        Raises Conflict if another worker has recorded a command since `load`.
        """
        with self._explained(writes=True), self._file.transaction():
            self._refuse_late(workflow_id)
            self._db.execute("INSERT INTO attempts VALUES (?, ?, ?)", (workflow_id, position, _encode(attempt)))

    # ------------------------------------------------------------ looking

    def records(self, workflow_id: str) -> list[Any]:
        """The run's Commands and Signals, in the order in which they became durable."""
        types, state = self._read(workflow_id)
        by_type = {"command": iter(state.commands), "signal": iter(state.signals)}
        return [next(by_type[type_]) for type_ in types]

    def run(self, workflow_id: str) -> Run:
        """One run. Raises StoreError if no run has this id."""
        with self._explained():
            return self._run(*self._find(workflow_id))

    def runs(self) -> list[Run]:
        """All runs, in the order in which they were started."""
        with self._explained():
            return [self._run(*row) for row in self._db.execute("SELECT * FROM runs ORDER BY rowid").fetchall()]

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> SQLiteStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------ inside

    def _one(self, query: str, workflow_id: str) -> Any:
        return self._db.execute(query, (workflow_id,)).fetchone()

    def _find(self, workflow_id: str) -> Any:
        """The run's row."""
        known_form = isinstance(workflow_id, str) and storable(workflow_id) == workflow_id
        row = known_form and self._one("SELECT * FROM runs WHERE workflow_id = ?", workflow_id)
        if not row:
            known = [name for (name,) in self._db.execute("SELECT workflow_id FROM runs ORDER BY rowid DESC LIMIT 11")]
            names = ", ".join(map(repr, known[:10])) + (", ..." if len(known) > 10 else "")
            raise StoreError(
                f"{self.path} has no run {workflow_id!r:.200}. "
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
        """The types of the records in order, and the state that they add up to, checked by the engine."""
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
        """Build the JSON that the engine documents from the rows, and let the engine read it. Raises ValueError."""
        commands, signals = ([row[2] for row in rows if row[1] == type_] for type_ in ("command", "signal"))
        state = self._engine.WorkflowState.from_json(
            f'{{"version":1,"workflow_id":{_encode(workflow_id)},"input":{given},'
            f'"commands":[{b",".join(commands).decode()}],"signals":[{b",".join(signals).decode()}]}}'
        )
        if (len(state.commands), len(state.signals)) != (len(commands), len(signals)):
            raise ValueError("it does not contain exactly one record")
        return state

    def _damaged(self, workflow_id: str, what: str, why: object) -> StoreError:
        return StoreError(
            f"{self.path}: run {workflow_id!r}, {what}: {why}. Another program wrote this, or the disk is failing. "
            "Nothing was changed. Restore a copy of the file, or start the work again under a new workflow id."
        )

    def _refuse_late(self, workflow_id: str) -> None:
        """Raise Conflict if another worker has recorded a command that this one has not seen."""
        seen = max(self._seen.get(workflow_id, -1), self._reached.get(workflow_id, -1))
        if seen >= 0 and self._db.execute(_LATER_COMMAND, (workflow_id, seen)).fetchone():
            raise Conflict.at(self.path, workflow_id, seen)
