"""One part of a report as plain text and as a fragment of HTML, for pages, feedback and the terminal.

Messages and file names that come from a student's code stay text: `plain` makes them printable, Jinja escapes them.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from durable_lab.diagnosis.diagnose import Diagnosis
from grader.checker.outcome import Outcome
from grader.display import count, line, number, plain
from grader.report import Part

NOT_ISOLATED = "NOT ISOLATED: this code ran outside of a sandbox. The marks are as good as the trust in its author."
HIDDEN = "It passes this test, but not the hidden variant of it."
WIDTH = 100
_MESSAGE = 6_000  # characters of one message


def environment(folder: Path) -> jinja2.Environment:
    """Return a Jinja environment for the templates in this folder. It escapes all values."""
    loader = jinja2.FileSystemLoader(folder, encoding="utf-8")
    made = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters.update(plain=plain, line=line, number=number)
    return made


@cache
def templates() -> jinja2.Environment:
    """Return the environment of the templates in this folder."""
    made = environment(Path(__file__).with_name("templates"))
    made.filters["code"] = _code
    made.globals.update(count=count, tally=tally, shown_outcomes=shown_outcomes, not_isolated=NOT_ISOLATED)
    return made


def part_html(part: Part, level: int = 3, seen: set[str] | None = None) -> str:
    """Return the part as a <section> with a heading of this level. It is readable without style, script or link.

    seen  the messages further up on the same page, which are not repeated; new ones are added
    """
    seen = set() if seen is None else seen
    return templates().get_template("part.html.j2").render(part=part, level=level, seen=seen)


def part_text(part: Part, width: int = WIDTH, seen: set[str] | None = None) -> str:
    """Return the part as text, without a newline at its end. `seen` is as for `part_html`."""
    seen = set() if seen is None else seen
    lines = [f"{line(part.name)}: {number(part.points)} of {number(part.out_of)} points"]
    if part.note:
        lines += _wrap(line(part.note), width)
    if part.taken_from:
        lines += _wrap(f"what counted: {line(part.taken_from)}", width)
    if part.outcomes:
        lines += _wrap(tally(part), width)
    for shown in shown_outcomes(part, seen):
        lines += _outcome(shown, width)
    if part.diagnosis:
        lines += ["", *_diagnosis(part.diagnosis, width)]
    return "\n".join(lines)


def tally(part: Part) -> str:
    """Return the counts: `12 of 14 tests pass; hidden variants that fail: 1`, and how many tests cost less."""
    passed = [outcome for outcome in part.outcomes if outcome.passed]
    variants = sum(not outcome.earned for outcome in passed)
    paid_for = sum(outcome.paid_by > 0 for outcome in part.outcomes)
    how = "at half the cost, because one TODO alone is at fault" if part.name == "whole engine" else "counted elsewhere"
    words = f"{len(passed)} of {count(len(part.outcomes), 'test')} pass"
    words += f"; hidden variants that fail: {variants}" if variants else ""
    return words + (f"; {how}: {paid_for}" if paid_for else "")


@dataclass(frozen=True)
class ShownOutcome:
    """An outcome as it is shown: "passes", "half" or "fails", and either a sentence or text in lines."""

    word: str
    outcome: Outcome
    sentence: str = ""
    text: str = ""


def shown_outcomes(part: Part, seen: set[str]) -> Iterator[ShownOutcome]:
    """Yield the part's outcomes; a message that is on the page already is not repeated."""
    for outcome in part.outcomes:
        word = "fails" if not outcome.passed else "passes" if outcome.earned else "half"
        message = "" if outcome.earned else _message(outcome.message) or (HIDDEN if outcome.passed else "")
        known = message in seen
        seen |= {message} - {""}
        if known:
            yield ShownOutcome(word, outcome, "" if outcome.passed else "For this, too, see above.")
        elif "\n" in message:
            yield ShownOutcome(word, outcome, text=message)
        else:
            yield ShownOutcome(word, outcome, message)


def _outcome(shown: ShownOutcome, width: int) -> list[str]:
    rules = f" ({line(', '.join(shown.outcome.rules))})" if shown.outcome.rules else ""
    rules += f" - see TODO {shown.outcome.paid_by}" if shown.outcome.paid_by else ""
    word = shown.word if shown.outcome.earned else shown.word.upper()
    lines = _wrap(f"{word:<6} {line(shown.outcome.test)}{rules}", width, hang=7)
    lines += _wrap(shown.sentence, width, by=9) if shown.sentence else []
    return lines + textwrap.indent(shown.text, " " * 9 + "| ", lambda _: True).splitlines()


def _diagnosis(diagnosis: Diagnosis, width: int) -> list[str]:
    rows = (
        ("What this code seems to believe: ", diagnosis.words),
        ("What a customer sees: ", diagnosis.customer),
        ("Where to read: ", diagnosis.read),
    )
    lines = [text for label, words in rows if words for text in _wrap(label + line(words, 2_000), width)]
    if diagnosis.example:
        lines += ["  A small example:", *textwrap.indent(plain(diagnosis.example), "    ").splitlines()]
    return lines


def _code(text: str) -> Markup:
    """Return the grader's own words as HTML, with `this` as code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _message(text: str) -> str:
    return plain(text.strip("\n"), _MESSAGE)


def _wrap(text: str, width: int, by: int = 2, hang: int = 0) -> list[str]:
    first, rest = " " * by, " " * (by + hang)
    how = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, **how) or [first]  # type: ignore[arg-type]
