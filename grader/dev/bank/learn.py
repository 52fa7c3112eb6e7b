"""What the diagnosis learns from the known half of the bank: `python -m grader.dev.bank.learn` writes its two files.

`fingerprints.json` holds the facts of the reference and the symptoms of each known engine. `examples.toml` holds the
counter-example of each known engine, as a student reads it.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from durable_lab.diagnosis.beliefs import BELIEFS, Belief
from durable_lab.diagnosis.diagnose import EXAMPLES, FINGERPRINTS
from durable_lab.diagnosis.observe import Facts, log_of, observe, symptoms
from durable_lab.diagnosis.probes import PROBES
from durable_lab.judge.side_by_side import WIDTH, side_by_side
from durable_lab.study import ROOT
from durable_lab.todos import all_todos
from grader.dev.bank.entry import Entry, entries, halves
from grader.dev.bank.fork import ForkEnded, in_fork
from grader.dev.bank.observe import SECONDS, TimedModule, module
from grader.dev.bank.splice import REFERENCE


@dataclass(frozen=True)
class Known:
    """An engine of the known half: its facts, those that are symptoms, and one probe as an example."""

    belief: Belief
    engine: str
    facts: Facts
    symptoms: Facts
    example: str


def known_engines(known: Iterable[Entry]) -> list[Known]:
    """Observe each of them in a fork. Raises RuntimeError if one had to be killed."""
    right, logs = right_facts(), {name: log_of(_reference, probe) for name, probe in PROBES.items()}
    return [_known(entry, right[entry.todo], logs) for entry in known]


def right_facts() -> dict[int, Facts]:
    """Return for each TODO what the probes find in the reference."""
    return {todo: observe(_reference, todo) for todo in sorted(all_todos())}


def _reference() -> Any:
    return module(REFERENCE.read_text(encoding="utf-8"))


def _known(entry: Entry, right: Facts, logs: dict[str, list[str]]) -> Known:
    belief, source = BELIEFS[entry.belief], entry.source()

    def observed() -> list[Any]:
        facts = observe(TimedModule(source).fresh, entry.todo)
        shown = belief.shown_in(symptoms(facts, right))
        return [facts, shown, log_of(TimedModule(source).fresh, PROBES[shown])]

    try:
        facts, shown, lines = in_fork(observed, SECONDS)
    except ForkEnded as end:
        raise RuntimeError(f"{entry.name} in the probes: {end}") from None
    example = "\n".join([*textwrap.wrap(PROBES[shown].story, WIDTH), "", side_by_side(logs[shown], lines)])
    return Known(belief, entry.path.stem, facts, symptoms(facts, right), example)


def files(known: Sequence[Known]) -> dict[Path, str]:
    """Return the two files and what they must hold."""
    return {FINGERPRINTS: fingerprints_text(known), EXAMPLES: examples_text(known)}


def fingerprints_text(known: Sequence[Known]) -> str:
    """Return JSON with a line for each TODO of the reference, and a line for each known engine."""
    rights = ",\n".join(f"  {json.dumps(str(todo))}: {json.dumps(facts)}" for todo, facts in right_facts().items())
    lines: dict[str, list[str]] = {}
    for one in known:
        line = f"   {json.dumps(one.engine)}: {json.dumps(one.symptoms)}"
        lines.setdefault(one.belief.id, []).append(line)
    groups = ",\n".join(f"  {json.dumps(belief)}: {{\n{_joined(engines)}\n  }}" for belief, engines in lines.items())
    return f'{{\n "right": {{\n{rights}\n }},\n "known": {{\n{groups}\n }}\n}}\n'


def _joined(lines: list[str]) -> str:
    return ",\n".join(lines)


def examples_text(known: Sequence[Known]) -> str:
    """Return TOML with the counter-example of each known engine, below the belief that it shows."""
    head = "# Written by `python -m grader.dev.bank.learn` from the bank's known engines. Read it; do not edit it.\n"
    tables = (f"# {one.belief.id}: {one.belief.words}\n{one.engine} = '''\n{one.example}\n'''\n" for one in known)
    return "\n".join([head, *tables])


def main() -> None:
    known, _ = halves([*entries("wrong"), *entries("beyond")])
    for path, text in files(known_engines(known)).items():
        path.write_text(text, encoding="utf-8")
        print(f"{len(known)} known engines in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
