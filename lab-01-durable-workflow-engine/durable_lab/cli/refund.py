"""The refund by hand: each step is a process of its own, and a file is all that they share."""

from __future__ import annotations

import argparse
import difflib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from rich.console import Console

from durable_lab import study
from durable_lab.cli.output import on_engine, option, say
from durable_lab.faults import POINTS, killer
from durable_lab.stores import Run, SQLiteStore, StoreError
from durable_lab.stores.log import log_of
from durable_lab.timeline import table_of
from durable_lab.timeline.events import from_records
from durable_lab.timeline.rows import table_rows
from durable_lab.timeline.words import brief, moment
from durable_lab.worker import deliver, work
from durable_lab.world import Effect, World, books_of

OVER = ("completed", "failed")
APPROVAL = "approval"
MOST = 20  # names or effects in one list; longer ones are cut in the middle


class Session:
    """What every step of the story needs: the engine under study, the store, the world, the planned fault."""

    def __init__(self, console: Console, given: argparse.Namespace, closing: ExitStack) -> None:
        self.console, self.given = console, given
        self.id: str = given.workflow_id
        self.study = study.for_show()
        self.story = self.study.module("refund")
        if given.step != "start":
            _must_exist(Path(given.store))
        look = given.step == "history"
        self.store = closing.enter_context(SQLiteStore(given.store, engine=self.study.module(), look=look))
        if given.step != "start":
            self.store.run(self.id)  # a mistyped id is refused before the world's books are made
        self._kill = killer(given.kill_at)
        self.books, bank = books_of(given.store), {"deduplicates": not given.naive, "fails": given.flaky}
        self.world = World(self.books, **bank, at=self.at, of=self.store, look=look)
        closing.callback(self.world.ledger.close)
        self._effects = len(self.world.ledger.effects())
        self._position = 0  # of the next record

    def say(self, text: str) -> None:
        say(self.console, text)

    def at(self, point: str) -> None:
        """Told of every point that the story passes. Some lie inside an activity, so no error may leave here."""
        if point.endswith(".effect"):
            with suppress(Exception):
                effects = len(self.world.ledger.effects())
                new = "it has happened in the world" if effects > self._effects else "the key is known: no new effect"
                self.say(f"  effect    {point.removesuffix('.effect')}: {new}")
                self._effects = effects
        self._kill(point)

    def recorded(self, command: Any) -> None:
        """Told of every command once it is durable, inside the journal: no error may leave here, either."""
        with suppress(Exception):
            attempts = f" ({len(command.tries)} attempts)" if len(command.tries) > 1 else ""
            said = moment if command.kind == "now" else brief
            outcome = said(command.value) if command.ok else f"failed: {command.error:.200}"
            self.say(f"  recorded  {self._position} {command.name} -> {outcome}{attempts}")
        self._position += 1

    def replayed(self, commands: Sequence[Any]) -> None:
        """The commands that come from history."""
        self._position = len(commands)
        if commands:
            names = [f"{i} {command.name:.60}" for i, command in enumerate(commands)]
            self.say("  replayed  " + ", ".join(shortened(names, f"... ({len(names):,} commands) ...")))

    @contextmanager
    def engine_may_be_half_written(self) -> Iterator[None]:
        """Whatever the engine under study raises is a sentence for its author, not a traceback of ours."""
        try:
            yield
        except (StoreError, study.StudyError, KeyboardInterrupt):
            raise
        except BaseException as error:  # also SystemExit, and a WorkflowBlocked that was let out
            what = f"the engine raised {type(error).__name__}: {error}. {self.study.place(error)}"
            raise study.StudyError(what) from None

    def next(self, step: str) -> None:
        """The command that goes on from here, with the options that name this run, to be pasted into a shell."""
        say(self.console, f"next: {self.command(step)}", whole=True)

    def command(self, step: str) -> str:
        encoding = self.console.encoding
        where = option("--store", self.given.store, encoding) if self.given.store != "refund.db" else ""
        which = option("--id", self.id, encoding) if self.id != "refund-1" else ""
        bank = " --naive" if self.given.naive and step in ("approve", "resume") else ""
        return on_engine(self.study.name, f"durable-lab refund {step}{where}{which}{bank}")


def _must_exist(store: Path) -> None:
    """Refuse a name under which nothing is stored: a look must not make a file. Raises StoreError."""
    with suppress(OSError):
        if store.is_file() and not store.stat().st_size and not log_of(store).exists():
            raise StoreError(f"{str(store)!r} is an empty file, so it has no run. Start a refund first.")
    if os.path.lexists(store):
        return
    with suppress(OSError):
        beside = (".world.db", "-wal", "-shm", "-journal")
        names = [path.name for path in store.parent.iterdir() if path.is_file() and not path.name.endswith(beside)]
        near = difflib.get_close_matches(store.name, names, n=3)
        if near:
            raise StoreError(f"there is no store {str(store)!r}. Similar names there: {', '.join(map(repr, near))}.")
    raise StoreError(f"there is no store {str(store)!r}. Name another one with --store, or start a refund first.")


