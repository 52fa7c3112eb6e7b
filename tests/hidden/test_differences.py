"""What a student learns about a hidden variant: how it differs, in fixed words, and nothing about its findings."""

import ast
from pathlib import Path

import pytest

import solution.engine
from durable_lab.checks.bench import Bench
from grader.checker import hidden, suite
from grader.checker.hidden import difference, variants, vocabulary

HIDDEN = hidden.load()
TEXTS = [module.__file__ for module in variants.MODULES]


class Kept(Bench):
    """A bench that records every difference."""

    def __init__(self):
        super().__init__(lambda: solution.engine)
        self.differences = []

    def run(self, *args, **options):
        self.differences.append(hidden.difference_of([self]))
        return super().run(*args, **options)


def differences(name, course):
    bench = Kept()
    HIDDEN[name](bench, hidden.seed_for(name, course))
    return list(dict.fromkeys(bench.differences))


def all_differences():
    """Every first argument of `differs`, from the source."""
    found = []
    for path in TEXTS:
        tree = ast.parse(Path(path).read_text(encoding="utf-8"))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        found += [node.args[1] for node in calls if getattr(node.func, "id", "") == "differs"]
    return found


def test_a_difference_is_a_fixed_string_so_that_it_depends_on_no_seed_and_no_engine():
    assert len(all_differences()) > 30
    assert all(isinstance(node, ast.Constant) and isinstance(node.value, str) for node in all_differences())


@pytest.mark.parametrize("name", HIDDEN)
def test_each_variant_says_in_what_way_it_differs(name):
    said = differences(name, "a course")
    assert [words for words in said if words != difference.DEFAULT], "it says only that names are others"
    assert said == differences(name, "another course"), "it depends on the seed"


def test_a_difference_names_nothing_that_only_a_variant_has():
    secret = {word for place in vocabulary.PLACES for kind in place for word in kind} | {
        *vocabulary.PEOPLE,
        *vocabulary.TROUBLES,
    }
    for node in all_differences():
        assert not {word for word in secret if f" {word} " in f" {node.value} "}, node.value


def test_a_variant_that_is_stopped_before_it_begins_differs_in_its_names():
    assert hidden.difference_of([]) == difference.DEFAULT
    assert len(suite.public()) == len(HIDDEN)
