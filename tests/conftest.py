"""What tests of several folders stand on."""

import os

import pytest


@pytest.fixture(scope="session")
def bubblewrap():
    """A machine on which students' code can be isolated. Elsewhere its tests are skipped, but never in CI."""
    from grader.checker import sandbox

    if why := sandbox.missing():
        if os.environ.get("LAB_SKIP_NOTHING"):
            pytest.fail(why)
        pytest.skip(why)
