"""Check one submission: the whole engine on the 14 tests and their hidden variants, and each TODO by itself, with the
other four substituted by the reference.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from durable_lab import source as text
from durable_lab.checks.substitute import REFERENCE
from durable_lab.diagnosis.diagnose import Diagnosis, diagnose
from durable_lab.todos import all_todos, open_todos
from grader.checker import hidden, messages, suite
from grader.checker.examinee import Examinee, Late, NotAsked, Patience
from grader.checker.outcome import Outcome
from grader.checker.rpc.peer import Ended
from grader.checker.suite import Test
from grader.checker.worker_process import Worker
from grader.handin import Submission

TODO_SHARE, DIAGNOSIS_SHARE = 0.4, 0.25  # of a part's time; the whole engine and its variants have all of it
TODO_LIVES, DIAGNOSIS_LIVES = 3, 2


@dataclass(frozen=True)
class Finding:
    """The results of the tests for one TODO, or (number 0) for the whole engine."""

    number: int
    outcomes: tuple[Outcome, ...] = ()
    diagnosis: Diagnosis | None = None

    @property
    def full(self) -> bool:
        """Whether tests were run, and none failed that this TODO has to pay for."""
        return bool(self.outcomes) and all(outcome.earned or outcome.paid_by for outcome in self.outcomes)


def check(submission: Submission, seed: str, *, isolated: bool = True) -> dict[int, Finding]:
    """The findings by TODO; 0 is the whole engine. A TODO that is still a stub, or is refused, has no outcomes.

    seed  determines the names and numbers of the hidden tests
    """
    with _Checker(seed, isolated) as checker:
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
    """The finding, in which the tests are marked that another TODO pays for."""
    outcomes = (
        outcome
        if outcome.earned or by.get(outcome.test, finding.number) == finding.number
        else replace(outcome, paid_by=by[outcome.test], message=messages.AROUND)
        for outcome in finding.outcomes
    )
    return replace(finding, outcomes=tuple(outcomes))


class _Checker:
    """Examines the engines of one submission, one after the other, in one sandbox."""

    def __init__(self, seed: str, isolated: bool) -> None:
        self._seed, self._isolated, self._patience = seed, isolated, Patience()
        self._sandbox: Worker | None = None
        self.ended: set[str] = set()  # tests in which the whole engine had no process, or its process ended
        self._about_others: set[str] = set()  # tests whose message from the whole engine is not about what they test

    def __enter__(self) -> _Checker:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._sandbox:
            self._sandbox.close()

    def _worker(self) -> Worker:
        self._sandbox = self._sandbox or Worker(isolated=self._isolated)
        return self._sandbox

    def _examinee(self, engine: str, shown: bool = False) -> Examinee:
        """shown  True: it is all the student's, so that tracebacks may quote it"""
        return Examinee(engine, shown=shown, patience=self._patience, worker=self._worker)

    def whole(self, engine: str | None) -> dict[str, Outcome]:
        """The whole engine, by test. The 14 come first, so that their messages cannot depend on the hidden ones."""
        tests = suite.public()
        if engine is None:
            self.ended = {test.name for test in tests}
            return {test.name: _outcome(test, messages.NO_ENGINE) for test in tests}
        stubs = _stubs(engine)
        with self._examinee(engine, shown=True) as examinee:
            failures = {test.name: self._failure(test, examinee.run(test), stubs) for test in tests}
            examinee.part()
            passed = [test for test in tests if not failures[test.name]]
            variants = self._variants(examinee, [test for test in passed if not _uses(test, stubs)])
        if waiting := [test for test in passed if _uses(test, stubs)]:
            # They pass although a TODO that they use is not written. Their variants may use more of it.
            with self._examinee(_completed(engine, stubs)) as examinee:
                variants |= self._variants(examinee, waiting)
        return {test.name: _outcome(test, failures[test.name], variants.get(test.name)) for test in tests}

    def _failure(self, test: Test, error: BaseException | None, stubs: dict[int, int]) -> str:
        """The message of one of the 14 tests on the whole engine; empty if it passes."""
        if error is None:
            return ""
        if isinstance(error, Ended) and not isinstance(error, Late):
            self.ended.add(test.name)
        if isinstance(error, Ended) or _uses(test, stubs):
            self._about_others.add(test.name)
        return messages.of_whole_engine(test, error, stubs)

    def todo(self, number: int, engine: str, whole: dict[str, Outcome]) -> Finding:
        """One TODO on the tests that are about it, and on those that use it, which are named only if they fail.

        What the whole engine earns counts, so that parts may fit each other.
        """
        tests = [test for test in suite.public() if number in (*test.own, *test.needs)]
        missed = [test for test in tests if not (whole[test.name].earned and whole[test.name].hidden)]
        missed.sort(key=lambda test: test.name in self._about_others)  # those that ended in time come first
        outcomes, diagnosis = {test.name: whole[test.name] for test in tests}, None
        if missed:
            with self._examinee(engine) as examinee:
                examinee.part(TODO_SHARE, TODO_LIVES)
                outcomes |= {test.name: self._alone(examinee, test, whole[test.name]) for test in missed}
                examinee.part(DIAGNOSIS_SHARE, DIAGNOSIS_LIVES)
                if not all(outcome.earned for outcome in outcomes.values()):
                    diagnosis = diagnose(examinee.fresh, number, examinee.begin)
        shown = (outcomes[test.name] for test in tests if number in test.own or not outcomes[test.name].earned)
        return Finding(number, tuple(shown), diagnosis)

    def _alone(self, examinee: Examinee, test: Test, whole: Outcome) -> Outcome:
        """One test and its variant on an engine with one TODO of the student."""
        error = examinee.run(test)
        if error is None:
            return _outcome(test, "", self._variant(examinee, test))
        shown = "" if test.name in self._about_others else whole.message
        return _outcome(test, messages.of_todo(test, error, shown))

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
        if len(around) > len(suite.public()) / 2:  # such an engine does not work at all, and may be made for this
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
        """The tests that this TODO passes with the rest of the engine, and all other TODOs, from the reference."""
        with self._examinee(_transplanted(engine, number)) as examinee:
            examinee.part(TODO_SHARE, TODO_LIVES)
            return [test for test in tests if not (examinee.run(test) or self._variant(examinee, test))]

    def _variants(self, examinee: Examinee, tests: Iterable[Test]) -> dict[str, str]:
        """The messages of the hidden variants of these tests; empty if they pass."""
        return {test.name: self._variant(examinee, test) for test in tests}

    def _variant(self, examinee: Examinee, test: Test) -> str:
        benches: list[Any] = []

        def variant(bench: Any, seed: Any) -> None:
            benches.append(bench)
            hidden.load()[test.name](bench, seed)

        error = examinee.run(replace(test, function=variant), hidden.seed_for(test.name, self._seed))
        if isinstance(error, NotAsked):
            return messages.NOT_RUN
        return "" if error is None else messages.of_variant(hidden.difference_of(benches))


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
    """variant  the message of the hidden variant, empty if it passes; None if it was not run"""
    return Outcome(
        test.sentence, test.rules, not message, None if variant is None else not variant, message or variant or ""
    )
