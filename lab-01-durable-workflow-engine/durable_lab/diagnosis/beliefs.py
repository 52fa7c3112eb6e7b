"""Beliefs behind wrong engines and wrong workflows. A student reads the words, never the ids."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GROUPS = {
    "M1": "A run resumes at the line where it died.",
    "M2": "My print ran twice, so the activity ran twice.",
    "M3": "A retry starts the workflow again.",
    "M4": "Exactly once comes for free.",
    "M5": "Results are matched by name.",
    "M6": "Time and random are fine, because results are saved.",
    "M7": "Code may change under a running workflow.",
    "M8": "Sleep sleeps.",
    "M9": "A signal is a message that I read once.",
    "M10": "Undo goes in the order in which it was done, and covers what never ran.",
    "M11": "Variables that are changed inside an activity survive.",
    "M12": "Retry everything, for ever.",
    "M13": "Stopping the app stops the order.",
    "M14": "History is a log file.",
    "M15": "A checkpoint of all variables is the same.",
    "M16": "Waiting holds a thread.",
    "M17": "A failed activity has no result, so nothing is recorded.",
    "M18": "The state is mine to change.",
    "M19": "Catching everything is safe.",
    "M20": "Falsy means missing.",
    "M21": "What looks the same is the same: a rough comparison will do.",
    "M22": "An error is an error: how a run ended, and why, are details.",
    "M23": "A reference is as good as a copy.",
    "M24": "One more or one less does not matter.",
    "M25": "The place in history looks after itself.",
}

TABLE = Path(__file__).with_name("beliefs.toml")


@dataclass(frozen=True)
class Belief:
    """One entry of beliefs.toml; its comments say what the fields are."""

    id: str
    todo: int
    words: str
    customer: str
    rules: tuple[str, ...]
    lesson: str
    section: str
    show: tuple[str, ...]
    tells: tuple[dict[str, Any], ...]

    @property
    def group(self) -> str:
        """The group that it belongs to: "M12" for "M12a"."""
        return self.id.rstrip("abcdefghijklmnopqrstuvwxyz")

    @property
    def read(self) -> str:
        """Where to read, in one line."""
        return f"lesson {self.lesson}, section: {self.section}. The handout, rule {self.rules[0]}."

    def shown_in(self, symptoms: dict[str, Any]) -> str:
        """Return the first of the probes to show in which an engine with these symptoms goes wrong."""
        wrong = {name.partition(".")[0] for name in symptoms}
        return next(probe for probe in self.show if probe in wrong)

    def is_shown_by(self, facts: dict[str, Any]) -> bool:
        """Return whether one of the tells holds in these facts."""
        return any(all(facts.get(name, _MISSING) == value for name, value in tell.items()) for tell in self.tells)


_MISSING = object()


def _load() -> dict[str, Belief]:
    made = {}
    for name, entry in tomllib.loads(TABLE.read_text(encoding="utf-8")).items():
        tuples = {key: tuple(entry[key]) for key in ("rules", "show", "tells")}
        made[name] = Belief(id=name, **{**entry, **tuples})
    return made


BELIEFS = _load()
