"""Crash the reference engine for ten minutes: `python -m grader.dev.soak` (or `make soak`; `make soak SECONDS=60`).

Each suite takes a seed, makes one random workflow from it, and tries it. A fault is told with the seed that repeats it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

from durable_lab import processes, study
from durable_lab.crash import Event, InMemory, OnDisk, Play, Played, Scenario, Script, compare, everywhere, uncrashed
from durable_lab.crash.played import End
from durable_lab.judge.generate import programs
from durable_lab.judge.program import Program, plain, walk
from durable_lab.judge.workflow import BUGS, Workflow, error_of

PAIRS = 12  # of the pairs of crashes of a workflow, so many are tried
CHILD_SECONDS = 60
REFUSED = ("Crash", "KeyboardInterrupt")  # an activity that ends the process, in any run


class Fault(Exception):
    """The engine broke a rule. The message says which, where, and on which workflow."""


# ------------------------------------------------------------ one random workflow


def workflow_of(seed: str) -> Program:
    """Return the first program of this seed that a workflow can be made of: its input and signals are JSON."""
    return next(program for number in count() for program in programs(f"{seed}/{number}", 8) if _usable(program))


def _usable(program: Program) -> bool:
    text = json.dumps([program.input, program.plan])
    raised = {
        outcome[1] for activity in program.activities.values() for outcome in activity.outcomes if len(outcome) > 2
    }
    raised |= {step[1] for step in walk(program.steps) if step[0] == "raise"}
    calls = any(step[0] == "call" for step in walk(program.steps))
    return calls and '{"!"' not in text and not raised & {*REFUSED} and raised <= {*BUGS}


def scenario_of(program: Program, keeping: Callable[[], Any]) -> Scenario:
    """Return the scenario of the program's workflow; nothing else of its plan but the signals is used."""
    engine = study.Study("solution", study.ROOT)

    def fresh() -> tuple[Any, Any]:
        module = engine.fresh()
        return module, _workflow(program, module)

    signals = [(action[1], action[2]) for action in program.plan if action[0] == "signal"]
    return Scenario(fresh, keeping, program.input, signals, seed=program.seed)


def _workflow(program: Program, module: Any) -> Callable[[Any, Any], Any]:
    calls = [step for step in walk(program.steps) if step[0] == "call"]
    activities = {step[1]: _activity(program, step[1]) for step in calls}

    def workflow(ctx: Any, order: Any) -> Any:
        def do(step: list[Any], arguments: list[Any]) -> Any:
            match step:
                case ["call", name, _, *own]:
                    fields = {**program.retry, **(own[0] if own else {})}
                    fields.pop("non_retryable", None)
                    return ctx.call_activity(activities[name], *arguments, retry=module.RetryPolicy(**fields))
                case ["wait", name]:
                    return ctx.wait_signal(name)
            return ctx.now()

        return Workflow(program.steps, do, order).run()

    return workflow


def _activity(program: Program, name: str) -> Callable[..., Any]:
    """An activity as in a new process: its outcomes begin again."""
    activity, numbers = program.activity(name), count()

    def act() -> Any:
        sort, *told = activity.outcomes[min(next(numbers), len(activity.outcomes) - 1)]
        if sort == "raise":
            raise error_of(*told)
        return plain(told[0])

    def with_key(*arguments: Any, idempotency_key: str) -> Any:
        return act()

    def without(*arguments: Any) -> Any:
        return act()

    made = with_key if activity.takes_key else without
    made.__name__ = name
    return made


# ------------------------------------------------------------ the suites


def in_memory(seed: str) -> int:
    """Crash at every point, and at some pairs of points; the records are kept in memory."""
    return _everywhere(seed, InMemory)


def on_sqlite(seed: str) -> int:
    """The same with the records in an SQLite file."""
    with tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as folder:
        numbers = count()
        return _everywhere(seed, lambda: OnDisk(Path(folder, f"{next(numbers)}.db")))


def _everywhere(seed: str, keeping: Callable[[], Any]) -> int:
    program, rng = workflow_of(seed), random.Random(seed)
    scenario = scenario_of(program, keeping)
    reference, script = uncrashed(scenario)
    _judge(program, reference, reference, "without a crash")
    runs = 0
    for tried in everywhere(scenario, reference, script):
        runs += 1
        if tried.broken:
            raise Fault(f"{tried.words}: {tried.broken}\n{program.to_json()}")
    for _ in range(PAIRS):
        first = rng.randrange(len(reference.points[0]))
        points = Play(scenario, (first,), script).run().points.get(1, [])
        second = rng.randrange(len(points)) if points else 0
        _judge(program, reference, Play(scenario, (first, second), script).run(), f"points {first} and {second}")
        runs += 1
    return runs


def killed(seed: str) -> int:
    """Kill real processes (SIGKILL) at one or two random points; the records are in an SQLite file."""
    program, rng = workflow_of(seed), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as folder:
        scenario = scenario_of(program, lambda: OnDisk(Path(folder, "alone.db")))
        reference, script = uncrashed(scenario)
        points = len(reference.points[0])
        kills = [rng.randrange(points) for _ in range(rng.randint(1, 2))]
        played = Played()
        for process, kill in enumerate([*kills, None]):
            child = Child(program.to_json(), asdict(script), str(Path(folder, "killed.db")), process, kill)
            if _in_process(child, played):
                break
        _judge(program, reference, played, f"processes killed at the points {kills}")
        return len(kills)


