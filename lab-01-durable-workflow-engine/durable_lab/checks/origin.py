"""Where an error was raised: in the engine, in a function of the test that the engine called, or in the test itself."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

ENGINE, CALLED, TEST = "the engine", "what the engine called", "the test"
_CHECKS = Path(__file__).parent
_BY_PARAMETER = {
    "ctx": "workflow",
    "c": "workflow",
    "record": "journal",
}  # the names that the tests give a first parameter


@dataclass(frozen=True)
class Origin:
    """Who raised an error.

    kind   ENGINE: code of the engine. CALLED: a workflow, an activity, the journal or the clock of the test, called by
           the engine. TEST: the test itself, with what the engine returned or recorded
    place  the last line of the engine that it passed, as a sentence; empty if it passed none, or none is known
    words  CALLED: "journal `broken_disk`". TEST: the line of the test
    """

    kind: str = ENGINE
    place: str = ""
    words: str = ""


def origin(error: BaseException, engine: Callable[[str], bool], tests: Path, place: str) -> Origin:
    """The origin of this error, by its traceback.

    engine  whether a file belongs to the engine (or to its stand-in)
    tests   the folder of the tests
    """
    frames = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    ours = [_is_ours(frame.f_code.co_filename, tests) for frame, _ in frames]
    theirs = [engine(frame.f_code.co_filename) for frame, _ in frames]
    last = max((i for i, (own, other) in enumerate(zip(ours, theirs, strict=True)) if own or other), default=None)
    if last is None or theirs[last]:
        return Origin(ENGINE, place)
    if any(theirs[:last]):
        called = max(i for i, other in enumerate(theirs) if other) + 1
        return Origin(CALLED, place, _role(frames[called][0]))
    at = max((i for i, own in enumerate(ours) if own and not _in_checks(frames[i][0])), default=last)
    frame, line = frames[at]
    source = traceback.FrameSummary(frame.f_code.co_filename, line, frame.f_code.co_name).line or ""
    return Origin(TEST, place, source)


def _is_ours(file: str, tests: Path) -> bool:
    return Path(file).parent in (tests, _CHECKS)


def _in_checks(frame: FrameType) -> bool:
    return Path(frame.f_code.co_filename).parent == _CHECKS


def _role(frame: FrameType) -> str:
    code = frame.f_code
    if _in_checks(frame):  # Bench.activity
        return f"activity `{frame.f_locals.get('name', code.co_name)}`"
    first = code.co_varnames[0] if code.co_argcount else ""
    name = "" if code.co_name == "<lambda>" else f" `{code.co_name}`"
    return _BY_PARAMETER.get(first, "activity") + name
