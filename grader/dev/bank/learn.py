"""What the diagnosis learns from the known half of the bank: `python -m grader.dev.bank.learn` writes its two files.

`fingerprints.json` holds the facts of the reference, the symptoms of each known engine, and the differences that the
judge finds in each engine of the bank, in both halves: an engine that was judged before is judged again only if its
text has changed, or with the option `--judge-all`, which takes minutes. `examples.toml` holds the counter-example of
each known engine, as a student reads it.
"""

from __future__ import annotations

import hashlib
import json
import sys
import textwrap
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from durable_lab.diagnosis.beliefs import BELIEFS, Belief
from durable_lab.diagnosis.diagnose import EXAMPLES, FINGERPRINTS
from durable_lab.diagnosis.limited import TimeIsUp
from durable_lab.diagnosis.observe import Facts, log_of, observe, symptoms
from durable_lab.diagnosis.probes import PROBES
from durable_lab.judge import PUBLIC, judge, programs
from durable_lab.judge.side_by_side import WIDTH, side_by_side
from durable_lab.study import ROOT
from durable_lab.todos import all_todos
from grader.dev.bank.entry import Entry, entries, halves
from grader.dev.bank.fork import ForkEnded, in_fork
from grader.dev.bank.observe import SECONDS, module, timed
from grader.dev.bank.splice import REFERENCE

SEEDS = (PUBLIC, "a course")


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
        with timed(source) as fresh:
            facts = observe(fresh, entry.todo)
            shown = belief.shown_in(symptoms(facts, right))
            return [facts, shown, log_of(fresh, PROBES[shown])]

    try:
        facts, shown, lines = in_fork(observed, SECONDS)
    except ForkEnded as end:
        raise RuntimeError(f"{entry.name} in the probes: {end}") from None
    example = "\n".join([*textwrap.wrap(PROBES[shown].story, WIDTH), "", side_by_side(logs[shown], lines)])
    return Known(belief, entry.path.stem, facts, symptoms(facts, right), example)


Stories = dict[str, dict[str, dict[str, Any]]]  # belief -> engine -> its text's digest, and its differences


def stories(bank: Iterable[Entry], before: Stories) -> Stories:
    """Return what the judge finds in each engine. Those whose text is as it was `before` are not judged again."""
    made: Stories = {belief: {} for belief in BELIEFS}
    for entry in bank:
        digest = hashlib.sha256(entry.text.encode()).hexdigest()[:12]
        told = before.get(entry.belief, {}).get(entry.path.stem)
        if told is None or told["text"] != digest:
            told = {"text": digest, "differences": differences(entry)}
        made[entry.belief][entry.path.stem] = told
    return made


def differences(entry: Entry, seeds: Sequence[str] = SEEDS) -> list[list[str]]:
    """Return the rule and the kind of each difference that the judge finds in the programs of these seeds."""

    def judged() -> list[list[str]]:
        found, end = set(), time.monotonic() + SECONDS / 2
        with timed(entry.source()) as fresh:
            for program in chain.from_iterable(map(programs, seeds)):
                with suppress(TimeIsUp):
                    if time.monotonic() < end and (difference := judge(program, fresh)):
                        found.add(difference.same)
        return [[*pair] for pair in sorted(found)]

    made: list[list[str]] = in_fork(judged, SECONDS)
    return made


def files(known: Sequence[Known], told: Stories) -> dict[Path, str]:
    """Return the two files and what they must hold."""
    return {FINGERPRINTS: fingerprints_text(known, told), EXAMPLES: examples_text(known)}


def fingerprints_text(known: Sequence[Known], told: Stories) -> str:
    """Return JSON with a line for each TODO of the reference, for each known engine, and for each engine's stories."""
    engines: dict[str, dict[str, Facts]] = {}
    for one in known:
        engines.setdefault(one.belief.id, {})[one.engine] = one.symptoms
    right = {str(todo): facts for todo, facts in right_facts().items()}
    tables = {"right": _lines(right), "known": _tables(engines), "stories": _tables(told)}
    return "{\n " + ",\n ".join(f'"{name}": {{\n{text}\n }}' for name, text in tables.items()) + "\n}\n"


def _tables(table: Mapping[str, Mapping[str, Any]]) -> str:
    return ",\n".join(f"  {json.dumps(name)}: {{\n{_lines(lines, 3)}\n  }}" for name, lines in table.items())


def _lines(table: Mapping[str, Any], indent: int = 2) -> str:
    return ",\n".join(f"{' ' * indent}{json.dumps(name)}: {json.dumps(value)}" for name, value in table.items())


def examples_text(known: Sequence[Known]) -> str:
    """Return TOML with the counter-example of each known engine, below the belief that it shows."""
    head = "# Written by `python -m grader.dev.bank.learn` from the bank's known engines. Read it; do not edit it.\n"
    tables = (f"# {one.belief.id}: {one.belief.words}\n{one.engine} = '''\n{one.example}\n'''\n" for one in known)
    return "\n".join([head, *tables])


def main(arguments: Sequence[str]) -> None:
    bank = [*entries("wrong"), *entries("beyond")]
    known, _ = halves(bank)
    before = json.loads(FINGERPRINTS.read_text(encoding="utf-8"))["stories"] if arguments != ["--judge-all"] else {}
    for path, text in files(known_engines(known), stories(bank, before)).items():
        path.write_text(text, encoding="utf-8")
        print(f"{len(known)} known engines in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
