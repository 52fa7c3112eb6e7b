"""nbgrader's whole cycle for four students in one process: one right, one fresh, one wrong and damaged, one hostile."""

import csv
import json
import re
import tomllib
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from nbgrader.api import Gradebook
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory

from durable_lab.lesson.questions import all_questions, digest
from grader.marks import grade
from grader.nbgrader_course import steps
from grader.nbgrader_course.prepare import original_of
from grader.rubric import weights

PAYLOADS = tomllib.loads(Path(__file__).with_name("payloads.toml").read_text(encoding="utf-8"))
NOTEBOOKS = 7
pytestmark = pytest.mark.long  # the sample has test_hand_ins.py, and the cycle in JupyterLab (tests/browser)


class Student:
    """Fetches, hands in and reads feedback through nbgrader's exchange, as the Assignment List does."""

    def __init__(self, course, home, name):
        self.home, self.name = home, name
        home.mkdir()
        self.config = steps.config(course)
        self.config.CourseDirectory.update(root=str(home), student_id=name, assignment_id="lab-01")
        self.config.Exchange.update(assignment_dir=str(home), cache=str(home / "cache"))
        self.config.ExchangeSubmit.add_random_string = True

    def __call__(self, step):
        directory, doors = CourseDirectory(config=self.config), Authenticator(config=self.config)
        made = getattr(ExchangeFactory(config=self.config), step)
        made(coursedir=directory, authenticator=doors, config=self.config).start()

    def edit(self, stem, change):
        path = self.home / "lab-01" / f"{stem}.ipynb"
        book = json.loads(path.read_text(encoding="utf-8"))
        change(book["cells"])
        path.write_text(json.dumps(book), encoding="utf-8")

    def hand_in(self):
        self("Submit")

    def feedback(self):
        """The pages that were fetched, by stem."""
        self("FetchFeedback")
        return {path.stem: path.read_text(encoding="utf-8") for path in self.home.glob("lab-01/feedback/*/*.html")}


def put(cells, id, source):
    cell = next(cell for cell in cells if cell["id"] == id)
    cell["source"] = source


def fill(student, solved, *stems):
    """Put the answers of the solved notebooks into the student's."""
    for stem in stems:
        answers = {cell["id"]: cell["source"] for cell in solved[stem]["cells"]}
        student.edit(stem, lambda cells, answers=answers: [put(cells, id, text) for id, text in answers.items()])


def right(name):
    return next(
        letter for letter in all_questions()[name]["choices"] if digest(name, letter) == all_questions()[name]["answer"]
    )


def strip(cells):
    """What other editors do: no names, no metadata; and one cell of a strange version, one twice."""
    for cell in cells:
        cell.pop("id")
        cell["metadata"] = {}
    cells[16]["metadata"] = {"nbgrader": {"grade_id": "todo-2", "schema_version": 99, "grade": True, "points": 999}}
    cells.insert(3, dict(cells[16]))


@pytest.fixture(scope="module")
def cycle(bubblewrap, released, books, tmp_path_factory):
    """The course after the cycle, its students, and what autograde said of each."""
    import shutil

    course = tmp_path_factory.mktemp("cycle") / "course"
    shutil.copytree(released, course)
    homes = tmp_path_factory.mktemp("homes")
    students = {name: Student(course, homes / name, name) for name in ("ana", "bo", "cy", "dee")}
    for student in students.values():
        student("FetchAssignment")
    ana, _, cy, dee = students.values()
    solved = books(solved=True)
    fill(ana, solved, *solved)
    ana.edit(
        "06_sagas",
        lambda cells: put(cells, "essay", "At least once from the engine, once in the bank: it knows the key."),
    )
    asked = next(cell for cell in solved["05_signals"]["cells"] if 'question("signals-1"' in "".join(cell["source"]))
    answer = "".join(asked["source"]).replace("...", repr(right("signals-1")))
    ana.edit("05_signals", lambda cells: put(cells, asked["id"], answer))

    fill(cy, solved, "02_replay", "03_determinism")
    wrong = "@todo(2)\ndef now(self):\n    return self._engine.clock.now()"
    cy.edit("03_determinism", lambda cells: (put(cells, "03_determinism-15", wrong), strip(cells)))
    (cy.home / "lab-01" / "03_determinism.ipynb").rename(cy.home / "lab-01" / "my copy (1).ipynb")

    text = (dee.home / "lab-01" / "03_determinism.ipynb").read_text(encoding="utf-8")
    (dee.home / "lab-01" / "03_determinism.ipynb").write_text(text[:2000], encoding="utf-8")
    fill(dee, solved, "02_replay")
    dee.edit("05_signals", hostile)
    dee.edit("06_sagas", lambda cells: put(cells, "essay", "\n\n".join(PAYLOADS["markdown"])))
    for student in students.values():
        student.hand_in()
    assert steps.collect(course) == ("ana", "bo", "cy", "dee")
    graded = {one.student: one for one in steps.autograde(course, grade)}
    return course, students, graded


