"""From a run to its events: the state of an engine, or the records of a store, become a `History`."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from durable_lab import study
from durable_lab.faults import POINTS
from durable_lab.printable import printable
from durable_lab.timeline.model import Effect, Event, History, span
from durable_lab.timeline.times import NO_TIME, Times
from durable_lab.timeline.words import brief, cut, duration, moment


def history_of(
    run: Any, *, replayed: int = 0, crash: str | int | None = None, ledger: Any = None, engine: str = ""
) -> History:
    """The history of a RunResult or a WorkflowState. Raises TypeError where the thing given has no commands.

    replayed  so many commands came from history in this run; the rest ran live
    crash     the name of the point at which the process died, or after how many commands it died
    ledger    the world's own books (anything with `effects()`), or the effects themselves
    engine    which engine ran, from which file
    """
    state = getattr(run, "state", run)
    if not hasattr(state, "commands"):
        raise TypeError(f"a RunResult or a WorkflowState has commands; {run!r:.80} has none")
    status = str(getattr(run, "status", "") or "")
    detail = {"blocked": getattr(run, "waiting_for", None), "failed": getattr(run, "error", None)}.get(status)
    records = in_order(state.commands, getattr(state, "signals", None) or [])
    return from_records(
        records,
        workflow_id=str(state.workflow_id),
        status=status,
        detail=detail,
        replayed=replayed,
        crash=crash,
        effects=_effects(ledger),
        engine=engine,
        given=state.input,
        value=getattr(run, "value", None),
    )


def state_in(path: Path) -> Any:
    """The WorkflowState whose JSON a file holds. Raises ValueError that names the file and what is wrong."""
    try:
        return study.for_show().module().WorkflowState.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} holds no history of this engine: {error}") from None


def in_order(commands: Sequence[Any], signals: Sequence[Any]) -> list[Any]:
    """One list in the order in which things happened, as far as a state tells it.

    A state keeps commands and signals apart. A signal comes where its time says, and never after its consumer.
    """
    made: list[Any] = []
    left = deque(signals)
    came: Counter[str] = Counter()
    read: Counter[str] = Counter()
    waiting = Counter(signal.name for signal in signals)

    def arrive() -> None:
        signal = left.popleft()
        came[signal.name] += 1
        made.append(signal)

    time = Times([*commands, *signals])
    for command in commands:
        now = time(command.ended_at)
        while left and now is not None and (came_at := time(left[0].received_at)) is not None and came_at < now:
            arrive()
        if command.kind == "signal":
            read[command.name] += 1
            while left and came[command.name] < min(read[command.name], waiting[command.name]):
                arrive()
        made.append(command)
    return [*made, *left]


def from_records(
    records: Sequence[Any],
    sessions: Sequence[Any] = (),
    *,
    workflow_id: str = "",
    status: str = "",
    detail: str | None = None,
    replayed: int = 0,
    crash: str | int | None = None,
    effects: Sequence[Any] = (),
    engine: str = "",
    given: Any = None,
    value: Any = None,
) -> History:
    """The history of records in durable order.

    records   its Commands and Signals in the order in which they became durable
    sessions  its workers, where a store knows them: `number`, `engine`, `began_after` (records there), `at`
    """
    split = divergence_in(detail) if status == "failed" else None
    total = sum(hasattr(record, "kind") for record in records)
    if split:
        replayed = min(split["position"], total)
    writer = _Writer(records, sessions, replayed, split)
    dies = crash if isinstance(crash, int) else replayed if crash and replayed else total
    said = _after(crash) if isinstance(crash, int) else POINTS.get(crash or "", crash)
    for number in range(len(records) + 1):
        writer.workers(number)
        if said is not None and writer.position == dies and _ends_here(records, number):
            writer.add("crash", said, f"crash {said}", "what is recorded stays; the rest runs again")
            said = None
        if number < len(records):
            writer.record(number, records[number])
    writer.end(status, detail, value)
    time = writer.time
    made = tuple(_timed(writer.events)) if time.shown else tuple(writer.events)
    return History(
        printable(workflow_id),
        made,
        printable(engine),
        status,
        cut(detail or ""),
        total,
        replayed,
        _placed(effects, made),
        given,
        value,
        time.began,
        time.note,
        time.by_order,
    )


def _timed(events: Sequence[Event]) -> list[Event]:
    """The events with the time since the first one in words."""
    start = span(events)[0]
    made = []
    for event in events:
        at = event.when
        told = f"+{duration(at - start)}" if at is not None else NO_TIME if event.record is not None else ""
        made.append(replace(event, at=told))
    return made


def _after(number: int) -> str:
    known = {0: "before anything was recorded", 1: "after 1 command was recorded"}
    return known.get(number, f"after {number} commands were recorded")


def _ends_here(records: Sequence[Any], number: int) -> bool:
    """Signals that came before the next command belong before a crash only if nothing else follows."""
    return number == len(records) or hasattr(records[number], "kind")


class _Writer:
    """Writes events in order; keeps what links them."""

    def __init__(self, records: Sequence[Any], sessions: Sequence[Any], replayed: int, split: Any) -> None:
        self.events: list[Event] = []
        self.time = Times(records)
        self.position = 0
        self._sessions, self._replayed, self._split = sessions, replayed, split
        self._free = 0  # the column after the last command: there a wait begins
        self._clock: float | None = None  # when the last command ended
        self._unread: dict[str, deque[int]] = defaultdict(deque)  # signals by name: their indices

    def add(self, kind: str, name: str, what: str, outcome: str = "", **more: Any) -> int:
        index = len(self.events)
        self.events.append(Event(index, kind, printable(str(name)), printable(what), printable(outcome), **more))
        return index

    def workers(self, number: int) -> None:
        for session in (s for s in self._sessions if s.began_after == number):
            p = self.position
            replays = {0: "nothing to replay", 1: "replays 0"}.get(p, f"replays 0 to {p - 1}")
            outcome = f"{replays} ({session.engine.partition(' ')[0]})"
            self.add(
                "worker", str(session.number), f"worker {session.number} begins", outcome, start=self.time(session.at)
            )

    def record(self, number: int, record: Any) -> None:
        before = [str(s.number) for s in self._sessions if s.began_after <= number]
        after = ", ".join(str(s.number) for s in self._sessions if s.began_after > number)
        own = {"record": number, "data": record}
        if not hasattr(record, "kind"):
            at = self.time(record.received_at)
            outcome = brief(record.payload)
            index = self.add(
                "delivered", record.name, f"signal {record.name} is delivered", outcome, start=at, end=at, **own
            )
            self._unread[record.name].append(index)
            return
        if self._split and self.position == self._split["position"]:
            self._diverge()
        ran = "replayed" if self.position < self._replayed else "unread" if self._split else "live"
        own |= {"ran": ran, "position": self.position}
        own |= {"live_in": before[-1] if before else "", "replayed_by": after}
        self._command(record, own)
        self.position += 1
        self._free = len(self.events)
        self._clock = self._lasted(record)[1]

    def _lasted(self, record: Any) -> tuple[float | None, float | None]:
        """When it began and ended, by its own times or by those of its attempts."""
        tries = record.tries or ()
        started, ended = self.time(record.started_at), self.time(record.ended_at)
        if started is None and tries:
            started = self.time(tries[0].started_at)
        if ended is None and tries:
            ended = self.time(tries[-1].ended_at)
        return started, ended

    def _command(self, record: Any, own: dict[str, Any]) -> None:
        outcome = outcome_of(record)
        started, ended = self._lasted(record)
        if record.kind == "activity":
            self._attempts(record, outcome, own)
        elif record.kind == "now":
            self.add("now", "now", "now", outcome, ok=record.ok, start=started, end=ended, **own)
        elif record.kind == "signal":
            self._consume(record, outcome, own)
        elif record.kind in ("timer", "sleep"):
            name = str(record.name)
            self.add("timer", name, called(record), outcome, ok=record.ok, start=started, end=ended, **own)
        else:
            kind = str(record.kind)
            what = f"{kind} {called(record)}"
            self.add("unknown", kind, what, outcome, ok=record.ok, start=started, end=ended, **own)

    def _attempts(self, record: Any, outcome: str, own: dict[str, Any]) -> None:
        what, tries = called(record), tuple(record.tries or ())
        if len(tries) < 2:
            start, end = self._lasted(record)
            times = {"start": start, "end": end}
            self.add("attempt", record.name, what, outcome, ok=record.ok, attempt=1, tries=1, **times, **own)
            return
        for i, attempt in enumerate(tries):
            start, end = self.time(attempt.started_at), self.time(attempt.ended_at)
            last = i + 1 == len(tries)
            said = outcome if last else cut(str(attempt.error or "it worked"))
            counted = {"attempt": i + 1, "tries": len(tries), "ok": attempt.error is None}
            self.add("attempt", record.name, what, said, start=start, end=end, **counted, **own)
            if not last:
                until = self.time(tries[i + 1].started_at)
                pause = "" if until is None or end is None else _pause(until - end)
                self.add("gap", record.name, f"back-off of {record.name}", pause, start=end, end=until, **own)

    def _consume(self, record: Any, outcome: str, own: dict[str, Any]) -> None:
        name, ended = record.name, self.time(record.ended_at)
        index, link, since = len(self.events), None, self._free
        if self._unread[name]:
            link = self._unread[name].popleft()
            self.events[link] = _linked(self.events[link], index)
            if link < since or self._clock is None:  # it was there before the wait began: nothing waited
                since = index
        began = ended if since == index else self._clock
        what = f"waited for {name}"
        times = {"start": began, "end": ended}
        self.add("consumed", name, what, outcome, ok=record.ok, link=link, since=since, **times, **own)

    def _diverge(self) -> None:
        split = self._split
        said = f"history says {split['history']}; your code asked for {split['asked']}; first: {split['first']}"
        data = {key: split[key] for key in ("position", "history", "asked", "fields", "first")}
        self.add("divergence", split["first"], f"divergence at {self.position}", said, ok=False, data=data)

    def end(self, status: str, detail: str | None, value: Any) -> None:
        if self._split and not any(event.kind == "divergence" for event in self.events):
            self._diverge()
        if status == "blocked":
            own = {"position": self.position, "since": self._free, "start": self._clock, "ran": "live"}
            self.add("blocked", str(detail), f"waits for the signal {detail}", "blocked; nothing is held", **own)
        elif status == "running":
            self.add("running", "", "the worker is at work, or it died here", "running", position=self.position)
        elif status in ("completed", "failed"):
            said = cut(detail) if detail else "" if value is None else brief(value)
            self.add(status, status, status, said, ok=status == "completed", start=self._clock, end=self._clock)


def _linked(event: Event, index: int) -> Event:
    return Event(**{**{name: getattr(event, name) for name in Event.__dataclass_fields__}, "link": index})


def _pause(length: float) -> str:
    return duration(length) if length >= 0 else NO_TIME


def outcome_of(record: Any) -> str:
    """How a command ended, in one line."""
    if not record.ok:
        return cut(f"failed: {record.error}")
    return moment(record.value) if record.kind == "now" else brief(record.value)


def called(record: Any, width: int = 24) -> str:
    """What a command asked for: pay_back("A1", 30)."""
    return cut(f"{record.name}({', '.join(brief(arg, width) for arg in record.args or ())})")


# ------------------------------------------------------------ divergence

_SAYS = re.compile(
    r"at position (?P<at>\d+) history has (?P<had>.*?), but the workflow "
    r"(?:asks for (?P<asked>.*)|ends without asking for it)\Z",
    re.DOTALL,
)
_CALL = re.compile(r"(?P<kind>\w+) (?P<name>[^(]*)\((?P<args>.*)\)\Z", re.DOTALL)


def divergence_in(error: str | None) -> dict[str, Any] | None:
    """What a NonDeterminismError's text says, in two columns; None where the text is of another error.

    {"position": 1, "history": "activity pay(30)", "asked": "activity book(2)", "first": "name",
     "fields": [["kind", "activity", "activity", False], ["name", "pay", "book", True], ["args[0]", "30", "2", True]]}
    """
    found = _SAYS.search(error or "")
    if not found:
        return None
    had, asked = found["had"], found["asked"] or "nothing: it ended"
    rows = [[name, cut(one), cut(two), differs] for name, one, two, differs in _fields(had, asked)]
    had, asked = cut(had), cut(asked)
    first = next((name for name, _, _, differs in rows if differs), "the end" if not found["asked"] else "the call")
    return {"position": int(found["at"]), "history": had, "asked": asked, "fields": rows, "first": first}


def _fields(had: str, asked: str) -> list[list[Any]]:
    one, two = _CALL.match(had), _CALL.match(asked)
    if not one or not two:
        return [["command", had, asked, True]]
    rows = [[field, one[field], two[field], one[field] != two[field]] for field in ("kind", "name")]
    args, others = _arguments(one["args"]), _arguments(two["args"])
    for i in range(max(len(args), len(others))):
        a, b = args[i] if i < len(args) else "(none)", others[i] if i < len(others) else "(none)"
        rows.append([f"args[{i}]", a, b, a != b])
    return rows


def _arguments(text: str) -> list[str]:
    try:
        return [json.dumps(arg, ensure_ascii=False) for arg in json.loads(f"[{text}]")]
    except ValueError:  # it was cut to a length that fits in a message
        return [text]


# ------------------------------------------------------------ effects


def _effects(ledger: Any) -> Sequence[Any]:
    if ledger is None:
        return ()
    return list(ledger.effects() if callable(getattr(ledger, "effects", None)) else ledger)


def _placed(effects: Sequence[Any], events: Sequence[Event]) -> tuple[Effect, ...]:
    """Each effect beside the command that caused it: by the position in its key, or by name and turn."""
    by_name: dict[str, deque[int]] = defaultdict(deque)
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
