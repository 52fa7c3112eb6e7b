"""How well does the diagnosis name engines that it has not seen? The confusion matrix of the held-back half."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from durable_lab.diagnosis.diagnose import nearest
from grader.dev.bank import observe_in_fork
from grader.dev.bank.splice import Entry

LEAST = 0.9  # of the held-back engines must be named rightly


@dataclass(frozen=True)
class Named:
    """What the diagnosis says of one engine: the id of a belief, or "" where it says nothing."""

    engine: str
    belief: str  # that it was written to show; "" of a right one
    todo: int
    named: str

    @property
    def right(self) -> bool:
        return self.named == self.belief


def name(entry: Entry, todo: int) -> Named:
    """Watch one engine in a fork, and name what it shows in this TODO."""
    facts = observe_in_fork.facts_of(entry.source(), todo)
    found = nearest(facts, todo) if facts is not None else None
    return Named(entry.path.stem, entry.belief, todo, found[0].id if found else "")


def share(held: Sequence[Named]) -> float:
    """Of these engines, how many are named rightly? From 0 to 1."""
    return sum(one.right for one in held) / len(held)


def table(held: Iterable[Named], width: int = 110) -> str:
    """A cell for each belief: `M4a 2/2`, or `M12j 0/1: 1 not named`, or `M9f 1/2: 1 as M9e`; TODO by TODO."""
    by_belief: dict[tuple[int, str], list[Named]] = defaultdict(list)
    for one in held:
        by_belief[one.todo, one.belief].append(one)
    lines = []
    for todo in sorted({todo for todo, _ in by_belief}):
        cells = [_cell(belief, ones) for (number, belief), ones in by_belief.items() if number == todo]
        line = f"TODO {todo}"
        for cell in cells:
            if len(line) + len(cell) + 2 > width:
                lines.append(line)
                line = " " * len("TODO 1")
            line += f"  {cell}"
        lines.append(line)
    return "\n".join(lines)


def _cell(belief: str, ones: list[Named]) -> str:
    wrong = Counter(f"as {one.named}" if one.named else "not named" for one in ones if not one.right)
    cell = f"{belief} {sum(one.right for one in ones)}/{len(ones)}"
    return cell + (": " + ", ".join(f"{count} {how}" for how, count in wrong.items()) if wrong else "")
