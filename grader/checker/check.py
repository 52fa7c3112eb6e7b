"""Check one submission: the whole engine on the 14 tests and their hidden variants, and each TODO by itself, with the
other four substituted by the reference.

What the student's code says is shown to the student only from the run of the whole engine on the 14, where it has seen
neither a hidden test nor the reference. All other runs give a yes or a no, and words of ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from durable_lab import source as text
from durable_lab.checks.explain import explained
from durable_lab.checks.failure import Broken
from durable_lab.checks.origin import TEST, Origin, origin
from durable_lab.checks.substitute import REFERENCE
from durable_lab.diagnosis.diagnose import Diagnosis, diagnose
from durable_lab.todos import all_todos, open_todos
from grader.checker import hidden, remote, suite
from grader.checker.examinee import Examinee, Late, NotAsked, Patience
from grader.checker.outcome import Outcome
from grader.checker.peer import Ended
from grader.checker.steady import steady
from grader.checker.suite import Test
from grader.handin import Submission

FILE = "lab/engine.py"
LONGEST = 6_000  # characters of one message
TODO_SHARE, DIAGNOSIS_SHARE = 0.4, 0.25  # of a part's time; the whole engine and its variants have all of it
TODO_LIVES, DIAGNOSIS_LIVES = 3, 2
# The same words for every way in which no answer comes: what the engine did here is not told.
NO_ANSWER = (
    "With the other TODOs substituted by the reference, time ran out for this test, or the engine's process ended. "
    "It was not found wrong in any other way."
)
LOOPS = "A loop in it does not end, or it really sleeps. It was not found wrong in any other way."
AROUND = (
    "This test fails with all five TODOs substituted by the reference, too: the mistake is in the code around them. "
    "It is counted in one TODO only."
)
NOT_RUN = "It passes this test. Time ran out before the variant of it, which was not run."


@dataclass(frozen=True)
class Finding:
    """What the tests say of one TODO, or (number 0) of the whole engine."""

    number: int
    outcomes: tuple[Outcome, ...] = ()
    diagnosis: Diagnosis | None = None

    @property
    def full(self) -> bool:
        """Is there nothing wrong that this TODO has to pay for, and anything at all?"""
        return bool(self.outcomes) and all(outcome.earned or outcome.paid_by for outcome in self.outcomes)


def check(submission: Submission, seed: str, *, isolated: bool = True) -> dict[int, Finding]:
    """The findings by TODO; 0 is the whole engine. A TODO that is still a stub, or is refused, has no outcomes.

    seed  the names and numbers of the hidden tests follow from this string
    """
    checker = _Checker(seed, isolated)
    whole = checker.whole(submission.whole)
    found = {
        number: checker.todo(number, engine, whole) if (engine := submission.alone.get(number)) else Finding(number)
        for number in all_todos()
    }
    found |= checker.counted_once(submission.alone, found)
    wrong = [number for number, finding in found.items() if not finding.full]
    blamed = (
        whole[test.name] if test.name in checker.ended else _blamed(test, whole[test.name], wrong)
        for test in suite.public()
    )
    return {0: Finding(0, tuple(blamed)), **found}


def _blamed(test: Test, outcome: Outcome, wrong: list[int]) -> Outcome:
    """The outcome in the whole engine, with the TODO that pays for it, if one alone is at fault."""
    at_fault = [number for number in (*test.own, *test.needs) if number in wrong]
    return replace(outcome, paid_by=at_fault[0]) if len(at_fault) == 1 and not outcome.earned else outcome


def _is_lost(test: Test, outcome: Outcome) -> bool:
    return outcome.test == test.sentence and not outcome.earned


def _paid(finding: Finding, by: dict[str, int]) -> Finding:
    """The finding with those tests marked that another TODO pays for."""
    outcomes = (
        outcome
        if outcome.earned or by.get(outcome.test, finding.number) == finding.number
        else replace(outcome, paid_by=by[outcome.test], message=AROUND)
        for outcome in finding.outcomes
    )
    return replace(finding, outcomes=tuple(outcomes))


class _Checker:
    """Examines the engines of one hand-in, which share the patience that is had with it."""

    def __init__(self, seed: str, isolated: bool) -> None:
        self._seed, self._isolated, self._patience = seed, isolated, Patience()
        self.ended: set[str] = set()  # tests in which the whole engine had no process, or that ended
        self._elsewhere: set[str] = set()  # tests whose message from the whole engine does not speak of what they test

    def _examinee(self, engine: str, shown: bool = False) -> Examinee:
        """shown  True: it is all the student's, so that its errors may quote it"""
        return Examinee(engine, isolated=self._isolated, shown=shown, patience=self._patience)

    def whole(self, engine: str | None) -> dict[str, Outcome]:
        """The whole engine, by test. The 14 come first, so that their messages know nothing of the hidden ones."""
        tests = suite.public()
        if engine is None:
            self.ended = {test.name for test in tests}
            return {test.name: _outcome(test, "There is no engine to run; see above.") for test in tests}
        stubs = _stubs(engine)
        with self._examinee(engine, shown=True) as examinee:
            messages = {test.name: self._message(test, examinee.run(test), stubs) for test in tests}
            examinee.part()
            passed = [test for test in tests if not messages[test.name]]
            variants = self._variants(examinee, [test for test in passed if not _uses(test, stubs)])
        if waiting := [test for test in passed if _uses(test, stubs)]:
            # They pass although a TODO that they use is not written. Their variants may use more of it.
            with self._examinee(_completed(engine, stubs)) as examinee:
                variants |= self._variants(examinee, waiting)
        return {test.name: _outcome(test, messages[test.name], variants.get(test.name)) for test in tests}

    def todo(self, number: int, engine: str, whole: dict[str, Outcome]) -> Finding:
        """One TODO on the tests that are about it, and on those that use it, which are named only if they fail.

        What the whole engine earns counts, so that parts may fit each other.
        """
        tests = [test for test in suite.public() if number in (*test.own, *test.needs)]
        outcomes = {test.name: whole[test.name] for test in tests}
        missed = [test for test in tests if not (whole[test.name].earned and whole[test.name].hidden)]
        if missed:
            missed.sort(key=lambda test: test.name in self._elsewhere)  # what came back comes first
            with self._examinee(engine) as examinee:
                examinee.part(TODO_SHARE, TODO_LIVES)
                for test in missed:
                    error = examinee.run(test)
                    variant = None if error else self._variants(examinee, [test])[test.name]
                    message = "" if error is None else self._fixed(test, error, whole[test.name].message)
                    outcomes[test.name] = _outcome(test, message, variant)
                examinee.part(DIAGNOSIS_SHARE, DIAGNOSIS_LIVES)
                wrong = not all(outcome.earned for outcome in outcomes.values())
                diagnosis = diagnose(examinee.fresh, number, examinee.begin) if wrong else None
        else:
            diagnosis = None
        shown = (outcomes[test.name] for test in tests if number in test.own or not outcomes[test.name].earned)
        return Finding(number, tuple(shown), diagnosis)

    def counted_once(self, alone: dict[int, str], found: dict[int, Finding]) -> dict[int, Finding]:
        """The findings, in which a mistake in the code around the TODOs costs one TODO only: the one most about it.

        The tests of such a mistake fail with all five TODOs substituted by the reference, too. The other TODOs are not
        taken for right because of that: each passes the test in the reference's own engine, or pays for it as well.
        """
        failed_by = {
            test: [n for n in (*test.own, *test.needs) if any(_is_lost(test, o) for o in found[n].outcomes)]
            for test in suite.public()
        }
        several = [test for test, numbers in failed_by.items() if len(numbers) > 1]
        if not several:
            return {}
        first = failed_by[several[0]][0]
        with self._examinee(_completed(alone[first], [first])) as examinee:
            examinee.part(TODO_SHARE, TODO_LIVES)
            around = [test for test in several if examinee.run(test) or self._variant(examinee, test)]
        if len(around) > len(suite.public()) / 2:  # no corner of it: such an engine does not work, and may be made so
            return {}
        most = {n: [sum(n in failed_by[t] for t in around), sum(n in t.own for t in around)] for n in all_todos()}
        payers = {test: max(failed_by[test], key=lambda n: most[n]) for test in around}
        paid = {}
        for number, finding in found.items():
            others = [test for test, payer in payers.items() if number in failed_by[test] and number != payer]
            right = self._right_in_the_reference(number, alone[number], others) if others else []
            paid[number] = _paid(finding, {test.sentence: payers[test] for test in right})
        return paid

    def _right_in_the_reference(self, number: int, engine: str, tests: list[Test]) -> list[Test]:
        """Those of the tests that this TODO passes with all of the engine but itself from the reference."""
        with self._examinee(_transplanted(engine, number)) as examinee:
            examinee.part(TODO_SHARE, TODO_LIVES)
            return [test for test in tests if not (examinee.run(test) or self._variant(examinee, test))]

    def _variants(self, examinee: Examinee, tests: Iterable[Test]) -> dict[str, str]:
        """What the hidden variants of these tests say, in words of ours; empty where they pass."""
        return {test.name: self._variant(examinee, test) for test in tests}

    def _variant(self, examinee: Examinee, test: Test) -> str:
        benches: list[Any] = []

        def variant(bench: Any, luck: Any) -> None:
            benches.append(bench)
            hidden.load()[test.name](bench, luck)

        error = examinee.run(replace(test, function=variant), hidden.seed_for(test.name, self._seed))
        if isinstance(error, NotAsked):
            return NOT_RUN
        return "" if error is None else f"It passes this test; with {hidden.twist_of(benches)} it does not."

    def _message(self, test: Test, error: BaseException | None, stubs: dict[int, int]) -> str:
        """The message of one of the 14 on the whole engine; empty if it passes."""
        if error is None:
            return ""
        if isinstance(error, Ended) or _uses(test, stubs):
            self._elsewhere.add(test.name)
        ended = ""
        if isinstance(error, Late):
            ended = f"Time ran out for this test: {error}. {LOOPS}"
        elif isinstance(error, Ended):
            self.ended.add(test.name)
            ended = f"No answer came from the engine: {error}."
        try:
            said = explained(error, test.own, test.needs, stubs, FILE, _origin(error), ended)
        except (Exception, Ended):  # an object of the worker's is in it, and to write it out is to ask the worker
            said = "The engine raised an error that cannot be shown."
        return _shown(steady(said)) or "It failed."  # a message is what says that it failed: it is never empty

    def _fixed(self, test: Test, error: BaseException, seen: str) -> str:
        """Words of ours for a TODO by itself, unless the whole engine's message says what is wrong."""
        if isinstance(error, Ended):
            return NO_ANSWER
        if seen and test.name not in self._elsewhere:
            return seen
        if isinstance(error, Broken) and "_told" not in vars(error):  # ours, and not one that a worker has made of ours
            return error.fixed
        rules = ", ".join(test.rules)
        return f"With the other TODOs substituted by the reference, this test ends in an error. See {rules}."


