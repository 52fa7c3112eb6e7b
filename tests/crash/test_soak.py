"""`make soak`: random workflows on the reference, crashed at every point, and real processes that are killed."""

import re
import sys
import types

import pytest

from durable_lab.study import Study
from grader.dev import soak
from grader.dev.bank.entry import BANK, load


@pytest.mark.parametrize("suite", soak.suites(), ids=lambda suite: suite.name)
def test_the_reference_survives_in_each_suite(suite):
    assert suite.one("small/3") > 0


def test_a_process_is_really_killed_and_another_one_goes_on(monkeypatch):
    codes = []
    run = soak.subprocess.run
    monkeypatch.setattr(
        soak.subprocess, "run", lambda *a, **k: (done := run(*a, **k), codes.append(done.returncode))[0]
    )
    kills = soak.killed("small/3")
    assert codes == [-soak.signal.SIGKILL] * kills + [0]


def test_a_wrong_engine_is_a_fault_with_its_rule_its_point_and_its_workflow(monkeypatch):
    code = compile(load(BANK / "wrong" / "recorded_before_it_ran.py").source(), "engine.py", "exec")

    def fresh(self):
        module = types.ModuleType("a_wrong_engine")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(code, vars(module))
        return module

    monkeypatch.setattr(Study, "fresh", fresh)
    with pytest.raises(
        soak.Fault, match=r"(?s)is recorded, before the workflow sees its result: Broken\(rule='R1'.*\"steps\""
    ):
        soak.in_memory("small/3")


def test_a_fault_ends_the_soak_and_says_how_to_repeat_it(capsys, monkeypatch):
    def fails(seed):
        if seed.endswith("/2"):
            raise soak.Fault(f"a point of {seed}")
        return 5

    monkeypatch.setattr(soak, "suites", lambda: [soak.Suite("memory:", fails)])
    assert soak.main(["--seconds", "60", "--seed", "7"]) == 1
    said = capsys.readouterr().out
    assert said.splitlines()[:2] == [
        f"seed 7 · 60 seconds · Python {sys.version.split()[0]}",
        "memory: 10 crashes of 2",
    ]
    assert re.search(r"Fault: a point of 7/2\nrepeat: python -m grader.dev.soak --suite 'memory' --again 7/2\n$", said)


def test_the_time_is_kept_and_each_suite_runs_at_least_once(capsys, monkeypatch):
    monkeypatch.setattr(soak, "suites", lambda: [soak.Suite("a:", lambda seed: 1), soak.Suite("b:", lambda seed: 1)])
    assert soak.main(["--seconds", "0"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["a: 1 crashes of 1 · b: 1 crashes of 1", "no fault"]


def test_the_workflows_of_the_soak_have_activities_signals_and_failures():
    made = [soak.workflow_of(f"look/{number}") for number in range(40)]
    assert any(action[0] == "signal" for program in made for action in program.plan)
    assert any(
        outcome[0] == "raise"
        for program in made
        for activity in program.activities.values()
        for outcome in activity.outcomes
    )
