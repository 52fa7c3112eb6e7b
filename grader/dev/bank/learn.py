"""What the diagnosis learns from the known half of the bank, and what a student may read of it, as files.

`python -m grader.dev.bank.learn` writes them: fingerprints.json, examples.toml, and the golden messages.
A test checks that they are what this would write.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from durable_lab.diagnosis.beliefs import BELIEFS, Belief
from durable_lab.diagnosis.diagnose import EXAMPLES, FINGERPRINTS
from durable_lab.diagnosis.observe import Facts, observe, symptoms, told
from durable_lab.diagnosis.probes import PROBES
from durable_lab.study import ROOT
from grader.dev.bank import observe_in_fork
from grader.dev.bank.example import side_by_side
from grader.dev.bank.known_half import halves
from grader.dev.bank.splice import REFERENCE, Entry, entries

GOLDEN = ROOT / "tests" / "bank" / "golden_beliefs"


@dataclass(frozen=True)
class Known:
    """An engine of the known half: what is wrong with it in the probes, and one probe's story as an example."""

    belief: Belief
    engine: str
    facts: Facts
    symptoms: Facts
    example: str


def right_facts() -> dict[int, Facts]:
    """TODO -> what the probes find in the reference."""
    return {todo: observe(_reference, todo) for todo in range(1, 6)}


def right_stories() -> dict[str, list[str]]:
    """Probe -> what is told of it on the reference."""
    return {probe: told(_reference, PROBES[probe]) for probe in PROBES}


def _reference() -> Any:
    return observe_in_fork.module(REFERENCE.read_text(encoding="utf-8"))


def known_engines(known: Iterable[Entry]) -> list[Known]:
    """All of them, each watched in a fork. Raises RuntimeError where one had to be killed."""
    right, stories = right_facts(), right_stories()
    return [_known(entry, right[entry.todo], stories) for entry in known]


def _known(entry: Entry, right: Facts, stories: dict[str, list[str]]) -> Known:
    belief, source = BELIEFS[entry.belief], entry.source()

    def watched() -> list[Any]:
        facts = observe(observe_in_fork.Mortal(source).fresh, entry.todo)
        shown = belief.shown_in(symptoms(facts, right))
        return [facts, shown, told(observe_in_fork.Mortal(source).fresh, PROBES[shown])]

    made = observe_in_fork.forked(watched)
    if made is None:
        raise RuntimeError(f"{entry.name} had to be killed in the probes")
    facts, shown, lines = made
    example = side_by_side(PROBES[shown].story, stories[shown], lines)
    return Known(belief, entry.path.stem, facts, symptoms(facts, right), example)


def files(known: Sequence[Known]) -> dict[Path, str]:
    """Every file that the diagnosis and its readers need, and what it must hold."""
    golden = {
        GOLDEN / f"{belief.id}.txt": golden_text(belief, [one for one in known if one.belief == belief])
        for belief in BELIEFS.values()
    }
    return {FINGERPRINTS: fingerprints_text(known), EXAMPLES: examples_text(known), **golden}


def fingerprints_text(known: Sequence[Known]) -> str:
    """A line for each TODO of the reference, and a line for each known engine."""
    rights = ",\n".join(f"  {json.dumps(str(todo))}: {json.dumps(facts)}" for todo, facts in right_facts().items())
    groups = ",\n".join(
        f"  {json.dumps(belief)}: {{\n"
        + ",\n".join(
            f"   {json.dumps(one.engine)}: {json.dumps(one.symptoms)}" for one in known if one.belief.id == belief
        )
        + "\n  }"
        for belief in dict.fromkeys(one.belief.id for one in known)
    )
    return f'{{\n "right": {{\n{rights}\n }},\n "known": {{\n{groups}\n }}\n}}\n'


def examples_text(known: Sequence[Known]) -> str:
    """The counter-example of each known engine."""
    head = "# Written by `python -m grader.dev.bank.learn` from the bank's known engines. Read it; do not edit it.\n"
    return head + "".join(f"\n# {one.belief.id}\n{one.engine} = '''\n{one.example}\n'''\n" for one in known)


def golden_text(belief: Belief, known: Sequence[Known]) -> str:
    """All messages of one belief, as a student reads them: the same words, and one of these examples."""
    head = f"{belief.id} (TODO {belief.todo})\n\n{belief.words}\n\n{belief.customer}\n\nRead: {belief.read}\n"
    return head + "".join(f"\n[{one.engine}]\n{one.example}\n" for one in known)


def main() -> None:
    known, _ = halves(entries("wrong"))
    made = files(known_engines(known))
    GOLDEN.mkdir(exist_ok=True)
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    for path in set(GOLDEN.glob("*.txt")) - made.keys():
        path.unlink()
    print(f"{len(known)} known engines, {len(BELIEFS)} beliefs; messages in {GOLDEN.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
