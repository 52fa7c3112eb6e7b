"""Students' content on pages: the same words, and nothing that runs or is fetched."""

import re
import tomllib
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from grader.nbgrader_course import clean

PAYLOADS = tomllib.loads(Path(__file__).with_name("payloads.toml").read_text(encoding="utf-8"))
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
HARMLESS = {
    "a heading": "# The *engine*\n\ntext with `code < code` & signs, $a < b$, https://example.org\n",
    "a list": "- one\n- two\n  1. three\n\n> quoted\n",
    "code": "```python\nx = '<b>'  # a comment\n```\n",
    "a table": "| a | b |\n|---|---|\n| 1 | **2** |\n",
    "a link": '[the handout](README.md "a title") and [elsewhere](https://example.org/a?b=c#d)\n',
}


def is_inert(html):
    """No tag, attribute or address in it does anything."""
    page = BeautifulSoup(html, "html.parser")
    for tag in page.find_all(True):
        assert tag.name not in ("script", "style", "iframe", "object", "embed", "svg", "math", "form", "input", "link")
        for name, value in tag.attrs.items():
            assert not name.startswith("on"), tag
            assert name != "id" or value not in ("todo-3", "todo-3-comment"), tag
            words = re.sub(r"[\s\x00-\x20]", "", str(value)).casefold()
            assert "javascript:" not in words or name in ("title", "alt"), tag
            assert name != "src" or words.startswith("data:image/"), tag
            assert "url(" not in words or name != "style", tag
    return True


@pytest.mark.parametrize("payload", PAYLOADS["markdown"])
def test_hostile_markdown_is_harmless_in_nbconverts_own_renderer(payload):
    for text in (payload, f"words\n\n{payload}\n\nwords", f"- {payload}"):
        assert is_inert(markdown2html_mistune(clean.markdown_source(text)))
        assert is_inert(clean.markdown(text))


@pytest.mark.parametrize("payload", PAYLOADS["markdown"])
def test_hostile_html_is_harmless(payload):
    assert is_inert(clean.html(payload))


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_honest_markdown_is_not_changed(text):
    assert clean.markdown_source(text) == text


def test_html_that_is_harmless_is_still_shown_as_html():
    made = markdown2html_mistune(clean.markdown_source("some <b>bold</b> words\n\n<table><tr><td>1</td></tr></table>"))
    assert "<b>bold</b>" in made
    assert "<td>1</td>" in made


def test_a_merged_block_is_split_by_no_renderer():
    tricky = '<p title="a">$x$ \\begin{a} `b`\n\n* c\n\n# d\n\n[e](f)\n\n```\ng\n```</p><script>'
    made = clean.markdown_source(tricky)
    inner = made.removeprefix("<div>").removesuffix("</div>")
    assert "\n" not in made
    assert inner in markdown2html_mistune(made)


@pytest.mark.parametrize("data", PAYLOADS["output"], ids=lambda data: next(iter(data))[:20])
def test_an_output_keeps_only_words_tables_and_pictures(data):
    given = {
        "output_type": "display_data",
        "data": data,
        "metadata": {"text/html": {"isolated": True}},
        "svg_filename": "x",
    }
    [made] = clean.outputs([given])
    assert made["metadata"] == {}
    assert set(made) == {"output_type", "data", "metadata"}
    assert set(made["data"]) <= {"text/plain", "text/html", "image/png", "image/jpeg"}
    assert "image/png" not in made["data"]
    assert "\x1b" not in made["data"]["text/plain"]


def test_a_picture_stays_a_picture():
    [made] = clean.outputs(
        [{"output_type": "display_data", "data": {"image/png": PNG, "text/plain": "a"}, "metadata": {}}]
    )
    assert made["data"] == {"image/png": PNG, "text/plain": "a"}
    assert clean.attachments(
        {"a.png": {"image/png": PNG}, "b.svg": {"image/svg+xml": "x"}, "c.png": {"image/png": "x"}}
    ) == {"a.png": {"image/png": PNG}}


def test_the_output_of_a_cell_is_cut_and_no_lone_surrogate_or_control_character_is_left():
    huge = [{"output_type": "stream", "name": "stdout", "text": "x" * 10_000_000}] * 3
    assert (
        sum(len(output["text"]) for output in clean.outputs(huge)) <= clean.OUTPUT_ROOM + 1_000
    )  # and a word about it
    [made] = clean.outputs(
        [{"output_type": "stream", "name": "stderr", "text": ["\x1b[31mred\x1b[0m \ud800\x00", "\r\n"]}]
    )
    assert made == {"output_type": "stream", "name": "stderr", "text": "red ?\n"}


@pytest.mark.parametrize(
    "given", [None, 7, "x", [1], [{}], [{"output_type": "display_data", "data": 3}], [{"data": {}}]]
)
def test_outputs_of_any_form_end_nothing(given):
    assert isinstance(clean.outputs(given), list)


@pytest.mark.timeout(20)
@pytest.mark.long(every=4)
@pytest.mark.parametrize(
    "sign", ["<div>", "[", "*a ", "`", "<b><i>", "$a", "<!--", "|", "~~a", "a\n: b\n", "\\begin{a}"]
)
def test_a_string_that_is_made_to_slow_a_parser_takes_no_time(sign):
    clean.markdown_source(sign * 50_000)
    clean.html(sign * 50_000)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("title", ["", "x" * 500])
def test_tags_that_a_parser_opens_again_in_each_paragraph_do_not_make_a_page_huge(title):
    tags = "".join(f"<i title='{title}{number}'>" for number in range(25_000 // (15 + len(title))))
    made = clean.html(f"<p>{tags}" + "</p><p>x" * 3_000)
    assert len(made) < 500_000
    assert is_inert(made)


def test_a_lone_surrogate_in_html_is_replaced():
    assert clean.html("<b>\ud800</b>") == "<b>?</b>"


def test_a_tag_that_is_not_allowed_is_shown_as_text():
    assert clean.html("<script>f()</script> <B>x</B> <svg/onload=y> a<0") == (
        "&lt;script&gt;f()&lt;/script&gt; <b>x</b> &lt;svg/onload=y&gt; a&lt;0"
    )