def hostile(cells):
    """Everything that a page might run, as Markdown, raw and code cells, with outputs and metadata."""
    for kind in ("markdown", "raw", "code"):
        for payload in PAYLOADS["markdown"]:
            cell = {"cell_type": kind, "metadata": {"tags": ['"><script>window.__pwned=1</script>']}, "source": payload}
            if kind == "code":
                cell |= {"execution_count": 1, "outputs": [output(PAYLOADS["output"][0])]}
            cells.insert(5, cell)


def output(data):
    return {"output_type": "display_data", "data": data, "metadata": {}}


def gradebook(course):
    return Gradebook(f"sqlite:///{course}/gradebook.db", "durable")


def test_everybody_has_the_marks_of_their_report_in_the_gradebook(cycle):
    course, _, graded = cycle
    assert [one.problem for one in graded.values()] == [""] * 4
    points = {name: one.report.points for name, one in graded.items()}
    assert points["ana"] == pytest.approx(84 + 10 / len(all_questions()), abs=0.01)
    assert (points["bo"], graded["cy"].report.part("TODO 1").points) == (0, 24)
    with gradebook(course) as book:
        for name, one in graded.items():
            submission = book.find_submission("lab-01", name)
            assert submission.score == pytest.approx(one.report.points, abs=0.05)
            assert submission.max_score == 100 + weights()["manual"]["essay"]
            for part in one.report.parts:
                id = part.name.lower().replace(" ", "-")
                [found] = [g for n in submission.notebooks for g in n.grades if g.name == id]
                assert found.auto_score == pytest.approx(part.points, abs=0.005)
                assert not found.needs_manual_grade


def test_honest_accidents_cost_nothing_and_a_wrong_todo_costs_one(cycle):
    _, _, graded = cycle
    report = graded["cy"].report
    points = {part.name: part.points for part in report.parts if part.name.startswith("TODO")}
    assert points == {"TODO 1": 24, "TODO 4": 16, "TODO 2": report.part("TODO 2").points, "TODO 3": 0, "TODO 5": 0}
    assert report.part("TODO 2").points < 8
    assert any("my copy (1).ipynb was taken as 03_determinism.ipynb" in repair for repair in report.repairs)


def test_a_notebook_that_cannot_be_read_has_0_points_and_the_reason_in_the_gradebook(cycle):
    course, _, graded = cycle
    assert graded["dee"].report.part("TODO 2").points == 0
    with gradebook(course) as book:
        comment = book.find_comment("answer-03-now", "03_determinism", "lab-01", "dee").auto_comment
        unwritten = book.find_comment("answer-03-now", "03_determinism", "lab-01", "bo").auto_comment
    assert "damaged" in comment
    assert unwritten == "still to be written"


def test_an_answer_waits_for_a_person_whose_marks_stay_when_it_is_graded_again(cycle):
    course, _, graded = cycle
    with gradebook(course) as book:
        waits = {name: book.find_grade("essay", "06_sagas", "lab-01", name).needs_manual_grade for name in graded}
        assert waits == {"ana": True, "bo": False, "cy": False, "dee": True}
        by_hand = book.find_grade("todo-2", "03_determinism", "lab-01", "cy")
        by_hand.manual_score, by_hand.extra_credit = 5.0, 0.5
        book.db.commit()
    before = {path: path.read_bytes() for path in course.glob("autograded/*/lab-01/*.ipynb")}
    assert grade(original_of(course, "cy", "lab-01"), "cy") == graded["cy"].report
    steps.autograde(course, lambda folder, student: graded[student].report)
    assert {path: path.read_bytes() for path in course.glob("autograded/*/lab-01/*.ipynb")} == before
    assert len(before) == 4 * NOTEBOOKS
    with gradebook(course) as book:
        assert book.find_grade("todo-2", "03_determinism", "lab-01", "cy").score == 5.5


