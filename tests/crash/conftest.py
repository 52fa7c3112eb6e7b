"""Engines of the bank, crashed everywhere in a workflow of this folder."""

import random
import sys
import types
import uuid
from functools import cache
from itertools import pairwise

import pytest

from durable_lab.crash import InMemory, OnDisk, Scenario, compare, everywhere, uncrashed
from grader.dev.bank.entry import BANK, load
from grader.dev.bank.splice import REFERENCE

NAME = "an_engine_that_is_crashed"


def order(m):
    """An activity that returns None, a time, a signal without a payload, a payment, and one that is tried twice."""
    calls = []

    def assess(given):
        return None

    def pay(amount, *, idempotency_key):
        calls.append(amount)
        if len(calls) == 1:
            raise OSError("line busy")
        return {"paid": amount}

    def workflow(ctx, given):
        advice, now = ctx.call_activity(assess, given), ctx.now()
        decision = ctx.wait_signal("approval")
        return [advice, now, decision, ctx.call_activity(pay, given["amount"])]

    return workflow


def steps(m):
    """Two payments without a signal, so that only a crash makes the engine replay; and one that fails for good."""

    def pay(amount, *, idempotency_key):
        return 0

    def book(seat):
        raise ValueError("no: seat")

    def workflow(ctx, given):
        seen = [ctx.call_activity(pay, 30), ctx.now()]
        try:
            ctx.call_activity(book, "12A", retry=m.RetryPolicy(max_attempts=1))
        except m.ActivityError as error:
            seen.append([error.error_type, error.message, error.attempts])
        return [*seen, ctx.call_activity(pay, 5)]

    return workflow


def short(m):
    def workflow(ctx, given):
        return [ctx.call_activity(pay, 30), ctx.wait_signal("approval")]

    def pay(amount, *, idempotency_key):
        return [idempotency_key]

    return workflow


def catches_all(m):
    def work():
        return "done"

    def workflow(ctx, given):
        seen = []
        for _ in range(2):
            try:
                seen.append(ctx.call_activity(work))
            except:
                seen.append("caught")
        return seen

    return workflow


def random_receipt(m):
    def pay():
        return uuid.uuid4().hex

    def send(receipt):
        if random.random() < 0.5:
            raise OSError(receipt)

    def workflow(ctx, given):
        return [receipt := ctx.call_activity(pay), ctx.call_activity(send, receipt, retry=m.RetryPolicy(9))]

    return workflow


EFFECTS = []  # how often `pay` ran, for each run of `counted`


def counted(m):
    def pay():
        EFFECTS.append("paid")

    return lambda ctx, given: ctx.call_activity(pay)


WORKFLOWS = {make.__name__: make for make in (order, steps, short, catches_all, random_receipt, counted)}


@cache
def compiled(name):
    text = load(BANK / f"{name}.py").source() if name else REFERENCE.read_text(encoding="utf-8")
    return compile(text, name or "the reference", "exec")


@pytest.fixture
def engine(monkeypatch):
    """engine(name) -> a function that returns this engine's module as in a new process; "" is the reference."""

    def make(name=""):
        def fresh():
            module = types.ModuleType(NAME)
            monkeypatch.setitem(sys.modules, NAME, module)
            exec(compiled(name), vars(module))
            return module

        return fresh

    return make


@pytest.fixture
def crashed(engine, tmp_path):
    """crashed(name, workflow) -> the uncrashed run, what it breaks, and each run that was crashed.

    crashed.effects  how many effects each run had; the uncrashed one is the first
    """
    numbers, effects = iter(range(10**6)), []

    def crash(name="", workflow="order", pairs=False, on_disk=False):
        fresh, make = engine(name), WORKFLOWS[workflow]

        def both():
            module = fresh()
            return module, make(module)

        def keeping():
            effects.append(len(EFFECTS))
            return OnDisk(tmp_path / f"{next(numbers)}.db") if on_disk else InMemory()

        scenario = Scenario(both, keeping, {"amount": 30}, [("approval", None)])
        played, script = uncrashed(scenario)
        tried = list(everywhere(scenario, played, script, pairs))
        effects.append(len(EFFECTS))
        effects[:] = [after - before for before, after in pairwise(effects)]
        return played, compare(played, played), tried

    crash.effects = effects
    return crash
