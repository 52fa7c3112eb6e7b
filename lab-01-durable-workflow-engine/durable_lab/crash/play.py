"""Play a scenario: run a workflow on an engine, stop its process at chosen points, and go on in a new one."""

from __future__ import annotations

import functools
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from durable_lab.attempts import again, kinds, message, put_around
from durable_lab.checks.bench import Crash
from durable_lab.crash.keeping import Keeping
from durable_lab.crash.played import OUTSIDE, End, Event, Played, Point, call_text, content_of, outcome_of
from durable_lab.judge.play import text_of

MOST = 10_000  # crossings of one process; a workflow with more has a loop that does not end
WORKFLOW_ID, START = "crash-1", 1000.0
KEY = "idempotency_key"
Workflow = Callable[[Any, Any], Any]


class NeverEnds(BaseException):
    """The workflow issues more commands, or the engine makes more attempts, than any that end."""


@dataclass(frozen=True)
class Scenario:
    """What is run.

    fresh    returns the engine's module and the workflow, both as in a new process
    keeping  returns a new, empty place for the records
    signals  are delivered in this order: each one when the run waits for its name
    """

    fresh: Callable[[], tuple[Any, Workflow]]
    keeping: Callable[[], Keeping]
    input: Any = None
    signals: Sequence[tuple[str, Any]] = ()
    workflow_id: str = WORKFLOW_ID
    seed: str = "0"


@dataclass
class Script:
    """What the uncrashed run met outside. The other runs meet the same, whatever their processes are.

    The activities run for real in each run. If one returns another value than at its same call in the uncrashed run
    (a receipt with a random number), the workflow gets the value from there: it is no fault of the engine.
    """

    outcomes: dict[str, list[Any]] = field(default_factory=dict)  # "position/attempt": the call, and how it ended
    times: list[float] = field(default_factory=lambda: [START])  # of the clock, after so many records


