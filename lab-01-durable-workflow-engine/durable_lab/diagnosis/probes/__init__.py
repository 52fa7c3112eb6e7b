"""Small scenarios that distinguish one belief from another. An engine's behaviour in all of them is its fingerprint."""

from durable_lab.diagnosis.probes import calls, deliver, ends, failures, guard, keys, retries, signals, time, values
from durable_lab.diagnosis.probes.probe import PROBES, Probe

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
