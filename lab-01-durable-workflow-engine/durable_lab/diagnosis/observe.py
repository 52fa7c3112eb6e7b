"""An engine's behaviour in the probes: its facts, and its symptoms, which are the facts that no right engine has."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from durable_lab.checks.bench import Crash, NotStarted
from durable_lab.diagnosis.probe_bench import NeverComesBack, ProbeBench, plain, word
from durable_lab.diagnosis.probes import PROBES, Probe

Facts = dict[str, Any]  # "a_power_cut.then runs" -> ["charge(...)"], small JSON values
LIVES = 2  # after so many probes that had to be stopped, the remaining ones are skipped
STOPPED = "never comes back"


def observe(fresh: Callable[[], Any], todo: int, begin: Callable[[], Any] | None = None) -> Facts:
    """Return the facts of one engine, from all probes of this TODO.

    `fresh` returns the engine's module, or a proxy to it, in a new process, for each probe and for each restart.
    `begin`, if given, returns the first module of each probe instead: its process may have served other probes.
    A BaseException from the engine that is not the probe's means that it was stopped from outside. If `fresh` raises,
    nothing more can be observed. Raises only NotStarted and KeyboardInterrupt, which are not the engine's fault.
    """
    facts: Facts = {}
    lives = LIVES
    for probe in PROBES.values():
        if todo not in probe.todos or lives == 0:
            continue
        try:
            modules = chain([(begin or fresh)()], iter(fresh, None))
        except (NotStarted, KeyboardInterrupt):
            raise
        except BaseException:
            return facts
        try:
            _asked(probe, ProbeBench(modules.__next__), facts)
        except (NotStarted, KeyboardInterrupt):
            raise
        except BaseException:
            facts[f"{probe.name}.!"] = STOPPED
            lives -= 1
    return facts


def _asked(probe: Probe, stage: ProbeBench, facts: Facts) -> Facts:
    """Add the facts of one probe. If it ended early, the fact "!" says why."""
    try:
        for name, value in probe.scenario(stage):
            facts[f"{probe.name}.{name}"] = plain(value)
    except NeverComesBack:
        facts[f"{probe.name}.!"] = STOPPED
    except NotStarted:
        raise
    except Crash:
        facts[f"{probe.name}.!"] = "the process dies"
    except Exception as error:
        facts[f"{probe.name}.!"] = word(error)
    return facts


def symptoms(facts: Facts, right: Facts) -> Facts:
    """Return the facts that differ from a right engine's. A fact that a stopped probe did not reach is no symptom."""
    return {name: value for name, value in facts.items() if name not in right or right[name] != value}


def told(fresh: Callable[[], Any], probe: Probe) -> list[str]:
    """Return the story of one probe on this engine, line by line."""
    stage = ProbeBench(fresh, tells=True)
    try:
        ended = _asked(probe, stage, {}).get(f"{probe.name}.!", "")
    except BaseException:
        ended = STOPPED
    return [*stage.lines, *(["and so on, without an end"] if ended == STOPPED else [])]
