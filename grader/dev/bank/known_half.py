"""The bank's two halves: from the known one the diagnosis learns, with the held-back one it is tested."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from grader.dev.bank.splice import Entry


def halves(wrong: Iterable[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Known, held back. Of the engines of one belief, by name, the first is known, the second held back, and so on."""
    by_belief: dict[str, list[Entry]] = defaultdict(list)
    for entry in sorted(wrong, key=lambda entry: entry.name):
        by_belief[entry.belief].append(entry)
    groups = [by_belief[belief] for belief in sorted(by_belief, key=_order)]
    return [e for group in groups for e in group[::2]], [e for group in groups for e in group[1::2]]


def _order(belief: str) -> tuple[int, str]:
    """M2a before M14b."""
    number = "".join(filter(str.isdigit, belief))
    return int(number or 0), belief
