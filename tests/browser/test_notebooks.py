"""Every lesson in JupyterLab: the app's own "Restart Kernel and Run All Cells"; results are from the cell model."""

import pytest

from grader.dev.build import notebooks

RUN = """async () => {
    const app = window.jupyterapp;
    await app.commands.execute("notebook:run-all-cells");
    const cells = app.shell.currentWidget.content.model.sharedModel.cells;
    return cells.filter(c => c.cell_type === "code").map(c => ({
        source: c.source, count: c.execution_count,
        errors: c.outputs.filter(o => o.output_type === "error").map(o => `${o.ename}: ${o.evalue}`),
        text: c.outputs.map(o => o.text ?? o.data?.["text/plain"] ?? "").flat().join("\\n"),
    }));
}"""


@pytest.mark.parametrize("solved", [False, True], ids=["as handed out", "with its answers"])
def test_every_lesson_runs_from_top_to_bottom(browser, jupyter, workspace, solved):
    books = {path.name: text for path, text in notebooks(solved).items()}
    for name, text in books.items():
        (workspace / name).write_text(text, encoding="utf-8")
    address = jupyter()
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    for name in sorted(books):
        page.goto(f"{address}/lab/tree/{name}?reset")
        page.wait_for_selector("#jupyterlab-splash", state="detached", timeout=60_000)
        page.wait_for_selector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-Cell", timeout=60_000)
        page.wait_for_function("() => window.jupyterapp.shell.currentWidget?.sessionContext?.isReady", timeout=60_000)
        page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'",
            timeout=60_000,
        )
        cells = page.evaluate(RUN)
        assert cells, name
        for cell in cells:
            assert not cell["errors"], (name, cell)
            assert cell["count"], (name, cell)
        said = "\n".join(cell["text"] for cell in cells)
        if solved:
            assert "is still to be written" not in said, name
        elif '"@todo(' in books[name]:
            assert "is still to be written" in said, name
    page.close()


def test_the_first_lesson_runs_in_notebook_7_too(browser, jupyter, workspace):
    books = {path.name: text for path, text in notebooks().items()}
    name = min(books)
    (workspace / name).write_text(books[name], encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(f"{jupyter('notebook')}/notebooks/{name}")
    page.wait_for_selector(".jp-NotebookPanel .jp-Notebook .jp-Cell", timeout=60_000)
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext?.isReady", timeout=60_000)
    page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'", timeout=60_000
    )
    cells = page.evaluate(RUN)
    assert all(cell["count"] and not cell["errors"] for cell in cells)
    assert any("0 of 14" in cell["text"] for cell in cells)
    page.close()
