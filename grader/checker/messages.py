"""What a student is told of a test that failed.

What the student's code says is shown from the run of the whole engine on the 14 tests only, where it has seen neither a
hidden test nor the reference. For all other runs there are fixed messages.
"""

from __future__ import annotations

import re

from durable_lab.checks.explain import explained
from durable_lab.checks.failure import Broken
from durable_lab.checks.origin import TEST, Origin, origin
from grader.checker import proxy, suite
from grader.checker.examinee import Late
from grader.checker.rpc.errors import is_remote, remote_origin
from grader.checker.rpc.peer import Ended
from grader.checker.suite import Test

FILE = "lab/engine.py"
LONGEST = 6_000  # characters of one message
NO_ENGINE = "There is no engine to run; see above."
# One message for every way in which no answer comes: what the engine did with the reference around it is not told.
NO_ANSWER = (
    "With the other TODOs substituted by the reference, time ran out for this test, or the engine's process ended. "
    "It was not found wrong in any other way."
)
AROUND = (
    "This test fails with all five TODOs substituted by the reference, too: the mistake is in the code around them. "
    "It is counted in one TODO only."
)
NOT_RUN = "It passes this test. Time ran out before the variant of it, which was not run."
_LOOPS = "A loop in it does not end, or it really sleeps. It was not found wrong in any other way."
_NEW_IN_EACH_RUN = {
    r"\b[12][0-9]{9}(\.[0-9]+)?\b": "(a time of this machine)",
    r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[0-9a-f]*[a-f])[0-9a-f]{32}\b": "(a random key)",
    r"\bat 0x[0-9a-f]{6,}": "at (a place in memory)",
}


def of_whole_engine(test: Test, error: BaseException, stubs: dict[int, int]) -> str:
    """The message for one of the 14 tests that the student's whole engine fails. It is never empty."""
    ended = ""
    if isinstance(error, Late):
        ended = f"Time ran out for this test: {error}. {_LOOPS}"
    elif isinstance(error, Ended):
        ended = f"No answer came from the engine: {error}."
    try:
        message = explained(error, test.own, test.needs, stubs, FILE, _origin(error), ended)
    except (Exception, Ended):  # a proxy is part of it, and to write it out is a request to the worker
        message = "The engine raised an error that cannot be shown."
    return _printable(reproducible(message)) or "It failed."


def of_todo(test: Test, error: BaseException, shown: str) -> str:
    """The message for a test that one TODO by itself fails. `shown` is the whole engine's message if it fits."""
    if isinstance(error, Ended):
        return NO_ANSWER
    if shown:
        return shown
    if isinstance(error, Broken) and not is_remote(error):
        return error.fixed
    rules = ", ".join(test.rules)
    return f"With the other TODOs substituted by the reference, this test ends in an error. See {rules}."


def of_variant(difference: str) -> str:
    """The message for a hidden variant that an engine fails."""
    return f"It passes this test; with {difference} it does not."


def reproducible(text: str) -> str:
    """The text without times, random keys and addresses, which would differ if the same files were graded again."""
    for pattern, words in _NEW_IN_EACH_RUN.items():
        text = re.sub(pattern, words, text)
    return text


def _printable(text: str) -> str:
    """The text for a page, a terminal or a database: no control characters, no lone surrogates, not too long."""
    short = text if len(text) <= LONGEST else f"{text[:LONGEST]}\n... and so on, {len(text):,} characters"
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in short)


def _origin(error: BaseException) -> Origin:
    """What raised an error, and where. For an error of the worker that is the worker's word, so it is only shown."""
    if not is_remote(error):
        return origin(error, lambda file: file == proxy.__file__, suite.FOLDER, "")
    match remote_origin(error):
        case {"line": int(line), "in": str(name), "code": str(code)} if 0 < line < 1_000_000:
            return Origin(place=f"Look at {FILE}, line {line}{name and f', in {name:.80}'}{code and f': {code:.160}'}")
    return Origin(TEST)  # raised in the worker, by no line of the engine: the test asked for something that is missing
