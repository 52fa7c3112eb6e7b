"""The pytest plugin of the 14 tests: which engine ran, a short message for each failure, and the next step."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest._code.code import TerminalRepr
from _pytest._io import TerminalWriter

from durable_lab import study, todos
from durable_lab.checks.bench import Bench
from durable_lab.checks.explain import explained
from durable_lab.checks.origin import origin
from durable_lab.checks.runner import PRINTED
from durable_lab.checks.substitute import REFERENCE, substitute, substituted

LINES, WIDE = 5, 120  # of what the engine printed in a test
SECONDS = 5  # for one test; each takes milliseconds, unless a TODO loops forever


class Words(TerminalRepr):
    """A message for a person, which pytest shows instead of a traceback."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.reprcrash = type("Crash", (), {"message": text.splitlines()[0], "path": path, "lineno": 0})()

    def toterminal(self, tw: TerminalWriter) -> None:
        tw.line(self.text)


def chosen() -> study.Study:
    """The engine under study; a wrong LAB_MODULE ends pytest with one clear line and exit code 2."""
    try:
        return study.current()
    except study.StudyError as error:
        pytest.exit(str(error), returncode=2)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "todo(*own, needs=()): the TODOs that this test is about, and others it needs")
    with contextlib.suppress(study.StudyError):  # each test reports it; importing here costs no test its time
        chosen().module()


def pytest_report_header() -> str:
    return f"engine under test: {chosen().label}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if marker := item.get_closest_marker("todo"):
            item.user_properties += [("todo", number) for number in marker.args]
            item.add_marker(pytest.mark.timeout(SECONDS))


@pytest.fixture
def bench() -> Bench:
    """A fresh bench with the engine under test."""
    return Bench(lambda: substitute(chosen().fresh()))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.excinfo is not None and item.get_closest_marker("todo"):
        report.longrepr = Words(explain(item, call.excinfo.value), str(item.path))
        report.outcome = "failed"
        report.sections = [(name, text) for name, text in report.sections if name == "Captured stdout call"]
    if call.when == "call":
        item.user_properties += [(PRINTED, line) for line in cut(report.capstdout)]
    return report


def cut(printed: str) -> list[str]:
    """The first lines of what was printed, cut to a width, and how many more there are."""
    lines = printed.splitlines()
    short = [line if len(line) <= WIDE else f"{line[: WIDE - 4]} ..." for line in lines[:LINES]]
    return [*short, f"... and {len(lines) - LINES} more lines"] if len(lines) > LINES else short


def explain(item: pytest.Item, error: BaseException) -> str:
    """Why this test failed, in the student's terms."""
    if isinstance(error, study.StudyError):
        return str(error)
    engine, marker = chosen(), item.get_closest_marker("todo")
    open_ones = {n: line for n, line in _stubs(engine).items() if n not in substituted()}
    own, needs = (marker.args, marker.kwargs.get("needs", ())) if marker else ((), ())
    late = isinstance(error, pytest.fail.Exception) and "from pytest-timeout" in str(error)
    ended = f"The engine did not return within {SECONDS} seconds: a loop in it does not end, or it really sleeps."
    came_from = origin(error, _is_of(engine), item.path.parent, engine.passed(error))
    return explained(error, own, needs, open_ones, study.shown(engine.path), came_from, ended if late else "")


def _is_of(engine: study.Study) -> Callable[[str], bool]:
    return lambda file: file == str(REFERENCE) or Path(file).resolve().parent == engine.path.parent.resolve()


def _stubs(engine: study.Study) -> dict[int, int]:
    return todos.open_todos(engine.text())


def pytest_terminal_summary(terminalreporter: Any) -> None:
    stats = terminalreporter.stats
    ours = {kind: [r for r in stats.get(kind, []) if _is_ours(r)] for kind in ("passed", "failed", "error")}
    total = sum(map(len, ours.values()))
    if total:
        terminalreporter.section("where you stand")
        terminalreporter.write_line(standing(chosen(), len(ours["passed"]), total))


def _is_ours(report: Any) -> bool:
    return any(name == "todo" for name, _ in getattr(report, "user_properties", []))


def standing(engine: study.Study, passed: int, total: int) -> str:
    """How many tests pass, and the next step."""
    head = f"{engine.label}: {passed} of {total} pass."
    if passed == total:
        return f"{head} Next: see it survive a real kill with `LAB_MODULE={engine.name} durable-lab demo`."
    try:
        stubs = _stubs(engine)
    except study.StudyError:
        return f"{head} The file cannot be read as Python; see the message above."
    if not stubs:
        return f"{head} Every TODO is written. Next: read the first failure above, from `first difference` upwards."
    number, line = next(iter(stubs.items()))
    fresh = f" That is right for a fresh lab: {len(stubs)} TODOs are open." if passed == 0 and len(stubs) == 5 else ""
    title = todos.all_todos()[number].title
    return f"{head}{fresh} Next: TODO {number}, {title} ({study.shown(engine.path)}, line {line})."
