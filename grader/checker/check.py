"""Check one submission: the whole engine on the 14 and their hidden variants, and each TODO with the others lent.

What the student's code says is shown to the student only from the run of the whole engine on the 14, where it has seen
neither a hidden test nor the reference. All other runs give a yes or a no, and words of ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from durable_lab.checks.explain import explained
from durable_lab.checks.words import Broken
from durable_lab.todos import all_todos, open_todos
from grader.bank.diagnosis import diagnose
from grader.checker import hidden, suite
from grader.checker.examinee import Examinee
from grader.checker.peer import Ended
from grader.checker.steady import steady
from grader.checker.suite import Test
from grader.report import Diagnosis, Outcome
from grader.submission import Submission

FILE = "lab/engine.py"
LONGEST = 6_000  # characters of one message
ONLY_SEEN = (
    "It passes this test, but not a variant of it with other names and numbers. Something in it fits only what stands "
    "in the tests that you have."
)


@dataclass(frozen=True)
class Finding:
    """What the tests say of one TODO, or (number 0) of the whole engine."""

    number: int
    outcomes: tuple[Outcome, ...] = ()
    diagnosis: Diagnosis | None = None


def check(submission: Submission, seed: str, *, isolated: bool = True) -> dict[int, Finding]:
    """The findings by TODO; 0 is the whole engine. A TODO that is still a stub, or is refused, has no outcomes.

    seed  a text that the names and numbers of the hidden tests follow from
    """
    whole = _whole(submission.whole, seed, isolated)
    found = {0: Finding(0, tuple(whole.values()))}
    for number in all_todos():
        source = submission.alone.get(number)
        found[number] = _todo(number, source, whole, seed, isolated) if source else Finding(number)
    return found


def _whole(source: str | None, seed: str, isolated: bool) -> dict[str, Outcome]:
    """The whole engine: by test. The 14 come first, so that their messages know nothing of the hidden ones."""
    tests = suite.public()
    if source is None:
        return {test.name: _outcome(test, False, None, "There is no engine to run; see above.") for test in tests}
    with Examinee(source, isolated=isolated) as examinee:
        try:
            stubs = open_todos(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # the import will say so
            stubs = {}
        messages = {test.name: _message(test, examinee, stubs) for test in tests}
        passed = _hidden(examinee, [test for test in tests if not messages[test.name]], seed)
    return {
        test.name: _outcome(test, not messages[test.name], passed.get(test.name), messages[test.name]) for test in tests
    }


def _todo(number: int, source: str, whole: dict[str, Outcome], seed: str, isolated: bool) -> Finding:
    """One TODO on the tests that are about it. What the whole engine earns counts, so that parts may fit each other."""
    tests = [test for test in suite.public() if number in test.own]
    missed = [test for test in tests if not whole[test.name].earned]
    outcomes = {test.name: whole[test.name] for test in tests}
    if not missed:
        return Finding(number, tuple(outcomes.values()))
    with Examinee(source, isolated=isolated) as examinee:
        errors = suite.run(examinee.fresh, missed)
        passed = _hidden(examinee, [test for test in missed if errors[test.name] is None], seed)
        for test in missed:
            error = errors[test.name]
            message = "" if error is None else _fixed(test, error, whole[test.name].message)
            outcomes[test.name] = _outcome(test, error is None, passed.get(test.name), message)
        wrong = not all(outcome.earned for outcome in outcomes.values())
        diagnosis = diagnose(examinee.fresh, number) if wrong else None
    return Finding(number, tuple(outcomes.values()), diagnosis)


def _hidden(examinee: Examinee, tests: Iterable[Test], seed: str) -> dict[str, bool]:
    """Whether the hidden variants of these tests pass."""
    variants = hidden.load()
    made: dict[str, bool] = {}
    for test in tests:
        luck = hidden.seed_for(test.name, seed)
        error = suite.run(examinee.fresh, [suite.of(variants[test.name])], luck)[test.name]
        made[test.name] = error is None
    return made


def _outcome(test: Test, passed: bool, hidden_passed: bool | None, message: str) -> Outcome:
    if passed and hidden_passed is False:
        message = ONLY_SEEN
    return Outcome(test.sentence, test.rules, passed, hidden_passed, message)


def _message(test: Test, examinee: Examinee, stubs: dict[int, int]) -> str:
    error = suite.run(examinee.fresh, [test])[test.name]
    if error is None:
        return ""
    ended = f"({error})" if isinstance(error, Ended) else ""
    try:
        said = explained(error, test.own, test.needs, stubs, FILE, _place(error), ended)
    except (Exception, Ended):  # an object of the worker's is in it, and to write it out is to ask the worker
        said = "The engine raised an error that cannot be shown."
    return _shown(steady(said)) or "It failed."  # a message is what says that it failed: it is never empty


def _shown(text: str) -> str:
    """Text as a page, a terminal and a database can take it: no control characters, no half ones, not too long."""
    short = text if len(text) <= LONGEST else f"{text[:LONGEST]}\n... and so on, {len(text):,} characters"
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in short)


def _place(error: BaseException) -> str:
    """Where in the student's file an error passed: the worker's word, so it is only shown, and only if it is a word."""
    match vars(error).get("_told"):
        case {"line": int(line), "in": str(name), "code": str(code)} if 0 < line < 1_000_000:
            return f"Look at {FILE}, line {line}{name and f', in {name:.80}'}{code and f': {code:.160}'}"
    return "It came from no line of this file: something that your code returned could not be used."


def _fixed(test: Test, error: BaseException, seen: str) -> str:
    """Words of ours for a TODO on its own, where the whole engine's message speaks of another TODO."""
    if seen and not seen.startswith(("waits for TODO", "TODO ")):
        return seen
    if isinstance(error, Broken) and "_told" not in vars(error):  # ours, and not one that a worker has made of ours
        return error.fixed
    if isinstance(error, Ended):
        return f"With the other TODOs from the reference, the engine did not come back ({error})."
    return f"With the other TODOs from the reference, the engine raised an error. See {', '.join(test.rules)}."
