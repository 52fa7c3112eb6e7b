"""Small scenarios that tell one belief from another: what an engine does in each of them is its fingerprint."""

from grader.bank.probes import calls, deliver, ends, failures, guard, keys, retries, signals, time, values
from grader.bank.probes.probe import PROBES, Probe

__all__ = [
    "PROBES",
    "Probe",
    "calls",
    "deliver",
    "ends",
    "failures",
    "guard",
    "keys",
    "retries",
    "signals",
    "time",
    "values",
]
