"""A program: a small workflow, and what happens outside of it, as plain data.

A workflow is a list of steps. A step is a list whose first item says what it is:

    ["call", "pay", ["A1", 30], {}]         an activity, its arguments, and the fields of its own retry policy
    ["now"]     ["wait", "approval"]        the other two commands
    ["try", [steps], "activity", [steps]]   catches "activity" (ActivityError), "exception" or "all"; then the handler
    ["loop", 2, [steps]]                    the same steps again
    ["unless", [steps]]                     the steps, if the last value is falsy
    ["change", "value"]                     the workflow changes the last "value", its "input" or the last "arguments"
    ["raise", "ValueError", "no stock"]     an exception of the workflow itself
    ["return"]     ["return", None]         an early return, or with a value of its own

A workflow returns what it has seen: each value, and for each caught exception its type and text.

The plan is a list of what happens outside:

    ["run", {"code": 1, "fault": [...]}]    run the workflow, or a changed one (2, 3 ...); see World for what goes wrong
    ["signal", "approval", payload]         a signal arrives; with a third item, the journal fails with this error
    ["restart"]                             the process ends, and another one reads the journal
    ["pass", 60.0]                          time passes; a negative number sets the clock back
    ["apart"]                               look whether the last new state has lists of its own
    ["back", 1]                             go on from an earlier state: the one that the n-th run or signal returned

In values, {"!": "nan"} stands for what JSON does not have, see `plain`; {"$": "last"} and {"$": "input"} in arguments
for the last value that the workflow has seen, and for its input.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

Step = list[Any]
_SPECIAL: dict[str, Any] = {
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "bytes": lambda: b"\x00",
    "set": lambda: {1},
    "number key": lambda: {1: "one"},
    "object": lambda: lambda: None,
}
BODIES = {"try": (1, 3), "loop": (2,), "unless": (1,)}  # where a step has steps of its own
START = 1000.25  # of the clock: not a whole number, so that a time that is rounded differs


@dataclass(frozen=True)
class Activity:
    """What an activity does when it is called: its n-th outcome, the last one again and again.

    An outcome is ["ok", value] or ["raise", "OSError", "line busy"].
    """

    outcomes: list[list[Any]] = field(default_factory=lambda: [["ok", "done"]])
    takes_key: bool = False
    seconds: float = 0.0  # that a call takes
    changes_arguments: bool = False  # it changes the lists and objects that it is given


@dataclass(frozen=True)
class Program:
    """Data only: two programs with the same fields do the same. `seed` says where it comes from."""

    seed: str
    steps: list[Step]
    plan: list[list[Any]]
    changed: list[list[Step]] = field(default_factory=list)  # the workflow after changes of its code: 2, 3 ...
    activities: dict[str, Activity] = field(default_factory=dict)
    workflow_id: str = "w-1"
    input: Any = None
    retry: dict[str, Any] = field(default_factory=dict)  # the engine's policy
    guard: str = "arguments"
    start: float = START
    tick: float = 0.0  # seconds that the clock moves at each reading
    one_engine: bool = False  # one engine object for all that happens in a process

    def to_json(self) -> str:
        """Return the program as one line of JSON; `from_json` reads it."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Program:
        """Return the program that `to_json` wrote."""
        data = json.loads(text)
        activities = {name: Activity(**activity) for name, activity in data.pop("activities").items()}
        return Program(activities=activities, **data)

    def activity(self, name: str) -> Activity:
        """Return the activity of this name; one that returns "done" if the program says nothing of it."""
        return self.activities.get(name) or Activity()

    def version(self, code: int) -> list[Step]:
        """Return the steps of the workflow (1), or of a changed one (2, 3 ...)."""
        return self.changed[code - 2] if 1 < code < len(self.changed) + 2 else self.steps

    @property
    def events(self) -> int:
        """Return the size of the story: the workflow's commands, and what happens outside after the first run."""
        commands = sum(
            step[0] in ("call", "now", "wait") for steps in (self.steps, *self.changed) for step in walk(steps)
        )
        return commands + len(self.plan) - 1 + sum(bool(fault_of(action)) for action in self.plan)

    def but(self, **changes: Any) -> Program:
        """Return a copy with other fields."""
        return replace(self, **changes)


def fault_of(action: list[Any]) -> Any:
    """Return the fault of a run, or None."""
    return action[1].get("fault") if action[0] == "run" and len(action) > 1 else None


def walk(steps: list[Step]) -> Iterator[Step]:
    """Yield all steps, also those inside of others."""
    for step in steps:
        yield step
        for place in BODIES.get(step[0], ()):
            yield from walk(step[place])


def plain(value: Any) -> Any:
    """Return the Python value for a value of a program, with lists and objects of its own."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "!" not in value:
        return {key: plain(item) for key, item in value.items()}
    return tuple(plain(value["of"])) if value["!"] == "tuple" else _SPECIAL[value["!"]]()


def recorded(value: Any) -> Any:
    """Return a Python value as its record gives it back. Raises ValueError if JSON cannot carry it."""
    if isinstance(value, (list, tuple)):
        return [recorded(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: recorded(item) for key, item in value.items()}
    if value is None or type(value) in (str, int, bool) or (type(value) is float and math.isfinite(value)):
        return value
    raise ValueError(f"{value!r:.60} is no JSON")
