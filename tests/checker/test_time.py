"""Each part has its own time: a loop or a sleep in one part costs nothing elsewhere, and the page says so."""

import time

import pytest

from durable_lab import source
from durable_lab.todos import SKELETON, all_todos
from grader.checker import examinee, suite
from grader.checker.check import check
from grader.checker.examinee import Examinee, Late, NotAsked, Patience
from grader.checker.messages import AROUND, NO_ANSWER, NOT_RUN
from grader.classrun import pool
from grader.dev.bank.splice import REFERENCE
from grader.handin import Submission

pytestmark = pytest.mark.usefixtures("bubblewrap")
SOLVED = REFERENCE.read_text(encoding="utf-8")
STUBS = (SKELETON / "engine.py").read_text(encoding="utf-8")
TESTS = {test.name: test for test in suite.public()}
LOOP = "while True: pass"
SWALLOWS = "while True:\n            try:\n                return self.there_is_no_such_thing\n            except: pass"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """A loop takes less time here than a student's may."""
    monkeypatch.setattr(examinee, "SECONDS", 1.0)


def with_bodies(bodies, text=SOLVED):
    """The engine with these bodies: function -> its lines."""
    for function, body in bodies.items():
        head = source.text_of(text, function).splitlines()[0]
        text = source.replace_function(text, function, f"{head}\n        {body}")
    return text


def handed_in(bodies):
    """Return a submission of such an engine."""
    alone = {
        number: with_bodies({name: body for name, body in bodies.items() if name in {p.function for p in todo.parts}})
        for number, todo in all_todos().items()
    }
    return Submission("a", whole=with_bodies(bodies), alone=alone)


def lost(found, number):
    return {outcome.test: outcome for outcome in found[number].outcomes if not outcome.earned}


@pytest.mark.parametrize("body", [LOOP, SWALLOWS, "import time; time.sleep(600)"], ids=["loop", "swallows", "sleep"])
@pytest.mark.long
def test_a_todo_that_does_not_come_back_costs_no_more_than_one_that_is_wrong_and_says_that_time_ran_out(body):
    slow = check(handed_in({"DurableEngine.signal": body}), "seed")
    wrong = check(handed_in({"DurableEngine.signal": "return self.there_is_no_such_thing"}), "seed")
    for number in (0, *all_todos()):
        assert lost(slow, number).keys() <= lost(wrong, number).keys(), number
    assert set(map(number_of_words, lost(slow, 0).values())) == {"time"}
    assert {outcome.message for outcome in lost(slow, 5).values()} == {NO_ANSWER}


def number_of_words(outcome):
    return (
        "time"
        if outcome.message.startswith("Time ran out for this test: the engine did not return.")
        else outcome.message
    )


@pytest.mark.long
def test_five_todos_that_loop_have_an_end_well_below_the_deadline():
    bodies = {part.function: LOOP for todo in all_todos().values() for part in todo.parts}
    before = time.monotonic()
    found = check(handed_in(bodies), "seed")
    assert not any(finding.full for finding in found.values())
    assert time.monotonic() - before < 60
    # No test returned, so the first one has all its seconds and each later one a fifth; few are run for one TODO.
    assert 5 + 13 * 5 * examinee.AGAIN + 5 * (3 + 2) * 5 * examinee.AGAIN < 60
    parts = 2 + 5 * (0.4 + 0.25)
    assert parts * examinee.IN_ALL < pool.SECONDS / 2


def test_an_engine_that_came_back_late_once_has_less_time_for_each_test_after_that():
    patience = Patience()
    assert patience.seconds == examinee.SECONDS
    with Examinee(with_bodies({"Context.now": LOOP}), patience=patience) as looping:
        assert isinstance(looping.run(TESTS["test_now_is_recorded_once_and_replayed"]), Late)
        assert looping.run(TESTS["test_after_a_crash_in_the_middle_only_the_rest_runs"]) is None
        assert patience.late == 1
        patience.slowest = 0.001
        assert patience.seconds == max(examinee.SECONDS * examinee.AGAIN, examinee.LEAST)
        patience.slowest = 10.0  # a busy machine
        assert patience.seconds == examinee.SECONDS


def test_a_part_stops_after_three_timeouts_and_the_next_part_has_its_own_count():
    now = TESTS["test_now_is_recorded_once_and_replayed"]
    with Examinee(with_bodies({"Context.now": LOOP})) as looping:
        looping.part(lives=1)
        assert isinstance(looping.run(now), Late)
        assert isinstance(looping.run(now), NotAsked)
        looping.part(lives=1)
        assert isinstance(looping.run(now), Late)


def test_a_part_whose_time_is_used_up_still_asks_the_tests_of_a_whole_engine(monkeypatch):
    monkeypatch.setattr(examinee, "IN_ALL", 0.0)
    with Examinee(SOLVED) as right:
        assert [right.run(test) for test in TESTS.values()] == [None] * 14
        right.part(lives=3)
        assert isinstance(right.run(next(iter(TESTS.values()))), NotAsked)


def test_a_variant_that_was_not_run_is_not_said_to_have_failed(monkeypatch):
    monkeypatch.setattr("grader.checker.check.Examinee.run", lambda self, test, *seed: NotAsked("-") if seed else None)
    found = check(handed_in({}), "seed")
    assert {outcome.message for outcome in found[0].outcomes} == {NOT_RUN}


def test_a_test_that_passes_while_a_todo_that_it_uses_is_open_is_not_held_against_the_variant():
    open_now = source.replace_function(SOLVED, "Context.now", source.text_of(STUBS, "Context.now"))
    others = {number: SOLVED for number in all_todos() if number != 2}
    found = check(Submission("a", whole=open_now, alone=others, stubs=frozenset({2})), "seed")
    assert all(not outcome.passed for outcome in lost(found, 0).values()), "a variant counts although TODO 2 is open"
    words = {outcome.message.partition(":")[0] for outcome in lost(found, 0).values()}
    assert words == {"TODO 2 is still to be written"}


@pytest.mark.long
def test_a_mistake_in_the_code_around_the_todos_costs_one_todo_only():
    head = next(line for line in SOLVED.splitlines() if line.startswith("def _takes_key("))
    text = SOLVED.replace(head, f"{head}\n    return False")
    found = check(Submission("a", whole=text, alone=dict.fromkeys(all_todos(), text)), "seed")
    paying = [number for number in all_todos() if not found[number].full]
    assert paying == [1]
    for number in all_todos():
        assert {outcome.message for outcome in lost(found, number).values() if number != 1} <= {AROUND}


@pytest.mark.long
def test_an_engine_that_ends_its_own_process_loses_the_whole_point_and_one_that_loops_half():
    ends, loops = (check(handed_in({"Context.now": body}), "seed")[0] for body in ("import os; os._exit(0)", LOOP))
    none = check(Submission("a", alone=dict.fromkeys((1, 3, 4, 5), SOLVED)), "seed")[0]
    assert {outcome.paid_by for outcome in none.outcomes} == {0}, "no engine, no points"
    assert {outcome.paid_by for outcome in lost({0: ends}, 0).values()} == {0}
    assert {outcome.paid_by for outcome in lost({0: loops}, 0).values()} == {2}


def test_code_around_the_todos_that_keeps_no_history_costs_every_todo():
    text = (
        SOLVED
        + "\n\nWorkflowState.from_json = staticmethod(lambda text: WorkflowState(json.loads(text)['workflow_id']))\n"
    )
    found = check(Submission("a", whole=text, alone=dict.fromkeys(all_todos(), text)), "seed")
    assert not any(finding.full for finding in found.values())
