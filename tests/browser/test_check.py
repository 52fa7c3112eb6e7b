"""What `check(n)` shows in JupyterLab: it uses the full width, wraps at words, and is readable in both themes."""

import nbformat
import pytest

from durable_lab.study import ROOT

WAIT = 60_000
CELL = """from durable_lab.lesson import check
checked = check(1)
checked.__class__(checked.title, checked.verdicts)  # without the picture"""

LOOK = """() => {
    const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
    const over = (top, below) => [0, 1, 2].map(i => top[i] * (top[3] ?? 1) + below[i] * (1 - (top[3] ?? 1)));
    const ground = e => {
        const own = numbers(getComputedStyle(e).backgroundColor);
        return (own[3] ?? 1) === 1 ? own : over(own, e.parentElement ? ground(e.parentElement) : [255, 255, 255]);
    };
    const light = rgb => rgb.map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
    const contrast = e => {
        const below = ground(e), text = over(numbers(getComputedStyle(e).color), below);
        const [dark, bright] = [light(text), light(below.slice(0, 3))].sort((a, b) => a - b);
        return (bright + .05) / (dark + .05);
    };
    const output = document.querySelector(".jp-OutputArea-output"), table = output.querySelector("table");
    const texts = [...output.querySelectorAll("strong, td, td div")];
    return {
        count: texts.length,
        contrast: Math.min(...texts.map(contrast)),
        width: table.getBoundingClientRect().width / output.clientWidth,
        wide: texts.some(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth),
        breaks: [...new Set([...output.querySelectorAll("td div")].map(e => getComputedStyle(e).wordBreak))],
        ground: ground(table).slice(0, 3),
    };
}"""


@pytest.fixture
def page(browser, jupyter, workspace):
    """A notebook with one check, of an engine that forgets to record and prints long words."""
    text = (ROOT / "solution" / "engine.py").read_text(encoding="utf-8")
    text = text.replace("return Attempt(", "print(name, 'x' * 400)\n        return Attempt(")
    text = text.replace("self._outside(self._engine.journal, command)", "None")
    (workspace / "lab" / "engine.py").write_text(text, encoding="utf-8")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    book.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    nbformat.write(book, workspace / "check.ipynb")
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(f"{jupyter()}/lab/tree/check.ipynb?reset")
    page.wait_for_selector("#jupyterlab-splash", state="detached", timeout=WAIT)
    page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'", timeout=WAIT
    )
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_selector(".jp-OutputArea-output table", timeout=WAIT)
    yield page
    page.close()


def test_a_check_can_be_read_in_the_light_and_in_the_dark_theme(page, tmp_path):
    grounds = []
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        page.wait_for_function(f"() => document.body.dataset.jpThemeName === '{theme}'", timeout=WAIT)
        page.screenshot(path=tmp_path / f"{theme}.png")
        seen = page.evaluate(LOOK)
        assert seen["count"] > 10
        assert seen["contrast"] >= 4.5, theme
        assert seen["width"] > 0.9
        assert not seen["wide"], "nothing has to be scrolled sideways"
        assert seen["breaks"] == ["normal"]
        grounds.append(seen["ground"])
    assert grounds[0] != grounds[1], "the theme did change"
