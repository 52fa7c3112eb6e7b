"""Whether a workflow is deterministic by itself: without the engine, on what it saw in the uncrashed run."""

from __future__ import annotations

import datetime
import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from durable_lab.attempts import again, message
from durable_lab.crash.play import WORKFLOW_ID, Workflow, name_of
from durable_lab.crash.played import Played, call_text
from durable_lab.judge.play import text_of

LATER = 40 * 86_400 + 5 * 3_600 + 7 * 60 + 11.5  # seconds: another month, weekday, hour, minute and second
Saw = dict[str, Any]  # JSON: "asks" and "sees" by position, and the "end"


class _Stop(BaseException):
    """The replay is over: there is a difference, or nothing more was seen."""


def saw(played: Played) -> Saw:
    """Return what a workflow saw in the uncrashed run, as JSON data."""
    asks = {str(at): [event.kind, event.text] for at, event in played.first("asks").items()}
    sees = {str(at): event.text for at, event in played.first("sees").items()}
    return {"asks": asks, "sees": sees, "end": list(played.end)}


def difference(seen: Saw, fresh: Callable[[], tuple[Any, Workflow]], given: Any, seed: str) -> str:
    """Replay the workflow at another time and with other random numbers. Returns what differs, or an empty string."""
    with later():
        engine, workflow = fresh()
        random.seed(f"{seed}/replay")
        ctx = _Seen(seen, engine)
        try:
            end = ["completed", text_of(workflow(ctx, given)), None, None]
        except _Stop:
            end = []
        except Exception as error:
            end = ["failed", "null", f"{type(error).__name__}: {message(error)}", None]
    if ctx.difference or not end:
        return ctx.difference
    if ctx.asked < len(seen["asks"]):
        kept = seen["asks"][str(ctx.asked)][1]
        return f"at position {ctx.asked} it asked for {kept:.150}, and on replay it ended there"
    if end[0] == seen["end"][0] == "completed" and end != seen["end"]:
        return f"at its end it returned {seen['end'][1]:.150}, and on replay {end[1]:.150}"
    return ""


class _Seen:
    """A `ctx` that returns what was seen at each position."""

    workflow_id = WORKFLOW_ID

    def __init__(self, seen: Saw, engine: Any) -> None:
        self._seen, self._engine = seen, engine
        self.asked, self.difference = 0, ""

    def call_activity(self, fn: Any, *args: Any, **options: Any) -> Any:
        return self._next("activity", call_text(*name_of(fn, args)))

    def now(self) -> Any:
        return self._next("now", "now()")

    def wait_signal(self, name: Any) -> Any:
        return self._next("signal", call_text(str(name), ()))

    def _next(self, kind: str, call: str) -> Any:
        place, self.asked = str(self.asked), self.asked + 1
        if self.difference or place not in self._seen["asks"]:
            if place not in self._seen["asks"] and self._seen["end"][0] == "completed":
                self.difference = f"it ended before position {place}, and on replay it asks for {call:.150} there"
            raise _Stop
        if self._seen["asks"][place] != [kind, call]:
            was = self._seen["asks"][place][1]
            self.difference = f"at position {place} it asked for {was:.150}, and on replay for {call:.150}"
            raise _Stop
        if place not in self._seen["sees"]:
            raise _Stop
        return self._outcome(json.loads(self._seen["sees"][place]))

    def _outcome(self, told: list[Any]) -> Any:
        match told:
            case ["value", text]:
                with suppress(ValueError):
                    return json.loads(text)
                raise _Stop
            case ["ActivityError", *fields]:
                raise self._engine.ActivityError(*map(json.loads, fields))
            case _:
                raise again(told[1], told[2])


@contextmanager
def later() -> Iterator[None]:
    """Move the clock of this process, as `time` and `datetime` show it."""
    moved, kept = datetime.timedelta(seconds=LATER), (datetime.datetime, datetime.date)
    real, real_ns = time.time, time.time_ns

    class SameInstances(type):
        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, cls.__mro__[1])

    class Datetime(kept[0], metaclass=SameInstances):  # type: ignore[misc, valid-type]
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return kept[0].now(tz) + moved

        @classmethod
        def utcnow(cls) -> Any:
            return kept[0].now(datetime.UTC).replace(tzinfo=None) + moved

        @classmethod
        def today(cls) -> Any:
            return kept[0].now() + moved

    class Date(kept[1], metaclass=SameInstances):  # type: ignore[misc, valid-type]
        @classmethod
        def today(cls) -> Any:
            return kept[1].today() + moved

    try:
        time.time, time.time_ns = (lambda: real() + LATER), (lambda: real_ns() + int(LATER * 1e9))
        datetime.datetime, datetime.date = Datetime, Date  # type: ignore[misc]
        yield
    finally:
        time.time, time.time_ns = real, real_ns
        datetime.datetime, datetime.date = kept  # type: ignore[misc]
