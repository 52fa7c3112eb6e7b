"""The refund by hand: each step is a process of its own, and a file is all that they share."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from durable_lab import study
from durable_lab.faults import POINTS, killer
from durable_lab.stores import SQLiteStore, StoreError
from durable_lab.timeline import rows_of, table_of
from durable_lab.timeline.rows import brief
from durable_lab.worker import deliver, work
from durable_lab.world import Effect, World


class Session:
    """What every step of the story needs: the engine under study, the store, the world, the planned fault."""

    def __init__(self, console: Console, given: argparse.Namespace) -> None:
        self.console, self.given = console, given
        self.study = study.for_show()
        self.story = self.study.module("refund")
        self.store = SQLiteStore(given.store, engine=self.study.module())
        self._kill = killer(given.kill_at)
        books = Path(given.store).with_suffix(".world.db")
        self.world = World(books, deduplicates=not given.naive, fails=given.flaky, at=self.at)
        self._effects = len(self.world.ledger.effects())

    def say(self, text: str) -> None:
        self.console.print(escape(text), soft_wrap=True)
        self.console.file.flush()  # this process may be killed at the next line

    def at(self, point: str) -> None:
        """Told of every point that the story passes."""
        if point.endswith(".effect"):
            name, effects = point.removesuffix(".effect"), len(self.world.ledger.effects())
            new = "it has happened in the world" if effects > self._effects else "the key is known, nothing new happens"
            self.say(f"  effect    {name}: {new}")
            self._effects = effects
        self._kill(point)

    @contextmanager
    def engine_may_be_half_written(self) -> Iterator[None]:
        """Whatever the engine under study raises is a sentence for its author, not a traceback of ours."""
        try:
            yield
        except StoreError:
            raise
        except Exception as error:
            what = f"the engine raised {type(error).__name__}: {error}. {self.study.place(error)}"
            raise study.StudyError(what) from None

    def next(self, step: str) -> None:
        """The command that goes on from here, with the options that name this run."""
        engine = "" if self.study.name == "solution" else f"LAB_MODULE={self.study.name} "
        where = f" --store {self.given.store}" if self.given.store != "refund.db" else ""
        which = f" --id {self.given.workflow_id}" if self.given.workflow_id != "refund-1" else ""
        self.say(f"next: {engine}durable-lab refund {step}{where}{which}")


def refund(console: Console, given: argparse.Namespace) -> int:
    """start: ask for a refund. approve: a human decides. resume: another worker goes on. history: what is recorded.
    replay: run the finished history once more, and count what it causes."""
    session = Session(console, given)
    session.say(f"engine: {session.study.label}   store: {given.store}")
    if given.kill_at:
        session.say(f"this process will be killed {POINTS[given.kill_at]}")
    return STEPS[given.step](session)


def start(session: Session) -> int:
    order = {**session.story.ORDER, "amount": session.given.amount}
    session.store.start(session.given.workflow_id, "refund", order)
    return _run(session)


def approve(session: Session) -> int:
    decision = {"approved": not session.given.decline, "by": session.given.by}
    with session.engine_may_be_half_written():
        new = deliver(session.store, session.study, session.given.workflow_id, "approval", decision, session.at)
    if new:
        session.say(f"the signal approval {brief(decision)} is in the history; nothing has run")
    else:
        session.say("somebody has decided before, and that decision stays; this one is not recorded")
    session.next("resume")
    return 0


def resume(session: Session) -> int:
    return _run(session)


def replay(session: Session) -> int:
    run = session.store.run(session.given.workflow_id)
    if run.status not in ("completed", "failed"):
        raise StoreError(
            f"{run.workflow_id} is {run.status}, so there is no finished history to replay. Resume it first."
        )
    before = len(session.world.ledger.effects())
    code = _run(session)
    new = len(session.world.ledger.effects()) - before
    session.say(f"new effects in the world: {new}")
    return code if new == 0 else 1


def history(session: Session) -> int:
    show_history(session.console, session.store, session.given.workflow_id, session.world.ledger.effects())
    return 0


STEPS: dict[str, Callable[[Session], int]] = {
    "start": start,
    "approve": approve,
    "resume": resume,
    "history": history,
    "replay": replay,
}


def show_history(console: Console, store: SQLiteStore, workflow_id: str, effects: list[Effect]) -> None:
    """The timeline of one run, and beside it what the world's own books say."""
    run = store.run(workflow_id)
    console.print(escape(f"{run.workflow} {run.workflow_id}: {run.status}"))
    console.print(escape(f"input {brief(run.input, 100)}"), soft_wrap=True)
    console.print(table_of(rows_of(store.records(workflow_id), run.sessions, run.status, run.detail)))
    console.print("the world's own books:")
    for effect in effects:
        key = f", key {effect.key}" if effect.key else ""
        line = f"  {effect.id}. {effect.service}: {effect.operation} {brief(effect.body, 100)}{key}"
        console.print(escape(line), soft_wrap=True)
    paid = sum(effect.operation == "pay_back" for effect in effects)
    console.print(f"  refunds paid by the bank: {paid}")


def _run(session: Session) -> int:
    """Go on with the run, and say what was replayed, what ran live, and how it ended."""
    known = session.store.load(session.given.workflow_id)
    if known.commands:
        session.say("  replayed  " + ", ".join(f"{i} {command.name}" for i, command in enumerate(known.commands)))
    with session.engine_may_be_half_written():
        result = work(
            session.store,
            session.study,
            session.given.workflow_id,
            session.story.refund_with(session.world),
            session.at,
            retry=session.study.module().RetryPolicy(initial_interval=0.2),
        )
    for i, command in enumerate(result.state.commands[len(known.commands) :], len(known.commands)):
        attempts = f" ({len(command.tries)} attempts)" if len(command.tries) > 1 else ""
        outcome = brief(command.value) if command.ok else f"failed: {command.error}"
        session.say(f"  recorded  {i} {command.name} -> {outcome}{attempts}")
    return _ending(session, result)


def _ending(session: Session, result: Any) -> int:
    if result.status == "blocked":
        session.say(f"blocked: it waits for the signal {result.waiting_for}. This process ends now and holds nothing.")
        session.next("approve")
        return 0
    if result.status == "completed":
        session.say(f"completed: {json.dumps(result.value)}")
        session.next("history")
        return 0
    session.say(f"failed: {result.error}")
    return 1
