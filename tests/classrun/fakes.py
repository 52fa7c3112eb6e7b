"""An invented class: reports of every kind, and a `grade` that costs no time but leaves a trace."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

from durable_lab.diagnosis.diagnose import Diagnosis
from grader.book import Book, Entry
from grader.checker.outcome import Outcome
from grader.report import NotGraded, Part, Report, Source
from grader.rubric import without_points

TESTS = {
    "a fresh run records every command in order before moving on": (("R1",), (1, 4)),
    "a replay of a finished history runs nothing": (("R2", "R4"), (1,)),
    "after a crash in the middle only the rest runs": (("R2", "R11"), (1,)),
    "now is recorded once and replayed": (("R7",), (2,)),
    "a flaky activity succeeds and leaves one outcome": (("R6", "R12"), (1,)),
    "the waits between attempts grow on the injected clock": (("R12",), (1,)),
    "exhausted retries fail the run cleanly": (("R6", "R13"), (1, 4)),
    "a recorded failure is replayed and compensated in reverse": (("R6",), (1,)),
    "a missing signal suspends and holds nothing": (("R9",), (3, 4)),
    "a delivered signal resumes without running again": (("R8",), (3, 5)),
    "signals are consumed per name in order": (("R8",), (3, 5)),
    "divergence is caught and nothing runs": (("R3",), (1, 4)),
    "states are never changed and values are the same live and replayed": (("R5", "R10"), (1, 4, 5)),
    "the refund story survives kill and resume": (("R2", "R11", "R8"), (1, 2, 3, 4, 5)),
}
POINTS = {1: 24.0, 2: 8.0, 3: 14.0, 4: 16.0, 5: 8.0}
MESSAGE = """\
R7                   Time reaches a workflow only through ctx.now(); it is recorded once and replayed ever after.
here                 each look at the clock is a recorded command
history says         0 activity pause() -> null
your code asked for  pause()
first difference     expected [["now", 0.0], ["now", 3600.0]]
                     found    []
