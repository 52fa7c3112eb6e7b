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


def divergence_in(error: str | None) -> dict[str, Any] | None:
    """Parse the message of a NonDeterminismError; None if the message is of another error.

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
    except ValueError:  # the message has it cut short
        return [text]
