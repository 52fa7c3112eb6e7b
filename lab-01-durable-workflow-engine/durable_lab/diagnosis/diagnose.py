"""Name the belief that a wrong TODO shows, from what the engine does in the probes; its code is never read.

A belief is named only if one of its *tells* holds (beliefs.toml), and if it explains what was seen: the known engines
of the bank that show it (fingerprints.json) go wrong in the same probes, and in the same way in the programs of the
judge. If several beliefs qualify, the one is named whose known engines behave most like this one.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any

from durable_lab.diagnosis.beliefs import BELIEFS, Belief
from durable_lab.diagnosis.observe import STOPPED, Facts, observe, symptoms

FINGERPRINTS = Path(__file__).with_name("fingerprints.json")
EXAMPLES = Path(__file__).with_name("examples.toml")
MAX_UNEXPLAINED = 0.4  # of the probes in which an engine goes wrong; one probe is always allowed


@dataclass(frozen=True)
class Diagnosis:
    """The belief that a wrong TODO shows. No text in it is made by the student's code."""

    belief: str  # its id in the bank: "M9b"
    words: str  # what its author believes
    customer: str  # what happens to a customer because of it
    read: str  # where to read
    example: str = ""  # a small counter-example, as a timeline in text


def diagnose(
    fresh: Callable[[], Any],
    todo: int,
    begin: Callable[[], Any] | None = None,
    story: tuple[str, str] | None = None,
    seconds: float = inf,
) -> Diagnosis | None:
    """Return the belief that this engine's TODO shows, in fixed words; None if none can be named.

    fresh, begin, seconds   see `observe`. The module has the student's TODO `todo` and the reference's other four. The
                            caller limits its calls and its time (see `limited`), and may raise a BaseException out of
                            it at any time.
    story                   the rule and the kind of the difference that the judge has found: the belief explains it

    Raises NotStarted, and nothing that the engine raises.
    """
    found = nearest(observe(fresh, todo, begin, seconds), todo, story)
    return message(*found) if found else None


def nearest(facts: Facts, todo: int, story: tuple[str, str] | None = None) -> tuple[Belief, str] | None:
    """Return the belief that these facts show, and the known engine of the bank that behaves most like this one."""
    seen = symptoms(facts, right(todo))
    if not seen or any(value == "NotImplementedError" for name, value in seen.items() if name.endswith(".!")):
        return None
    ranked = sorted(
        (
            (similarity(seen, known), belief.id, engine)
            for belief in BELIEFS.values()
            if belief.todo == todo and belief.is_shown_by(facts) and explains(belief, seen, story)
            for engine, known in known_engines()[belief.id].items()
        ),
        reverse=True,
    )
    if not ranked:
        return None
    best, belief, engine = ranked[0]
    tied = any(other == best and name != belief for other, name, _ in ranked)
    return None if tied else (BELIEFS[belief], engine)


def explains(belief: Belief, seen: Facts, story: tuple[str, str] | None) -> bool:
    """Return whether an engine with this belief can have these symptoms, and be the subject of this story."""
    if story is not None and story not in known_stories(belief.id):
        return False
    if any(STOPPED in tell.values() for tell in belief.tells):  # such an engine may be stopped in any probe
        seen = {name: value for name, value in seen.items() if value != STOPPED}
    unexplained = _probes(seen) - _scope(belief.id)
    return len(unexplained) <= max(1, MAX_UNEXPLAINED * len(_probes(seen)))


@cache
def _scope(belief: str) -> set[str]:
    """Return the probes in which an engine with this belief may go wrong: those of its known engines and its entry."""
    known, usual = known_engines()[belief].values(), right(BELIEFS[belief].todo)
    tells = (name for tell in BELIEFS[belief].tells for name, value in tell.items() if usual.get(name) != value)
    return _probes(dict.fromkeys([*tells, *chain.from_iterable(known), *BELIEFS[belief].show]))


def similarity(one: Facts, other: Facts) -> float:
    """Return the similarity of two sets of symptoms, from 0 to 1: half for equal facts, half for the same probes."""
    names, probes = one.keys() | other.keys(), _probes(one) | _probes(other)
    equal = sum(one[name] == other[name] for name in one.keys() & other.keys())
    both = len(one.keys() & other.keys())
    made: float = (equal + both) / 2 / len(names) / 2 + len(_probes(one) & _probes(other)) / len(probes) / 2
    return made


def _probes(facts: Facts) -> set[str]:
    return {name.partition(".")[0] for name in facts}


def message(belief: Belief, engine: str) -> Diagnosis:
    """Return what a student reads. The example is that of the bank's engine."""
    return Diagnosis(belief.id, belief.words, belief.customer, belief.read, examples().get(engine, ""))


@cache
def _fingerprints() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(FINGERPRINTS.read_text(encoding="utf-8"))
    return made


def right(todo: int) -> Facts:
    """Return what the probes find in a right engine."""
    made: Facts = _fingerprints()["right"][str(todo)]
    return made


def known_engines() -> dict[str, dict[str, Facts]]:
    """Return belief -> engine of the known half -> its symptoms."""
    made: dict[str, dict[str, Facts]] = _fingerprints()["known"]
    return made


@cache
def known_stories(belief: str) -> set[tuple[str, str]]:
    """Return the rule and the kind of each difference that the judge has found in the bank's engines of this belief."""
    engines = _fingerprints()["stories"][belief].values()
    return {(rule, kind) for engine in engines for rule, kind in engine["differences"]}


@cache
def examples() -> dict[str, str]:
    """Return engine of the known half -> its counter-example."""
    table = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))
    return {engine: text.strip("\n") for engine, text in table.items()}
