"""The timeline in JupyterLab, driven by keyboard and mouse; its state is asserted in Python, in the kernel."""

import ast

import nbformat
import pytest

CODE = """
from durable_lab.timeline import Timeline
from durable_lab.world import World
from solution import engine
from solution.refund import APPROVAL, ORDER, refund_with

world = World("world.db", fails=1)
t = Timeline(
    refund_with(world), engine.WorkflowState("refund-1", ORDER), engine=engine, ledger=world.ledger,
    signals={"approval": APPROVAL},
)
t.run()
t
"""
# What Python says of an expression, asked of the kernel behind the notebook.
ASK = """async (code) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const reply = await kernel.requestExecute({ code: "", silent: true, user_expressions: { it: code } }).done;
  return reply.content.user_expressions.it.data["text/plain"];
}"""
SHOWN = "document.querySelector('.dl-stage').getAttribute('aria-valuetext')"
IDLE = "() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


class Shown:
    """The widget on the page and, behind it, the object in Python."""

    def __init__(self, page):
        self.page = page
        self.stage = page.locator(".dl-stage")

    def python(self, expression):
        return ast.literal_eval(self.page.evaluate(ASK, expression))

    def wait(self, expression, want):
        """Until Python says so; nothing is slept for."""
        for _ in range(200):
            found = self.python(expression)
            if found == want:
                return
            self.page.evaluate("() => new Promise(requestAnimationFrame)")
        assert found == want, expression

    def keys(self, *keys):
        for key in keys:
            self.stage.press(key)

    def click(self, name):
        self.page.locator(".dl-timeline").get_by_role("button", name=name, exact=True).click()


@pytest.fixture
def shown(browser, jupyter, workspace):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CODE)])
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, workspace / "timeline.ipynb")
    address = jupyter()
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(f"{address}/lab/tree/timeline.ipynb?reset")
    page.wait_for_selector("#jupyterlab-splash", state="detached", timeout=60_000)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
    page.wait_for_function(IDLE, timeout=60_000)
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_selector(".dl-stage canvas", timeout=60_000)
    yield Shown(page)
    page.close()


def test_the_timeline_is_driven_by_keyboard(shown):
    """Deliver the signal, scrub, crash, play on, fork, go back: no mouse."""
    cells = "window.jupyterapp.shell.currentWidget.content.model.cells.length"
    assert shown.python("t.status") == "blocked"
    shown.keys("s")
    shown.page.keyboard.press("Enter")  # the name and the payload are filled in
    shown.wait("t.status", "completed")

    shown.keys("Home", "ArrowRight", "ArrowRight", "ArrowRight")
    shown.wait("t.position", 3)
    assert shown.python("t.selected['name']") == "approval"
    assert "waited for approval" in shown.page.evaluate(SHOWN)
    assert "decision = ctx.wait_signal" in shown.page.locator(".dl-detail code").inner_text()

    shown.keys("c")
    shown.wait("t.mode", "crashed")
    assert shown.python("[c.name for c in t.state.commands]") == ["assess", "now", "approval"]

    shown.keys(" ")
    shown.wait("t.status", "completed")
    assert shown.python("len(world.ledger.effects('pay_back'))") == 1

    shown.keys("Home", "ArrowRight", "ArrowRight", "f")
    shown.page.get_by_label("payload as JSON").fill('{"approved": false, "by": "Bo"}')
    shown.page.keyboard.press("Enter")
    shown.wait("t.mode", "fork")
    assert shown.python("(t.fork_at, t.first_difference)") == (2, 2)
    assert shown.page.locator(".dl-other canvas").is_visible()

    shown.keys("Escape")
    shown.wait("t.mode", "view")
    shown.keys("t")
    shown.wait("t.panel", "table")
    assert shown.page.locator(".dl-panel table tbody tr").count() == shown.python("t.total")
    assert shown.page.evaluate(cells) == 1  # no key has reached the notebook


def test_the_timeline_is_driven_by_mouse(shown):
    """The same by buttons, and a click on the picture and on the map."""
    shown.click("Signal")
    shown.click("Deliver it now")
    shown.wait("t.status", "completed")

    shown.click("first event")
    shown.wait("t.position", 0)
    box = shown.page.locator(".dl-map").bounding_box()
    shown.page.mouse.click(box["x"] + box["width"] * 0.99, box["y"] + box["height"] / 2)
    shown.wait("t.position == t.total - 1", True)
    box = shown.stage.bounding_box()
    shown.page.mouse.click(box["x"] + box["width"] * 0.26, box["y"] + box["height"] / 2)
    shown.wait("t.position", 0)

    shown.click("Drop the result")
    shown.wait("t.mode", "crashed")
    assert shown.python("t.state.commands") == []
    shown.click("Step")
    shown.wait("[c.name for c in t.state.commands]", ["assess"])
    assert shown.python("len(world.ledger.effects('assess'))") == 2  # no key: the model is paid twice
    shown.click("Back")
    shown.wait("t.mode", "crashed")
    shown.click("Back")
    shown.wait("t.status", "completed")

    shown.page.get_by_label("failed only").check()
    shown.click("first event")
    shown.wait("(t.failed_only, t.selected['ok'])", (True, False))


def test_python_drives_what_is_seen(shown):
    shown.python("t.deliver('approval', APPROVAL)")
    shown.python("setattr(t, 'position', 4)")
    shown.page.wait_for_function(f"() => {SHOWN}.startsWith('event 4 of')")
    assert "attempt 1 of 2" in shown.page.evaluate(SHOWN)
    shown.python("setattr(t, 'panel', 'help')")
    shown.page.wait_for_selector(".dl-panel kbd")
    assert "crash here" in shown.page.locator(".dl-panel").inner_text()


def test_it_stays_usable_at_200_percent(shown):
    """At 1280 pixels and 200 % a page has 640 pixels: nothing is cut off, everything is reachable."""
    shown.page.set_viewport_size({"width": 640, "height": 500})
    shown.page.evaluate("() => new Promise((done) => setTimeout(() => requestAnimationFrame(done), 100))")
    wide, room = shown.page.evaluate(
        "() => { const b = document.querySelector('.dl-timeline'); return [b.scrollWidth, b.clientWidth]; }"
    )
    assert wide <= room + 1
