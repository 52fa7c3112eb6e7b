"""GitHub Classroom: a workflow that runs the 14 tests on a student's own engine whenever they push.

It is for quick feedback. The student's code runs in the same process as the tests there, so its points cannot be
trusted: marks come from `grade`, which runs that code in a sandbox.
"""

from __future__ import annotations

import json

from grader.display import number
from grader.rubric import weights

PATH = ".github/workflows/classroom.yml"
_HEAD = """\
# Written by `lab-grader export github`. Put it into the template repository as {path}.
# Feedback only: the student's code runs in the same process as the tests here. Marks come from `lab-grader grade`.
name: Autograding Tests
"on":
  - push
  - workflow_dispatch
  - repository_dispatch
permissions:
  checks: write
  actions: read
  contents: read
jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    if: github.actor != 'github-classroom[bot]'
    steps:
      - name: Check out
        uses: actions/checkout@v4
      - name: Python
        uses: actions/setup-python@v5
        with:
          python-version: "3.11"
      - name: What the tests need
        run: make .venv/base.done
"""
_TEST = """\
      - name: {name}
        id: {id}
        uses: classroom-resources/autograding-command-grader@v1
        with:
          test-name: {name}
          setup-command: ""
          command: {command}
          timeout: 2
          max-score: {points}
"""
_TAIL = """\
      - name: Autograding Reporter
        uses: classroom-resources/autograding-grading-reporter@v1
        env:
{results}
        with:
          runners: {ids}
"""


def workflow_yaml() -> str:
    """Return the workflow file. A TODO earns its points if all of its tests pass; so does the whole engine."""
    table = weights()
    tests = {
        f"todo{n}": (f"TODO {n}", f".venv/bin/durable-lab check {n}", points) for n, points in table["todo"].items()
    }
    tests["whole"] = ("All 14 tests", ".venv/bin/durable-lab check", table["whole"]["points"])
    steps = [
        _TEST.format(id=key, name=json.dumps(name), command=json.dumps(command), points=number(points))
        for key, (name, command, points) in tests.items()
    ]
    results = "\n".join(f'          {key.upper()}_RESULTS: "${{{{steps.{key}.outputs.result}}}}"' for key in tests)
    return _HEAD.format(path=PATH) + "".join(steps) + _TAIL.format(results=results, ids=",".join(tests))
