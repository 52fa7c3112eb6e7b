"""An engine of the bank contains only what differs from the reference."""

import ast

import pytest

from durable_lab import source
from grader.dev.bank import SpliceError, load, splice

REFERENCE = '''"""An engine."""

from __future__ import annotations

import json


class Context:
    """Seen by a workflow."""

    # The time.
    @property
    def now(self) -> float:
        return 0.0  # here

    def wait(self) -> str:
        return json.dumps(None)


def helper() -> int:
    return 1
'''


def spliced(entry):
    made = splice(entry, REFERENCE)
    return made, {name: source.text_of(made, name) for name in source.functions(made)}


def test_a_method_replaces_the_one_of_the_same_name():
    made, functions = spliced("class Context:\n    def now(self):\n        return 1.0\n")
    assert functions["Context.now"] == "    def now(self):\n        return 1.0"
    assert [*functions] == ["Context.now", "Context.wait", "helper"]
    assert functions["Context.wait"] == source.text_of(REFERENCE, "Context.wait")
    assert "    # The time.\n" in made


def test_a_new_method_is_added_to_its_class():
    _, functions = spliced("class Context:\n    def more(self):\n        return 2\n")
    assert [*functions] == ["Context.now", "Context.wait", "Context.more", "helper"]


def test_functions_constants_and_classes_of_the_module_are_replaced_or_added():
    made, functions = spliced(
        "LIMIT = 3\n\ndef helper():\n    return LIMIT\n\ndef other():\n    ...\n\nclass Box:\n    x = 1\n"
    )
    names = {}
    exec(compile(made, "engine", "exec"), names)
    assert names["helper"]() == 3
    assert names["Box"].x == 1
    assert "other" in functions


def test_imports_follow_the_imports_and_what_an_entry_declares_is_left_out():
    made, _ = spliced('"""A belief."""\n\nfrom __future__ import annotations\nimport time\nTODO = 3\nBELIEF = "M9"\n')
    assert made.splitlines()[4:6] == ["import json", "import time"]
    assert made.count("__future__") == 1
    assert "TODO" not in made
    assert ast.get_docstring(ast.parse(made)) == "An engine."


def test_only_functions_can_be_put_into_a_class_of_the_engine():
    with pytest.raises(SpliceError, match="line 2: only functions can be put into Context"):
        spliced("class Context:\n    limit = 3\n")


def test_a_whole_engine_is_used_unchanged(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text('"""Mine."""\n\nWHOLE = True\n', encoding="utf-8")
    entry = load(path)
    assert (entry.source(), entry.about, entry.whole) == (entry.text, "Mine.", True)


def test_what_an_entry_declares_must_be_a_plain_value(tmp_path):
    path = tmp_path / "odd.py"
    path.write_text("TODO = 1 + one\n", encoding="utf-8")
    with pytest.raises(SpliceError, match=r"odd\.py: TODO must be a plain value"):
        load(path)
