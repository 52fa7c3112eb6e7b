"""The confusion matrix of the diagnosis: as what does it name engines that it has not seen?"""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from durable_lab.diagnosis.diagnose import nearest
from grader.dev.bank.entry import Entry
from grader.dev.bank.observe import facts_of

MIN_SHARE = 0.9  # of the held-back engines that must be named rightly


@dataclass(frozen=True)
class Named:
    """What the diagnosis says of one engine: the id of a belief, or "" if it says nothing."""

    engine: str
    belief: str  # that it was written to show; "" for a right one
    todo: int
    named: str

    @property
    def right(self) -> bool:
        return self.named == self.belief


def name(entry: Entry, todo: int) -> Named:
    """Diagnose one engine by this TODO, in a fork."""
    facts = facts_of(entry.source(), todo)
    found = nearest(facts, todo) if facts is not None else None
    return Named(entry.path.stem, entry.belief, todo, found[0].id if found else "")


def share(held: Sequence[Named]) -> float:
    """Return the share of these engines that are named rightly, from 0 to 1."""
    return sum(one.right for one in held) / len(held)


def table(held: Iterable[Named], width: int = 110) -> str:
    """Return a cell for each belief, by TODO: `M4a 2/2`, or `M12j 0/1: 1 not named`, or `M9f 1/2: 1 as M9e`."""
    cells: dict[int, dict[str, list[Named]]] = defaultdict(lambda: defaultdict(list))
    for one in held:
        cells[one.todo][one.belief].append(one)
    rows = []
    for todo, beliefs in sorted(cells.items()):
        words = "  ".join(_cell(belief, ones).replace(" ", "\xa0") for belief, ones in beliefs.items())
        rows += textwrap.wrap(f"TODO\xa0{todo}  {words}", width, subsequent_indent=" " * 8, break_on_hyphens=False)
    return "\n".join(rows).replace("\xa0", " ")


def _cell(belief: str, ones: list[Named]) -> str:
    wrong = Counter(f"as {one.named}" if one.named else "not named" for one in ones if not one.right)
    cell = f"{belief} {sum(one.right for one in ones)}/{len(ones)}"
    return cell + (": " + ", ".join(f"{count} {how}" for how, count in wrong.items()) if wrong else "")
