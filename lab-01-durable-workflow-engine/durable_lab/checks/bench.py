"""The test bench: an engine with a simulated clock, a journal, and activities that are counted outside the engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from durable_lab.checks.failure import broken, command_line, first_difference, show


class NotStarted(Exception):
    """The engine's process could not be started. This is a fault of the machine; no engine may be judged by it."""


class Crash(BaseException):
    """A simulated death of the process. No engine may catch it and go on."""


@dataclass(frozen=True)
class Result:
    """What `run` returned, copied at once, so that it outlives its process (except for `state`)."""

    status: Any
    value: Any
    error: Any
    waiting_for: Any
    state: Any


class Bench:
    """The world of one test. `m` is the engine's module; only its public names are used.

    fresh  returns the engine's module as in a new process: without anything that an earlier process left in it
    """

    def __init__(self, fresh: Callable[[], Any]) -> None:
        self._fresh = fresh
        self.m = fresh()
        self.clock = self.m.SimulatedClock(1000.0)
        self.journal: list[Any] = []  # what is durable: commands and signals, in order
        self.calls: list[str] = []  # each call that reached an activity, as text
        self.keys: list[str | None] = []  # the idempotency keys that came with them
        self._last: Any = None
        self._disk: Any = None  # the last state made from the journal, and which of its records are signals
        self._heard: list[bool] = []

    # ------------------------------------------------------------ the world

    def activity(self, name: str, *outcomes: Any, answer: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """A counted activity. Each call takes the next outcome (an exception is raised); the last one is repeated.

        Without outcomes it returns `answer(*args)`, or its own name.
        """
        left = list(outcomes)

        def act(*args: Any, idempotency_key: str | None = None) -> Any:
            self.calls.append(f"{name}({', '.join(show(arg) for arg in args)})")
            self.keys.append(idempotency_key)
            if not left:
                return answer(*args) if answer else name
            outcome = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(outcome, BaseException):
                raise outcome.with_traceback(
                    None
                )  # the same error may be raised many times: its traceback must not grow
            return copied(outcome)  # so that the engine cannot change what the test expects

        act.__name__ = name
        return act

    # ------------------------------------------------------------ running

    def engine(self, **options: Any) -> Any:
        """A new engine in this process, on this bench's clock and journal."""
        return self.m.DurableEngine(**{"clock": self.clock, "journal": self.journal.append, **options})

    def state(self, workflow_id: str = "w-1", given: Any = None) -> Any:
        """A fresh state: nothing has happened yet."""
        return self.m.WorkflowState(workflow_id, given)

    def run(self, workflow: Callable[..., Any], state: Any = None, **options: Any) -> Any:
        """Run on a new engine, from a fresh state if none is given."""
        self._last = state if state is not None else self.state()
        result = self.engine(**options).run(workflow, self._last)
        self.expect_true("R10", "run returns a RunResult with its new state", hasattr(result, "state"), show(result))
        self._last = result.state
        return Result(result.status, copied(result.value), result.error, result.waiting_for, self._last)

    def crash(self, workflow: Callable[..., Any], state: Any = None, **options: Any) -> Any:
        """Run until an activity or the workflow raises Crash: that is the end of the process.

        Returns what the next process finds in the journal.
        """
        start = state if state is not None else self.state()
        try:
            result = self.engine(**options).run(workflow, start)
        except Crash:
            return self.restart(self.recorded(start))
        self._last = self.recorded(start)
        raise self.broken(
            "R1",
            "a crash of the process leaves `run` at once",
            f"run came back with status {result.status}" + (f" ({result.error})" if result.error else ""),
        )

    def recorded(self, start: Any) -> Any:
        """The state that the records in the journal add up to, for the run that `start` began."""
        self._heard = [isinstance(record, self.m.Signal) for record in self.journal]
        signals = [record for record, is_signal in zip(self.journal, self._heard, strict=True) if is_signal]
        commands = [record for record, is_signal in zip(self.journal, self._heard, strict=True) if not is_signal]
        self._last = self._disk = self.m.WorkflowState(start.workflow_id, start.input, commands, signals)
        return self._last

    def restart(self, state: Any) -> Any:
        """End the process, and start another one: a new engine module that knows nothing of the old one.

        Only text is passed on. Returns `state`, written to JSON by the old process and read by the new one; the journal
        is passed on in the same way. No other state, record or engine of the old process can be used after this.
        """
        known = state is self._disk and len(self._heard) == len(self.journal)
        disk = state if known or not self.journal else self.recorded(self.state())
        texts, now = [one.to_json() for one in ([state] if state is disk else [state, disk])], self.clock.now()
        for text in texts:
            self.expect_true("R2", "to_json returns a state as text", type(text) is str, show(text))
        self._last = self._disk = None
        self.m = self._fresh()
        self.clock = self.m.SimulatedClock(now)
        self._last, *others = map(self._read, texts)
        if self.journal:
            kept = others[0] if others else self._last
            signals, commands = list(kept.signals), list(kept.commands)
            want = [sum(self._heard), len(self._heard) - sum(self._heard)]
            must = "a new process reads as many signals and commands as the old one has written"
            self.expect("R2", must, want, [len(signals), len(commands)])
            self.journal[:] = [(signals if is_signal else commands).pop(0) for is_signal in self._heard]
        return self._last

    def _read(self, text: str) -> Any:
        """The state in this JSON. Commands that `from_json` refuses because they contradict themselves are kept as they
        are: one test is about that mistake, and no other test fails because of it.
        """
        try:
            return self.m.WorkflowState.from_json(text)
        except ValueError:
            data = json.loads(text)
            if not any(map(_contradicts_itself, data["commands"])):
                raise
            for command in data["commands"]:
                command["tries"] = tuple(self.m.Attempt(**attempt) for attempt in command["tries"])
            commands = [self.m.Command(**command) for command in data["commands"]]
            signals = [self.m.Signal(**signal) for signal in data["signals"]]
            return self.m.WorkflowState(data["workflow_id"], data["input"], commands, signals)

    def signal(self, state: Any, name: str, payload: Any = None) -> Any:
        """Deliver a signal. Returns the new state."""
        new = self.engine().signal(state, name, payload)
        self.expect_true("R8", "signal returns the new state", hasattr(new, "signals"), show(new))
        self._last = new
        return new

    # ------------------------------------------------------------ judging

    def expect(self, rule: str, must: str, want: Any, got: Any) -> None:
        """Fail, in the rule's words, if `got` is not what the rule demands."""
        if found := first_difference(want, got):
            whole = f"expected {show(want)}\nfound    {show(got)}"
            nested = isinstance(want, (list, dict)) and isinstance(got, (list, dict)) and len(whole) < 400
            raise self.broken(rule, must, f"{whole}\nfirst: {found}" if nested else found)

    def expect_true(self, rule: str, must: str, holds: bool, found: str) -> None:
        """Fail, in the rule's words, if something does not hold; `found` says what was seen instead."""
        if not holds:
            raise self.broken(rule, must, found)

    def broken(self, rule: str, must: str, difference: str) -> AssertionError:
        """The failure, with this bench's history and calls beside it."""
        commands = getattr(self._last, "commands", None) or []
        history = [command_line(i, command) for i, command in enumerate(commands)]
        return broken(rule, must, difference, history, self.calls)

    def expect_status(self, rule: str, must: str, want: str, result: Any) -> None:
        """Fail if the run ended in another way; its error is part of what is shown."""
        detail = f" ({result.error})" if result.error and result.status != want else ""
        self.expect(rule, must, f"status {want}", f"status {result.status}{detail}")


def _contradicts_itself(command: Any) -> bool:
    failed = command["error"] is not None
    return command["ok"] is failed or (failed and command["value"] is not None)


def copied(value: Any) -> Any:
    """A copy of the value, with its own lists and objects."""
    if type(value) is dict:
        return {key: copied(item) for key, item in value.items()}
    return type(value)(map(copied, value)) if type(value) in (list, tuple, set) else value


def as_json(state: Any) -> Any:
    """A state as plain JSON values, to be compared."""
    return json.loads(state.to_json())
