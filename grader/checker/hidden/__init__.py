"""Hidden variants of the 14 tests: the same rules with other names, numbers and workflows, drawn from a seed."""

from grader.checker.hidden.difference import difference_of
from grader.checker.hidden.variants import load, seed_for

__all__ = ["load", "seed_for", "difference_of"]
