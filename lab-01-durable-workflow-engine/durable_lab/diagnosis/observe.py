"""What an engine does in the probes: its facts, and its symptoms, which are the facts that no right engine has."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from durable_lab.checks.bench import Crash, NotStarted
from durable_lab.diagnosis.probe_bench import NeverComesBack, ProbeBench, plain, word
from durable_lab.diagnosis.probes import PROBES, Probe

Facts = dict[str, Any]  # "a_power_cut.then runs" -> ["charge(...)"], small JSON values
LIVES = 2  # so often an engine may have to be stopped from outside; after that the other probes are not asked
STOPPED = "never comes back"


def observe(fresh: Callable[[], Any], todo: int, begin: Callable[[], Any] | None = None) -> Facts:
    """The facts of one engine, by all probes that say something about this TODO.

    `fresh` gives the engine's module, or a proxy to it, in a new process, for each probe and whenever one restarts it.
    `begin`, if given, is asked for the first module of each probe instead: its process may have served other probes.
    A BaseException that comes out of it and is none of ours means that it was stopped from outside. Where `fresh`
    raises, there is nothing more to observe; only NotStarted and KeyboardInterrupt, which are not the engine's fault,
    come out.
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
    """Add the facts of one probe, as far as it came. What ended it before its end is the fact "!"."""
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
    """What differs from a right engine. A fact that a stopped probe did not come to is no symptom."""
    return {name: value for name, value in facts.items() if name not in right or right[name] != value}


def told(fresh: Callable[[], Any], probe: Probe) -> list[str]:
    """The story of one probe on this engine, line by line."""
    stage = ProbeBench(fresh, tells=True)
    try:
        ended = _asked(probe, stage, {}).get(f"{probe.name}.!", "")
    except BaseException:
        ended = STOPPED
    return [*stage.lines, *(["and so on, without an end"] if ended == STOPPED else [])]
