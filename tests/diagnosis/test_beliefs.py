"""The table of beliefs is complete and readable, and refers to lessons, rules and probes that exist."""

import re

import pytest

from durable_lab.diagnosis.diagnose import examples, right
from durable_lab.diagnosis.probes import PROBES
from durable_lab.rules import RULES
from durable_lab.study import ROOT
from durable_lab.todos import all_todos
from grader.dev.bank import BELIEFS, GROUPS, entries
from grader.dev.bank.entry import halves

LESSONS = {path.name[:2]: path.read_text(encoding="utf-8") for path in (ROOT / "solution/notebooks").glob("0*.py")}
each = pytest.mark.parametrize("belief", BELIEFS.values(), ids=BELIEFS)


def test_there_are_many_beliefs_for_every_todo():
    assert len(BELIEFS) >= 40
    assert {belief.todo for belief in BELIEFS.values()} == set(all_todos())
    assert {belief.group for belief in BELIEFS.values()} <= GROUPS.keys()


@each
def test_where_to_read_is_a_heading_of_a_lesson_and_a_rule(belief):
    assert re.search(rf"^# #{{2,3}} {re.escape(belief.section)}$", LESSONS[belief.lesson], flags=re.MULTILINE)
    assert set(belief.rules) <= RULES.keys()
    assert belief.read.startswith(f"lesson {belief.lesson}, ")


@each
def test_a_message_is_made_of_short_sentences(belief):
    for text in (belief.words, belief.customer):
        assert text.endswith(".")
        for sentence in re.split(r"(?<=[.;:,]) ", text):
            assert len(sentence.split()) <= 20, sentence
    assert re.search(r"\b(Kim|Ana|Lee)\b", belief.customer), "a story needs a customer"


@each
def test_the_probes_that_it_names_are_run_for_its_todo(belief):
    facts = [name for tell in belief.tells for name in tell]
    assert {name.partition(".")[0] for name in facts} | set(belief.show) <= PROBES.keys()
    assert all(name in right(belief.todo) or name.endswith(".!") for name in facts)


@each
def test_no_right_engine_shows_it(belief):
    assert not belief.is_shown_by(right(belief.todo))


def test_of_each_belief_one_engine_is_known_and_one_is_held_back():
    known, held_back = halves([*entries("wrong"), *entries("beyond")])
    for half in (known, held_back):
        assert {entry.belief for entry in half} == BELIEFS.keys()
    assert not {entry.name for entry in known} & {entry.name for entry in held_back}
    assert 0 <= len(known) - len(held_back) <= len(BELIEFS)
    assert examples().keys() == {entry.path.stem for entry in known}, "an example is of the known half"


@pytest.mark.parametrize("engine", examples())
def test_an_example_is_small_and_shows_a_difference(engine):
    story, _, timeline = examples()[engine].partition("\n\n")
    rows = timeline.splitlines()[1:]
    assert len(story.splitlines()) <= 2
    assert 1 <= len(rows) <= 9
    assert any(re.search(" # | #$", row) for row in rows)
    assert all(len(line) <= 110 for line in examples()[engine].splitlines())