read                 lesson 03, Determinism; the handout, rule R7"""
EXAMPLE = """\
0  activity  assess("A1")      ok  "fine"
1  signal    approval          ok  {"by": "Ana"}
2  activity  pay_back("A1")    runs again after the restart: the customer is paid twice"""
BELIEFS = {
    1: (
        Diagnosis(
            "M20",
            "What is falsy is missing.",
            "An order that costs nothing is charged again after a restart.",
            "lesson 02, Replay",
            EXAMPLE,
        ),
        Diagnosis(
            "M12",
            "Retry everything, for ever.",
            "A declined card is tried fifty times, and then it is blocked.",
            "lesson 04, Retries and idempotency",
            EXAMPLE,
        ),
    ),
    2: (
        Diagnosis(
            "M6",
            "Asking for the time changes nothing, so there is nothing to record.",
            "In time on Monday, too late on Tuesday: first a yes, then a no.",
            "lesson 03, Determinism",
            EXAMPLE,
        ),
    ),
    3: (
        Diagnosis(
            "M9",
            "Signals come in one after the other, so the next one is mine.",
            "The wrong approval is used, and nobody asks again.",
            "lesson 05, Signals",
            EXAMPLE,
        ),
    ),
    4: (
        Diagnosis(
            "M19",
            "Catching everything is safe.",
            "An order that only waits is cancelled.",
            "lesson 05, Signals",
        ),
    ),
    5: (Diagnosis("M18", "The state is mine to change.", "Support sees a past that never was.", "lesson 02, Replay"),),
}
FIRST = [
    "Ana",
    "Bo",
    "Cy",
    "Dina",
    "Emre",
    "Farah",
    "Gus",
    "Hana",
    "Igor",
    "Jo",
    "Kai",
    "Lena",
    "Mo",
    "Nils",
    "Pia",
    "Rosa",
]
LAST = ["Abel", "Brandt", "Costa", "Diaz", "Eriksen", "Fofana"]
REPAIRS = (
    "Notebook 03_determinism.ipynb had lost its cell metadata; the cells were found again by their text.",
    "The graded cell of TODO 2 was there twice; the last one that ran counts.",
    "Notebook 05 was named 05_signals (1).ipynb; it was given its name back.",
)


def report(student: str, luck: random.Random, skill: float) -> Report:
    """Return the report of a student who passes each test with this probability."""
    wrong = {number for number in POINTS if luck.random() > skill}
    half = {number for number in POINTS if luck.random() > 0.9}
    stub = {5} if luck.random() > 0.9 else set()
    parts = [_todo(number, number in wrong, number in half, number in stub, luck) for number in POINTS]
    whole = tuple(
        Outcome(test, rules, not wrong & set(todos) and not stub, not (half & set(todos)) or None, "")
        for test, (rules, todos) in TESTS.items()
    )
    whole = tuple(
        o if o.passed else replace(o, hidden=None, message=f"{MESSAGE}\nin                   {o.test}") for o in whole
    )
    parts.append(Part("whole engine", float(sum(o.earned for o in whole)), 14.0, outcomes=whole))
    answered, boxes = luck.randrange(11), luck.randrange(7)
    parts.append(Part("questions", float(answered), 10.0, "" if answered == 10 else f"{answered} of 10 are right"))
    parts.append(Part("predictions", float(boxes), 6.0, "" if boxes == 6 else f"{boxes} of 6 boxes are filled in"))
    repairs = tuple(luck.sample(REPAIRS, luck.choice([0, 0, 0, 1, 2])))
    return Report(student, tuple(parts), repairs, late="2 h after the deadline" if luck.random() > 0.9 else "")


def _todo(number: int, wrong: bool, half: bool, stub: bool, luck: random.Random) -> Part:
    name, out_of = f"TODO {number}", POINTS[number]
    if stub:
        return Part(name, 0.0, out_of, "still to be written")
    mine = [(test, rules) for test, (rules, todos) in TESTS.items() if number in todos]
    broken = {test for test, _ in luck.sample(mine, luck.randrange(1, min(4, len(mine) + 1)))} if wrong else set()
    outcomes = tuple(
        Outcome(test, rules, test not in broken, None if test in broken else not (half and i == 0), "")
        for i, (test, rules) in enumerate(mine)
    )
    points = round(out_of * sum(o.earned for o in outcomes) / len(outcomes), 2)
    belief = luck.choice(BELIEFS[number]) if wrong else None
    return Part(name, points, out_of, "", f"notebooks/0{number}_lesson.ipynb, cell {4 + number}", outcomes, belief)


def a_class(size: int = 30, seed: int = 4) -> Book:
    """A class of all sorts: good ones, lost ones, a hostile one, one of another alphabet, one that was not graded."""
    luck = random.Random(seed)
    names = [f"{first} {last}" for first in FIRST for last in LAST]
    entries = [Entry(name, report(name, luck, luck.betavariate(3, 1.2))) for name in luck.sample(names, size - 5)]
    hostile = '<script>alert("me")</script>'
    evil = report(hostile, luck, 0.5)
    evil = replace(evil, repairs=(f"Notebook {hostile} was renamed.", "=HYPERLINK(1)"), refusals=("=1+1 was refused",))
    refused = "TODO 3: it imports `socket`, which an engine does not need; this part has no points."
    entries += [
        Entry(hostile, evil),
        Entry("Ядвига Łuć", replace(report("Ядвига Łuć", luck, 0.9), refusals=(refused,))),
        Entry(
            "Zed Zero",
            without_points("Zed Zero", "This submission could not be graded: it took more than 60 seconds, twice."),
        ),
        Entry("=cmd|' /C calc'!A0", report("=cmd|' /C calc'!A0", luck, 1.0)),
        Entry("Vera Vain", None, "KeyError: 'nothing'. Run `grade` again to try once more."),
    ]
    return Book(tuple(sorted(entries, key=lambda entry: entry.student)), ("notes.txt: not a folder",))


# ------------------------------------------------------------ a `grade` for worker processes


def grade(folder: Path, student: str, *, isolated: bool = True, source: Source = "notebooks") -> Report:
    """Count this call outside (in SIDE_FILE), then do what the folder says: die, hang, be wrong, or make a report."""
    side = Path(os.environ["SIDE_FILE"])
    with side.open("a", encoding="utf-8") as file:
        file.write(f"{student}\n")
    said = (folder / "engine.py").read_text(encoding="utf-8").split()
    if "die" in said:
        os.kill(os.getpid(), signal.SIGKILL)
    if "once" in said and side.read_text(encoding="utf-8").splitlines().count(student) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if "child" in said:
        held = side.with_name("held").open("w")
        fcntl.flock(held, fcntl.LOCK_EX)
        subprocess.Popen(["sleep", "600"], pass_fds=[held.fileno()])
    if "hang" in said:
        signal.pause()
    if "base" in said:
        raise GeneratorExit("not even an Exception")
    if "bug" in said:
        raise KeyError("a bug of ours")
    if "nothing" in said:
        raise NotGraded("Only a text was handed in.")
    if "newer" in said:
        made = report(student, random.Random(student), 0.8)
        first = replace(made.parts[0], points=0.0, graded=False, note="not graded: it needs a newer Python")
        return replace(made, parts=(first, *made.parts[1:]))
    if "large" in said:
        made = report(student, random.Random(student), 0.2)
        parts = tuple(
            replace(p, outcomes=tuple(replace(o, message="é" * 10**6) for o in p.outcomes)) for p in made.parts
        )
        return replace(made, parts=parts)
    made = report(student, random.Random(student + said[0]), 0.8)
    return replace(made, isolated=isolated, late=source if "source" in said else made.late)