def _stubs(engine: str) -> dict[int, int]:
    try:
        return open_todos(engine)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the import will say so
        return {}


def _uses(test: Test, stubs: dict[int, int]) -> bool:
    return any(number in stubs for number in (*test.own, *test.needs))


def _completed(engine: str, stubs: Iterable[int]) -> str:
    """The engine with the reference's functions for these TODOs."""
    reference = REFERENCE.read_text(encoding="utf-8")
    for number in stubs:
        for part in all_todos()[number].parts:
            if part.function in text.functions(engine):
                engine = text.replace_function(engine, part.function, text.text_of(reference, part.function))
    return engine


def _transplanted(engine: str, number: int) -> str:
    """The reference's engine with this engine's functions for one TODO."""
    reference = REFERENCE.read_text(encoding="utf-8")
    for part in all_todos()[number].parts:
        if part.function in text.functions(engine):
            reference = text.replace_function(reference, part.function, text.text_of(engine, part.function))
    return reference


def _outcome(test: Test, message: str, variant: str | None = None) -> Outcome:
    """variant  what the hidden variant says; None if it was not to run, empty if it passes"""
    return Outcome(
        test.sentence, test.rules, not message, None if variant is None else not variant, message or variant or ""
    )


def _shown(words: str) -> str:
    """Text as a page, a terminal and a database can take it: no control characters, no half ones, not too long."""
    short = words if len(words) <= LONGEST else f"{words[:LONGEST]}\n... and so on, {len(words):,} characters"
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in short)


def _origin(error: BaseException) -> Origin:
    """Who raised an error, and where: of the worker's errors it is the worker's word, so it is only shown."""
    match vars(error).get("_told"):
        case {"line": int(line), "in": str(name), "code": str(code)} if 0 < line < 1_000_000:
            return Origin(place=f"Look at {FILE}, line {line}{name and f', in {name:.80}'}{code and f': {code:.160}'}")
        case None:
            return origin(error, lambda file: file == remote.__file__, suite.FOLDER, "")
    return Origin(TEST)  # made in the worker, by no line of the engine: the test asked for something that is not there
