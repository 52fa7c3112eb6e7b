"""A bench on the reference engine: simulated clock, journal, and activities that are counted outside the engine."""

import pytest

import solution.engine
from durable_lab.checks.bench import Bench


@pytest.fixture
def bench() -> Bench:
    return Bench(lambda: solution.engine)


@pytest.fixture
def pair(bench):
    """Run a workflow live, then replay it from the JSON of its state, as a new process would: both results."""

    def run(workflow, state=None, **options):
        state = bench.state() if state is None else state
        live = bench.run(workflow, state, **options)
        calls = list(bench.calls)
        replayed = bench.run(workflow, bench.m.WorkflowState.from_json(live.state.to_json()), **options)
        assert bench.calls == calls, "a replay called an activity"
        return live, replayed

    return run
