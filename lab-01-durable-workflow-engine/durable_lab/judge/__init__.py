"""The judge: generated programs, an oracle apart from the engine, and the smallest story of a difference."""

from durable_lab.judge.difference import Difference, difference, judge
from durable_lab.judge.program import Program

__all__ = ["Difference", "Program", "difference", "judge"]
