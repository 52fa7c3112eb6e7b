"""Measure the cost of durability: `python -m grader.dev.bench` (or `make bench`), about half a minute.

The speed of a disk varies, so only ratios are reported: each kind of sample is taken many times, and all kinds in short
stretches in one random order in one process. A durable step is compared with one bare INSERT + COMMIT of the same bytes
into the same table at the same setting. The bare loop is minimal: autocommit, one prepared statement, no triggers, no
JSON.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from durable_lab import study
from durable_lab.stores import SQLiteStore

TARGET = 1.10  # a step at FULL, in bare INSERT + COMMITs
NO_DISK = 40e-6  # seconds: if a bare INSERT + COMMIT at FULL is faster, nothing was synced
LENGTHS = {1_000: 30, 10_000: 10, 100_000: 3}  # commands in a history: how often it is loaded and replayed
LONG = max(LENGTHS)
STRETCH = 5  # samples of one kind in a row, as steps follow each other in a real run
INSERT = "INSERT INTO history(workflow_id, seq, type, record) VALUES ('w', ?, 'command', ?)"
Samples = dict[str, list[float]]  # by kind, in the order in which they were taken: seconds


def main(arguments: list[str] | None = None) -> int:
    """Measure and print. Return 0 whatever the figures are."""
    parser = argparse.ArgumentParser(prog="python -m grader.dev.bench", description="What durability costs, as ratios.")
    parser.add_argument("--folder", type=Path, help="where to write: a folder on the disk to measure")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="seed of the order of the samples")
    parser.add_argument("--samples", type=int, default=4000, help="samples of each kind of step")
    options = parser.parse_args(arguments)
    engine, rng = study.current(default="solution"), random.Random(options.seed)
    print(f"engine {engine.label} · SQLite {sqlite3.sqlite_version} · Python {sys.version.split()[0]}", end=" · ")
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory(prefix="durable-bench-", dir=options.folder) as folder:
        print(f"in {Path(folder).parent}, {options.samples} samples of each kind, in one random order\n")
        history = _history(engine.module())
        samples: Samples = {}
        for synchronous in ("FULL", "NORMAL"):
            samples |= _measure_steps(Path(folder), synchronous, engine.module(), history, rng, options.samples)
        _report_steps(samples)
        _report_replay(_measure_replay(Path(folder), engine.module(), history, rng))
    return 0


# ------------------------------------------------------------ the runs


def noop(i: int) -> int:
    """An activity that does nothing, so that all the time is the engine's and the store's."""
    return i


def steps(ctx: Any, count: int) -> None:
    """A workflow of `count` steps."""
    for i in range(count):
        ctx.call_activity(noop, i)


def _history(engine: Any) -> list[Any]:
    result = engine.DurableEngine().run(steps, engine.WorkflowState("w", LONG))
    return list(result.state.commands)


def _bare(path: Path, synchronous: str, text: str, stack: ExitStack) -> Callable[[], object]:
    """Return a function that does one INSERT + COMMIT of `text`."""
    SQLiteStore(path).close()  # the same table ...
    db = stack.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
    for trigger in ("no_update", "no_delete", "next_only"):
        db.execute(f"DROP TRIGGER {trigger}")  # ... without its triggers
    _warm(db)
    db.execute(f"PRAGMA synchronous={synchronous}")
    db.execute(f"PRAGMA fullfsync={int(synchronous == 'FULL')}")
    execute, seq = db.cursor().execute, itertools.count()
    return lambda: execute(INSERT, (next(seq), text))


@contextmanager
def _filled(path: Path, synchronous: str, engine: Any, history: list[Any]) -> Iterator[SQLiteStore]:
    """Open a store of one run that has this history, written in one transaction to save time."""
    with SQLiteStore(path, synchronous, engine=engine) as store:
        store.start("w", "bench", len(history))
        with closing(sqlite3.connect(path)) as db, db:
            db.executemany(INSERT, ((i, _text(command)) for i, command in enumerate(history)))
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            _warm(db)
        yield store


def _warm(db: sqlite3.Connection) -> None:
    """Let the log reach its full size, because a write that makes the file longer costs more."""
    db.execute("PRAGMA synchronous=OFF")
    (pages,) = db.execute("PRAGMA wal_autocheckpoint").fetchone()
    for seq in range(pages + 100):
        db.execute("INSERT INTO history VALUES ('a', ?, 'command', '{}', NULL)", (seq,))


def _text(record: Any) -> str:
    return json.dumps(record, default=vars, separators=(",", ":"))


# ------------------------------------------------------------ measuring


def _measure_steps(
    folder: Path, synchronous: str, engine: Any, history: list[Any], rng: random.Random, count: int
) -> Samples:
    """Measure bare inserts, and steps of runs whose history is empty or long, all at one setting."""
    kinds: dict[str, Callable[[], object]] = {}
    samples: Samples = {}

    def with_runs(lengths: list[int]) -> None:
        """Open each run inside the one before it, so that all of them are live at the same time; then measure."""
        if not lengths:
            samples.update(_shuffled({kind: (act, count) for kind, act in kinds.items()}, rng, STRETCH))
            return
        length = lengths[0]
        kind = f"step {synchronous} {length}"

        def workflow(ctx: Any, _: Any) -> None:
            steps(ctx, length)  # replay
            number = itertools.count(length)
            kinds[kind] = lambda: ctx.call_activity(noop, next(number))
            with_runs(lengths[1:])

        with _filled(folder / f"{kind}.db", synchronous, engine, history[:length]) as store:
            engine.DurableEngine(journal=store.journal("w")).run(workflow, store.load("w"))

    with ExitStack() as stack:
        path = folder / f"bare {synchronous}.db"
        kinds[f"bare {synchronous}"] = _bare(path, synchronous, _text(history[-1]), stack)
        with_runs([0, LONG])
    return samples


def _measure_replay(folder: Path, engine: Any, history: list[Any], rng: random.Random) -> Samples:
    """Measure loads from the store and replays, for histories of all lengths."""
    kinds: dict[str, tuple[Callable[[], object], int]] = {}
    with ExitStack() as stack:
        for length, count in LENGTHS.items():
            path = folder / f"replay {length}.db"
            store = stack.enter_context(_filled(path, "FULL", engine, history[:length]))
            state, host = store.load("w"), engine.DurableEngine()
            kinds[f"load {length}"] = partial(store.load, "w"), count
            kinds[f"replay {length}"] = partial(host.run, steps, state), count
        return _shuffled(kinds, rng)


def _shuffled(kinds: dict[str, tuple[Callable[[], object], int]], rng: random.Random, stretch: int = 1) -> Samples:
    """Take the samples of each kind, in stretches of `stretch`, all in one random order."""
    order = [kind for kind, (_, count) in kinds.items() for _ in range(count // stretch)]
    rng.shuffle(order)
    samples: Samples = {kind: [] for kind in kinds}
    for kind in order:
        act = kinds[kind][0]
        for _ in range(stretch):
            began = time.perf_counter()
            act()
            samples[kind].append(time.perf_counter() - began)
    return samples


# ------------------------------------------------------------ reporting


def _report_steps(samples: Samples) -> None:
    print("(a) a durable step, in bare INSERT + COMMITs:  bare        step   ratio (spread)")
    for synchronous in ("FULL", "NORMAL"):
        bare, step = samples[f"bare {synchronous}"], samples[f"step {synchronous} 0"]
        ratio, spread = _ratio(step, bare)
        print(f"    {synchronous:<33}{_micro(bare)}{_micro(step)}   {ratio:.2f}  {spread}")
        own = statistics.median(step) - statistics.median(bare)
        if synchronous == "NORMAL":
            print("      above the ratio at FULL: with no disk to wait for, the engine's own work is most of a step")
        elif statistics.median(bare) < NO_DISK:
            print("      this folder is on no disk that syncs, so the ratio says nothing: name another with --folder")
        elif ratio <= TARGET:
            print(f"      target {TARGET:.2f}: met. A step's own work is {own * 1e6:.0f} us")
        else:
            enough = own / (TARGET - 1)
            print(f"      target {TARGET:.2f}: missed here. A step's own work is {own * 1e6:.0f} us, so it is met if a")
            print(f"      bare INSERT + COMMIT takes {enough * 1e6:.0f} us or more; it took {_micro(bare).strip()}")
    print(f"\n(b) a step behind {LONG:,} commands, in steps behind none (1.00 is flat):")
    for synchronous in ("FULL", "NORMAL"):
        none, many = samples[f"step {synchronous} 0"], samples[f"step {synchronous} {LONG}"]
        ratio, spread = _ratio(many, none)
        print(f"    {synchronous:<33}{_micro(none)}{_micro(many)}   {ratio:.2f}  {spread}")


def _report_replay(samples: Samples) -> None:
    print("\n(c) microseconds a command: the same at every length is linear")
    for what in ("load", "replay"):
        each = {n: statistics.median(samples[f"{what} {n}"]) / n * 1e6 for n in LENGTHS}
        spread = {n: (min(samples[f"{what} {n}"]) / n * 1e6, max(samples[f"{what} {n}"]) / n * 1e6) for n in LENGTHS}
        cells = "   ".join(f"{n:>7,}: {each[n]:5.2f} ({spread[n][0]:.2f}-{spread[n][1]:.2f})" for n in LENGTHS)
        print(f"    {what:<7} {cells}")


def _micro(times: list[float]) -> str:
    return f"{statistics.median(times) * 1e6:9.1f} us"


def _ratio(times: list[float], base: list[float]) -> tuple[float, str]:
    """Return the ratio of the medians, and the quartiles of that ratio over ten parts of the run."""
    size = -(-len(base) // 10)
    cuts = range(0, len(base), size)
    parts = [statistics.median(times[i : i + size]) / statistics.median(base[i : i + size]) for i in cuts]
    low, _, high = statistics.quantiles(parts, n=4)
    return statistics.median(times) / statistics.median(base), f"({low:.2f}-{high:.2f})"


if __name__ == "__main__":
    sys.exit(main())
