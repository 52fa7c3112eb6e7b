"""In what way a hidden variant differs from the test that students have, in a few fixed words for them.

The words are the same for every engine and every seed: they tell where to look, and nothing of what was found.
"""

from __future__ import annotations

from collections.abc import Sequence

from durable_lab.checks.bench import Bench

DEFAULT = "other names, numbers and values"


def twist(bench: Bench, words: str) -> None:
    """From here on, this is what differs: a noun phrase that fits into "It passes this test; with ... it does not."."""
    vars(bench)["_twist"] = words


def twist_of(benches: Sequence[Bench]) -> str:
    """The words that stood when a variant failed. `benches` has the variant's bench; none if there was no engine."""
    return str(vars(benches[-1]).get("_twist", DEFAULT)) if benches else DEFAULT