def shortened(items: Sequence[str], gap: str) -> list[str]:
    """The items, the middle of a long list replaced by `gap`."""
    return [*items] if len(items) <= MOST else [*items[: MOST // 2], gap, *items[-MOST // 2 :]]


def refund(console: Console, given: argparse.Namespace) -> int:
    """A refund, step by step. Each step is a process of its own."""
    with ExitStack() as closing:
        session = Session(console, given, closing)
        session.say(f"engine: {session.study.label}   store: {given.store}")
        if given.kill_at:
            session.say(f"this process will be killed {POINTS[given.kill_at]}, if it gets that far")
        return STEPS[given.step](session)


def start(session: Session) -> int:
    """ask for a refund"""
    order = {**session.story.ORDER, "amount": session.given.amount}
    session.store.start(session.id, "refund", order)
    return _what_is_next(session, _run(session))


def approve(session: Session) -> int:
    """a human decides"""
    run = session.store.run(session.id)
    if run.status in OVER:
        session.say(f"{run.workflow_id} is over, so this decision is not recorded. {_how_it_ended(run)}")
        session.next("history")
        return 0
    decision = {"approved": not session.given.decline, "by": session.given.by}

    def recorded(signal: Any) -> None:
        session.say(f"the signal {signal.name} {brief(signal.payload)} is in the history; nothing has run")

    with session.engine_may_be_half_written():
        new = deliver(session.store, session.study, session.id, APPROVAL, decision, session.at, recorded)
    if not new:
        session.say("a decision was recorded before, and that decision stays; this one is not recorded")
    session.next("resume")
    return 0


def resume(session: Session) -> int:
    """another worker goes on"""
    return _what_is_next(session, _run(session))


def replay(session: Session) -> int:
    """run the finished history once more, and count what it causes"""
    run = session.store.run(session.id)
    if run.status not in OVER:
        raise StoreError(
            f"{run.workflow_id!r} is {run.status}, so there is no finished history to replay.\n"
            f"next: {session.command(_next_step(run, session.store.records(session.id)))}"
        )
    before = len(session.world.ledger.effects())
    result = _run(session)
    new = len(session.world.ledger.effects()) - before
    session.say(f"new effects in the world: {new}")
    code = _what_is_next(session, result)
    return code if new == 0 else 1


def history(session: Session) -> int:
    """what is recorded"""
    run, records = session.store.run(session.id), session.store.records(session.id)
    show_history(session.console, run, records, session.world.ledger.effects() if session.books.exists() else None)
    if run.status not in OVER:
        session.next(_next_step(run, records))
    return 0


STEPS: dict[str, Callable[[Session], int]] = {
    "start": start,
    "approve": approve,
    "resume": resume,
    "history": history,
    "replay": replay,
}


def _next_step(run: Run, records: Sequence[Any]) -> str:
    """The step that continues the run."""
    if run.status in OVER:
        return "history"
    given = sum(not hasattr(record, "kind") and record.name == APPROVAL for record in records)
    taken = sum(getattr(record, "kind", "") == "signal" and record.name == APPROVAL for record in records)
    return "approve" if run.status == "blocked" and run.detail == APPROVAL and given == taken else "resume"


def _how_it_ended(run: Run) -> str:
    return f"It ended as {run.status}{f': {run.detail:.1000}' if run.detail else ''}."


def show_history(console: Console, run: Run, records: Sequence[Any], effects: Sequence[Effect] | None) -> None:
    """The timeline of one run, and beside it what the world's own books say; None if there are none."""
    say(console, f"{run.workflow} {run.workflow_id}: {run.status}")
    say(console, f"input {brief(run.input, 100)}")
    told = from_records(records, run.sessions, status=run.status, detail=run.detail)
    for words in filter(None, (told.start, told.times)):
        say(console, words)
    console.print(table_of(table_rows(told), console.width))
    if effects is None:
        say(console, "the world's own books: not found beside this store, so its effects are unknown")
        return
    say(console, "the world's own books:")
    for line in shortened(list(map(_in_the_books, effects)), f"... ({len(effects):,} effects) ..."):
        say(console, f"  {line}")
    paid = sum(effect.operation == "pay_back" for effect in effects)
    say(console, f"  refunds paid by the bank: {paid}")


def _in_the_books(effect: Effect) -> str:
    key = f", key {effect.key}" if effect.key else ""
    return f"{effect.id}. {effect.service}: {effect.operation} {brief(effect.body, 100)}{key}"


def _run(session: Session) -> Any:
    """Go on with the run; say what is replayed, what is recorded, and how it ended. Returns the RunResult."""
    run = session.store.run(session.id)
    if run.status in OVER:
        session.say(f"{run.workflow_id} is over: {run.status}. Its history is replayed.")
    session.replayed(session.store.load(session.id).commands)
    with session.engine_may_be_half_written():
        result = work(
            session.store,
            session.study,
            session.id,
            session.story.refund_with(session.world),
            session.at,
            session.recorded,
            retry=session.study.module().RetryPolicy(initial_interval=0.2, non_retryable=("IdempotencyError",)),
        )
    if result.status == "blocked":
        session.say(f"blocked: it waits for the signal {result.waiting_for}. This process ends now and holds nothing.")
    else:
        how = brief(result.value, 1000) if result.status == "completed" else str(result.error)[:1000]
        session.say(f"{result.status}: {how}")
    return result


def _what_is_next(session: Session, result: Any) -> int:
    """The next command. Returns the exit code: 1 if the run has failed."""
    session.next("approve" if result.status == "blocked" else "history")
    return 1 if result.status == "failed" else 0
