"""Stop a workflow at every point of its run, recover, and compare: once, or twice in a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from durable_lab.crash.compare import Broken, compare
from durable_lab.crash.play import NeverEnds, Play, Scenario, Script
from durable_lab.crash.played import Played, Point


@dataclass(frozen=True)
class Tried:
    """One run that was crashed: the numbers of the points, the points, and what was broken, if anything."""

    crashes: tuple[int, ...]
    points: tuple[Point, ...]
    broken: Broken | None

    @property
    def words(self) -> str:
        """Where it was stopped, for a reader."""
        return "; then, in the recovery, ".join(point.words for point in self.points)


def uncrashed(scenario: Scenario) -> tuple[Played, Script]:
    """Run once without a crash. Returns what was seen, and the script for the other runs. Raises NeverEnds."""
    play = Play(scenario)
    played = play.run()
    if isinstance(played.raised, NeverEnds):
        raise played.raised
    return played, play.script


def everywhere(
    scenario: Scenario,
    reference: Played,
    script: Script,
    pairs: bool = False,
    at: Callable[[tuple[int, ...], str], object] = lambda crashes, words: None,
) -> Iterator[Tried]:
    """Crash at each point of the uncrashed run, in order; with `pairs`, then at each point of each recovery, too.

    at   is called before each run with the numbers of its points, and where they are in words
    """

    def tried(crashes: tuple[int, ...], *points: Point) -> tuple[Tried, Played]:
        at(crashes, Tried(crashes, points, None).words)
        played = Play(scenario, crashes, script).run()
        return Tried(crashes, points, compare(reference, played)), played

    recoveries: list[tuple[int, Point, list[Point]]] = []
    for number, point in enumerate(reference.points[0]):
        one, played = tried((number,), point)
        yield one
        if pairs and not one.broken:
            recoveries.append((number, point, played.points.get(1, [])))
    for number, point, points in recoveries:
        for second, then in enumerate(points):
            yield tried((number, second), point, then)[0]
