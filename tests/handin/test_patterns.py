"""Reading takes time in proportion to the length of the text; and its patterns mean the same on every Python."""

import ast
import re
import time
from contextlib import suppress

import pytest

from durable_lab.study import LAB_DIR, ROOT
from grader.handin.inside.syntax import MOST, Unreadable, readable

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


@pytest.mark.parametrize("unit", ['\\",', "\\''',", "\\'''\n", '"\\', "'''\\", 'f"{', "\\\n'"])
@pytest.mark.parametrize("start", ["", '"', "'''", '"""'])
def test_python_of_literals_without_an_end_takes_no_long_time(start, unit):
    began = time.process_time()
    with suppress(Unreadable):
        readable((start + unit * MOST)[:MOST])
    assert time.process_time() - began < 2
