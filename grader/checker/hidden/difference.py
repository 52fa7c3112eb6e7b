"""In what way a hidden variant differs from the test that students have, in a few fixed words for them.

The words are the same for each engine and each seed: they say where to look, and nothing of what was found.
"""

from __future__ import annotations

from collections.abc import Sequence

from durable_lab.checks.bench import Bench

DEFAULT = "other names, numbers and values"


def differs(bench: Bench, words: str) -> None:
    """Say what differs from here on: a noun phrase that fits into "It passes this test; with ... it does not."."""
    vars(bench)["_difference"] = words


def difference_of(benches: Sequence[Bench]) -> str:
    """What differed when a variant failed. `benches` has the variant's bench; it is empty if there was no engine."""
    return str(vars(benches[-1]).get("_difference", DEFAULT)) if benches else DEFAULT
