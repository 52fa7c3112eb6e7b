import copy
import json

import pytest

from grader.dev.build import notebooks
from tests.handin.handin import HandIn


@pytest.fixture(scope="session")
def made():
    """Solved or not -> the notebooks by stem, as JSON."""
    return {solved: {p.stem: json.loads(text) for p, text in notebooks(solved).items()} for solved in (True, False)}


@pytest.fixture
def solved(made, tmp_path):
    """The notebooks with all TODOs written."""
    return HandIn(tmp_path / "ann", copy.deepcopy(made[True]))


@pytest.fixture
def untouched(made, tmp_path):
    """The notebooks as they were handed out."""
    return HandIn(tmp_path / "ann", copy.deepcopy(made[False]))
