"""A refund on a clock that advances: two failed calls of the bank, a signal in between, an e-mail at the end."""

import pytest

from durable_lab.world import World
from solution import engine
from solution.refund import APPROVAL, ORDER, refund_with


class Ticking:
    """Every look at the clock takes 0.25 s, so that nothing takes no time."""

    def __init__(self, start=1000.0):
        self.time = start

    def now(self):
        self.time += 0.25
        return self.time

    def sleep(self, seconds):
        self.time += seconds


@pytest.fixture
def m():
    return engine


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "world.db", fails=2)
    yield made
    made.ledger.close()


@pytest.fixture
def refund(world):
    return refund_with(world)


@pytest.fixture
def blocked(refund):
    return engine.DurableEngine(clock=Ticking()).run(refund, engine.WorkflowState("refund-1", ORDER))


@pytest.fixture
def done(refund, blocked):
    machine = engine.DurableEngine(clock=Ticking(1010.0))
    return machine.run(refund, machine.signal(blocked.state, "approval", APPROVAL))


@pytest.fixture
def diverged(done):
    def other(ctx, order):
        ctx.now()

    return engine.DurableEngine().run(other, done.state)
