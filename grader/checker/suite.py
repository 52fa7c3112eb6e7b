"""The 14 tests as functions, which can be called on any engine: the reference, a student's, or a proxy of one."""

from __future__ import annotations

import importlib.util
import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from durable_lab.checks.bench import Bench, NotStarted
from durable_lab.study import ROOT

FOLDER = ROOT / "tests" / "lab"


@dataclass(frozen=True)
class Test:
    """One of the 14 tests. `own` are the TODOs that it is about, `needs` others that it uses."""

    __test__ = False  # for pytest: not a class of tests

    name: str
    rules: tuple[str, ...]
    own: tuple[int, ...]
    needs: tuple[int, ...]
    function: Callable[..., None]

    @property
    def sentence(self) -> str:
        return self.name.removeprefix("test_").replace("_", " ")


@cache
def public() -> tuple[Test, ...]:
    """The 14, in the order of their files."""
    return tuple(test for path in sorted(FOLDER.glob("test_*.py")) for test in _tests(_module(path)))


def run(engine: Callable[[], Any], tests: Iterable[Test], *extra: Any) -> dict[str, BaseException | None]:
    """Run each test on an engine of its own. By name: None if it passed, else what it raised.

    `engine` returns the module in a new process, for each test and each restart; if it raises, the test has failed.
    """
    return {test.name: _run(engine, test, extra) for test in tests}


def _run(engine: Callable[[], Any], test: Test, extra: tuple[Any, ...]) -> BaseException | None:
    try:
        test.function(Bench(engine), *extra)
    except (KeyboardInterrupt, NotStarted):  # Ctrl-C, or a fault of this machine: not raised by a worker
        raise
    except BaseException as error:
        return error
    return None


def _module(path: Any) -> Any:
    spec = importlib.util.spec_from_file_location(f"grader.the_14.{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _tests(module: Any) -> list[Test]:
    return [of(function) for name, function in vars(module).items() if name.startswith("test_")]


def of(function: Callable[..., None]) -> Test:
    """A test function with its marker `todo(*own, needs=...)` and the rules in its docstring, as a Test."""
    mark = next(mark for mark in getattr(function, "pytestmark") if mark.name == "todo")  # noqa: B009
    return Test(
        function.__name__, _rules(inspect.getdoc(function) or ""), mark.args, mark.kwargs.get("needs", ()), function
    )


def _rules(words: str) -> tuple[str, ...]:
    """The rules that a docstring cites; `R1 to R3` is three."""
    found = []
    for first, last in re.findall(r"R(\d+)(?: to R(\d+))?", words):
        found += [f"R{number}" for number in range(int(first), int(last or first) + 1)]
    return tuple(found)
