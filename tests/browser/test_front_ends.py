"""The timeline in JupyterLab and in Notebook 7: keys, focus, and what it shows without a kernel."""

import nbformat
import pytest

CODE = """
from durable_lab.timeline import Timeline
from durable_lab.world import World
from solution import engine
from solution.refund import APPROVAL, ORDER, refund_with

world = World("world.db", fails=1)
state = engine.WorkflowState("refund-1", ORDER)
t = Timeline(refund_with(world), state, engine=engine, ledger=world.ledger, signals={"approval": APPROVAL})
t.run()
t
"""
# What Python says of an expression, asked of the kernel behind the notebook.
ASK = """async (code) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const reply = await kernel.requestExecute({ code: "", silent: true, user_expressions: { it: code } }).done;
  return reply.content.user_expressions.it.data["text/plain"];
}"""
IDLE = "() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
PICTURE = ".jp-OutputArea-output img"
BOOK = """() => window.jupyterapp.shell.currentWidget.content.widgets.map(
  (cell) => `${cell.model.type}: ${cell.model.sharedModel.getSource()}`).join('|')"""
FOCUS = "() => document.activeElement.closest('.dl-timeline') ? 'timeline' : document.activeElement.tagName"
PASSED = """() => {
  window.passed = [];
  document.querySelector('.jp-Notebook').addEventListener('keydown', (event) => window.passed.push(event.key));
}"""
# Everything that a notebook does something with when it has the focus.
NOTEBOOK_KEYS = [*"xddabmyrczvjkhlop1260iiqtsfn/?", "Shift+M", "Shift+V", "Shift+L", "Escape", "Space", "Enter"]
NOTEBOOK_KEYS += ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"]


@pytest.fixture(params=["lab", "notebook"])
def opened(request, browser, jupyter, workspace):
    """Opens the notebook with a timeline and two more cells; `run` runs it."""
    cells = [nbformat.v4.new_code_cell(source) for source in (CODE, "'two'", "'three'")]
    book = nbformat.v4.new_notebook(cells=cells)
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, workspace / "timeline.ipynb")
    address = jupyter(request.param)
    path = "lab/tree/timeline.ipynb?reset" if request.param == "lab" else "notebooks/timeline.ipynb"
    pages = []

    def open_it(run=True):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        pages.append(page)
        page.goto(f"{address}/{path}")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        page.wait_for_function(IDLE, timeout=60_000)
        if run:
            page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
            page.wait_for_selector(".dl-stage canvas", timeout=60_000)
        return page

    yield open_it
    for page in pages:
        page.close()


def test_keys_in_the_timeline_are_the_timelines(opened):
    """Regression: `x` cut two cells. Keys that the widget does not use reach the notebook."""
    page = opened()
    before = page.evaluate(BOOK)
    page.locator(".dl-stage canvas").first.click(position={"x": 300, "y": 60})
    for key in NOTEBOOK_KEYS:
        page.keyboard.press(key)
        assert page.evaluate(FOCUS) == "timeline", key
    assert page.evaluate(BOOK) == before

    page.get_by_label("search by name").click()
    page.keyboard.type("assess dd xx 00")
    assert page.get_by_label("search by name").input_value() == "assess dd xx 00"
    page.keyboard.press("Escape")
    page.locator(".dl-stage").press("s")
    page.get_by_label("payload as JSON").fill("")
    page.keyboard.type('{"xdd": 0} ')
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+x")
    assert page.get_by_label("payload as JSON").input_value() == ""
    page.locator(".dl-panel").get_by_role("button", name="Cancel").click()
    page.wait_for_selector(".dl-panel", state="hidden")
    assert page.evaluate(FOCUS) == "timeline"  # what had the focus is gone, and the next key is not the notebook's
    for key in "xdd":
        page.keyboard.press(key)
    assert page.evaluate(BOOK) == before

    page.locator(".dl-stage").focus()
    page.evaluate(PASSED)
    for key in ("Control+s", "Control+f", "Control+Enter", "x"):
        page.locator(".dl-stage").press(key)
    assert page.evaluate("() => window.passed.filter((key) => key !== 'Control')") in (["s", "f", "Enter"], [])
    page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 0; }")
    page.locator(".dl-stage").press("Shift+Enter")
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 1")


def test_the_focus_is_seen_and_can_be_left(opened):
    page = opened()
    page.locator(".dl-stage").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(f"() => [document.activeElement.className, {outline}]") == ["dl-stage", "solid"]
    for key in ("Tab", "Shift+Tab"):
        page.locator(".dl-stage").focus()
        for _ in range(40):
            page.keyboard.press(key)
            if page.evaluate(FOCUS) != "timeline":
                break
        assert page.evaluate(FOCUS) != "timeline", key


def test_a_notebook_without_its_kernel_shows_the_figure_and_with_it_the_live_one_alone(opened):
    page = opened()
    assert page.locator(PICTURE).count() == 0
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    page.close()

    page = opened(run=False)  # the kernel is still there
    page.wait_for_selector(".dl-stage canvas")
    assert page.locator(PICTURE).count() == 0
    assert page.evaluate(ASK, "t.status") == "'blocked'"
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.close()

    page = opened(run=False)
    page.wait_for_selector(PICTURE)
    assert page.locator(".dl-stage").count() == 0
    said = page.locator(".jp-OutputArea").first.inner_text()
    assert "the same as a table" in said
    assert "rror" not in said
    page.locator("summary").click()
    assert "waits for the signal approval" in page.locator(".jp-OutputArea").first.inner_text()
