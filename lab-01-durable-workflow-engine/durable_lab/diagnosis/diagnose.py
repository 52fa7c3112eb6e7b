"""Which belief does a wrong TODO show? Found by what the engine does in the probes, never by reading its code.

A belief is named only if one of its *tells* holds (beliefs.toml). Where several are possible, it is the one whose known
engines of the bank behave most like this one (fingerprints.json). Where nothing fits well enough, nothing is said.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from durable_lab.diagnosis.beliefs import BELIEFS, Belief
from durable_lab.diagnosis.observe import Facts, observe, symptoms

FINGERPRINTS = Path(__file__).with_name("fingerprints.json")
EXAMPLES = Path(__file__).with_name("examples.toml")
LEAST = 0.25  # of likeness: less is no likeness


@dataclass(frozen=True)
class Diagnosis:
    """The belief that a wrong TODO shows. Every text is ours: none of it was made by the student's code."""

    belief: str  # its id in the bank: "M9b"
    words: str  # what its author believes
    customer: str  # what happens to a customer because of it
    read: str  # where to read
    example: str = ""  # a small counter-example, as a timeline in text


def diagnose(fresh: Callable[[], Any], todo: int, begin: Callable[[], Any] | None = None) -> Diagnosis | None:
    """The belief that this engine's TODO shows, in fixed words of ours; None where none can be named.

    fresh   gives the engine's module, or a proxy to it, anew for each probe: the student's TODO `todo`, the reference's
            other four. Calls and time are limited by whoever makes the module: a BaseException of theirs may come out
            of it at any time. `begin`: see `observe`. NotStarted comes out of here; nothing else that the engine does.
    """
    found = nearest(observe(fresh, todo, begin), todo)
    return message(*found) if found else None


def nearest(facts: Facts, todo: int) -> tuple[Belief, str] | None:
    """The belief that these facts show, and the known engine of the bank that behaves most like it."""
    seen = symptoms(facts, right(todo))
    if not seen or any(value == "NotImplementedError" for name, value in seen.items() if name.endswith(".!")):
        return None
    ranked = sorted(
        (
            (likeness(seen, known), belief.id, engine)
            for belief in BELIEFS.values()
            if belief.todo == todo and belief.is_shown_by(facts)
            for engine, known in known_engines()[belief.id].items()
        ),
        reverse=True,
    )
    if not ranked or ranked[0][0] < LEAST:
        return None
    best, belief, engine = ranked[0]
    tied = any(other == best and name != belief for other, name, _ in ranked)
    return None if tied else (BELIEFS[belief], engine)


def likeness(one: Facts, other: Facts) -> float:
    """From 0 to 1: how alike are two sets of symptoms? Half of it is what differs, half of it in which probes."""
    names, probes = one.keys() | other.keys(), _probes(one) | _probes(other)
    equal = sum(one[name] == other[name] for name in one.keys() & other.keys())
    both = len(one.keys() & other.keys())
    made: float = (equal + both) / 2 / len(names) / 2 + len(_probes(one) & _probes(other)) / len(probes) / 2
    return made


def _probes(facts: Facts) -> set[str]:
    return {name.partition(".")[0] for name in facts}


def message(belief: Belief, engine: str) -> Diagnosis:
    """What a student reads. The example is that of the bank's own engine."""
    return Diagnosis(belief.id, belief.words, belief.customer, belief.read, examples().get(engine, ""))


@cache
def _fingerprints() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(FINGERPRINTS.read_text(encoding="utf-8"))
    return made


def right(todo: int) -> Facts:
    """What the probes find in a right engine."""
    made: Facts = _fingerprints()["right"][str(todo)]
    return made


def known_engines() -> dict[str, dict[str, Facts]]:
    """Belief -> engine of the known half -> its symptoms."""
    made: dict[str, dict[str, Facts]] = _fingerprints()["known"]
    return made


@cache
def examples() -> dict[str, str]:
    """Engine of the known half -> its counter-example."""
    table = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))
    return {engine: text.strip("\n") for engine, text in table.items()}
