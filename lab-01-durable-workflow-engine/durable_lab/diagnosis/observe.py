"""What an engine does in the probes: its facts, and its symptoms, which are the facts that no right engine has."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain
from math import inf
from typing import Any

from durable_lab.checks.bench import Crash, NotStarted
from durable_lab.diagnosis.probe_bench import NeverComesBack, ProbeBench, error_name, json_value
from durable_lab.diagnosis.probes import PROBES, Probe

Facts = dict[str, Any]  # "a_power_cut.then runs" -> ["charge(...)"], small JSON values
MAX_STOPS = 2  # if an engine had to be stopped from outside so often, the remaining probes are not run
STOPPED = "never comes back"


def observe(fresh: Callable[[], Any], todo: int, begin: Callable[[], Any] | None = None, seconds: float = inf) -> Facts:
    """Return the facts of one engine, from all probes that are about this TODO.

    fresh    returns the engine's module, or a proxy to it, in a new process; called for each probe and at each restart
    begin    if given, returns the first module of each probe instead; its process may have served other probes
    seconds  when they are over, no other probe is begun

    A BaseException that the module raises, and that is none of ours, means that it was stopped from outside. If `fresh`
    raises one, there is nothing more to observe. NotStarted and KeyboardInterrupt, which are not the engine's fault,
    are raised.
    """
    facts: Facts = {}
    stops, end = 0, time.monotonic() + seconds
    for probe in sorted(PROBES.values(), key=lambda probe: not probe.early):
        if todo not in probe.todos or stops == MAX_STOPS or time.monotonic() > end:
            continue
        try:
            modules = chain([(begin or fresh)()], iter(fresh, None))
        except (NotStarted, KeyboardInterrupt):
            raise
        except BaseException:
            return facts
        try:
            _run(probe, ProbeBench(modules.__next__), facts)
        except (NotStarted, KeyboardInterrupt):
            raise
        except BaseException:
            facts[f"{probe.name}.!"] = STOPPED
            stops += 1
    return facts


def _run(probe: Probe, bench: ProbeBench, facts: Facts) -> Facts:
    """Add the facts of one probe. If it does not reach its end, the fact "!" says why."""
    try:
        for name, value in probe.scenario(bench):
            facts[f"{probe.name}.{name}"] = json_value(value)
    except NeverComesBack:
        facts[f"{probe.name}.!"] = STOPPED
    except NotStarted:
        raise
    except Crash:
        facts[f"{probe.name}.!"] = "the process dies"
    except Exception as error:
        facts[f"{probe.name}.!"] = error_name(error)
    return facts


def symptoms(facts: Facts, right: Facts) -> Facts:
    """Return the facts that a right engine does not have. A fact that is missing, as of a stopped probe, is none."""
    return {name: value for name, value in facts.items() if name not in right or right[name] != value}


def log_of(fresh: Callable[[], Any], probe: Probe) -> list[str]:
    """Return the log of one probe on this engine, line by line."""
    bench = ProbeBench(fresh, logs=True)
    try:
        stopped = _run(probe, bench, {}).get(f"{probe.name}.!") == STOPPED
    except BaseException:
        stopped = True
    return [*bench.lines, *(["and so on, without an end"] if stopped else [])]
