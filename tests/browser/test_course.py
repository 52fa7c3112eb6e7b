"""nbgrader's cycle in JupyterLab, as a student and as an instructor, and pages of a malicious student."""

import json
import shutil
import tomllib

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from durable_lab.study import ROOT
from grader.dev import build
from grader.nbgrader_course import clean, steps
from grader.nbgrader_course.cells import points
from grader.nbgrader_course.make import make_course
from grader.report import Part, Report

PAYLOADS = tomllib.loads((ROOT / "tests" / "nbgrader_course" / "payloads.toml").read_text(encoding="utf-8"))
HERE = ("http://127.0.0.1", "blob:http://127.0.0.1", "data:")
WRONG = "@todo(2)\ndef now(self):\n    return self._engine.clock.now()"
READY = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
FIRST = """async () => {
    const app = window.jupyterapp;
    await app.commands.execute("notebook:run-cell");
    return app.shell.currentWidget.content.model.sharedModel.cells
        .filter(c => c.cell_type === "code")[0].outputs.map(o => o.text).join("");
}"""


@pytest.fixture
def course(tmp_path):
    """A released course, and a student's home with the settings that a student needs."""
    folder = make_course(tmp_path / "course")
    steps.release(folder)
    (folder / "home").mkdir()
    settings = tmp_path / "student" / "home" / ".jupyter"
    settings.mkdir(parents=True)
    shutil.copy(folder / "for-students" / "nbgrader_config.py", settings)
    return folder


@pytest.fixture
def page(browser):
    made = browser.new_page(viewport={"width": 1300, "height": 900})
    made.set_default_timeout(90_000)
    made.asked = []  # all that it asked of elsewhere
    made.on("request", lambda r: made.asked.append(r.url) if not r.url.startswith(HERE) else None)
    made.on("dialog", lambda dialog: answer(made, dialog))
    yield made
    made.close()


def answer(page, dialog):
    """JupyterLab asks before it leaves what is not saved. No other box may come up."""
    if dialog.type != "beforeunload":
        page.asked.append(f"a box: {dialog.message}")
    dialog.accept()


def lab(page, address, command=None, tree=""):
    """Open JupyterLab, and run one of its commands."""
    page.goto(f"{address}/lab{tree}?reset")
    page.wait_for_function("() => window.jupyterapp")
    page.wait_for_selector("#jupyterlab-splash", state="detached")
    if command:
        page.wait_for_function(f"() => window.jupyterapp.commands.hasCommand('{command}')")
        page.evaluate(f"() => {{ window.jupyterapp.commands.execute('{command}') }}")


def done(frame, step):
    """Click one of Formgrader's buttons, and close the box in which it says what came of it."""
    frame.locator(f"td.{step} a").click()
    said = frame.locator(".modal-body")
    said.wait_for()
    text = said.inner_text()
    frame.locator(".modal-footer button").last.click()
    frame.locator(".modal-backdrop").wait_for(state="detached")
    assert text.startswith("Successfully"), text


def work(folder):
    """What a student does: all TODOs written, one of them wrong, and an answer with a script in it."""
    for path, text in build.notebooks(solved=True).items():
        answers = {cell["id"]: cell["source"] for cell in json.loads(text)["cells"]}
        answers |= {"03_determinism-15": WRONG, "essay": "**At least once.** <script>window.__pwned=1</script>"}
        book = json.loads((folder / path.name).read_text(encoding="utf-8"))
        for cell in book["cells"]:
            cell["source"] = answers.get(cell["id"], cell["source"])
        (folder / path.name).write_text(json.dumps(book), encoding="utf-8")


@pytest.mark.usefixtures("bubblewrap")
def test_an_assignment_goes_from_the_instructor_to_a_student_and_back(course, serve, page, tmp_path):
    student, instructor = serve(tmp_path / "student"), serve(course)

    lab(page, student, "nbgrader:open-assignment-list")
    page.get_by_role("button", name="Fetch", exact=True).click()
    page.get_by_role("button", name="Submit", exact=True).wait_for()
    lab(page, student, tree="/tree/lab-01/02_replay.ipynb")
    page.wait_for_function(READY)
    page.locator(".jp-CodeCell .cm-content").first.click()
    assert page.evaluate(FIRST) == "lab (lab/engine.py)\n", "the engine beside the notebook that was fetched"
    work(tmp_path / "student" / "lab-01")
    lab(page, student, "nbgrader:open-assignment-list")
    page.get_by_role("button", name="Submit", exact=True).click()
    page.get_by_role("button", name="Fetch Feedback").wait_for()
    page.screenshot(path=tmp_path / "1-handed-in.png")

    lab(page, instructor, "nbgrader:open-formgrader")
    frame = page.wait_for_selector("#jp-main-dock-panel iframe").content_frame()
    frame.wait_for_url("**/formgrader/manage_assignments")
    done(frame, "collect")
    frame.locator("td.num-submissions a").click()
    done(frame, "autograde")
    assert frame.locator("td.score").inner_text() == "74.5 / 105"
    page.screenshot(path=tmp_path / "2-graded.png")
    frame.goto(f"{instructor}/formgrader/gradebook/lab-01/06_sagas")
    frame.locator("a", has_text="Submission").first.click()
    frame.wait_for_function("() => window.MathJax && MathJax.loaded")
    frame.wait_for_load_state("networkidle")  # it has its grades and comments
    answer = frame.locator(".nbgrader_cell", has=frame.locator("#essay"))
    assert "At least once. <script>" in answer.inner_text()
    for box, given in {".comment": "Say what the bank must do.", ".score": "0", ".extra-credit": "2"}.items():
        with page.expect_response(lambda response: response.request.method == "PUT"):
            answer.locator(box).fill(given)
            answer.locator(box).blur()
    answer.scroll_into_view_if_needed()
    page.screenshot(path=tmp_path / "3-answer.png")
    assert frame.evaluate("window.__pwned") is None
    frame.goto(f"{instructor}/formgrader/manage_submissions/lab-01")
    assert frame.locator("td.score").inner_text() == "76.5 / 105"
    done(frame, "generate-feedback")
    done(frame, "release-feedback")

    lab(page, student, "nbgrader:open-assignment-list")
    page.get_by_role("button", name="Fetch Feedback").click()
    page.get_by_text("view feedback").click()
    page.locator(".jp-DirListing-item", has_text="06_sagas.html").dblclick()
    shown = page.frame_locator(".jp-HTMLViewer iframe")
    shown.get_by_text("76.5 of 105 points").wait_for()
    shown.get_by_text("Say what the bank must do.").scroll_into_view_if_needed()
    page.screenshot(path=tmp_path / "4-feedback.png")
    assert page.asked == []


