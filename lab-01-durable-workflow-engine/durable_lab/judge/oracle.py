"""The oracle: what the rules promise for a program, computed by a plain model of history and world, without an engine.

Where the rules leave a choice to the engine, the oracle accepts what it did: how often the clock is read; if the clock
moves at each reading, which of the readings of a run a command got; and whether a clock that fails ends the run.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

from durable_lab.judge.play import Event, Trace, text_of
from durable_lab.judge.program import Program, Step, plain, recorded
from durable_lab.judge.workflow import Workflow
from durable_lab.judge.world import World

ANY = "any"  # in an expected event: whatever the engine did here is right
POLICY = {"max_attempts": 3, "initial_interval": 1.0, "backoff": 2.0, "max_interval": 100.0, "non_retryable": ()}


@dataclass(frozen=True)
class Expected:
    """An event that must come next, and why: "replayed", "first", "retry", "stopped" ... see `difference`."""

    event: Event
    why: str


@dataclass(frozen=True)
class Naming:
    """In an expected event: a text in which these words stand."""

    words: tuple[str, ...]

    def fits(self, found: Any) -> bool:
        return isinstance(found, str) and all(word in found for word in self.words)


@dataclass(frozen=True)
class OneOf:
    """In an expected event: one of these times."""

    times: tuple[float, ...]

    def fits(self, found: Any) -> bool:
        return type(found) is float and found in self.times


class ActivityError(Exception): ...


class NonDeterminismError(RuntimeError): ...


class WorkflowBlocked(BaseException): ...


def expected(program: Program, trace: Trace, clock_stops: bool = True) -> list[Expected]:
    """Return the events that the rules promise. `trace` is what the engine did, for what is left to its choice.

    clock_stops  whether a clock that fails ends the run; if not, the workflow gets the error, and may catch it
    """
    oracle = _Oracle(program, trace, clock_stops)
    for action in program.plan:
        getattr(oracle, f"_{action[0]}")(*action[1:])
    return oracle.expected


class _Oracle:
    def __init__(self, program: Program, trace: Trace, clock_stops: bool) -> None:
        self._clock_stops = clock_stops
        self.program, self.world, self.expected = program, World(program), list[Expected]()
        self._input = recorded(plain(program.input))
        self._commands: list[dict[str, Any]] = []  # history; what is durable is the same
        self._signals: list[dict[str, Any]] = []
        self._past = [([*self._commands], [*self._signals])]
        self._observed = _segments(trace)

    # ------------------------------------------------------------ the plan

    def _run(self, options: dict[str, Any] | None = None) -> None:
        options = options or {}
        self.world.begin(options.get("fault"))
        self._position, self._fault = 0, False
        self._stopped: BaseException | None = None
        workflow = Workflow(self.program.version(options.get("code", 1)), self._do, deepcopy(self._input))
        caught: BaseException | None = None
        value: Any = None
        try:
            value = workflow.run()
        except BaseException as error:
            caught = error
        self.world.begin(None)
        self._ended(self._stopped or caught, value)

    def _ended(self, why: BaseException | None, value: Any) -> None:
        unread = self._position < len(self._commands) and not self._stopped
        end: dict[str, Any] = {"value": "null", "error": None, "waiting_for": None}
        match why:
            case NonDeterminismError():
                self._end("failed", "diverged", end | {"error": Naming(("NonDeterminismError", *map(str, why.args)))})
            case WorkflowBlocked():
                self._end("blocked", "blocked", end | {"waiting_for": why.args[0]})
            case None | RuntimeError() | ActivityError() if unread and not self._fault:
                names = "NonDeterminismError", self._commands[self._position]["name"]
                self._end("failed", "unread", end | {"error": Naming(names)})
            case None:
                self._end("completed", "completed", end | {"value": text_of(value)})
            case RuntimeError() | ActivityError() if not self._fault:
                words = type(why).__name__, *map(str, why.args)
                self._end("failed", "failure", end | {"error": Naming(words)})
            case _:
                name = ANY if isinstance(why, _Refused) else type(why).__name__
                self._expect("fault" if self._fault else "bug", "out", name, ANY if name == ANY else str(why))
                self._states(None)

    def _end(self, status: str, why: str, details: dict[str, Any]) -> None:
        self._expect(why, "end", status, details)
        self._states(why)

    def _signal(self, name: str, payload: Any, fault: list[Any] | None = None) -> None:
        sent = plain(payload)
        try:
            payload = recorded(sent)
        except ValueError:
            self._expect("unrecordable payload", "out", ANY, ANY)
            return self._states(None)
        if fault:
            self._expect("fault", "out", fault[0], fault[1])
            return self._states(None)
        self._expect("signal", "append")
        self._signals = [*self._signals, {"name": name, "payload": payload, "received_at": self._time()}]
        self._end("signalled", "signalled", {})

    def _restart(self) -> None: ...

    def _pass(self, seconds: float) -> None:
        self.world.now += seconds

    def _apart(self) -> None:
        self._expect("apart", "apart", True)

    def _back(self, steps: int) -> None:
        commands, signals = self._past[max(0, len(self._past) - 1 - steps)]
        self._commands, self._signals = [*commands], [*signals]

    def _states(self, returned: str | None) -> None:
        """The states after a run or a signal. `returned` is how it ended; None if it raised."""
        journal = {"workflow_id": self.program.workflow_id, "input": self._input}
        journal |= {"commands": [*self._commands], "signals": [*self._signals]}
        self._expect(
            returned or "raised", "states", {"kept": True, "journal": journal, "returned": returned and journal}
        )
        if returned:
            self._past.append(([*self._commands], [*self._signals]))
        if self._observed:
            del self._observed[0]

    # ------------------------------------------------------------ commands

    def _do(self, step: Step, arguments: list[Any]) -> Any:
        clock = self.world.due("clock") if step[0] == "now" else None
        match step:
            case ["call", name, _, *own]:
                try:
                    kind, args = "activity", recorded(arguments)
                except ValueError:
                    self._expect("unrecordable", "caught", ANY, ANY)
                    raise _Refused from None
                policy = POLICY | (own[0] if own and own[0] else self.program.retry)
                live: Callable[[], Any] = partial(self._call, name, args, policy)
            case ["wait", name]:
                kind, args, live = "signal", [], partial(self._wait, name)
            case _:
                kind, name, args, live = "now", "now", [], partial(self._time_command, clock)
        if self._stopped:
            self._expect("stopped", "caught", ANY, ANY)
            raise self._stopped
        if self._position == len(self._commands):
            return self._deliver(step, live(), "live")
        found = self._commands[self._position]
        same = [found["kind"], found["name"]] == [kind, name]
        if not same or (self.program.guard == "arguments" and text_of(found["args"]) != text_of(args)):
            sides = {"position": self._position, "recorded": found["name"], "issued": name}
            raise self._stop(NonDeterminismError(found["name"], name), "diverged", sides)
        self._position += 1
        return self._deliver(step, found, "replayed")

    def _deliver(self, step: Step, command: dict[str, Any], why: str) -> Any:
        """The command's outcome reaches the workflow."""
        if command["ok"]:
            self._expect(why, "got", step[0], text_of(command["value"]))
            return deepcopy(command["value"])
        error, attempts = command["error"], len(command["tries"])
        told = {"activity": command["name"], "attempts": attempts, "error_type": ANY, "message": error}
        if isinstance(error, str):
            told["error_type"], _, told["message"] = error.partition(": ")
        self._expect(why, "caught", "ActivityError", told)
        raise ActivityError(*([told["message"]] if isinstance(error, str) else [command["name"]]))

    def _call(self, name: str, args: list[Any], policy: dict[str, Any]) -> dict[str, Any]:
        tries: list[dict[str, Any]] = []
        key = f"{self.program.workflow_id}/{self._position}" if self.program.activity(name).takes_key else None
        value: Any = None
        final = False
        while True:
            self._cross("any")
            self._expect("retry" if tries else "first", "act", name, text_of(args), key)
            began = self._time()
            error: str | Naming | None = None
            try:
                result = plain(self.world.act(name))
            except Exception as problem:
                error = f"{type(problem).__name__}: {problem}"
                final = any(
                    {cls.__name__, f"@{cls.__name__}"} & {*policy["non_retryable"]} for cls in type(problem).__mro__
                )
            except BaseException as crash:
                raise self._stop(crash, "fault", {"text": str(crash)}, fault=True) from None
            else:
                try:
                    value = recorded(result)
                except ValueError:
                    error, final = Naming((name,)), True
            tries.append({"started_at": began, "ended_at": self._time(), "error": error})
            if error is None or final or len(tries) >= policy["max_attempts"]:
                break
            pause = min(policy["initial_interval"] * policy["backoff"] ** (len(tries) - 1), policy["max_interval"])
            if pause:
                self._cross("any")
                self._expect("pause", "pause", float(pause))
                self.world.now += pause
        times: dict[str, Any] = {}
        if not self.program.tick:  # a command may be said to begin with its last attempt; and the attempts say its end
            times["started_at"] = OneOf(tuple(one["started_at"] for one in tries))
            times["ended_at"] = OneOf((*(one["ended_at"] for one in tries), 0.0))
        fields = {"ok": error is None, "value": value if error is None else None, "error": error, "tries": tries}
        return self._record("activity", name, args, **fields, **times)

    def _wait(self, name: str) -> dict[str, Any]:
        used = sum([command["kind"], command["name"]] == ["signal", name] for command in self._commands)
        here = [signal for signal in self._signals if signal["name"] == name][used:]
        if not here:
            raise self._stop(WorkflowBlocked(name), "waits", ANY)
        return self._record("signal", name, [], value=here[0]["payload"])

    def _time_command(self, error: BaseException | None) -> dict[str, Any]:
        if error and self._clock_stops:
            raise self._stop(error, "fault", {"text": str(error)}, fault=True)
        if error:
            self._expect("fault", "caught", type(error).__name__, {"text": str(error)})
            raise error
        return self._record("now", "now", [], value=self._reading())

    def _record(self, kind: str, name: str, args: list[Any], **fields: Any) -> dict[str, Any]:
        plain_fields = {"ok": True, "value": None, "error": None, "tries": ANY, "started_at": ANY, "ended_at": ANY}
        command = plain_fields | {"kind": kind, "name": name, "args": args} | fields
        self._cross("append", "any")
        self._expect(kind, "append")
        self._commands = [*self._commands, command]
        self._cross("any")
        self._position += 1
        return command

    # ------------------------------------------------------------ stops, and time

    def _cross(self, *where: str) -> None:
        try:
            self.world.cross(*where)
        except BaseException as error:
            raise self._stop(error, "fault", {"text": str(error)}, fault=True) from None

    def _stop(self, error: BaseException, why: str, details: Any, fault: bool = False) -> BaseException:
        self._stopped, self._fault = error, fault
        self._expect(why, "caught", type(error).__name__, details)
        return error

    def _expect(self, why: str, *event: Any) -> None:
        self.expected.append(Expected(event, why))

    def _time(self) -> Any:
        return ANY if self.program.tick else self.world.now

    def _reading(self) -> float:
        """What ctx.now() returns: the clock's time. If that moves, the reading of this run that the engine recorded."""
        if self.program.tick and self._observed:
            reads, journal = self._observed[0]
            if self._position < len(journal) and journal[self._position].get("value") in reads:
                return float(journal[self._position]["value"])
        return self.world.now


class _Refused(ValueError):
    """A value that JSON cannot carry is refused, with an exception of the engine's choice."""


def _segments(trace: Trace) -> list[tuple[set[float], list[Any]]]:
    """Return for each run and signal what the clock gave, and the commands that the journal has afterwards."""
    made, reads = [], set[float]()
    for event in trace:
        if event[0] == "read":
            reads.add(event[1])
        elif event[0] == "states":
            journal = event[1]["journal"]
            commands = journal.get("commands") if isinstance(journal, dict) else None
            made.append(
                (reads, [one for one in commands if isinstance(one, dict)] if isinstance(commands, list) else [])
            )
            reads = set()
    return made