def _judge(program: Program, reference: Played, played: Played, where: str) -> None:
    if broken := compare(reference, played):
        raise Fault(f"{where}: {broken}\n{program.to_json()}")


# ------------------------------------------------------------ a process that is killed


@dataclass(frozen=True)
class Child:
    """What a process does: run the program's workflow to the end, or up to the point at which it kills itself."""

    program: str
    script: dict[str, Any]
    store: str
    process: int
    kill: int | None


def _in_process(child: Child, played: Played) -> bool:
    """Run it, and add what it wrote to `played`. Returns whether it came to the end. Raises Fault."""
    command = processes.command("grader.dev.soak", "--child", json.dumps(asdict(child)))
    env = processes.environment()
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=CHILD_SECONDS, check=False)
    played.points[child.process] = []
    for line in done.stdout.splitlines():
        match json.loads(line):
            case {"event": event}:
                played.events.append(Event(*event))
            case {"end": end}:
                played.end = End(*end)
                return True
    if child.kill is None or done.returncode != -signal.SIGKILL:
        raise Fault(f"the process {child.process} ended with code {done.returncode}: {done.stderr[-500:]}")
    return False


def be(child: Child) -> None:
    """Be that process. Each event is written at once, because the process may be killed after it."""

    def write(**line: Any) -> None:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    scenario = scenario_of(Program.from_json(child.program), lambda: OnDisk(Path(child.store)))
    crashes = () if child.kill is None else (child.kill,)
    play = Play(
        scenario,
        crashes,
        Script(**child.script),
        die=lambda: os.kill(os.getpid(), signal.SIGKILL),
        note=lambda event: write(event=list(event)),
        process=child.process,
    )
    write(end=list(play.run().end))


# ------------------------------------------------------------ ten minutes


@dataclass
class Suite:
    """A kind of trial, and what it has done. `weight` is its share of the time."""

    name: str
    one: Callable[[str], int]  # tries the workflow of this seed, and returns the number of crashes; raises Fault
    weight: float = 1.0
    workflows: int = 0
    crashes: int = 0
    seconds: float = 0.0

    def words(self) -> str:
        return f"{self.name} {self.crashes:,} crashes of {self.workflows:,}"


def suites() -> list[Suite]:
    """All suites. A new one is added here: a name, and a function of a seed."""
    return [
        Suite("memory:", in_memory, 2.0),
        Suite("SQLite:", on_sqlite, 1.0),
        Suite("kill -9:", killed, 1.0),
    ]


def soak(seed: str, seconds: float, chosen: list[Suite], show: Callable[[str], None]) -> str:
    """Run the suites in turn for this time, each at least once. Returns the first fault, or an empty string."""
    begin = time.monotonic()
    for number in count():
        suite = min(chosen, key=lambda suite: suite.seconds / suite.weight)
        if all(suite.workflows for suite in chosen) and time.monotonic() - begin > seconds:
            return ""
        start, own = time.monotonic(), f"{seed}/{number}"
        try:
            suite.crashes += suite.one(own)
        except Exception as fault:
            again = f"python -m grader.dev.soak --suite {suite.name.rstrip(':')!r} --again {own}"
            return f"{type(fault).__name__}: {fault}\nrepeat: {again}"
        suite.workflows += 1
        suite.seconds += time.monotonic() - start
        left = max(0, round(seconds - (time.monotonic() - begin)))
        show(f"{left:>4} s left · " + " · ".join(suite.words() for suite in chosen))
    raise AssertionError  # `count` does not end


def _progress(stream: Any) -> Iterator[Callable[[str], None]]:
    """A function that replaces the last line on a terminal; elsewhere only the last line is printed."""
    last, width = [""], shutil.get_terminal_size().columns - 1

    def show(line: str) -> None:
        if stream.isatty():
            stream.write(f"\r{line[:width]:<{min(len(last[0]), width)}}")
            stream.flush()
        last[0] = line

    yield show
    stream.write("\n" if stream.isatty() else f"{last[0].partition(' · ')[2]}\n")


def main(arguments: list[str] | None = None) -> int:
    """Return 0 if there was no fault, else 1."""
    parser = argparse.ArgumentParser(prog="python -m grader.dev.soak", description="Crash the reference for a while.")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", default=str(random.randrange(10**6)))
    parser.add_argument("--suite", help="only this one")
    parser.add_argument("--again", metavar="SEED", help="only the workflow of this seed, as a fault names it")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        be(Child(**json.loads(options.child)))
        return 0
    chosen = [suite for suite in suites() if options.suite in (None, suite.name.rstrip(":"))]
    if not chosen:
        parser.error(f"--suite is one of {', '.join(suite.name.rstrip(':') for suite in suites())}")
    if options.again:
        for suite in chosen:
            suite.one(options.again)
        return 0
    print(f"seed {options.seed} · {options.seconds:g} seconds · Python {sys.version.split()[0]}")
    progress = _progress(sys.stdout)
    fault = soak(options.seed, options.seconds, chosen, next(progress))
    next(progress, None)
    print(fault or "no fault")
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
