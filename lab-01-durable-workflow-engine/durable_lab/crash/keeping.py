"""Where a run's records are kept between two processes: in memory as JSON, or in the given SQLite store."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from durable_lab.stores import SQLiteStore, StoreError


class Unread(Exception):
    """A new process cannot read what the old one has written."""


class Keeping(Protocol):
    """A place for the records of one run. A process opens it, appends to it, and closes it."""

    commands: int  # the number of commands that are recorded
    signals: list[str]  # the names of the signals that are recorded

    def open(self, engine: Any, workflow_id: str, given: Any) -> Any:
        """Return the WorkflowState that the records add up to, read by this engine's module. May raise Unread."""

    def append(self, record: Any) -> None:
        """Make a record durable."""

    def close(self) -> None:
        """The process has ended."""


class InMemory:
    """Keeps each record as the JSON that its engine writes."""

    def __init__(self) -> None:
        self.commands, self.signals = 0, list[str]()
        self._texts: list[tuple[bool, str]] = []  # whether it is a signal; a state that has only this record, as JSON
        self._engine: Any = None

    def open(self, engine: Any, workflow_id: str, given: Any) -> Any:
        self._engine = engine
        state = engine.WorkflowState.from_json(engine.WorkflowState(workflow_id, given).to_json())
        for is_signal, text in self._texts:
            try:
                one = engine.WorkflowState.from_json(text)
            except ValueError as error:
                raise Unread(str(error)) from None
            read, kept = (one.signals, state.signals) if is_signal else (one.commands, state.commands)
            if len(read) != 1:
                raise Unread(f"one record was written, and {len(read)} are read")
            kept.extend(read)
        return state

    def append(self, record: Any) -> None:
        is_signal = isinstance(record, self._engine.Signal)
        commands, signals = ([], [record]) if is_signal else ([record], [])
        self._texts.append((is_signal, self._engine.WorkflowState("one", None, commands, signals).to_json()))
        if is_signal:
            self.signals.append(record.name)
        else:
            self.commands += 1

    def close(self) -> None:
        self._engine = None


class OnDisk:
    """Keeps the records in an SQLite file."""

    def __init__(self, path: Path) -> None:
        self.commands, self.signals = 0, list[str]()
        self._path = path
        self._store: SQLiteStore | None = None

    def open(self, engine: Any, workflow_id: str, given: Any) -> Any:
        self._signal = engine.Signal
        self._store = SQLiteStore(self._path, "NORMAL", engine=engine)
        self._store.start(workflow_id, "workflow", given)
        try:
            state = self._store.load(workflow_id)
        except StoreError as error:
            raise Unread(str(error)) from None
        self.signals = [record.name for record in self._store.records(workflow_id) if isinstance(record, self._signal)]
        self.commands = len(state.commands)
        self._store.begin(workflow_id, engine.__name__, 0.0)
        self._journal = self._store.journal(workflow_id)
        return state

    def append(self, record: Any) -> None:
        self._journal(record)
        if isinstance(record, self._signal):
            self.signals.append(record.name)
        else:
            self.commands += 1

    def close(self) -> None:
        if self._store:
            self._store.close()
