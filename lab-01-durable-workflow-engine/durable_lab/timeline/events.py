"""From a run to its events: the state of an engine, or the records of a store, become a `History`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from durable_lab import study
from durable_lab.faults import POINTS
from durable_lab.printable import printable
from durable_lab.timeline.collector import paused
from durable_lab.timeline.divergence import divergence_in, divergence_of
from durable_lab.timeline.model import Effect, Event, History
from durable_lab.timeline.times import Times
from durable_lab.timeline.words import cut
from durable_lab.timeline.writer import EventWriter


def history_of(
    run: Any, *, replayed: int = 0, crash: str | int | None = None, ledger: Any = None, engine: str = ""
) -> History:
    """Return the history of a RunResult or a WorkflowState. Raises TypeError if it has no commands.

    replayed  how many commands came from history in this run; the rest ran live
    crash     the name of the point at which the process died, or after how many commands it died
    ledger    the world's own books (anything with `effects()`), or the effects themselves
    engine    which engine ran, from which file
    """
    state = getattr(run, "state", run)
    if not hasattr(state, "commands"):
        raise TypeError(f"a RunResult or a WorkflowState has commands; {run!r:.80} has none")
    status = str(getattr(run, "status", "") or "")
    return from_records(
        in_order(state.commands, getattr(state, "signals", None) or []),
        workflow_id=str(state.workflow_id),
        status=status,
        detail={"blocked": getattr(run, "waiting_for", None), "failed": getattr(run, "error", None)}.get(status),
        cause=getattr(run, "cause", None),
        replayed=replayed,
        crash=crash,
        effects=effects_of(ledger),
        engine=engine,
        given=state.input,
        value=getattr(run, "value", None),
    )


def state_in(path: Path) -> Any:
    """Read the JSON of a WorkflowState. Raises ValueError that names the file and what is wrong with it."""
    try:
        return study.for_show().module().WorkflowState.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} holds no history of this engine: {error}") from None


def in_order(commands: Sequence[Any], signals: Sequence[Any]) -> list[Any]:
    """Merge commands and signals into the order in which they happened, as far as a state tells it.

    A state keeps the two apart. A signal is placed by its time, and never after the command that consumed it.
    """
    made: list[Any] = []
    left = deque(signals)
    came: Counter[str] = Counter()
    read: Counter[str] = Counter()
    sent = Counter(signal.name for signal in signals)

    def arrive() -> None:
        signal = left.popleft()
        came[signal.name] += 1
        made.append(signal)

    time = Times([*commands, *signals]) if signals else None
    for command in commands:
        now = time(command.ended_at) if time and left else None
        while left and now is not None and time and (at := time(left[0].received_at)) is not None and at < now:
            arrive()
        if command.kind == "signal":
            read[command.name] += 1
            while left and came[command.name] < min(read[command.name], sent[command.name]):
                arrive()
        made.append(command)
    return [*made, *left]


@paused
def from_records(
    records: Sequence[Any],
    sessions: Sequence[Any] = (),
    *,
    workflow_id: str = "",
    status: str = "",
    detail: str | None = None,
    cause: BaseException | None = None,
    replayed: int = 0,
    crash: str | int | None = None,
    effects: Sequence[Any] = (),
    engine: str = "",
    given: Any = None,
    value: Any = None,
) -> History:
    """Return the history of records in durable order.

    records   its Commands and Signals in the order in which they became durable
    sessions  its workers, if a store knows them: `number`, `engine`, `began_after` (records there), `at`
    """
    split = (divergence_of(cause) or divergence_in(detail)) if status == "failed" else None
    total = sum(hasattr(record, "kind") for record in records)
    if split:
        replayed = min(split["position"], total)
    writer = EventWriter(records, sessions, replayed, split)
    _write(writer, records, crash)
    writer.end(status, detail, value)
    return History(
        workflow_id=printable(workflow_id),
        events=tuple(writer.events),
        engine=printable(engine),
        status=status,
        detail=cut(detail or ""),
        commands=total,
        replayed=replayed,
        effects=_placed(effects, writer.events),
        input=given,
        value=value,
        began=writer.time.began,
        times=writer.time.note,
        by_order=writer.time.by_order,
    )


def _write(writer: EventWriter, records: Sequence[Any], crash: str | int | None) -> None:
    """Write the events of all records, and of the crash where it happened."""
    total = sum(hasattr(record, "kind") for record in records)
    dies = crash if isinstance(crash, int) else writer.replayed if crash and writer.replayed else total
    said = _after(crash) if isinstance(crash, int) else POINTS.get(crash or "", crash)
    for number in range(len(records) + 1):
        writer.workers(number)
        if said is not None and writer.position == dies and _ends_here(records, number):
            writer.add("crash", said, f"crash {said}", "what is recorded stays; the rest runs again")
            said = None
        if number < len(records):
            writer.record(number, records[number])


def _after(number: int) -> str:
    known = {0: "before anything was recorded", 1: "after 1 command was recorded"}
    return known.get(number, f"after {number} commands were recorded")


def _ends_here(records: Sequence[Any], number: int) -> bool:
    """Whether a command follows or nothing does: signals that are delivered next still belong before the crash."""
    return number == len(records) or hasattr(records[number], "kind")


# ------------------------------------------------------------ effects


def effects_of(ledger: Any) -> Sequence[Any]:
    """Return the effects in the world's books; `ledger` is None, has `effects()`, or is the effects themselves."""
    if ledger is None:
        return ()
    return list(ledger.effects() if callable(getattr(ledger, "effects", None)) else ledger)


def _placed(effects: Sequence[Any], events: Sequence[Event]) -> tuple[Effect, ...]:
    """Assign each effect to the command that caused it: by the position in its key, or by name and order."""
    by_name: dict[str, deque[int]] = defaultdict(deque)
    if effects:
        for event in events:
            if event.kind == "attempt" and event.final and event.position is not None:
                by_name[event.name].append(event.position)
    made: list[Effect] = []
    seen: set[tuple[str, str, Any]] = set()
    for effect in effects:
        if not hasattr(effect, "operation"):
            made.append(Effect("world", cut(str(effect))))
            continue
        operation = printable(str(effect.operation))
        key = str(effect.key or "")
        place = int(key.rpartition("/")[2]) if re.search(r"/\d{1,9}\Z", key) else None
        if place is None and by_name[operation]:
            turn = by_name[operation]
            place = turn[0] if len(turn) == 1 else turn.popleft()
        same = (effect.service, effect.operation, key or place)
        made.append(Effect(printable(str(effect.service)), operation, place, same in seen))
        seen.add(same)
    return tuple(made)
