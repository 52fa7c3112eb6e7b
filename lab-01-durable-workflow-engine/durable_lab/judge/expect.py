"""Run one program on the engine under study, as a test."""

from __future__ import annotations

from durable_lab import study
from durable_lab.judge.difference import difference
from durable_lab.judge.play import play
from durable_lab.judge.program import Program
from durable_lab.judge.story import Story, picture


def expect(program: Program) -> None:
    """Raise AssertionError with the story if the engine under study breaks a rule in this program."""
    engine = study.current()
    trace = play(program, engine.fresh)
    if found := difference(program, trace):
        told = Story(program, found, picture(program, found, trace)).text
        raise AssertionError(f"{told}\n\nEngine: {engine.label}")
