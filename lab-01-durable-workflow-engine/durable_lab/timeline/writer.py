"""From records to events: each command or signal becomes the events that the timeline shows."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

from durable_lab.printable import printable
from durable_lab.timeline.model import Event, span
from durable_lab.timeline.times import NO_TIME, Times
from durable_lab.timeline.words import brief, cut, duration, moment


class EventWriter:
    """Writes events in order, and links them: a signal with its consumer, a wait with its beginning.

    sessions  the workers, if a store knows them
    replayed  how many commands came from history
    split     where the code diverged from history (see `divergence_in`), or None
    """

    def __init__(self, records: Sequence[Any], sessions: Sequence[Any], replayed: int, split: Any) -> None:
        self.events: list[Event] = []
        self.time = Times(records)
        self.position = 0
        self.replayed = replayed
        self._sessions, self._split = sessions, split
        self._free = 0  # the column after the last command, where a wait begins
        self._clock: float | None = None  # when the last command ended
        self._unread: dict[str, deque[Event]] = defaultdict(deque)  # delivered signals by name

    def add(self, kind: str, name: str, what: str, outcome: str = "", **more: Any) -> Event:
        event = Event(len(self.events), kind, printable(str(name)), printable(what), printable(outcome), **more)
        self.events.append(event)
        return event

    def workers(self, number: int) -> None:
        """Write the workers that began when `number` records were durable."""
        for session in (s for s in self._sessions if s.began_after == number):
            last = self.position - 1
            replays = {-1: "nothing to replay", 0: "replays 0"}.get(last, f"replays 0 to {last}")
            outcome = f"{replays} ({session.engine.partition(' ')[0]})"
            what = f"worker {session.number} begins"
            self.add("worker", str(session.number), what, outcome, start=self.time(session.at))

    def record(self, number: int, record: Any) -> None:
        """Write the events of the record with this number."""
        if not hasattr(record, "kind"):
            at, outcome = self.time(record.received_at), brief(record.payload)
            what = f"signal {record.name} is delivered"
            own: dict[str, Any] = {"start": at, "end": at, "record": number, "data": record}
            self._unread[record.name].append(self.add("delivered", record.name, what, outcome, **own))
            return
        if self._split and self.position == self._split["position"]:
            self._diverge()
        before = [str(s.number) for s in self._sessions if s.began_after <= number]
        after = ", ".join(str(s.number) for s in self._sessions if s.began_after > number)
        ran = "replayed" if self.position < self.replayed else "unread" if self._split else "live"
        own = {"record": number, "data": record, "ran": ran, "position": self.position}
        if self._sessions:
            own |= {"live_in": before[-1] if before else "", "replayed_by": after}
        self._command(record, own)
        self.position += 1
        self._free = len(self.events)

    def _command(self, record: Any, own: dict[str, Any]) -> None:
        kind = record.kind
        started, ended = self._lasted(record)
        own |= {"start": started, "end": ended}
        if kind == "activity":
            self._attempts(record, own)
        elif kind == "signal":
            self._consume(record, own)
        elif kind == "now":
            self.add("now", "now", "now", outcome_of(record), ok=record.ok, **own)
        elif kind in ("timer", "sleep"):
            self.add("timer", record.name, called(record), outcome_of(record), ok=record.ok, **own)
        else:
            self.add("unknown", kind, f"{kind} {called(record)}", outcome_of(record), ok=record.ok, **own)
        self._clock = ended

    def _lasted(self, record: Any) -> tuple[float | None, float | None]:
        """When it began and ended, by its own times or else by those of its attempts."""
        tries = record.tries or ()
        started, ended = self.time(record.started_at), self.time(record.ended_at)
        if started is None and tries:
            started = self.time(tries[0].started_at)
        if ended is None and tries:
            ended = self.time(tries[-1].ended_at)
        return started, ended

    def _attempts(self, record: Any, own: dict[str, Any]) -> None:
        name, what, outcome, tries = record.name, called(record), outcome_of(record), tuple(record.tries or ())
        if len(tries) < 2:
            self.add("attempt", name, what, outcome, ok=record.ok, attempt=1, tries=1, **own)
            return
        own = {key: value for key, value in own.items() if key not in ("start", "end")}
        for i, attempt in enumerate(tries):
            start, end = self.time(attempt.started_at), self.time(attempt.ended_at)
            last = i + 1 == len(tries)
            said = outcome if last else cut(str(attempt.error or "it worked"))
            counted = {"attempt": i + 1, "tries": len(tries), "ok": attempt.error is None}
            self.add("attempt", name, what, said, start=start, end=end, **counted, **own)
            if not last:
                until = self.time(tries[i + 1].started_at)
                pause = "" if until is None or end is None else _pause(until - end)
                self.add("gap", name, f"back-off of {name}", pause, start=end, end=until, **own)

    def _consume(self, record: Any, own: dict[str, Any]) -> None:
        name, index = record.name, len(self.events)
        link, since = None, self._free
        if self._unread[name]:
            delivered = self._unread[name].popleft()
            delivered.link, link = index, delivered.index
            if link < since or self._clock is None:  # it was delivered before the wait began, so nothing waited
                since = index
        own |= {"end": self.time(record.ended_at)}
        own |= {"start": own["end"] if since == index else self._clock}
        self.add(
            "consumed", name, f"waited for {name}", outcome_of(record), ok=record.ok, link=link, since=since, **own
        )

    def _diverge(self) -> None:
        split = self._split
        said = f"history says {split['history']}; your code asked for {split['asked']}; first: {split['first']}"
        self.add("divergence", split["first"], f"divergence at {self.position}", said, ok=False, data=dict(split))

    def end(self, status: str, detail: str | None, value: Any) -> None:
        """Write how the run stands, then say the time of each event."""
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
        if self.time.shown:
            self._say_times()

    def _say_times(self) -> None:
        start = span(self.events)[0]
        for event in self.events:
            at = event.when
            event.at = f"+{duration(at - start)}" if at is not None else "" if event.record is None else NO_TIME


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
