"""Reading takes time in proportion to the length of the text; and its patterns mean the same on every Python."""

import ast
import re
import time
from contextlib import suppress

import pytest

from durable_lab.study import LAB_DIR, ROOT
from grader.handin import limits, syntax
from grader.handin.model import Refused
from grader.handin.notebook import without_outputs

# `[` opens a class, in which such signs mean nothing; behind them a `+` is possessive.
_POSSESSIVE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\](?P<after>[*+?]\+)?|(?P<plain>[*+?}]\+|\(\?>)", re.DOTALL)


def possessive(pattern):
    """The possessive quantifiers and atomic groups of a pattern."""
    return [match[0] for match in _POSSESSIVE.finditer(pattern) if match["after"] or match["plain"]]


def patterns(path):
    """The literals that a Python file gives to the functions of `re`, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
            for part in (inner for given in node.args[:1] for inner in ast.walk(given)):
                if isinstance(part, ast.Constant) and isinstance(part.value, (str, bytes)):
                    text = part.value if isinstance(part.value, str) else part.value.decode("latin-1")
                    yield f"{path.relative_to(ROOT)}, line {part.lineno}", text


def test_no_pattern_is_possessive_because_python_before_3_11_5_matches_those_wrongly():
    folders = [LAB_DIR / "durable_lab", ROOT / "grader", ROOT / "solution", ROOT / "tests"]
    found = {where: text for folder in folders for path in folder.rglob("*.py") for where, text in patterns(path)}
    assert len(found) > 50
    assert {where: signs for where, text in found.items() if (signs := possessive(text))} == {}


@pytest.mark.parametrize("pattern", ["a*+", "a?+b", r"(?:[^\"\\]|\\.)*+", "[x]++", "a{2,3}+", "(?>a)", r"\w++"])
def test_each_kind_of_possessive_pattern_is_seen(pattern):
    assert possessive(pattern)


@pytest.mark.parametrize("pattern", [r"a\++", r"[+*]+", r"\*+", "a+b+", "[^?]+", r"(\{x\})+", r"[]+*]+"])
def test_no_other_pattern_is_taken_for_a_possessive_one(pattern):
    assert not possessive(pattern)


HEAD, TAIL = b'{"cells": [{"outputs": [', b'], "source": "kept"}]}'


@pytest.mark.parametrize(
    "value",
    [
        b'"x"',
        b'"\\"]"',
        b'"\\\\"',
        b'"' + b"\\n" * 60 + b'"',
        b'["]", {"a": "\\"}"}]',
        b'"' + b"y" * 5000 + b'", 1',
        b'"' + b'\\"' * 3000 + b'", "[", 2.5',
        b", ".join([b'"a\\\\"'] * 2500),
    ],
    ids=lambda value: value.decode()[:20],
)
def test_outputs_are_passed_over_to_their_own_end(value):
    assert without_outputs(HEAD + value + TAIL) == b'{"cells": [{"outputs": []' + TAIL[1:]


@pytest.mark.parametrize("cut", [b"", b'"', b'"x', b'"\\"', b'["x"', b'"' + b"\\" * 2001, b'"x", "' + b'\\"' * 2000])
def test_outputs_that_are_cut_off_are_refused_and_never_taken_for_whole(cut):
    with pytest.raises(Refused, match="is cut off"):
        without_outputs(HEAD + cut)


def seconds(function, *given):
    start = time.process_time()
    with suppress(Refused):
        function(*given)
    return time.process_time() - start


@pytest.mark.parametrize(
    "data",
    [
        HEAD + b'"' + b'\\"' * 1_000_000,
        HEAD + b'"x",' * 500_000,
        HEAD + b'"\\n' * 700_001,
        b'{"cells": ["' + b'\\"' * 2_500_000,
    ],
    ids=lambda data: data.decode()[:40],
)
def test_a_large_notebook_of_strings_without_an_end_takes_no_long_time(data):
    assert seconds(without_outputs, data) < 2


@pytest.mark.parametrize("unit", ['\\",', "\\''',", "\\'''\n", '"\\', "'''\\", 'f"{', "\\\n'"])
@pytest.mark.parametrize("start", ["", '"', "'''", '"""'])
def test_python_of_literals_without_an_end_takes_no_long_time(start, unit):
    text = (start + unit * limits.ENGINE)[: limits.ENGINE]
    assert seconds(syntax.parse, text, limits.ENGINE) < 2


def test_text_between_literals_is_still_counted():
    deep = "(" * 60 + ")" * 60
    for text in (f"x = 'a' {deep} 'b'", f'x = """a\n"b""" {deep} "c"', f"# it's\nx = {deep}", f"x = '\\'' {deep}"):
        with pytest.raises(syntax.Unreadable, match="nested too deep"):
            syntax.parse(text, limits.CELL)
    for text in ("x = 'it\\'s (((' + \"(((\"", f"x = '''{deep}'''", f"# {deep}\nx = 1"):
        syntax.parse(text, limits.CELL)
