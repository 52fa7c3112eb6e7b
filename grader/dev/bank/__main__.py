"""`make bank`: are the 14 tests and the diagnosis as good as they must be? Exits with 1 if they are not.

Every wrong engine of the bank must be rejected; every right one must pass, and no belief may be named for it. Of the
engines that the diagnosis has not seen, at least 90 % must be named rightly.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from durable_lab.diagnosis.beliefs import BELIEFS
from durable_lab.todos import all_todos
from grader.dev.bank.confusion_matrix import MIN_SHARE, name, share, table
from grader.dev.bank.entry import Entry, entries, halves
from grader.dev.bank.judge import Judge, Verdict

JUDGES = 2


def verdicts(bank: Sequence[Entry], folder: Path) -> dict[str, Verdict]:
    """Return engine -> what the 14 tests say of it. Each of the judges takes every second engine."""

    def judged(own: Sequence[Entry]) -> dict[str, Verdict]:
        with Judge() as judge:
            return {entry.name: judge.verdict(entry.source(), folder / entry.name) for entry in own}

    with ThreadPoolExecutor(JUDGES) as pool:
        parts = pool.map(judged, [bank[i::JUDGES] for i in range(JUDGES)])
        return {engine: verdict for part in parts for engine, verdict in part.items()}


def main() -> int:
    start, wrong, right = time.monotonic(), entries("wrong"), entries("right")
    with tempfile.TemporaryDirectory() as folder:
        said = verdicts([*wrong, *right], Path(folder))
    passing = [entry.path.stem for entry in wrong if said[entry.name].ended or not said[entry.name].failed]
    failing = [entry.path.stem for entry in right if said[entry.name].ended or said[entry.name].failed]
    accused = [one for entry in right for todo in all_todos() if (one := name(entry, todo)).named]
    known, held_back = halves([*wrong, *entries("beyond")])
    held = [name(entry, entry.todo) for entry in held_back]
    print(f"wrong engines that the 14 tests reject     {len(wrong) - len(passing)} of {len(wrong)}")
    print(f"right engines with full marks              {len(right) - len(failing)} of {len(right)}")
    print(f"right engines for which a belief is named  {len({one.engine for one in accused})} of {len(right)}")
    print(f"beliefs                                    {len(BELIEFS)}, learnt from {len(known)} engines\n")
    print(f"The held-back half: {len(held)} engines that the diagnosis has not seen. Belief, named rightly/all:\n")
    print(table(held))
    others = [one for one in held if one.named and not one.right]
    silent = [one for one in held if not one.named]
    print(f"\nnamed rightly {len(held) - len(others) - len(silent)} of {len(held)}: {share(held):.1%}", end="")
    print(f"; as another belief {len(others)}; not named {len(silent)}    ({time.monotonic() - start:.0f} s)")
    for problem, engines in (("passes all 14", passing), ("fails", failing)):
        for engine in engines:
            print(f"{engine} {problem}")
    for one in accused:
        print(f"{one.engine} is right, but {one.named} is named for it")
    return int(bool(passing or failing or accused or share(held) < MIN_SHARE))


if __name__ == "__main__":
    sys.exit(main())
