"""The picture beside a verdict: a small run on the student's engine, in a separate process with a time limit."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from durable_lab import processes, study
from durable_lab.checks.substitute import VARIABLE, substitute
from durable_lab.timeline import Drawing, draw

SECONDS = 10


def picture(engine: study.Study, number: int | None, substituted: Sequence[int]) -> Drawing | None:
    """Return the timeline of the story of one TODO, or of all, on this engine; None if the run gives no history."""
    variables = {
        "LAB_MODULE": engine.name,
        "LAB_WORKSPACE": str(engine.folder),
        VARIABLE: ",".join(map(str, substituted)),
    }
    try:
        done = processes.run("durable_lab.lesson.picture", str(number or 0), seconds=SECONDS, variables=variables)
        done.check_returncode()
        told = json.loads(done.stdout.splitlines()[-1])
        told["state"] = engine.module().WorkflowState.from_json(told["state"])
    except (study.StudyError, subprocess.SubprocessError, ValueError, LookupError):
        return None
    return draw(SimpleNamespace(**told), replayed=told.pop("replayed"), engine=engine.label)


def story(number: int) -> Any:
    """Return a workflow that uses what TODO `number` implements: a flaky activity, the time, a wait."""

    def reserve(order: str) -> str:
        return f"reserved {order}"

    def charge(order: str, amount: int, left: list[int] = [1]) -> str:  # noqa: B006 - it fails once
        if left:
            left.pop()
            raise ConnectionError("the bank is busy")
        return "receipt-1"

    def workflow(ctx: Any, order: dict[str, Any]) -> Any:
        ctx.call_activity(reserve, order["id"])
        if number in (0, 2):
            ctx.now()
        if number in (0, 3, 5):
            ctx.wait_signal("approval")
        return ctx.call_activity(charge, order["id"], order["amount"])

    return workflow


def tell(number: int) -> None:
    """Run the story on the engine that LAB_MODULE names, and print how it ended as JSON, in the last line.

    The engine's own output is discarded; `check` shows it beside the tests.
    """
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):  # noqa: PTH123
        told = _told(number)
    print(f"\n{json.dumps(told)}")


def _told(number: int) -> dict[str, Any]:
    m: Any = substitute(study.current().module())
    engine = m.DurableEngine(clock=m.SimulatedClock(1000.0))
    workflow = story(number)
    result = engine.run(workflow, m.WorkflowState("check", {"id": "A1", "amount": 30}))
    replayed = 0
    if number in (0, 5):
        replayed = len(result.state.commands)
        result = engine.run(workflow, engine.signal(result.state, "approval", {"by": "Ana"}))
    told = {name: getattr(result, name) for name in ("status", "value", "error", "waiting_for")}
    return {**told, "state": result.state.to_json(), "replayed": replayed}


if __name__ == "__main__":
    tell(int(sys.argv[1]))
