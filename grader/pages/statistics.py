"""The statistics of a class's marks, for the class report."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from durable_lab.diagnosis.diagnose import Diagnosis
from durable_lab.rules import RULES
from grader.book import Book
from grader.checker.outcome import Outcome
from grader.report import Part, Report
from grader.rubric import COULD_NOT

WHOLE = "whole engine"
LESSONS = ("questions", "predictions")
BINS = 10


@dataclass(frozen=True)
class Bin:
    """How many students have from `low` to `high` per cent of the points."""

    low: int
    high: int
    many: int


@dataclass(frozen=True)
class Summary:
    """The points of all graded submissions."""

    out_of: float
    mean: float
    median: float
    lowest: float
    highest: float
    full: int


@dataclass(frozen=True)
class PartRow:
    """One line of the rubric, for the class."""

    name: str
    out_of: float
    mean: float
    zero: int
    full: int
    graded: int

    @property
    def share(self) -> float:
        return self.mean / self.out_of if self.out_of else 0.0


@dataclass(frozen=True)
class TestRow:
    """One test, for the class. Each triple counts: earned; passed only as shown; failed."""

    test: str
    rules: tuple[str, ...]
    whole: tuple[int, int, int]  # of whole engines
    alone: tuple[int, int, int]  # of single TODOs, with the others from the reference


@dataclass(frozen=True)
class RuleRow:
    """What breaking a rule cost the class. A test's points are divided among its rules."""

    rule: str
    words: str
    points: float
    students: int


@dataclass(frozen=True)
class BeliefRow:
    """What a wrong belief cost the class, and whose code shows it."""

    diagnosis: Diagnosis
    points: float
    students: tuple[str, ...]


@dataclass(frozen=True)
class Remark:
    """One sentence, and the students about whom it is."""

    sentence: str
    students: tuple[str, ...]


def summary(reports: Sequence[Report]) -> Summary | None:
    """Return None if no submission was graded."""
    if not reports:
        return None
    points = [report.points for report in reports]
    full = sum(report.points >= report.out_of > 0 for report in reports)
    out_of = max(report.out_of for report in reports)
    return Summary(out_of, statistics.fmean(points), statistics.median(points), min(points), max(points), full)


def bins(reports: Iterable[Report]) -> list[Bin]:
    """Return the distribution in ranges of ten per cent; the last one includes 100."""
    counts = Counter(min(int(_per_cent(report) // (100 / BINS)), BINS - 1) for report in reports)
    width = 100 // BINS
    return [Bin(i * width, 100 if i == BINS - 1 else (i + 1) * width - 1, counts[i]) for i in range(BINS)]


def _per_cent(report: Report) -> float:
    return max(0.0, 100 * report.points / report.out_of) if report.out_of else 0.0


def parts(reports: Sequence[Report]) -> list[PartRow]:
    """Return the rubric's lines, in their order."""
    found: dict[str, list[Part]] = defaultdict(list)
    for report in reports:
        for part in report.parts:
            found[part.name].append(part)
    return [_part(name, rows) for name, rows in found.items()]


def _part(name: str, rows: list[Part]) -> PartRow:
    out_of = max(part.out_of for part in rows)
    zero, full = sum(part.points <= 0 for part in rows), sum(part.points >= part.out_of for part in rows)
    return PartRow(name, out_of, statistics.fmean(part.points for part in rows), zero, full, len(rows))


def tests(reports: Sequence[Report]) -> list[TestRow]:
    """Return all tests, in the order of the whole engine's."""
    rules: dict[str, tuple[str, ...]] = {}
    counts: dict[tuple[str, bool], Counter[int]] = defaultdict(Counter)
    found = [part for report in reports for part in report.parts]
    for part in sorted(found, key=lambda part: part.name != WHOLE):
        for outcome in part.outcomes:
            rules.setdefault(outcome.test, outcome.rules)
            counts[outcome.test, part.name == WHOLE][_verdict(outcome)] += 1
    return [
        TestRow(test, which, *(_three(counts[test, whole]) for whole in (True, False))) for test, which in rules.items()
    ]


def _verdict(outcome: Outcome) -> int:
    return 0 if outcome.earned else 1 if outcome.passed else 2


def _three(counts: Counter[int]) -> tuple[int, int, int]:
    return counts[0], counts[1], counts[2]


def rules(reports: Sequence[Report]) -> list[RuleRow]:
    """Return the rules that cost points, most costly first. Points lost without a failed test are in `unwritten`."""
    points: dict[str, float] = defaultdict(float)
    students: dict[str, set[str]] = defaultdict(set)
    for report in reports:
        for rule, lost in _lost(report):
            points[rule] += lost
            students[rule].add(report.student)
    rows = [RuleRow(rule, RULES.get(rule, ""), points[rule], len(students[rule])) for rule in points]
    return sorted(rows, key=lambda row: (-round(row.points, 6), int(row.rule[1:]) if row.rule[1:].isdigit() else 0))


def _lost(report: Report) -> Iterator[tuple[str, float]]:
    """Yield (rule, points): a part's loss is divided among its failed tests, and each share among the test's rules."""
    for part in report.parts:
        failed = [outcome for outcome in part.outcomes if not outcome.earned and outcome.rules]
        for outcome in failed:
            for rule in outcome.rules:
                yield rule, (part.out_of - part.points) / len(failed) / len(outcome.rules)


def unwritten(reports: Sequence[Report]) -> float:
    """Return the points lost without a failed test: parts not written or not usable, questions, predictions."""
    return sum(part.out_of - part.points for report in reports for part in report.parts if not _failed(part))


def _failed(part: Part) -> bool:
    return any(not outcome.earned and outcome.rules for outcome in part.outcomes)


def beliefs(reports: Sequence[Report]) -> list[BeliefRow]:
    """Return the beliefs that cost points, most costly first."""
    found: dict[str, list[tuple[Diagnosis, float, str]]] = defaultdict(list)
    for report in reports:
        for part in report.parts:
            if part.diagnosis:
                found[part.diagnosis.belief].append((part.diagnosis, part.out_of - part.points, report.student))
    rows = [
        BeliefRow(seen[0][0], sum(lost for _, lost, _ in seen), tuple(dict.fromkeys(student for *_, student in seen)))
        for seen in found.values()
    ]
    return sorted(rows, key=lambda row: (-round(row.points, 6), row.diagnosis.belief))


def remarks(pairs: Iterable[tuple[str, str]]) -> list[Remark]:
    """Group (student, sentence) pairs by sentence, most frequent first."""
    found: dict[str, list[str]] = defaultdict(list)
    for student, sentence in pairs:
        if student not in found[sentence]:
            found[sentence].append(student)
    rows = [Remark(sentence, tuple(students)) for sentence, students in found.items()]
    return sorted(rows, key=lambda row: -len(row.students))


def repaired(book: Book) -> list[Remark]:
    return remarks((report.student, sentence) for report in book.reports for sentence in report.repairs)


def refused(book: Book) -> list[Remark]:
    return remarks((report.student, sentence) for report in book.reports for sentence in report.refusals)


def notes(book: Book) -> list[Remark]:
    """Return why parts of the engine have no points if no test says it: "TODO 5: still to be written"."""
    parts = (
        (report.student, part) for report in book.reports for part in report.parts if part.note and not part.points
    )
    known = ((s, part) for s, part in parts if part.name not in LESSONS and part.note != COULD_NOT)  # that is refused
    return remarks((student, f"{part.name}: {part.note}") for student, part in known)
