"""An engine cannot change the expected values of a test by changing the objects that it was given."""

import pytest

from grader.checker import hidden, suite
from grader.checker.examinee import Examinee

pytestmark = pytest.mark.usefixtures("bubblewrap")
REFERENCE = (suite.ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
CHANGES = f"""{REFERENCE}

_call, _signal = Context.call_activity, DurableEngine.signal


def _change(value):
    if isinstance(value, list):
        del value[:]
    elif isinstance(value, dict):
        for key, item in [*value.items()]:
            _change(item)
            value[key] = None if not isinstance(item, (list, dict)) else item
    elif isinstance(value, tuple):
        for item in value:
            _change(item)
    return value


def _calling(self, fn, *args, retry=None):
    @wraps(fn)
    def act(*given, **key):
        return _change(fn(*given, **key))

    return _call(self, act, *map(_change, args), retry=retry)


def _signalling(self, state, name, payload=None):
    return _signal(self, state, name, _change(payload))


Context.call_activity, DurableEngine.signal = _calling, _signalling
""".replace("import inspect\n", "import inspect\nfrom functools import wraps\n", 1)
# The tests in which an activity, an argument or a signal surely has a list or an object.
PUBLIC = [
    "test_a_delivered_signal_resumes_without_running_again",
    "test_divergence_is_caught_and_nothing_runs",
    "test_states_are_never_changed_and_values_are_the_same_live_and_replayed",
    "test_the_refund_story_survives_kill_and_resume",
]
RECORDS = "test_a_fresh_run_records_every_command_in_order_before_moving_on"


def test_an_engine_that_changes_what_it_was_given_fails_the_tests():
    with Examinee(CHANGES) as examinee:
        said = suite.run(examinee.fresh, [test for test in suite.public() if test.name in PUBLIC])
        assert [name for name, error in said.items() if error is None] == []


@pytest.mark.parametrize("course", ["a", "b", "c", "d"])
def test_an_engine_that_changes_what_it_was_given_fails_the_variants(course):
    twins = [suite.of(hidden.load()[name]) for name in (RECORDS, *PUBLIC[:3])]
    with Examinee(CHANGES) as examinee:
        said = {
            twin.name: suite.run(examinee.fresh, [twin], hidden.seed_for(twin.name, course))[twin.name]
            for twin in twins
        }
    assert [name for name, error in said.items() if error is None] == []
