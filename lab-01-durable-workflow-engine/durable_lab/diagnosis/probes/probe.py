"""The definition of a probe, and the list of all probes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from durable_lab.diagnosis.probe_bench import ProbeBench

Scenario = Callable[[ProbeBench], Iterator[tuple[str, Any]]]


@dataclass(frozen=True)
class Probe:
    """A scenario, and the TODOs on which it gives facts: pairs of a name and a small JSON value.

    `story` is one or two sentences for the person who reads the log. An `early` probe runs before the others: it tells
    something of an engine that loops or really waits, and such an engine is stopped after a few probes.
    """

    name: str
    todos: tuple[int, ...]
    story: str
    scenario: Scenario
    early: bool = False


PROBES: dict[str, Probe] = {}


def probe(*todos: int, name: str = "", story: str = "", early: bool = False) -> Callable[[Scenario], Scenario]:
    """Add a scenario to the list. Its docstring is its story."""

    def add(scenario: Scenario) -> Scenario:
        own = name or scenario.__name__
        assert own not in PROBES, own
        PROBES[own] = Probe(own, todos, " ".join((story or scenario.__doc__ or "").split()), scenario, early)
        return scenario

    return add
