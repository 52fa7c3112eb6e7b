"""What each wrong engine of the bank is told, kept in files that are read by people: a message is part of the product.

`python -m grader.dev.bank.golden` writes them anew; `git diff` then shows how the words have changed.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from durable_lab.study import ROOT
from grader.checker.messages import reproducible
from grader.dev.bank.judge import Judge, Verdict
from grader.dev.bank.splice import Entry, entries

FOLDER = ROOT / "tests" / "bank" / "golden"

_MOODS = {  # what differs from run to run, and the time that a student's engine has
    r"within [0-9.]+ seconds": "within 5 seconds",
    r"\S*lab/engine\.py(, line \d+)?": "lab/engine.py",
    r"or it really sleeps\. Look at.*": "or it really sleeps. Look at ...",
}


def path_of(entry: Entry) -> Path:
    """The golden file of a wrong engine."""
    return FOLDER / f"{entry.path.stem}.txt"


def text_of(entry: Entry, said: Verdict) -> str:
    """The belief, and what the first three tests that fail say; without what differs from machine to machine."""
    belief = entry.about.splitlines()[0]
    parts = [f"{belief}\n(rejected by {len(said.failed)} of 14)"]
    for name, message in sorted(said.failed.items(), key=lambda item: [*said.tests].index(item[0]))[:3]:
        for pattern, words in _MOODS.items():
            message = re.sub(pattern, words, message)
        parts.append(f"{name}\n{reproducible(message)}")
    return "\n\n".join(parts) + "\n"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    kept = set()
    with Judge() as judge, tempfile.TemporaryDirectory() as folder:
        for entry in entries("wrong"):
            said = judge.verdict(entry.source(), Path(folder, entry.path.stem))
            if said.ended:
                sys.exit(f"{entry.name}: {said.ended}")
            path_of(entry).write_text(text_of(entry, said), encoding="utf-8")
            kept.add(path_of(entry))
    for path in set(FOLDER.glob("*.txt")) - kept:
        path.unlink()
    print(f"{len(kept)} golden files in {FOLDER.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
