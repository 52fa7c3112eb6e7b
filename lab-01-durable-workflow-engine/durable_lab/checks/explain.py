"""Why a test failed, in the student's terms: an open TODO, a broken rule, a timeout, an error of the engine."""

from __future__ import annotations

from bdb import BdbQuit
from collections.abc import Collection, Mapping

from durable_lab.checks.bench import Crash
from durable_lab.checks.failure import Broken
from durable_lab.checks.origin import CALLED, TEST, Origin
from durable_lab.processes import NoTerminal
from durable_lab.todos import all_todos


def explained(
    error: BaseException,
    own: Collection[int],
    needs: Collection[int],
    stubs: Mapping[int, int],
    file: str,
    origin: Origin,
    ended: str = "",
) -> str:
    """The message of a failed test.

    own, needs  the TODOs that it is about, and those that it needs besides
    stubs       the TODOs that are still open, with their lines in `file`
    origin      who raised the error, and the last line of the student's code that it passed
    ended       why the engine gave no answer, as sentences: a timeout, or its process ended
    """
    first = next((number for number in stubs if number in own or number in needs), None)
    if first is not None:
        todo = all_todos()[first]
        if first not in own:
            return f"waits for TODO {first}, which is still to be written: {todo.title} ({file}, line {stubs[first]})"
        return f"TODO {first} is still to be written: {todo.title} ({file}, line {stubs[first]})"
    if isinstance(error, Broken):
        return str(error)
    if ended:
        return f"{ended} {origin.place}".rstrip()
    return f"{_raised(error, origin)}\n{origin.place}".rstrip()


def _raised(error: BaseException, origin: Origin) -> str:
    if isinstance(error, NoTerminal):
        return str(error)
    if isinstance(error, (BdbQuit, EOFError)) or "reading from stdin" in str(error):
        return (
            "The engine waits for input: an `input()` or a debugger is left in it. Tests have no terminal. Remove it."
        )
    what = f"{type(error).__name__}: {error!s:.300}"
    if isinstance(error, Crash):
        return (
            f"The test kills the process in its {origin.words or 'activity'} ({what}). Here that kill came in a run "
            "that ends without one: the engine called the activity too early, or once too often."
        )
    if origin.kind == CALLED:
        return (
            f"{what} came out of the engine. It was raised in the test's {origin.words}, which the engine had called."
        )
    if origin.kind == TEST:
        line = f"\nThe line of the test: {origin.words}" if origin.words else ""
        return f"The test could not go on with what the engine had returned or recorded: {what}{line}"
    return f"The engine raised {what}"