class Play:
    """One run of a scenario. `crashes` has, for each process but the last, the number of the point that ends it.

    script  from the uncrashed run; if None, this is the uncrashed run, and it writes the script
    die     is called at the point instead of a simulated end of the process
    note    is called with each event at once
    """

    def __init__(
        self,
        scenario: Scenario,
        crashes: Sequence[int] = (),
        script: Script | None = None,
        die: Callable[[], object] = lambda: None,
        note: Callable[[Event], object] = lambda event: None,
        process: int = 0,
    ) -> None:
        self.played, self.script = Played(), script or Script()
        self._scenario, self._crashes, self._learns, self._die, self._tell = scenario, crashes, not script, die, note
        self._process = process
        self._keeping = scenario.keeping()

    def run(self) -> Played:
        """Run all processes. Raises KeyboardInterrupt, and what `fresh` raises."""
        for crash in [*self._crashes, None]:
            self._begin(crash)
            engine, workflow = self._scenario.fresh()
            try:
                self.played.end, self.played.raised = self._live(engine, workflow), None
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self.played.end, self.played.raised = _raised(self._endless or error), self._endless or error
            finally:
                self._keeping.close()
            if not self._dead or self._endless:
                break
            self._process += 1
        return self.played

    def _begin(self, crash: int | None) -> None:
        self._crash, self._crossed, self._dead = crash, 0, False
        self._endless: NeverEnds | None = None
        self._position, self._of, self._known = OUTSIDE, "", 0
        self._attempts: Counter[int] = Counter()
        self.played.points[self._process] = []

    def _live(self, engine: Any, workflow: Workflow) -> End:
        random.seed(f"{self._scenario.seed}/{self._process}")
        self._signal = engine.Signal
        state = self._keeping.open(engine, self._scenario.workflow_id, self._scenario.input)
        self.now = self._time()
        host = engine.DurableEngine(clock=_Clock(self), journal=self._append)
        waiting = self._undelivered()
        while True:
            self._known = self._keeping.commands
            result = host.run(self._watched(workflow), state)
            end = End(result.status, text_of(result.value), result.error, result.waiting_for)
            self._outside()
            self.cross("blocks" if end.status == "blocked" else "ends")
            sent = next((signal for signal in waiting if (end.status, signal[0]) == ("blocked", end.waiting_for)), None)
            if not sent:
                return end
            waiting.remove(sent)
            state = host.signal(result.state, sent[0], json.loads(json.dumps(sent[1])))
            self._outside()
            self._note("delivers", "signal", call_text(sent[0], ()))

    def _undelivered(self) -> list[tuple[str, Any]]:
        """The signals that no earlier process has recorded."""
        recorded = Counter(self._keeping.signals)
        recorded.subtract(name for name, _ in self._scenario.signals)
        missing, left = {name: -count for name, count in recorded.items()}, list[tuple[str, Any]]()
        for name, payload in reversed(self._scenario.signals):
            if missing[name] > 0:
                left.insert(0, (name, payload))
            missing[name] -= 1
        return left

    # ------------------------------------------------------------ the points

    def cross(self, what: str) -> None:
        """Pass a point: this is where the process may end. Nothing passes once it has ended."""
        if self._dead:
            raise Crash("this process has ended")
        number, self._crossed = self._crossed, self._crossed + 1
        self.played.points[self._process].append(Point(what, self._position, self._of))
        if number == self._crash:
            self._dead = True
            self._die()
            raise Crash("the process is killed")
        if number > MOST:
            raise self._never_ends()

    def _never_ends(self) -> NeverEnds:
        self._dead = True
        self._endless = NeverEnds(f"after {MOST:,} steps it still goes on, with {self._of:.200}")
        return self._endless

    def _note(self, what: str, kind: str, text: str, key: str | None = None) -> None:
        event = Event(what, self._process, self._position, kind, text, key, self._known)
        self.played.events.append(event)
        self._tell(event)

    def _outside(self) -> None:
        if self._dead:  # the engine, or the workflow, has caught what ended the process
            raise Crash("this process has ended")
        self._position, self._of = OUTSIDE, ""

    # ------------------------------------------------------------ what crosses the border

    def _watched(self, workflow: Workflow) -> Workflow:
        @functools.wraps(workflow)
        def run(ctx: Any, given: Any) -> Any:
            self._asked = 0
            self._position, self._of = OUTSIDE, ""
            self.cross("starts")
            value = workflow(_Ctx(self, ctx), given)
            self._outside()
            self.cross("returns")
            return value

        return run

    def command(self, kind: str, name: str, args: tuple[Any, ...], do: Callable[[], Any]) -> Any:
        """Let the engine do one command, and write down how it ended."""
        if self._dead:
            raise Crash("this process has ended")
        self._position, self._of, self._asked = self._asked, call_text(name, args), self._asked + 1
        self._note("asks", kind, self._of)
        if self._position > MOST:
            raise self._never_ends()
        live, value, error = self._position >= self._known, None, None
        try:
            value = do()
        except Exception as raised:
            error = raised
        if self._dead:
            raise Crash("this process has ended")
        self._note("sees", kind, outcome_of(value, error))
        if live:
            self.cross("sees")
        if error:
            raise error
        return value

    def around(self, fn: Any, args: tuple[Any, ...]) -> Any:
        """The activity, with the points before and after its effect. The engine sees the same name and parameters."""

        def make(fn: Any, name: str, _: tuple[Any, ...]) -> Callable[..., Any]:
            return lambda *args, **key: self._call(fn, name, args, key)

        return put_around(fn, args, make)

    def _call(self, fn: Any, name: str, args: tuple[Any, ...], key: dict[str, Any]) -> Any:
        self.cross("calls")
        self._attempts[self._position] += 1
        call, place = call_text(name, args), f"{self._position}/{self._attempts[self._position]}"
        self._note("calls", "activity", call, key.get(KEY) if KEY in key else None)
        value, error = None, None
        happened: list[Any]
        try:
            value = fn(*args, **key)
            happened = [call, "value", text_of(value)]
        except Exception as raised:
            error, happened = raised, [call, "error", [kinds(raised), message(raised)]]
        if self._learns:
            self.script.outcomes.setdefault(place, happened)
        scripted = self.script.outcomes.get(place, happened)
        if scripted != happened and scripted[0] == call:
            value, error = _again(scripted, value)
        self.cross("effect")
        if error:
            raise error
        return value

    def _append(self, record: Any) -> None:
        is_signal = isinstance(record, self._signal)
        if is_signal:
            self._position = OUTSIDE
        if self._position == OUTSIDE:
            self._of = str(record.name)
        self.cross("sends" if is_signal else "records")
        content = content_of(record)
        self._keeping.append(record)
        self._note("signal" if is_signal else "records", str(getattr(record, "kind", "")), content)
        if self._learns:
            self.script.times.append(self.now + 1)
        self.now = self._time()
        self.cross("sent" if is_signal else "recorded")

    def _time(self) -> float:
        """The time of the clock: after so many records, that of the uncrashed run."""
        number, times = self._keeping.commands + len(self._keeping.signals), self.script.times
        return times[number] if number < len(times) else times[-1] + number


class _Clock:
    """Time passes in `sleep`, and at each record."""

    def __init__(self, play: Play) -> None:
        self._play = play

    def now(self) -> float:
        return self._play.now

    def sleep(self, seconds: float) -> None:
        self._play.cross("sleeps")
        self._play.now += max(0.0, seconds)
        self._play.cross("slept")


class _Ctx:
    """A `ctx` that passes everything on, and writes down each command."""

    def __init__(self, play: Play, ctx: Any) -> None:
        self._play, self._ctx = play, ctx

    def call_activity(self, fn: Any, *args: Any, **options: Any) -> Any:
        play, name, given = self._play, *name_of(fn, args)
        do = lambda: self._ctx.call_activity(play.around(fn, args), *args, **options)  # noqa: E731
        return play.command("activity", name, given, do)

    def now(self) -> Any:
        return self._play.command("now", "now", (), self._ctx.now)

    def wait_signal(self, name: Any) -> Any:
        return self._play.command("signal", str(name), (), lambda: self._ctx.wait_signal(name))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)


def name_of(fn: Any, args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Return the name of an activity and its arguments, with those that a partial has bound."""
    while isinstance(fn, functools.partial):
        fn, args = fn.func, (*fn.args, *args)
    return str(getattr(fn, "__name__", type(fn).__name__)), args


def _again(scripted: list[Any], value: Any) -> tuple[Any, Exception | None]:
    """The value and the error that the script has; a value that is not JSON stays as it is."""
    _, sort, told = scripted
    if sort == "error":
        return None, again(*told)
    try:
        return json.loads(told), None
    except ValueError:
        return value, None


def _raised(error: BaseException) -> End:
    return End("raised", error=f"{type(error).__name__}: {message(error)}")