def test_what_nbgrader_shows_is_the_release_with_the_students_own_text_in_it(cycle):
    course, _, _ = cycle
    for name in ("ana", "bo", "cy", "dee"):
        for path in sorted((course / "release" / "lab-01").glob("*.ipynb")):
            given = json.loads(path.read_text(encoding="utf-8"))["cells"]
            shown = json.loads((course / "autograded" / name / "lab-01" / path.name).read_text(encoding="utf-8"))[
                "cells"
            ]
            kept = [cell["id"] for cell in shown if not cell["id"].startswith(("own-", "note"))]
            assert kept == [cell["id"] for cell in given]
            about = {cell["id"]: cell["metadata"].get("nbgrader", {}) for cell in given}
            for cell in shown:
                assert not cell.get("attachments")
                assert "checksum" not in about.get(cell["id"], {}) or cell["metadata"]["nbgrader"]["grade_id"]
    cells = json.loads((course / "autograded" / "cy" / "lab-01" / "03_determinism.ipynb").read_text(encoding="utf-8"))[
        "cells"
    ]
    assert "return self._engine.clock.now()" in "".join(
        next(c for c in cells if c["id"] == "03_determinism-15")["source"]
    )


def test_each_student_fetches_pages_that_say_why_and_that_run_and_load_nothing(cycle):
    course, students, graded = cycle
    pages = steps.feedback(course, give=True)
    assert len(pages) == 4 * NOTEBOOKS
    for name, student in students.items():
        fetched = student.feedback()
        assert len(fetched) == (NOTEBOOKS if name != "cy" else NOTEBOOKS - 1)  # nbgrader looks for the names handed in
        for page in fetched.values():
            assert loads(page) == []
            assert f"handed in by {name}" in page
    page = (course / "feedback" / "cy" / "lab-01" / "03_determinism.html").read_text(encoding="utf-8")
    words = BeautifulSoup(page, "html.parser").get_text(" ", strip=True)
    assert "5.5 of 8" in words, "the gradebook's marks, a person's included"
    assert "given by a person" in words
    diagnosis = graded["cy"].report.part("TODO 2").diagnosis
    assert diagnosis is not None
    assert " ".join(diagnosis.words.split())[:60] in " ".join(words.split())
    assert "my copy (1).ipynb was taken as" in words


def loads(page):
    """All that a browser would fetch or run for this page."""
    tree = BeautifulSoup(page, "html.parser")
    found = [tag.name for tag in tree.find_all(["script", "link", "iframe", "object", "embed", "base", "form"])]
    found += [tag for tag in tree.find_all(True) if any(name.startswith("on") for name in tag.attrs)]
    found += [tag["src"][:30] for tag in tree.find_all(src=True) if not tag["src"].startswith("data:image/")]
    styles = [tag.get_text() for tag in tree.find_all("style")] + [tag["style"] for tag in tree.find_all(style=True)]
    return found + [style for style in styles if re.search(r"url\(|@import", style)]


def test_the_gradebook_is_exported_with_what_a_person_gave(cycle, tmp_path):
    course, _, graded = cycle
    steps.export_gradebook(course, tmp_path / "grades.csv")
    rows = list(csv.DictReader((tmp_path / "grades.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["student_id"] for row in rows} == set(graded)
    assert float(next(row for row in rows if row["student_id"] == "ana")["score"]) == pytest.approx(
        graded["ana"].report.points
    )


def test_what_was_handed_in_is_kept_byte_for_byte(cycle):
    course, students, _ = cycle
    for name, student in students.items():
        original = original_of(course, name, "lab-01")
        for path in (student.home / "lab-01").glob("*.ipynb"):
            assert (original / path.name).read_bytes() == path.read_bytes()
