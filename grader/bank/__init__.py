"""Engines that are wrong in one believable way each, and right ones in many shapes: they test the 14 tests."""

from grader.bank.beliefs import BELIEFS, GROUPS, Belief
from grader.bank.judge import Judge, Verdict
from grader.bank.splice import Entry, SpliceError, entries, load, splice

__all__ = ["BELIEFS", "GROUPS", "Belief", "Entry", "Judge", "SpliceError", "Verdict", "entries", "load", "splice"]
