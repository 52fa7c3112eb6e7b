"""The 14 tests run on the engine that LAB_MODULE names: `lab` (yours, if nothing is said) or `solution`."""

from durable_lab.checks.plugin import (  # noqa: F401
    bench,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_report_header,
    pytest_runtest_makereport,
    pytest_terminal_summary,
)
