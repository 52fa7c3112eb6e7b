"""The hidden tests distinguish: right engines pass, wrong ones and those fitted to the 14 do not."""

import pytest

from durable_lab import source, todos
from durable_lab.study import ROOT
from grader.checker import suite
from grader.checker.hidden import load
from grader.dev.bank import entries

HIDDEN = {name: suite.of(test) for name, test in load().items()}
RIGHT = entries("right")
WRONG = entries("wrong")[::2]  # a sample, for speed; `python tests/hidden/runner.py wrong` takes all, with 5 seeds each
SEEDS = 5
TRIVIAL = (
    "pass",
    "return None",
    "return state",
    "return 0.0",
    "return self._engine.clock.now()",
    "raise RuntimeError",
)


@pytest.mark.parametrize("entry", RIGHT, ids=lambda entry: entry.path.stem)
@pytest.mark.long(every=4)
def test_a_right_engine_passes_however_it_is_written(run, entry):
    said = run(entry.source(), [(name, entry.name) for name in HIDDEN])
    assert said == [""] * 14


@pytest.mark.parametrize("entry", WRONG, ids=lambda entry: entry.path.stem)
@pytest.mark.long(every=12)
def test_a_wrong_engine_is_rejected_by_the_hidden_tests_alone(run, entry):
    about_it_first = sorted(HIDDEN, key=lambda name: entry.todo not in HIDDEN[name].own)
    said = run(entry.source(), [(name, entry.name) for name in about_it_first], only_first=True)
    assert any(said), "it passes all hidden tests"


@pytest.mark.long(every=8)
def test_an_engine_made_for_the_14_passes_them_but_not_their_twins(run, fitted):
    order = [*HIDDEN]
    assert run(fitted.source(), [(name, "") for name in order]) == [""] * 14
    for k in range(SEEDS):
        said = run(fitted.source(), [(name, f"seed {k}") for name in order], only_first=True)
        assert said[-1], f"it passes all hidden tests with seed {k}"
        order.insert(0, order.pop(len(said) - 1))  # what has caught it once is likely to do so again


@pytest.mark.parametrize("number", todos.all_todos())
@pytest.mark.parametrize("body", TRIVIAL)
@pytest.mark.long(every=4)
def test_a_todo_that_does_nothing_passes_no_test_that_is_about_it(run, number, body):
    text = (ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
    for part in todos.all_todos()[number].parts:
        node, lines = source.functions(text)[part.function], text.split("\n")
        head = lines[node.lineno - 1 : node.body[0].lineno - 1]
        text = source.replace_function(text, part.function, "\n".join([*head, f"        {body}"]))
    own = [name for name, test in HIDDEN.items() if number in test.own]
    for course in ("", "a course"):
        said = run(text, [(name, course) for name in own])
        assert [name for name, words in zip(own, said, strict=True) if not words] == []
