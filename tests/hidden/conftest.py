"""The runner, one warm process for each process of pytest."""

import importlib.util
import sys
from pathlib import Path

import pytest


def _runner():
    """`runner.py` beside this file, which is a command as well."""
    path = Path(__file__).with_name("runner.py")
    spec = importlib.util.spec_from_file_location("hidden_runner", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RUNNER = _runner()


@pytest.fixture(scope="session")
def run():
    """`run(source, jobs)`: what each test says of an engine; a job is a test and a course, "" for the public test."""
    with RUNNER.Runner() as runner:
        yield runner


def pytest_generate_tests(metafunc):
    if "fitted" in metafunc.fixturenames:
        found = RUNNER.fitted()
        metafunc.parametrize("fitted", found, ids=[entry.path.stem for entry in found])
