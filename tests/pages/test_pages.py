"""The pages work offline, contain no active content of a student, and repeat every plot as a table."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from durable_lab.diagnosis.diagnose import Diagnosis
from grader.checker.outcome import Outcome
from grader.pages.class_page import class_html
from grader.pages.part import HIDDEN, part_html, part_text
from grader.pages.student_page import student_html, student_text
from grader.report import Part, Report
from tests.classrun.fakes import a_class

BOOK = a_class()
EVIL = '<img src=x onerror="alert(1)"><script>alert(2)</script>{{ 7*7 }}\x1b[2J\u202e'
VOID = {"meta", "br", "rect", "path"}


class Page(HTMLParser):
    """Checks that what opens closes, and keeps what there is."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "title", "desc"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def evil_report() -> Report:
    outcome = Outcome(EVIL, (EVIL,), False, None, EVIL + "\n" + EVIL)
    diagnosis = Diagnosis(EVIL, EVIL, EVIL, EVIL, EVIL)
    part = Part(EVIL, 1.0, 2.0, EVIL, EVIL, (outcome, replace(outcome, passed=True, hidden=False)), diagnosis)
    return Report(EVIL, (part,), (EVIL,), (EVIL,), False, EVIL)


@pytest.mark.parametrize("html", [class_html(BOOK), student_html(BOOK.reports[0]), student_html(evil_report())])
def test_a_page_loads_nothing_runs_nothing_and_is_whole(html):
    page = Page(html)
    assert {tag for tag, _ in page.tags} & {"script", "img", "iframe", "link", "object", "form", "base"} == set()
    assert page.named("html") == [{"lang": "en"}]
    assert "default-src 'none'" in str(page.named("meta"))
    for tag, attributes in page.tags:
        assert not any(name.startswith("on") for name in attributes), tag
        assert not re.match(r"\s*(\w+:|//)", attributes.get("href") or ""), tag
    assert "url(http" not in html
    assert "@import" not in html
    assert "\x1b" not in html
    assert "\u202e" not in html
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(below - above <= 1 for above, below in itertools.pairwise(levels)), "no heading is left out"


def test_everything_that_a_student_made_is_text_in_every_place():
    for text in (student_html(evil_report()), part_html(evil_report().parts[0])):
        assert "onerror=&#34;" in text
        assert "49" not in Page(text).text
        assert "{{ 7*7 }}" in Page(text).text
    plain = student_text(evil_report())
    assert "\x1b" not in plain
    assert "\u202e" not in plain


def test_a_message_cannot_pose_as_a_line_of_ours():
    report = Report(
        "eve", (Part("TODO 1", 0.0, 24.0, outcomes=(Outcome("t", (), False, None, "x\nTODO 1: 24 of 24"),)),)
    )
    assert not re.search(r"^\W*TODO 1: 24 of 24", student_text(report).replace("| ", "|"), re.M) or (
        "         | TODO 1: 24 of 24" in student_text(report)
    )
    assert "\nTODO 1: 24 of 24" not in student_text(report)


def test_each_plot_has_a_description_and_its_numbers_in_a_table():
    page = Page(class_html(BOOK))
    (plot,) = [attributes for attributes in page.named("svg") if attributes.get("class") == "plot"]
    assert plot["role"] == "img"
    assert "60 to 69 per cent: " in str(plot["aria-label"])
    for step in re.findall(r"(\d+) to (\d+) per cent: (\d+)", str(plot["aria-label"])):
        assert f"{step[0]} to {step[1]} {step[2]} " in page.text
    bars = [attributes for attributes in page.named("svg") if attributes.get("class") == "bar"]
    assert len(bars) > 30
    assert all(bar["aria-hidden"] == "true" for bar in bars), "the number is in the cell beside it"


def test_the_class_report_says_who_what_and_why():
    page = Page(class_html(BOOK, {"Zed Zero": "feedback/Zed Zero.html"}))
    for words in (
        "1 submission is not graded",
        "KeyError: 'nothing'. Run `grade` again",
        "it took more than 60 seconds, twice",
        "it imports `socket`",
        "The graded cell of TODO 2 was there twice",
        "Signals come in one after the other, so the next one is mine. (M9)",
        "The wrong approval is used",
        "R8",
        "signals are consumed per name in order",
        "notes.txt: not a folder",
        "2 h after the deadline",
        '<script>alert("me")</script>',
    ):
        assert words in page.text, words
    assert {"href": "feedback/Zed%20Zero.html"} in page.named("a")
    assert "NOT ISOLATED" not in page.text
    links = {str(a["href"])[1:] for a in page.named("a") if str(a["href"]).startswith("#")}
    assert links <= {str(attributes.get("id")) for _, attributes in page.tags}


def test_an_empty_class_and_one_of_full_marks_have_a_page_too():
    for reports in ((), (Report("ana", (Part("TODO 1", 24.0, 24.0, outcomes=(Outcome("t", ("R1",), True, True),)),)),)):
        entries = [replace(BOOK.entries[0], report=report, problem="") for report in reports]
        text = Page(class_html(replace(BOOK, entries=tuple(entries), left_out=()))).text
        assert "No wrong belief was recognised." in text
        assert "Nothing was refused." in text


@pytest.mark.parametrize("report", BOOK.reports, ids=lambda report: str(len(report.student)))
def test_the_text_report_has_the_content_of_the_page(report):
    page, text = Page(student_html(report)).text, " ".join(student_text(report).replace("| ", "").split())
    facts = [f"{report.points:g} of {report.out_of:g} points", *report.repairs, *report.refusals, report.late]
    for part in report.parts:
        facts += [part.note, part.taken_from, *(outcome.test for outcome in part.outcomes)]
        facts += [part.diagnosis.words, part.diagnosis.customer, part.diagnosis.read] if part.diagnosis else []
        facts += [line for outcome in part.outcomes for line in outcome.message.splitlines()]
    for fact in filter(None, facts):
        fact = " ".join(fact.split())
        assert fact in page, fact
        assert fact in text, fact


def test_a_message_is_shown_once_on_a_page_and_a_repetition_points_to_it():
    outcomes = tuple(Outcome(f"test {i}", ("R1",), False, None, "line 1\nline 2") for i in range(3))
    half = tuple(Outcome(f"half {i}", ("R1",), True, False, "") for i in range(2))
    report = Report(
        "ana", (Part("TODO 1", 0.0, 1.0, outcomes=outcomes), Part("whole engine", 0.0, 1.0, outcomes=outcomes + half))
    )
    for text in (student_text(report), Page(student_html(report)).text):
        flat = " ".join(text.split())
        assert flat.count("line 2") == 1
        assert flat.count("see above") == 5
        assert flat.count(HIDDEN) == 1
    assert part_text(report.parts[1]).count("line 2") == 1


def test_pages_are_the_same_for_the_same_marks():
    assert class_html(a_class()) == class_html(a_class())
    assert [student_html(r) for r in a_class().reports] == [student_html(r) for r in BOOK.reports]
