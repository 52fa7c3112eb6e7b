"""The journal of one run: it appends records to the store's history, one INSERT each."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import Any

from durable_lab.stores.database import Database
from durable_lab.stores.encoder import compact_encoder
from durable_lab.stores.errors import Conflict, StoreError
from durable_lab.stores.records import check_command, check_signal, is_plain

_encode = compact_encoder()

_APPEND = "INSERT INTO history(workflow_id, seq, type, record) VALUES (?, ?, 'command', ?)"
# :unseen is the first seq that this worker does not know. Signals may have arrived since, but no command.
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
_CHECKPOINT = 500  # records between two moves of the log into the file


class Journal:
    """What a DurableEngine calls with each record.

    unseen      the first seq that the worker does not know
    reached     by workflow id: the seq after the last command that a journal of this store has appended
    signal_key  a signal is dropped if the run already has one with this key
    """

    def __init__(
        self,
        file: Database,
        engine: Any,
        workflow_id: str,
        *,
        unseen: int,
        reached: dict[str, int],
        signal_key: str | None,
    ) -> None:
        self._file, self._engine, self._run = file, engine, workflow_id
        self._unseen, self._reached, self._key = unseen, reached, signal_key
        self._command, self._signal, self._attempt = engine.Command, engine.Signal, engine.Attempt
        self._execute = file.db.cursor().execute  # one cursor and one statement for the whole run
        self._is_there = file.is_there()

    def __call__(self, record: Any) -> int | None:
        """Append the record durably. Returns its seq, or None for a signal that was dropped.

        Raises Conflict if another worker has recorded a command since, StoreError if the file or the record fails.
        """
        if not self._is_there():
            self._file.check()  # raises, and says why
        try:
            if isinstance(record, self._command):
                return self._append_command(record)
            if isinstance(record, self._signal):
                return self._append_signal(record)
            raise TypeError(f"{record!r:.60} is not a Command or Signal of {self._engine.__name__}")
        except sqlite3.Error as error:
            raise self._file.explain(error) from None
        except (AttributeError, RecursionError, TypeError, ValueError) as error:
            raise StoreError(
                f"{self._file.path}: run {self._run!r}: this record cannot be kept: {error} (R5)"
            ) from None

    def _append_command(self, command: Any) -> int:
        text = _encode(command)
        if not is_plain(command, self._attempt, text):
            check_command(command, self._attempt, text)
        seq = self._unseen
        try:
            self._execute(_APPEND, (self._run, seq, text))  # <- the commit point
        except sqlite3.IntegrityError:  # another writer took this sequence number
            seq = self._append_behind_signals(text)
        self._reached[self._run] = self._unseen = seq + 1
        self._checkpoint_at(seq + 1)
        return seq

    def _append_behind_signals(self, text: str) -> int:
        rows = self._execute(_APPEND_BEHIND_SIGNALS, {"run": self._run, "record": text, "unseen": self._unseen})
        for (seq,) in rows.fetchall():
            return int(seq)
        raise Conflict.at(self._file.path, self._run, self._unseen) from None

    def _append_signal(self, signal: Any) -> int | None:
        text = _encode(signal)
        check_signal(signal)
        rows = self._execute(_APPEND_SIGNAL, {"run": self._run, "record": text, "key": self._key})
        for (seq,) in rows.fetchall():
            if seq == self._unseen:  # subtle: otherwise there are records before it that this worker does not know
                self._unseen += 1
            self._checkpoint_at(seq)  # at 0, too: the log stays short if there are many runs of a few records
            return int(seq)
        return None

    def _checkpoint_at(self, seq: int) -> None:
        if not seq % _CHECKPOINT:
            with suppress(StoreError):  # the records are durable, and the next checkpoint moves them
                self._file.checkpoint()
