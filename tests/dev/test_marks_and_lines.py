"""Malformed markers and unusual line separators: no answer is handed out, and no other line is removed."""

import pytest

from durable_lab import source
from durable_lab.stubs import BEGIN, END, StubError, strip_answers

HEAD = "class Context:\n    def now(self):\n"


@pytest.mark.parametrize(
    "region",
    [
        f"        {BEGIN} \n        secret = 1\n        {END}\n",
        f"        {BEGIN}\n        secret = 1\n        {END}",
        f"        {BEGIN}\n        secret = 1\n        {END} here\n",
        f"        {END}\n        secret = 1\n        {BEGIN}\n",
        f"        {BEGIN}\n        {BEGIN}\n        x = 2\n        {END}\n        secret = 1\n        {END}\n",
        "        ### BEGIN  SOLUTION\n        secret = 1\n        ###END SOLUTION\n",
        f"        x = 1  {BEGIN}\n        secret = 1\n        {END}\n",
    ],
)
def test_an_answer_is_never_handed_out_because_of_a_marker_that_is_not_quite_right(region):
    with pytest.raises(StubError, match=r"engine\.py"):
        strip_answers(HEAD + region, "engine.py")


@pytest.mark.parametrize("character", ["\u2028", "\x0c", "\x1c", "\x85", "\x0b"])
def test_an_unusual_line_separator_in_a_string_does_not_shift_the_functions(character):
    text = f'X = "a{character}b"\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n'
    assert source.text_of(text, "one") == "def one():\n    return 1"
    assert source.replace_function(text, "one", "def one():\n    return 9") == text.replace("return 1", "return 9")
