"""What each wrong engine of the bank is told, in files that people read: a message is part of the product.

One file for each group of beliefs, with a section for each engine: its belief, and the first three tests that fail.
`python -m grader.dev.bank.golden` writes them, or those of some groups: `... golden M12 M24`. `git diff` then shows how
the words have changed.
"""

from __future__ import annotations

import re
import sys
import tempfile
import textwrap
from collections.abc import Sequence
from pathlib import Path

from durable_lab.diagnosis.beliefs import BELIEFS, GROUPS
from durable_lab.study import ROOT
from grader.checker.messages import reproducible
from grader.dev.bank.entry import Entry, entries
from grader.dev.bank.judge import Judge, Verdict

FOLDER = ROOT / "tests" / "bank" / "golden"

_VARYING = {  # what differs from run to run, and the time limit, which is shorter here than a student's
    r"within [0-9.]+ seconds": "within 5 seconds",
    r"\S*lab/engine\.py(, line \d+)?": "lab/engine.py",
    r"or it really sleeps\. Look at.*": "or it really sleeps. Look at ...",
}


def read() -> dict[str, str]:
    """Return the section of each wrong engine, as it is in the files."""
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt")]
    sections = [section for text in texts for section in re.split(r"\n(?=\S)", text)[1:]]
    return {section.partition(" ")[0]: section for section in sections}


def section(entry: Entry, verdict: Verdict) -> str:
    """Return the section of a wrong engine, without what differs from machine to machine."""
    parts = [entry.about.splitlines()[0]]
    for name, message in [*verdict.failed.items()][:3]:
        for pattern, words in _VARYING.items():
            message = re.sub(pattern, words, message)
        parts.append(f"{name}\n{textwrap.indent(reproducible(message), '    ')}")
    body = textwrap.indent("\n\n".join(parts), "    ")
    return f"{entry.path.stem} ({entry.belief}), rejected by {len(verdict.failed)} of 14\n{body}\n"


def main(only: Sequence[str]) -> None:
    groups: dict[str, list[str]] = {}
    with Judge() as judge, tempfile.TemporaryDirectory() as folder:
        for entry in entries("wrong"):
            if only and BELIEFS[entry.belief].group not in only:
                continue
            verdict = judge.verdict(entry.source(), Path(folder, entry.path.stem))
            if verdict.ended:
                sys.exit(f"{entry.name}: {verdict.ended}")
            groups.setdefault(BELIEFS[entry.belief].group, []).append(section(entry, verdict))
    for path in FOLDER.glob("*.txt"):
        if not only or path.stem in only:
            path.unlink()
    for group, sections in groups.items():
        text = "\n".join([f"{group}: {GROUPS[group]}\n", *sections])
        (FOLDER / f"{group}.txt").write_text(text, encoding="utf-8")
    print(f"{len(groups)} golden files in {FOLDER.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
