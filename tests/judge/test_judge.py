"""The judge: programs, the oracle, shrinking and stories, on engines that are known to be right or wrong."""

import os
import subprocess
import sys
from functools import cache

import pytest

from durable_lab.judge import Program, judge, programs, tell
from durable_lab.judge.generate import PROGRAMS
from grader.dev.bank import entries
from grader.dev.bank.observe import module

BANK = {entry.path.stem: entry for kind in ("right", "wrong") for entry in entries(kind)}
RULES = {  # a wrong engine, and the rule that its first difference breaks
    "key_without_the_workflow_id": "R11",
    "sleeps_after_the_last_attempt": "R12",
    "signals_one_queue_for_all_names": "R8",
    "a_wait_can_be_swallowed": "R9",
    "the_guard_looks_at_the_name_only": "R3",
    "leftover_commands_are_checked_only_on_success": "R4",
    "a_replay_waits_again": "R2",
    "equal_records_are_kept_once": "R1",
    "a_runtime_error_comes_out": "R13",
}


@cache
def fresh(name):
    made = module(BANK[name].source())
    return lambda: made


@cache
def first(name):
    """The first public program on which this engine differs from the rules, and the difference."""
    return next((program, found) for program in programs() if (found := judge(program, fresh(name))))


def test_equal_seeds_give_equal_programs_and_other_seeds_others():
    assert programs("one") == programs("one")
    assert {p.to_json() for p in programs("one")}.isdisjoint(p.to_json() for p in programs("two"))
    assert len(programs()) == PROGRAMS


def test_a_program_survives_its_json():
    for program in programs():
        assert Program.from_json(program.to_json()) == program


@pytest.mark.long(every=22)
@pytest.mark.parametrize("name", [entry.path.stem for entry in entries("right")])
def test_a_right_engine_agrees_with_the_rules_however_it_is_written(name):
    for program in programs("right engines", 3 * PROGRAMS):
        assert not (found := judge(program, fresh(name))), (program.seed, found)


@pytest.mark.parametrize(("name", "rule"), RULES.items())
def test_a_wrong_engine_is_found_for_the_rule_that_it_breaks(name, rule):
    _, found = first(name)
    assert found.rule == rule, found


@pytest.mark.parametrize("name", RULES)
def test_the_story_is_the_same_difference_on_a_program_of_at_most_six_events(name):
    program, found = first(name)
    story = tell(program, found, fresh(name))
    assert (story.rule, story.kind) == found.same
    assert judge(story.program, fresh(name)).same == found.same
    assert story.program.events <= min(6, program.events)
    assert len(story.lines) <= 5
    assert "\n" not in "".join(story.lines)


def test_a_story_saved_as_a_test_fails_with_the_story_and_passes_on_the_reference(tmp_path):
    name = "sleeps_after_the_last_attempt"
    story = tell(*first(name), fresh(name))
    saved = tmp_path / "test_story.py"
    saved.write_text(story.as_test(), encoding="utf-8")
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "engine.py").write_text(BANK[name].source(), encoding="utf-8")

    def run(module):
        env = os.environ | {"LAB_MODULE": module, "LAB_WORKSPACE": str(tmp_path)}
        return subprocess.run([sys.executable, saved], capture_output=True, text=True, env=env, timeout=60)

    wrong, right = run("lab"), run("solution")
    assert wrong.returncode == 1
    assert story.lines[3] in wrong.stderr
    assert right.returncode == 0, right.stderr
