"""Engines that are wrong in one believable way each, and right ones in many shapes: they test the 14 tests."""

from durable_lab.diagnosis.beliefs import BELIEFS, GROUPS, Belief
from grader.dev.bank.entry import Entry, entries, load
from grader.dev.bank.judge import Judge, Verdict
from grader.dev.bank.splice import SpliceError, splice

__all__ = ["BELIEFS", "GROUPS", "Belief", "Entry", "Judge", "SpliceError", "Verdict", "entries", "load", "splice"]
