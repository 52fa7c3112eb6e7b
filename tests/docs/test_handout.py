"""The statements of the two READMEs are true: rules, sizes, tests, commands, paths and outputs."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from durable_lab.rules import RULES
from durable_lab.study import LAB_DIR, ROOT
from durable_lab.todos import SKELETON, all_todos
from solution.engine import DurableEngine, SimulatedClock
from solution.refund import APPROVAL, ORDER, PaperWorld, WorkflowState, refund_with

HANDOUT = LAB_DIR / "README.md"
READMES = [ROOT / "README.md", HANDOUT]
COMMANDS = {"check", "hint", "reset", "doctor", "demo", "refund", "crash"}
MARK = re.compile(r"@pytest\.mark\.todo\(([\d, ]+?)(?:, needs=\(([\d, ]+)\))?\)\ndef (test_\w+)\(")
SUFFIXES = (".py", ".md", ".toml", ".ini", ".svg", ".ipynb", ".yml", ".lock", "Makefile", "LICENSE", "/")

both = pytest.mark.parametrize("readme", READMES, ids=["root", "handout"])


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def table(first_cell: str) -> list[list[str]]:
    """Return the rows of the handout whose first cell matches."""
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text_of(HANDOUT).splitlines()]
    return [row for row in rows if re.fullmatch(first_cell, row[0])]


def blocks(readme: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text_of(readme), re.DOTALL | re.MULTILINE)


def code(readme: Path) -> list[str]:
    """Return each code span, and each line of a shell block without its comment."""
    lines = [line.partition(" #")[0] for block in blocks(readme, "bash") for line in block.splitlines()]
    prose = re.sub(r"^```.*?^```", "", text_of(readme), flags=re.DOTALL | re.MULTILINE)
    return [*re.findall(r"`([^`\n]+)`", prose), *lines]


def lab_tests() -> dict[str, tuple[list[int], list[int]]]:
    """Every test of the lab: the TODOs that it is about, and those that it needs too."""
    found = [hit for path in sorted((ROOT / "tests" / "lab").glob("test_*.py")) for hit in MARK.findall(text_of(path))]
    return {name: (numbers(own), numbers(needs)) for own, needs, name in found}


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d", text)]


def test_the_table_of_rules_is_the_rules_word_for_word() -> None:
    assert {row[0]: row[1] for row in table(r"R\d+")} == RULES
    assert all(len(row) == 3 and row[2] for row in table(r"R\d+")), "each rule says what a customer sees"


def test_the_sizes_of_the_todos_are_those_in_the_skeleton() -> None:
    sizes = re.findall(r"# TODO (\d)(?: \(|, )(?:\(?part (\w), )?about (\d+) lines", text_of(SKELETON / "engine.py"))
    said = [(row[0].replace(", part ", ""), row[1], row[2].strip("`")) for row in table(r"\d(, part \w)?")]
    where = {
        f"{n}{'abc'[i] if len(t.parts) > 1 else ''}": p for n, t in all_todos().items() for i, p in enumerate(t.parts)
    }
    size = {number + part: f"about {lines} lines" for number, part, lines in sizes}
    assert said == [(number, size[number], part.function) for number, part in where.items()]


def test_the_table_of_tests_says_what_each_is_about() -> None:
    said = [(row[0].strip("`"), numbers(row[1])) for row in table(r"`test_\w+`")]
    assert said == [(name, own) for name, (own, _) in lab_tests().items()]
    assert len(said) == 14


def test_the_counts_after_each_todo_are_true() -> None:
    order = list(all_todos())
    rows = table(r"TODO \d")
    assert [row[0] for row in rows] == [f"TODO {number}" for number in order]
    for i, row in enumerate(rows):
        green = sum({*own, *needs} <= set(order[: i + 1]) for own, needs in lab_tests().values())
        assert row[1] == f"{green} of 14", f"after {row[0]}"


@both
def test_every_test_that_is_named_exists(readme: Path) -> None:
    known = {*lab_tests(), *(path.stem for path in ROOT.glob("tests/**/test_*.py"))}
    assert set(re.findall(r"\btest_\w+", text_of(readme))) <= known


@both
def test_every_durable_lab_command_is_one_that_the_parser_takes(
    readme: Path, durable_lab_takes: Callable[[Sequence[str]], None]
) -> None:
    calls = [
        shlex.split(found[1]) for span in code(readme) if (found := re.search(r"(?:^|\s)durable-lab(?!\S)(.*)", span))
    ]
    assert calls, "a README that names no command says nothing of use"
    for words in calls:
        assert not words or words[0] in COMMANDS, words
        durable_lab_takes(words)


@both
def test_every_link_and_every_path_exists(readme: Path) -> None:
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text_of(readme)) if "://" not in link]
    for link in links:
        assert (readme.parent / link.partition("#")[0]).exists(), f"the link {link}"
    words = {word.rstrip(".,;:") for span in code(readme) for word in span.split()}
    paths = {word for word in words if re.fullmatch(r"[\w./-]+", word) and word.endswith(SUFFIXES)}
    names = {
        path.name for folder in ("solution", "grader", "tests", LAB_DIR.name) for path in (ROOT / folder).rglob("*")
    }
    for path in paths:
        bases = (readme.parent, ROOT, LAB_DIR)
        assert any((base / path).exists() for base in bases) or ("/" not in path and path in names), f"the path {path}"


def test_the_history_that_is_drawn_is_a_true_one() -> None:
    world, engine = PaperWorld(), DurableEngine(clock=SimulatedClock(1000.0))
    blocked = engine.run(refund_with(world), WorkflowState("refund-1", ORDER))
    done = engine.run(refund_with(world), engine.signal(blocked.state, "approval", APPROVAL))
    drawn = [re.split(r"  +", line.strip()) for line in blocks(HANDOUT, "text")[0].splitlines()]
    said = [[*row[:3], row[-1]] for row in drawn if row[0].isdigit()]
    commands = json.loads(done.state.to_json())["commands"]
    assert said == [[str(i), c["kind"], c["name"], json.dumps(c["value"])] for i, c in enumerate(commands)]


def test_the_failure_that_is_shown_is_what_pytest_says(tmp_path: Path) -> None:
    record = "command = self._record(self._outside(self._perform, fn, name, sent, retry or self._engine.retry))"
    mistake = (
        record.replace("self._record(", "", 1)[:-1]
        + "\n            if command.ok:\n                self._record(command)"
    )
    engine = text_of(ROOT / "solution" / "engine.py")
    assert engine.count(record) == 1, "the engine has changed: make the mistake of the handout in another way"
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "__init__.py").touch()
    (tmp_path / "lab" / "engine.py").write_text(engine.replace(record, mistake), encoding="utf-8")
    env = {**os.environ, "LAB_MODULE": "lab", "LAB_WORKSPACE": str(tmp_path), "COLUMNS": "80"}
    command = [sys.executable, "-m", "pytest", "tests/lab", "--color=no"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    output = done.stdout.replace(str(tmp_path / "lab" / "engine.py"), "...")
    for part in blocks(HANDOUT, "text")[1].split("...\n"):
        assert part in output
