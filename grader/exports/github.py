"""GitHub Classroom: a workflow that runs the 14 tests on a student's own engine whenever they push.

It is for quick feedback. The student's code runs in the same process as the tests there, so its points cannot be
trusted: marks come from `grade`, which runs that code in a sandbox.
"""

from __future__ import annotations

from pathlib import Path

import jinja2

from grader.display import number
from grader.rubric import weights

PATH = ".github/workflows/classroom.yml"
TEMPLATE = Path(__file__).with_name("classroom.yml.j2")


def workflow_yaml() -> str:
    """Return the workflow file. A TODO earns its points if all of its tests pass; so does the whole engine."""
    table = weights()
    tests = [
        (f"todo{n}", f"TODO {n}", f".venv/bin/durable-lab check {n}", number(points))
        for n, points in table["todo"].items()
    ]
    tests.append(("whole", "All 14 tests", ".venv/bin/durable-lab check", number(table["whole"]["points"])))
    plain = jinja2.Environment(trim_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined)
    return plain.from_string(TEMPLATE.read_text(encoding="utf-8")).render(path=PATH, tests=tests)
