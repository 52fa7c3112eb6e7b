"""A workflow is stopped at every point: right engines survive, and each wrong one fails at the point of its mistake."""

import pytest

from durable_lab.crash import InMemory, Scenario, uncrashed
from durable_lab.crash.play import NeverEnds
from durable_lab.rules import RULES

RIGHT = ("right/whole_class_heavy", "right/very_short", "right/states_are_rebuilt", "right/counters_instead_of_queues")
NO_CRASH = "without a crash"
WRONG = [  # an engine of the bank, the workflow, the rule, and the first failing point
    ("random_key", "steps", "R11", "after the effect of pay(30)"),
    ("key_counts_what_this_process_did", "steps", "R11", "after the effect of pay(5)"),
    ("fresh_key_for_every_attempt", "order", "R11", NO_CRASH),
    ("recorded_before_it_ran", "steps", "R1", "after pay(30) is recorded, before the workflow sees its result"),
    ("the_journal_hears_at_the_end", "steps", "R1", "after the workflow has the result of pay(30)"),
    ("history_is_kept_in_memory", "order", "R1", 'after the workflow has the result of assess({"amount":30})'),
    ("time_is_only_remembered", "steps", "R1", "after the workflow has the result of now()"),
    ("only_successes_are_recorded", "steps", "R1", 'after the workflow has the result of book("12A")'),
    ("signal_is_not_in_the_journal", "order", "R1", NO_CRASH),
    ("a_restart_goes_on_at_the_end", "steps", "R2", "after pay(30) is recorded, before the workflow sees its result"),
    ("falsy_result_runs_again", "steps", "R2", "after pay(30) is recorded, before the workflow sees its result"),
    ("none_result_runs_again", "order", "R2", NO_CRASH),
    ("the_journal_hears_of_replays", "order", "R2", NO_CRASH),
    ("the_journal_is_told_twice", "steps", "R6", NO_CRASH),
    (
        "recorded_failures_are_tried_again",
        "steps",
        "R6",
        'after book("12A") is recorded, before the workflow sees its result',
    ),
    (
        "replayed_failure_is_another_exception",
        "steps",
        "R6",
        'after book("12A") is recorded, before the workflow sees its result',
    ),
    ("ok_means_that_it_is_over", "steps", "R6", 'after book("12A") is recorded, before the workflow sees its result'),
    ("now_reads_the_clock_again", "steps", "R7", "after now() is recorded, before the workflow sees its result"),
    ("a_signal_without_payload_is_no_signal", "order", "R8", NO_CRASH),
    ("a_wait_comes_out_of_run", "order", "R9", NO_CRASH),
]


@pytest.mark.parametrize("on_disk", [False, True], ids=["memory", "sqlite"])
@pytest.mark.parametrize("workflow", ["order", "steps"])
def test_the_reference_survives_a_crash_at_every_point(workflow, on_disk, crashed):
    played, without, tried = crashed("", workflow, on_disk=on_disk)
    assert played.end.status == "completed"
    assert [without, *(one.broken for one in tried)] == [None] * (len(tried) + 1)
    commands = len(list(played.of("records")))
    assert len(tried) > 2 * commands + 1


@pytest.mark.parametrize("name", RIGHT)
def test_an_engine_that_is_written_differently_survives_too(name, crashed):
    _, without, tried = crashed(name, "order")
    assert [without, *(one.broken for one in tried)] == [None] * (len(tried) + 1)


@pytest.mark.parametrize("on_disk", [False, pytest.param(True, marks=pytest.mark.long)], ids=["memory", "sqlite"])
def test_the_reference_survives_a_second_crash_in_each_recovery(on_disk, crashed):
    _, _, tried = crashed("", "short", pairs=True, on_disk=on_disk)
    pairs = [one for one in tried if len(one.crashes) == 2]
    assert len(pairs) > 3 * (len(tried) - len(pairs))
    assert {one.broken for one in tried} == {None}


@pytest.mark.parametrize(("name", "workflow", "rule", "where"), WRONG, ids=[wrong[0] for wrong in WRONG])
def test_a_wrong_engine_fails_at_the_point_of_its_mistake(name, workflow, rule, where, crashed):
    _, without, tried = crashed(f"wrong/{name}", workflow)
    found = [(NO_CRASH, without), *((one.words, one.broken) for one in tried)]
    first, broken = next((words, broken) for words, broken in found if broken)
    assert (first, broken.rule) == (where, rule)
    assert broken.rule in RULES
    assert broken.right != broken.found


def test_a_wrong_engine_is_found_on_disk_as_well(crashed):
    _, _, tried = crashed("wrong/random_key", "steps", on_disk=True)
    assert {one.broken.rule for one in tried if one.broken} == {"R11"}


def test_nothing_happens_after_a_process_has_ended_whatever_the_workflow_catches(crashed):
    played, _, tried = crashed("", "catches_all")
    assert played.end.value == '["done","done"]'
    assert {one.broken for one in tried} == {None}


def test_an_effect_without_a_record_happens_again_and_a_recorded_one_never(crashed):
    effects = crashed.effects
    _, _, tried = crashed("", "counted")
    by_point = dict(zip([one.points[0].what for one in tried], effects[1:], strict=True))
    assert by_point == {
        "starts": 1,
        "calls": 1,
        "effect": 2,
        "records": 2,
        "recorded": 1,
        "sees": 1,
        "returns": 1,
        "ends": 1,
    }


def test_a_random_receipt_is_no_fault_of_the_engine(crashed):
    _, _, tried = crashed("", "random_receipt")
    assert {one.broken for one in tried} == {None}


def test_a_workflow_or_an_engine_that_never_ends_is_stopped(engine):
    def forever(ctx, given):
        while True:
            ctx.now()

    with pytest.raises(NeverEnds, match=r"10,000 steps .* now\(\)"):
        uncrashed(Scenario(lambda: (engine()(), forever), InMemory))
