"""Crash everywhere: stop a workflow at every point, recover in a new process, and compare with the uncrashed run."""

from durable_lab.crash.compare import Broken, compare
from durable_lab.crash.everywhere import Tried, everywhere, uncrashed
from durable_lab.crash.keeping import InMemory, OnDisk
from durable_lab.crash.play import Play, Scenario, Script
from durable_lab.crash.played import End, Event, Played, Point

__all__ = [
    "Broken",
    "End",
    "Event",
    "InMemory",
    "OnDisk",
    "Play",
    "Played",
    "Point",
    "Scenario",
    "Script",
    "Tried",
    "compare",
    "everywhere",
    "uncrashed",
]
