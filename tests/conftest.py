"""Fixtures for several folders, and a summary of the tests that did not run."""

import os
import tempfile
from collections import Counter
from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption("--sample", action="store_true", help="run a sample of the long tests: see the marker `long`")


def pytest_collection_modifyitems(config, items):
    """With --sample, keep each n-th case of a test that is marked `long(every=n)`."""
    if not config.getoption("--sample"):
        return
    seen, left_out = Counter(), []
    for item in items:
        if mark := item.get_closest_marker("long"):
            name, every = item.nodeid.partition("[")[0], mark.kwargs.get("every", 0)
            if not every or seen[name] % every:
                left_out.append(item)
            seen[name] += 1
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter):
    """Write one line for each reason for which tests were skipped."""
    stats = terminalreporter.stats
    for reason, count in Counter(report.longrepr[2] for report in stats.get("skipped", [])).items():
        terminalreporter.write_line(f"skipped: {count} tests {reason.removeprefix('Skipped: ')}")
    if terminalreporter.config.getoption("--sample"):
        terminalreporter.write_line("left out: most cases of the long tests; `make test-all` runs all of them")


@pytest.fixture(scope="session")
def require():
    """require(what, why): if a program is missing, skip the test, or fail where LAB_SKIP_NOTHING is set (as in CI)."""

    def check(what, why):
        if why and os.environ.get("LAB_SKIP_NOTHING"):
            pytest.fail(why)
        if why:
            pytest.skip(f"of the {what}, because {why}")

    return check


@pytest.fixture(scope="session")
def bubblewrap(require):
    """A machine on which students' code can be isolated."""
    from grader.sandbox import bubblewrap

    require("sandbox", bubblewrap.missing())


@pytest.fixture(scope="session", autouse=True)
def surroundings():
    """Give kernels and matplotlib temporary folders, because the home folder may be read-only."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
            patch.setenv(name, str(Path(home, name.lower())))
        patch.delenv("COLUMNS", raising=False)
        yield
