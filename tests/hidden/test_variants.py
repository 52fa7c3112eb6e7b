"""The hidden variants: twins of the 14 with other words, the same for the same seed, short enough for a sandbox."""

import ast
import os
import subprocess
import sys
from collections import Counter
from random import Random

import pytest

import solution.engine
from durable_lab.checks.bench import Bench
from durable_lab.study import ROOT
from grader.checker import suite
from grader.checker.hidden import load, seed_for
from grader.checker.hidden.vocabulary import PEOPLE, PLACES, TEXTS, TROUBLES, WORDS

HIDDEN, PUBLIC = load(), {test.name: test.function for test in suite.public()}
ROUND_TRIPS = 300
each = pytest.mark.parametrize("name", HIDDEN)


def test_each_of_the_14_has_a_twin_about_the_same_todos_and_rules():
    assert [*HIDDEN] == [*PUBLIC]
    assert len(HIDDEN) == 14
    assert [suite.of(test) for test in PUBLIC.values()] == [*suite.public()]
    for name, test in HIDDEN.items():
        twin = suite.of(PUBLIC[name])
        assert (suite.of(test).own, suite.of(test).needs, suite.of(test).rules) == (twin.own, twin.needs, twin.rules)


@each
def test_the_reference_passes_with_any_seed(name):
    for k in range(25):
        HIDDEN[name](Bench(lambda: solution.engine), seed_for(name, f"seed {k}"))


class Traced(Bench):
    """A bench that keeps what a test wants to see."""

    def __init__(self):
        super().__init__(lambda: solution.engine)
        self.wanted = []

    def expect(self, rule, must, want, got):
        self.wanted.append([rule, must, want])
        super().expect(rule, must, want, got)


def trace(name, seed):
    bench = Traced()
    HIDDEN[name](bench, seed)
    return repr([bench.wanted, bench.calls, bench.keys])


@each
def test_the_same_seed_is_the_same_test_and_another_seed_another_one(name):
    first = trace(name, seed_for(name))
    assert first == trace(name, seed_for(name)) == trace(name, seed_for(name, "lab-01"))
    assert len({first, *(trace(name, seed_for(name, f"another course, {k}")) for k in range(10))}) == 11


def test_a_seed_is_the_same_in_every_process():
    code = (
        "from grader.checker.hidden import load, seed_for; from tests.hidden.test_variants import trace; import zlib\n"
    )
    code += "print([zlib.crc32(trace(name, seed_for(name)).encode()) for name in load()])"
    path = os.pathsep.join([str(ROOT), str(ROOT / "lab-01-durable-workflow-engine")])
    found = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(k)},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for k in (1, 2)
    ]
    assert found[0] == found[1] != ""


def test_each_test_has_a_seed_of_its_own():
    assert len({seed_for(name).random() for name in HIDDEN}) == 14
    assert isinstance(seed_for("any"), Random)


def test_no_name_of_the_14_is_used_again():
    said = set()
    for path in suite.FOLDER.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                said.add(node.value.lower())
    names = [*(name for place in PLACES for kind in place for name in kind), *PEOPLE, *WORDS, *TROUBLES]
    assert not {name.lower() for name in names} & said
    assert [name for name, often in Counter(names).items() if often > 1] == []


def test_no_step_is_part_of_another_so_that_a_text_that_names_one_names_no_other():
    for place in PLACES:
        names = [*place.steps, *place.signals]
        assert not [(a, b) for a in names for b in names if a != b and a in b]
        assert len(place.steps) >= 8, "a test draws as many"
    assert len({len(place.signals) >= 4 and len(place.things) >= 5 for place in PLACES}) == 1
    assert all(text.encode("utf-8") for text in TEXTS)


class Counted:
    """Counts what a sandbox would have to be asked for: uses of the module, of its objects, and calls back."""

    def __init__(self, monkeypatch):
        self.asked = 0
        public = ("Context", "DurableEngine", "RunResult", "WorkflowState", "Command", "Attempt", "Signal")
        for name in (*public, "ActivityError", "NonDeterminismError"):
            cls = getattr(solution.engine, name)
            monkeypatch.setattr(cls, "__getattribute__", self._counting(cls.__getattribute__), raising=False)

    def _counting(self, plain):
        def look(obj, name):
            by = sys._getframe(1).f_code.co_filename
            self.asked += "hidden" in by or "checks" in by
            return plain(obj, name)

        return look

    def __getattr__(self, name):
        self.asked += 1
        return getattr(solution.engine, name)


@each
def test_a_sandbox_is_asked_no_more_than_300_times(name, monkeypatch):
    for k in range(3):
        with monkeypatch.context() as patch:
            m = Counted(patch)
            bench = Bench(lambda m=m: m)
            HIDDEN[name](bench, seed_for(name, f"seed {k}"))
            assert 20 < m.asked + len(bench.calls) + len(bench.journal) <= ROUND_TRIPS
