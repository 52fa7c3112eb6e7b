"""The message of a failed test: rule, what history says, what the code did, first difference, where to read."""

from __future__ import annotations

import json
from typing import Any

from durable_lab.rules import RULES

LABEL = 21  # columns of "first difference" and the other labels
LESSONS = {
    "R1": "lesson 01, Event sourcing",
    "R2": "lesson 02, Replay",
    "R3": "lesson 03, Determinism",
    "R4": "lesson 03, Determinism",
    "R5": "lesson 02, Replay",
    "R6": "lesson 04, Retries and idempotency",
    "R7": "lesson 03, Determinism",
    "R8": "lesson 05, Signals",
    "R9": "lesson 05, Signals",
    "R10": "lesson 02, Replay",
    "R11": "lesson 04, Retries and idempotency",
    "R12": "lesson 04, Retries and idempotency",
    "R13": "lesson 02, Replay",
    "R14": "lesson 02, Replay",
}


class Broken(AssertionError):
    """The engine under study breaks a rule. The message is all that a student needs to see.

    `fixed` is the part that does not depend on the engine: the rule, what must hold, where to read.
    """

    def __init__(self, message: str, fixed: str) -> None:
        super().__init__(message)
        self.fixed = fixed


def broken(rule: str, must: str, difference: str, history: list[str], asked: list[str]) -> Broken:
    """The failure, with its parts as rows: rule, history, what the code called, first difference, where to read."""
    rows = [
        (rule, RULES[rule]),
        ("here", must),
        ("history says", "\n".join(history) or "nothing is recorded"),
        ("your code asked for", "\n".join(asked) or "no activity"),
        ("first difference", difference),
        ("read", f"{LESSONS[rule]}; the handout, rule {rule}"),
    ]
    said = [_row(label, text) for label, text in rows]
    return Broken("\n".join(said), "\n".join([*said[:2], said[-1]]))


def _row(label: str, text: str) -> str:
    return f"{label:<{LABEL}}" + text.replace("\n", "\n" + " " * LABEL)


def first_difference(want: Any, got: Any, where: str = "") -> str | None:
    """The first difference of two values, in words; None if they are equal. 1, 1.0 and True are not equal."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key in [*want, *(k for k in got if k not in want)]:
            if key not in want or key not in got:
                place = f"{where}[{key!r}]"
                return f"{place} is missing" if key not in got else f"{place} should not be there: {show(got[key])}"
            if found := first_difference(want[key], got[key], f"{where}[{key!r}]"):
                return found
        return None
    if isinstance(want, list) and isinstance(got, list):
        for i, (w, g) in enumerate(zip(want, got, strict=False)):
            if found := first_difference(w, g, f"{where}[{i}]"):
                return found
        if len(want) > len(got):
            return f"{where}[{len(got)}] is missing: expected {show(want[len(got)])}, and there is nothing more"
        return f"{where}[{len(want)}] is one too many: {show(got[len(want)])}" if len(got) > len(want) else None
    if type(want) is type(got) and want == got:
        return None
    return f"{where}: expected {show(want)}, found {show(got)}".lstrip(": ")


def show(value: Any) -> str:
    """A value as JSON if possible, else its repr; cut to a line."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= 300 else text[:297] + "..."


def command_line(position: int, command: Any) -> str:
    """One record of history as a line: `2 activity charge("A1", 30) -> failed, Timeout: no answer (3 attempts)`."""
    args = ", ".join(show(arg) for arg in command.args)
    outcome = show(command.value) if command.error is None else f"failed, {command.error}"
    tries = f" ({len(command.tries)} attempts)" if len(command.tries) > 1 else ""
    return f"{position} {command.kind} {command.name}({args}) -> {outcome}{tries}"
