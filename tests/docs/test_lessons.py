"""The headings, questions, commands, methods and files to which the lessons and their README refer exist."""

import re
import shlex

import pytest

from durable_lab.lesson.questions import all_questions
from durable_lab.rules import RULES
from durable_lab.study import LAB_DIR, ROOT
from durable_lab.todos import all_todos
from solution import engine

FOLDER = ROOT / "solution" / "notebooks"
LESSONS = {path.name[:2]: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("0*.py"))}
SOURCE = (ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
OWNERS = {"ctx": engine.Context, "Context": engine.Context, "DurableEngine": engine.DurableEngine}
OWNERS |= {"engine": engine.DurableEngine, "WorkflowState": engine.WorkflowState, "RetryPolicy": engine.RetryPolicy}

each = pytest.mark.parametrize("text", LESSONS.values(), ids=LESSONS)


def prose(text):
    """Return the prose of a lesson."""
    cells = re.split(r"^# %%", text, flags=re.MULTILINE)
    lines = [line for cell in cells if cell.startswith(" [markdown]") for line in cell.splitlines()[1:]]
    return "\n".join(line.removeprefix("#").strip() for line in lines)


def spans(text):
    return re.findall(r"`([^`\n]+)`", prose(text))


@each
def test_a_method_that_the_prose_names_is_one_of_the_engine(text):
    for owner, name in (found.groups() for s in spans(text) if (found := re.fullmatch(r"(\w+)\.(\w+)(?:\(.*\))?", s))):
        if owner in OWNERS:
            fields = getattr(OWNERS[owner], "__dataclass_fields__", {})
            assert hasattr(OWNERS[owner], name) or name in fields or re.search(rf"self\.{name}\b", SOURCE), (
                f"{owner}.{name}"
            )


@each
def test_a_command_in_the_prose_is_one_that_the_parser_takes(text, durable_lab_takes):
    for words in (shlex.split(s)[1:] for s in spans(text) if s.startswith("durable-lab")):
        durable_lab_takes([*words, "start"] if words == ["refund"] else words)  # named without its step


@each
def test_a_file_that_the_prose_names_is_there(text):
    names = {
        path.name for folder in ("solution", "grader", "tests", LAB_DIR.name) for path in (ROOT / folder).rglob("*")
    }
    names |= {f"{path.stem}.ipynb" for path in FOLDER.glob("0*.py")}
    for span in spans(text):
        if re.fullmatch(r"[\w./-]+\.(py|md|toml|ipynb)", span):
            assert (ROOT / span).exists() or (LAB_DIR / span).exists() or span.split("/")[-1] in names, span


@each
def test_rules_and_todos_that_the_prose_names_exist(text):
    assert set(re.findall(r"\bR\d+\b", prose(text))) <= RULES.keys()
    assert {int(n) for n in re.findall(r"\bTODO (\d+)", prose(text))} <= all_todos().keys()


def test_every_question_is_asked_in_a_lesson_and_every_asked_one_exists():
    asked = {name for text in LESSONS.values() for name in re.findall(r'^question\("([\w-]+)"', text, re.MULTILINE)}
    assert asked == all_questions().keys()


def test_the_table_of_the_two_texts_points_to_headings_and_questions_that_are_there():
    rows = [line for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    seen = 0
    for row in rows:
        for part in row.split("|")[2].split(";"):
            if not (found := re.match(r"\s*(0\d), ", part)):
                continue
            lesson = LESSONS[found[1]]
            for heading in re.findall(r"'([^']+)'", part) or re.findall(r'"([^"]+)"', part):
                assert re.search(rf"^# #+ .*{re.escape(heading)}", lesson, re.MULTILINE), f"{found[1]}: {heading}"
                seen += 1
            for name in re.findall(r"question (\w+-\d+)", part):
                assert f'question("{name}"' in lesson, f"{found[1]}: {name}"
                seen += 1
    assert seen > 20
