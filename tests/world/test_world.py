"""The outside world: its books record what happened, whatever an engine reports."""

import inspect

import pytest

from durable_lab.faults import POINTS, killer
from durable_lab.world import Bank, Ledger, Mailer, World
from solution import engine


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(tmp_path / "world.db")
    yield made
    made.close()


def test_a_bank_that_deduplicates_pays_once_a_key_and_gives_the_same_receipt(ledger):
    bank = Bank(ledger)
    first = bank.pay_back("A1", 30, idempotency_key="r/1")
    assert bank.pay_back("A1", 30, idempotency_key="r/1") == first
    assert bank.pay_back("A1", 30, idempotency_key="r/2") != first
    assert [effect.key for effect in ledger.effects("pay_back")] == ["r/1", "r/2"]


def test_a_naive_bank_pays_at_every_call(ledger):
    bank = Bank(ledger, deduplicates=False)
    assert bank.pay_back("A1", 30, idempotency_key="r/1") != bank.pay_back("A1", 30, idempotency_key="r/1")
    assert len(ledger.effects()) == 2


def test_a_flaky_bank_refuses_its_first_calls_without_effect(ledger):
    bank = Bank(ledger, fails=2)
    for _ in range(2):
        with pytest.raises(ConnectionError, match="busy"):
            bank.pay_back("A1", 30, idempotency_key="k")
    assert ledger.effects() == []
    bank.pay_back("A1", 30, idempotency_key="k")
    assert len(ledger.effects()) == 1


def test_an_answer_that_gets_lost_has_had_its_effect(ledger):
    bank = Bank(ledger, loses=1)
    with pytest.raises(TimeoutError, match="lost"):
        bank.pay_back("A1", 30, idempotency_key="k")
    assert len(ledger.effects()) == 1
    bank.pay_back("A1", 30, idempotency_key="k")
    assert len(ledger.effects()) == 1


def test_how_often_a_service_was_called_survives_the_process(tmp_path):
    with pytest.raises(ConnectionError):
        World(tmp_path / "w.db", fails=1).pay_back("A1", 30, idempotency_key="k")
    World(tmp_path / "w.db", fails=1).pay_back("A1", 30, idempotency_key="k")
    assert Ledger(tmp_path / "w.db").count_calls("bank", "pay_back") == 2


def test_a_slow_service_takes_its_time_on_the_clock_that_it_is_given(ledger):
    slept = []
    Bank(ledger, slow=2.5, sleep=slept.append).pay_back("A1", 30, idempotency_key="k")
    assert slept == [2.5]


def test_every_point_at_which_a_process_can_be_killed_is_passed_by_the_story(tmp_path):
    passed = []
    world = World(tmp_path / "w.db", at=passed.append)
    world.assess({"id": "A1", "reason": "broken"})
    world.pay_back("A1", 30, idempotency_key="a")
    world.send_email("kim", "hello", idempotency_key="b")
    in_the_world = [point for point in POINTS if point.endswith((".before", ".effect"))]
    assert sorted(passed) == sorted(in_the_world)
    killer(None)("pay_back.effect")  # no point planned: nobody dies


def test_a_file_that_is_no_book_is_named(tmp_path):
    (tmp_path / "w.db").write_text("x" * 200)
    with pytest.raises(OSError, match=r"w\.db"):
        Ledger(tmp_path / "w.db")


def test_the_activities_of_the_story_are_recorded_by_their_own_names(tmp_path):
    world = World(tmp_path / "w.db")
    mailer = Mailer(world.ledger)

    def story(ctx, order):
        ctx.call_activity(world.assess, order)
        ctx.call_activity(world.pay_back, "A1", 30)
        ctx.call_activity(world.send_email, "kim", "hello")
        ctx.call_activity(mailer.send_email, "kim", "hello again")

    run = engine.DurableEngine(engine.SimulatedClock()).run(
        story, engine.WorkflowState("r", {"id": "A1", "reason": "x"})
    )
    assert [command.name for command in run.state.commands] == ["assess", "pay_back", "send_email", "send_email"]
    assert [effect.key for effect in world.ledger.effects()] == [None, "r/1", "r/2", "r/3"]
    assert not any(map(inspect.ismethod, (world.assess, world.pay_back, world.send_email, mailer.send_email)))
