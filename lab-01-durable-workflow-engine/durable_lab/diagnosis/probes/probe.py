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

    `story` is one or two sentences for the person who reads the log.
    """

    name: str
    todos: tuple[int, ...]
    story: str
    scenario: Scenario


PROBES: dict[str, Probe] = {}  # in the order in which they run


def probe(*todos: int, name: str = "", story: str = "") -> Callable[[Scenario], Scenario]:
    """Add a scenario to the list. Its docstring is its story."""

    def add(scenario: Scenario) -> Scenario:
        own = name or scenario.__name__
        assert own not in PROBES, own
        PROBES[own] = Probe(own, todos, " ".join((story or scenario.__doc__ or "").split()), scenario)
        return scenario

    return add
