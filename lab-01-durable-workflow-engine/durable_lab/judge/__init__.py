"""The judge: generated programs, an oracle apart from the engine, and the smallest story of a difference."""

from durable_lab.judge.difference import Difference, judge
from durable_lab.judge.expect import expect
from durable_lab.judge.generate import PUBLIC, programs
from durable_lab.judge.program import Program
from durable_lab.judge.story import Story, tell

__all__ = ["PUBLIC", "Difference", "Program", "Story", "expect", "judge", "programs", "tell"]
