"""A NonDeterminismError in two columns: what history says, and what the code asked for."""

from __future__ import annotations

import json
import re
from typing import Any

from durable_lab.timeline.words import cut

_SAYS = re.compile(
    r"at position (?P<at>\d+) history has (?P<had>.*?), but the workflow "
    r"(?:asks for (?P<asked>.*)|ends without asking for it)\Z",
    re.DOTALL,
)
_CALL = re.compile(r"(?P<kind>\w+) (?P<name>[^(]*)\((?P<args>.*)\)\Z", re.DOTALL)


def divergence_of(cause: Any) -> dict[str, Any] | None:
    """Return a NonDeterminismError (`RunResult.cause`) in two columns; None for any other error.

    {"position": 1, "history": "activity pay(30)", "asked": "activity book(2)", "first": "name",
     "fields": [["kind", "activity", "activity", False], ["name", "pay", "book", True], ["args[0]", "30", "2", True]]}
    """
    try:
        position, recorded, issued = cause.position, _command(cause.recorded), _command(cause.issued)
    except AttributeError:
        return None
    return _columns(position, recorded, issued)


def divergence_in(error: str | None) -> dict[str, Any] | None:
    """Parse the message of a NonDeterminismError, for a store, which keeps only the message, and for an engine whose
    result has no cause. None if the message is of another error.
    """
    found = _SAYS.search(error or "")
    if not found:
        return None
    return _columns(int(found["at"]), _parsed(found["had"]), _parsed(found["asked"]))


_Parts = tuple[str, list[list[str]]]  # a command as text, and its fields by name


def _columns(position: int, recorded: _Parts | None, issued: _Parts | None) -> dict[str, Any]:
    had, one = recorded or ("", [])
    asked, two = issued or ("nothing: it ended", [])
    names = [name for name, _ in (one if len(one) > len(two) else two)]
    rows = [["command", cut(had), cut(asked), True]]
    if one and two:
        one_of, two_of = dict(one), dict(two)
        pairs = [(name, one_of.get(name, "(none)"), two_of.get(name, "(none)")) for name in names]
        rows = [[name, cut(a), cut(b), a != b] for name, a, b in pairs]
    first = next((name for name, _, _, differs in rows if differs), "the call")
    return {"position": position, "history": cut(had), "asked": cut(asked), "fields": rows, "first": first}


def _command(command: Any) -> _Parts | None:
    if command is None:
        return None
    args = [json.dumps(arg, ensure_ascii=False) for arg in command.args]
    return _parts(str(command.kind), str(command.name), ", ".join(args), args)


def _parsed(call: str | None) -> _Parts | None:
    if call is None:
        return None
    found = _CALL.match(call)
    return _parts(found["kind"], found["name"], found["args"], _arguments(found["args"])) if found else (call, [])


def _parts(kind: str, name: str, text: str, args: list[str]) -> _Parts:
    fields = [["kind", kind], ["name", name], *([f"args[{i}]", arg] for i, arg in enumerate(args))]
    return f"{kind} {name}({text})", fields


def _arguments(text: str) -> list[str]:
    try:
        return [json.dumps(arg, ensure_ascii=False) for arg in json.loads(f"[{text}]")]
    except ValueError:  # the message has it cut short
        return [text]
