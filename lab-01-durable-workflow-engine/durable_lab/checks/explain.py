"""Why a test failed, in the student's terms: an open TODO, a broken rule, an error in the engine."""

from __future__ import annotations

from bdb import BdbQuit
from collections.abc import Collection, Mapping

from durable_lab.checks.words import Broken
from durable_lab.processes import NoTerminal
from durable_lab.todos import all_todos


def explained(
    error: BaseException,
    own: Collection[int],
    needs: Collection[int],
    stubs: Mapping[int, int],
    file: str,
    place: str,
    ended: str = "",
) -> str:
    """The message of a failed test.

    own, needs  the TODOs that it is about, and those that it needs besides
    stubs       the TODOs that are still open, with their lines in `file`
    place       where in the student's code an error passed, as a sentence
    ended       why the engine did not come back, if it did not: "within 5 seconds: ..."
    """
    first = next((number for number in stubs if number in own or number in needs), None)
    if first is not None:
        if first not in own:
            return f"waits for TODO {first}"
        return f"TODO {first} is still to be written: {all_todos()[first].title} ({file}, line {stubs[first]})"
    if isinstance(error, Broken):
        return str(error)
    if isinstance(error, NoTerminal):
        return f"{error}\n{place}"
    if isinstance(error, (BdbQuit, EOFError)) or "reading from stdin" in str(error):
        return f"The engine waits for a person: `input()` or a debugger is left in it. Tests have no terminal.\n{place}"
    if ended:
        return f"The engine did not come back {ended}. {place}"
    return f"The engine raised {type(error).__name__}: {error!s:.300}\n{place}"