def hostile(course):
    """A submission with every attack, in the gradebook with a report that has some, too."""
    folder = course / "submitted" / "eve" / "lab-01"
    folder.mkdir(parents=True)
    book = json.loads((course / "release" / "lab-01" / "05_signals.ipynb").read_text(encoding="utf-8"))
    book["metadata"] = {
        "title": "</title><script>window.__pwned=1</script>",
        "kernelspec": {"name": '"><script>window.__pwned=1</script>', "display_name": "x", "language": "x"},
        "language_info": {"name": "x", "pygments_lexer": '"><script>window.__pwned=1</script>'},
        "widgets": {
            "application/vnd.jupyter.widget-state+json": {"state": "</script><script>window.__pwned=1</script>"}
        },
    }
    for kind in ("markdown", "raw", "code"):
        for number, payload in enumerate(PAYLOADS["markdown"]):
            evil = '"><script>window.__pwned=1</script>'
            about = {"tags": [evil], "magics_language": evil, "nbgrader": {"grade_id": evil, "grade": True}}
            cell = {"cell_type": kind, "id": f"{evil}{number}", "metadata": about, "source": payload}
            if kind == "code":
                cell |= {
                    "execution_count": evil,
                    "outputs": [{"output_type": "display_data", "data": {"text/html": payload}}],
                }
            book["cells"].insert(4, cell)
    (folder / "05_signals.ipynb").write_text(json.dumps(book), encoding="utf-8")
    words = PAYLOADS["markdown"][0] + PAYLOADS["markdown"][2]
    part = Part("TODO 3", 0.0, points()["todo-3"], note=words, taken_from=words)
    report = Report("eve", (part,), repairs=(words,), refusals=(words,), late=words)
    [graded] = steps.autograde(course, lambda folder, student: report)
    assert graded.problem == ""


def is_inert(page, tmp_path, name):
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)  # what fails to load tells it a little later
    page.screenshot(path=tmp_path / f"{name}.png")
    assert [frame.evaluate("window.__pwned") for frame in page.frames] == [None] * len(page.frames)
    assert page.asked == []
    links = page.eval_on_selector_all("a[href]", "links => links.map(a => a.protocol)")
    assert set(links) <= {"http:", "https:", "mailto:", "file:"}


def test_formgraders_page_of_a_hostile_hand_in_runs_and_fetches_nothing(course, serve, page, tmp_path):
    hostile(course)
    address = serve(course)
    page.goto(f"{address}/formgrader/gradebook/lab-01/05_signals")
    page.locator("a", has_text="Submission").first.click()
    page.wait_for_function("() => window.MathJax && MathJax.loaded")
    assert page.locator(".nbgrader_cell", has=page.locator("#todo-3")).locator(".score").count() == 1, (
        "its own score box"
    )
    assert page.locator(".nbgrader_cell .score").count() == 2
    assert page.content().count("evil.example") > 20, "it is all there, as words"
    is_inert(page, tmp_path, "formgrader")


def test_a_hostile_notebook_is_inert_for_nbconverts_own_template_and_on_the_feedback_page(course, page, tmp_path):
    """Without our settings, too: the content of `autograded/` is harmless by itself."""
    hostile(course)
    steps.feedback(course)
    stored = nbformat.read(course / "autograded" / "eve" / "lab-01" / "05_signals.ipynb", as_version=4)
    outputs = clean.outputs([{"output_type": "display_data", "data": data} for data in PAYLOADS["output"]])
    for payload in PAYLOADS["markdown"]:
        outputs += clean.outputs(
            [{"output_type": "display_data", "data": {kind: payload}} for kind in ("text/html", "text/markdown")]
        )
    shown = new_notebook(cells=[new_code_cell("", outputs=[nbformat.from_dict(output) for output in outputs])])
    shown.cells += [new_markdown_cell(clean.markdown_source(payload)) for payload in PAYLOADS["markdown"]]
    for name, book in {"stored": stored, "shown": shown}.items():
        text, _ = HTMLExporter(template_name="classic").from_notebook_node(book)
        (tmp_path / f"{name}.html").write_text(text.replace("https://cdnjs.cloudflare.com", ""), encoding="utf-8")
        page.goto(f"file://{tmp_path}/{name}.html")
        page.asked[:] = [url for url in page.asked if not url.startswith("file:")]
        is_inert(page, tmp_path, name)
    for path in sorted((course / "feedback" / "eve" / "lab-01").glob("*.html")):
        page.goto(f"file://{path}")
        assert page.asked == [f"file://{path}"], "it asks for nothing but itself"
        page.asked.clear()
        is_inert(page, tmp_path, path.stem)
