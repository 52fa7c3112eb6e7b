"""Programs from a seed: each theme in turn."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, cycle, islice

from durable_lab.judge.maker import Maker
from durable_lab.judge.program import Program
from durable_lab.judge.themes import THEMES

PUBLIC = "public"  # the seed of the programs that everybody may see
PROGRAMS = 2 * len(THEMES)  # in which each theme has had both of its turns


def generate(seed: str) -> Iterator[Program]:
    """Yield programs without an end: each theme in turn."""
    for number, make in zip(count(), cycle(THEMES)):
        yield make(Maker(f"{seed}/{number}", number // len(THEMES)))


def programs(seed: str = PUBLIC, how_many: int | None = None) -> list[Program]:
    """Return the first programs of a seed; as many as a submission is judged by, if no number is given."""
    return list(islice(generate(seed), PROGRAMS if how_many is None else how_many))
