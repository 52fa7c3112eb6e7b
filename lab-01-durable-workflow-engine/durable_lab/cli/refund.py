"""`refund`: the story step by step. Each step is its own process, and they share only a file."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from durable_lab import study
from durable_lab.cli.command_line import file, name, one_of, whole
from durable_lab.cli.history import shortened, show_history
from durable_lab.cli.output import on_engine, option, say
from durable_lab.faults import POINTS, killer
from durable_lab.stores import Run, SQLiteStore, StoreError
from durable_lab.stores.log import log_of
from durable_lab.timeline.words import brief, moment
from durable_lab.worker import deliver, work
from durable_lab.world import World, books_of

OVER = ("completed", "failed")
APPROVAL = "approval"
STORE, RUN = "refund.db", "refund-1"  # the defaults
KILL_AT = typer.Option(
    metavar="POINT", parser=one_of(sorted(POINTS)), help="kill this process (kill -9) at: " + ", ".join(POINTS)
)


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    step: str
    store: str
    id: str
    amount: int
    by: str
    decline: bool
    kill_at: str | None
    naive: bool
    flaky: int


class Session:
    """What every step needs: the engine under study, the store, the world and the planned fault."""

    def __init__(self, console: Console, given: Options, closing: ExitStack) -> None:
        self.console, self.given, self.id = console, given, given.id
        self.study = study.for_show()
        self.story = self.study.module("refund")
        if given.step != "start":
            _must_exist(Path(given.store))
        look = given.step == "history"
        self.store = closing.enter_context(SQLiteStore(given.store, engine=self.study.module(), look=look))
        if given.step != "start":
            self.store.run(self.id)  # a mistyped id is refused before the world's books are made
        self._kill = killer(given.kill_at)
        self.books = books_of(given.store)
        bank: dict[str, Any] = {"deduplicates": not given.naive, "fails": given.flaky}
        self.world = World(self.books, **bank, at=self.at, of=self.store, look=look)
        closing.callback(self.world.ledger.close)
        self._effects = len(self.world.ledger.effects())
        self._position = 0  # of the next record

    def say(self, text: str) -> None:
        say(self.console, text)

    def at(self, point: str) -> None:
        """Called at every point of the story. Some lie inside an activity, so no error may leave this method."""
        if point.endswith(".effect"):
            with suppress(Exception):
                effects = len(self.world.ledger.effects())
                new = "it has happened in the world" if effects > self._effects else "the key is known: no new effect"
                self.say(f"  effect    {point.removesuffix('.effect')}: {new}")
                self._effects = effects
        self._kill(point)

    def recorded(self, command: Any) -> None:
        """Called by the journal for every command that is durable, so no error may leave this method either."""
        with suppress(Exception):
            attempts = f" ({len(command.tries)} attempts)" if len(command.tries) > 1 else ""
            said = moment if command.kind == "now" else brief
            outcome = said(command.value) if command.ok else f"failed: {command.error:.200}"
            self.say(f"  recorded  {self._position} {command.name} -> {outcome}{attempts}")
        self._position += 1

    def replayed(self, commands: Sequence[Any]) -> None:
        """Say which commands come from history."""
        self._position = len(commands)
        if commands:
            names = [f"{i} {command.name:.60}" for i, command in enumerate(commands)]
            self.say("  replayed  " + ", ".join(shortened(names, f"... ({len(names):,} commands) ...")))

    @contextmanager
    def engine_may_be_half_written(self) -> Iterator[None]:
        """Turn an exception of the engine under study into a sentence for its author. Raises StudyError."""
        try:
            yield
        except (StoreError, study.StudyError, KeyboardInterrupt):
            raise
        except BaseException as error:  # including SystemExit, and a WorkflowBlocked that the engine did not catch
            what = f"the engine raised {type(error).__name__}: {error}. {self.study.place(error)}"
            raise study.StudyError(what) from None

    def next(self, step: str) -> None:
        """Print the command that continues this run, with its options; it can be pasted into a shell."""
        say(self.console, f"next: {self.command(step)}", whole=True)

    def command(self, step: str) -> str:
        encoding = self.console.encoding
        where = option("--store", self.given.store, encoding) if self.given.store != STORE else ""
        which = option("--id", self.id, encoding) if self.id != RUN else ""
        bank = " --naive" if self.given.naive and step in ("approve", "resume") else ""
        return on_engine(self.study.name, f"durable-lab refund {step}{where}{which}{bank}")


def _must_exist(store: Path) -> None:
    """Raise StoreError if nothing is stored under this name: only `start` may create a file."""
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
    """another worker continues"""
    return _what_is_next(session, _run(session))


def replay(session: Session) -> int:
    """run the finished history again and count its new effects"""
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
    """show what is recorded"""
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


def _run(session: Session) -> Any:
    """Continue the run; say what is replayed, what is recorded and how it ended. Returns the RunResult."""
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
    """Print the next command. Returns the exit code: 1 if the run has failed."""
    session.next("approve" if result.status == "blocked" else "history")
    return 1 if result.status == "failed" else 0


def refund(
    context: typer.Context,
    step: Annotated[
        str,
        typer.Argument(
            metavar="STEP",
            parser=one_of(STEPS),
            help="; ".join(f"{word}: {function.__doc__}" for word, function in STEPS.items()),
        ),
    ],
    store: Annotated[str, typer.Option(metavar="FILE", parser=file, help="where history is kept")] = STORE,
    workflow_id: Annotated[str, typer.Option("--id", metavar="ID", parser=name, help="the run")] = RUN,
    amount: Annotated[int, typer.Option(metavar="AMOUNT", parser=whole(1), help="for start")] = 30,
    by: Annotated[str, typer.Option(metavar="NAME", parser=name, help="for approve: who decides")] = "Ana",
    decline: Annotated[bool, typer.Option("--decline", help="for approve: say no")] = False,
    kill_at: Annotated[str | None, KILL_AT] = None,
    naive: Annotated[bool, typer.Option("--naive", help="the bank and the mailer do not deduplicate")] = False,
    flaky: Annotated[int, typer.Option(metavar="N", parser=whole(0), help="the bank refuses its first N calls")] = 0,
) -> int:
    """Run the same story by hand.

    Each step is a process of its own, and they share only the file.
    """
    given = Options(step, store, workflow_id, amount, by, decline, kill_at, naive, flaky)
    with ExitStack() as closing:
        session = Session(context.obj, given, closing)
        session.say(f"engine: {session.study.label}   store: {store}")
        if kill_at:
            session.say(f"this process will be killed {POINTS[kill_at]}, if it gets that far")
        return STEPS[step](session)
