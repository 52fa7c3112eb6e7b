"""The result for one submission: plain data, the same in the gradebook, the feedback page and every export."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

import msgspec

from durable_lab.diagnosis.diagnose import Diagnosis
from grader.checker.outcome import Outcome

Source = Literal["notebooks", "files"]  # where a submission's TODOs are taken from


class NotGraded(Exception):
    """A submission gets no mark, which is not 0. The message is the reason, for the instructor to act on."""


@dataclass(frozen=True)
class Part:
    """One line of the rubric. `name` is "TODO 3", "whole engine", "questions", "predictions"."""

    name: str
    points: float
    out_of: float
    note: str = ""  # the reason, if no test gives it: "still to be written", "refused: ..."
    taken_from: str = ""  # which file and cell counted
    outcomes: tuple[Outcome, ...] = ()
    diagnosis: Diagnosis | None = None
    graded: bool = True  # False: it has no mark, which is not 0, and `note` says why; `points` is 0.0 then


@dataclass(frozen=True)
class Report:
    """Everything about one submission. Two gradings of the same files give equal reports."""

    student: str
    parts: tuple[Part, ...] = ()
    repairs: tuple[str, ...] = ()  # what was repaired before grading
    refusals: tuple[str, ...] = ()  # what could not be used, and why
    isolated: bool = True  # False: the student's code ran outside of a sandbox
    late: str = ""

    @property
    def points(self) -> float:
        return round(sum(part.points for part in self.parts), 2)

    @property
    def out_of(self) -> float:
        return round(sum(part.out_of for part in self.parts), 2)

    @property
    def open(self) -> tuple[Part, ...]:
        """The parts without a mark. As long as there are any, the points are no final mark."""
        return tuple(part for part in self.parts if not part.graded)

    def part(self, name: str) -> Part:
        """The part of this name. Raises KeyError."""
        return next((part for part in self.parts if part.name == name), None) or _no(name)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; `from_json` reads them."""
        made: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return made

    @staticmethod
    def from_json(data: dict[str, Any]) -> Report:
        """Return the report that `to_json` wrote. Raises msgspec.ValidationError."""
        return msgspec.convert(data, Report)


def _no(name: str) -> Part:
    raise KeyError(name)
