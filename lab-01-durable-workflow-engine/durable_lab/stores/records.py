"""What a record may contain: whatever is written can be read again."""

from __future__ import annotations

import math
from typing import Any

_LEVELS = 100  # of lists and dicts, as in the engine
_SHORT = 300  # characters: kind, name and times take half of them, so what is left cannot have 100 levels


def storable(text: object) -> str:
    """The string with each lone surrogate escaped, which SQLite cannot keep."""
    return str(text).encode(errors="backslashreplace").decode()


def is_time(value: object) -> bool:
    """Whether it is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_plain(command: Any, attempt_type: Any, text: str) -> bool:
    """Whether a command passes `check_command` for sure: the fast answer, for nearly all commands."""
    for attempt in command.tries:
        if (
            type(attempt) is not attempt_type
            or type(attempt.started_at) is not float
            or type(attempt.ended_at) is not float
            or attempt.error is not None
        ):
            return False
    return (
        len(text) < _SHORT
        and type(command.name) is str
        and type(command.kind) is str
        and type(command.args) is list
        and command.ok is True
        and type(command.started_at) is float
        and type(command.ended_at) is float
        and command.error is None
    )


def check_command(command: Any, attempt_type: Any, text: str) -> None:
    """Raise TypeError or ValueError for a command that could not be read again. `text` is its JSON, without NaN."""
    name, error = command.name, command.error
    if not (isinstance(name, str) and isinstance(command.kind, str)):
        raise TypeError(f"kind and name of a command are {command.kind!r:.60} and {name!r:.60}, and must be strings")
    if type(command.ok) is not bool or not isinstance(command.args, (list, tuple)):
        raise TypeError(f"{name}: ok is {command.ok!r:.60} and args {command.args!r:.60}; a bool and a list are needed")
    for attempt in command.tries:
        if type(attempt) is not attempt_type:
            raise TypeError(f"{name}: one of its tries is {attempt!r:.60}, which is not an Attempt of this engine")
        _check_outcome(name, attempt)
    _check_outcome(name, command)
    if command.ok is (error is not None) or (error is not None and command.value is not None):
        outcome = f"ok is {command.ok}, its value {command.value!r:.60} and its error {error!r:.60}"
        raise ValueError(f"{name}: {outcome}. A command that failed has an error and no value, and any other no error")
    if text.count("[") + text.count("{") > _LEVELS and any(map(_is_deep, (command.value, *command.args))):
        raise ValueError(f"{name}: a value in it is nested more than {_LEVELS} levels deep")


def _check_outcome(name: str, record: Any) -> None:
    for time in (record.started_at, record.ended_at):
        if not is_time(time):
            raise TypeError(f"{name}: one of its times is {time!r:.60}, and must be a number")
    if not isinstance(record.error, str | None):
        raise TypeError(f"{name}: its error is {record.error!r:.60}, and must be a string or None")


def check_signal(signal: Any) -> None:
    """Raise TypeError or ValueError for a signal that could not be read again."""
    if not isinstance(signal.name, str):
        raise TypeError(f"the name of a signal is {signal.name!r:.60}, and must be a string")
    if _is_deep(signal.payload):
        raise ValueError(f"the payload of signal {signal.name!r:.60} is nested more than {_LEVELS} levels deep")
    if not is_time(signal.received_at):
        raise TypeError(f"the time of signal {signal.name!r:.60} is {signal.received_at!r:.60}, and must be a number")


def _is_deep(value: Any, room: int = _LEVELS) -> bool:
    """Whether it is nested deeper than the engine allows. How deep JSON can be read depends on the Python version."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return bool(items) and (not room or any(_is_deep(item, room - 1) for item in items))
