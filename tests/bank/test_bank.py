"""The bank checks the 14 tests: every wrong engine is rejected for the right reason, and every right one passes."""

import ast
import fcntl
import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from functools import cache

import pytest

from durable_lab.checks.runner import TESTS
from durable_lab.rules import RULES
from durable_lab.todos import all_todos
from grader.checker import suite
from grader.dev.bank import BELIEFS, GROUPS, Judge, Verdict, entries
from grader.dev.bank.golden import read, section
from grader.dev.bank.judge import workspace

WRONG, BEYOND, RIGHT = entries("wrong"), entries("beyond"), entries("right")
NOT_IN_AN_ENGINE = {"M10", "M13", "M15"}  # these make wrong workflows, apps and checkpoints


golden = cache(read)


@cache
def cited():
    """Return the rules that each of the 14 tests cites."""
    return {test.name: {*test.rules} for test in suite.public()}


@pytest.fixture(scope="session")
def verdict(tmp_path_factory):
    """verdict(entry): what the 14 tests say of it. Pytest's worker processes share the verdicts."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "bank"
    shared.mkdir(exist_ok=True)

    def find(entry):
        known = shared / f"{entry.name.replace('/', '-')}.json"
        with known.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not known.is_file():
                said = judge.verdict(entry.source(), known.with_suffix(""))
                known.write_text(json.dumps(asdict(said)), encoding="utf-8")
        return Verdict(**json.loads(known.read_text(encoding="utf-8")))

    with Judge() as judge:
        yield find


@pytest.mark.parametrize("entry", WRONG, ids=lambda entry: entry.path.stem)
@pytest.mark.long(every=24)
def test_a_wrong_engine_is_rejected_for_a_rule_that_it_breaks(entry, verdict):
    said = verdict(entry)
    assert said.ended == ""
    assert said.tests.keys() == cited().keys()
    assert said.failed, "it passes all 14: a hole in the tests"
    errors = [message for message in said.failed.values() if message.startswith("error in")]
    assert not errors
    assert any(cited()[name] & set(entry.rules) for name in said.failed), f"none of {[*said.failed]} is about its rules"
    named = {message.split()[0] for message in said.failed.values()} & RULES.keys()
    assert not named or named & set(entry.rules), f"the messages cite {named}, not {entry.rules}"


@pytest.mark.parametrize("entry", BEYOND, ids=lambda entry: entry.path.stem)
@pytest.mark.long(every=9)
def test_an_engine_beyond_the_14_passes_them_all_and_belongs_to_the_others_if_not(entry, verdict):
    assert verdict(entry).failed == {}, "the 14 reject it now: move it to `wrong`"


@pytest.mark.parametrize("entry", WRONG, ids=lambda entry: entry.path.stem)
@pytest.mark.long(every=12)
def test_the_messages_for_a_wrong_engine_are_those_of_its_golden_section(entry, verdict):
    assert section(entry, verdict(entry)) == golden()[entry.path.stem], "`python -m grader.dev.bank.golden`"


def test_each_wrong_engine_has_its_section_in_the_golden_files():
    assert golden().keys() == {entry.path.stem for entry in WRONG}


@pytest.mark.parametrize("entry", RIGHT, ids=lambda entry: entry.path.stem)
@pytest.mark.long(every=4)
def test_a_right_engine_passes_all_14_however_it_is_written(entry, verdict):
    said = verdict(entry)
    assert (said.ended, said.failed) == ("", {})
    assert said.tests.keys() == cited().keys()


@pytest.mark.long
def test_each_of_the_14_rejects_a_wrong_engine(verdict):
    caught = {name for entry in WRONG for name in verdict(entry).failed}
    assert caught == cited().keys()


def test_a_wrong_engine_declares_its_belief_its_todo_and_its_rules():
    for entry in [*WRONG, *BEYOND]:
        assert entry.belief in BELIEFS, entry.name
        assert entry.todo == BELIEFS[entry.belief].todo, entry.name
        assert entry.rules, entry.name
        assert set(entry.rules) <= RULES.keys(), entry.name
        assert set(entry.rules) & set(BELIEFS[entry.belief].rules), entry.name
        belief, blank, *rest = entry.about.splitlines()
        assert (belief[-1], blank) == (".", ""), entry.name
        assert len(rest) >= 2, f"{entry.name}: after the belief, what the code does and what a customer sees"


def test_the_bank_covers_every_todo_every_rule_and_every_belief():
    assert len(WRONG) >= 200
    assert len(RIGHT) >= 20
    assert {entry.todo for entry in WRONG} == set(all_todos())
    assert {rule for entry in WRONG for rule in entry.rules} == RULES.keys() - {"R14"}  # that one is the store's
    assert {entry.belief for entry in [*WRONG, *BEYOND]} == BELIEFS.keys()
    assert {belief.group for belief in BELIEFS.values()} == GROUPS.keys() - NOT_IN_AN_ENGINE
    assert sum(entry.whole for entry in RIGHT) >= 2


def test_no_two_engines_of_the_bank_have_the_same_code():
    codes = {}
    for entry in [*WRONG, *BEYOND, *RIGHT]:
        code = "".join(
            ast.dump(node) for node in ast.parse(entry.text).body if not isinstance(node, (ast.Expr, ast.Assign))
        )
        assert codes.setdefault(code, entry.name) == entry.name


@pytest.mark.parametrize(
    ("entry", "code"), [(WRONG[0], 1), (RIGHT[0], 0)], ids=["of a wrong engine", "of a right engine"]
)
def test_the_quick_verdict_is_that_of_a_plain_pytest(entry, code, verdict, tmp_path):
    workspace(entry.source(), tmp_path)
    env = {**os.environ, "LAB_MODULE": "lab", "LAB_WORKSPACE": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", str(TESTS), "-q", "-rf", "--color=no", "-p", "no:xdist"]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stdout
    failed = set(re.findall(r"^FAILED .*::(\w+)", done.stdout, flags=re.MULTILINE))
    assert failed == set(verdict(entry).failed)


@pytest.mark.long
def test_an_engine_that_cannot_be_interrupted_is_killed(tmp_path):
    loop = "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass\n"
    with Judge(seconds=1) as judge:
        assert judge.verdict(loop, tmp_path / "a").ended == "killed after 1 seconds"
        leaves = f"{RIGHT[0].source()}\n\nDurableEngine.run = lambda *given: __import__('os')._exit(9)\n"
        assert judge.verdict(leaves, tmp_path / "b").ended == "ended with code 9"
    with Judge() as judge:
        said = judge.verdict("nonsense", tmp_path / "c")
    assert (said.ended, len(said.failed)) == ("", 14)
