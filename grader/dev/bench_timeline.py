"""How fast the timeline is in a browser: `python -m grader.dev.bench_timeline`, about two minutes.

Measured in headless Chromium with histories of several lengths, in two places: on a page that has only the widget, and
in JupyterLab with a kernel.

paint   In JupyterLab: from the moment at which the cell begins to make the widget in the kernel until the first frame
        with the bars is painted. So it includes the events, their layout, the message, its parsing and the painting.
        On the page: from the call of `render` until that frame; the time in Python is printed beside it.
scrub   From a key press until the frame that shows the next event is painted. At 60 Hz up to 17 ms of it are the wait
        for that frame.

Medians. A figure is printed beside its limit and is no verdict: other work on the machine slows it down.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from durable_lab import study
from durable_lab.timeline.notebook import Timeline

LENGTHS = (100, 1_000, 10_000, 100_000)  # events
LIMITS = (500, 33)  # milliseconds at 10,000 events: paint, scrub
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]
STEPS = 60
# A model as the widget manager has it, without a kernel.
PAGE = """async ({ code, css, state }) => {
  const { default: widget } = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  document.head.innerHTML = `<style>${css}</style>`;
  document.body.innerHTML = '<div id="here" style="width: 1000px"></div>';
  const frame = () => new Promise(requestAnimationFrame), values = JSON.parse(state);
  const get = (name) => values[name], set = (name, value) => { values[name] = value; };
  const model = { get, set, save_changes() {}, send() {}, on() {}, off() {} };
  await frame(); await frame();
  const begun = performance.now();
  widget.render({ model, el: document.getElementById("here") });
  await frame(); await new Promise((done) => setTimeout(done));
  return performance.now() - begun;
}"""
SCRUB = """async (steps) => {
  const taken = [], stage = document.querySelector(".dl-stage"), said = () => stage.getAttribute("aria-valuetext");
  for (let i = 0; i < steps; i++) {
    const pressed = performance.now(), before = said();
    stage.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    do await new Promise(requestAnimationFrame); while (said() === before && performance.now() - pressed < 5000);
    await new Promise((done) => setTimeout(done));
    taken.push(performance.now() - pressed);
  }
  return taken;
}"""
MAKE = """
import sys, time
sys.path.insert(0, {root!r})
from grader.dev.bench_timeline import history
from solution import engine
from durable_lab.timeline import Timeline
import durable_lab.timeline.widget
state = history(engine, {events})
"""
SHOW = """
begun = time.time()
t = Timeline(lambda ctx, given: None, state, engine=engine)
built = time.time()
t
"""
IDLE = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
# Runs a cell, and gives the time (Unix, in ms) of the frame that first shows the widget's bars.
RUN = """async (cell) => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = cell;
  await window.jupyterapp.commands.execute("notebook:clear-cell-output");
  const there = () => document.querySelector(".dl-stage canvas");
  const shown = new Promise((done) => {
    const watch = new MutationObserver(() => there() && (watch.disconnect(), done()));
    watch.observe(document.body, { childList: true, subtree: true });
  });
  window.jupyterapp.commands.execute("notebook:run-cell");
  await shown;
  await new Promise(requestAnimationFrame); await new Promise((done) => setTimeout(done));
  return performance.timeOrigin + performance.now();
}"""
ASK = """async (code) => {
  const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
  const reply = await kernel.requestExecute({ code: "", silent: true, user_expressions: { it: code } }).done;
  return reply.content.user_expressions.it.data["text/plain"];
}"""


def main(arguments: list[str] | None = None) -> int:
    """Measure and print. Returns 0: the reader judges the figures."""
    parser = argparse.ArgumentParser(
        prog="python -m grader.dev.bench_timeline", description="The timeline in a browser."
    )
    parser.add_argument("--rounds", type=int, default=5, help="for each length")
    options = parser.parse_args(arguments)
    try:
        import nbformat  # noqa: F401 - it comes with JupyterLab, which is started below
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("Playwright and JupyterLab are needed: pip install -r requirements-dev.lock -r requirements-lab.lock")
        return 2
    chromium = shutil.which("chromium")
    if chromium is None:
        print("There is no chromium on the PATH (Debian: apt install chromium).")
        return 2
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        print(f"Chromium {browser.version} · Python {sys.version.split()[0]} · medians of {options.rounds} rounds")
        print(f"{'place':<11} {'events':>8} {'python':>9} {'paint':>9} {'scrub':>9} {'worst':>9}")
        for measure in (_on_a_page, _in_jupyterlab):
            for events in LENGTHS:
                print(measure(browser, events, options.rounds), flush=True)
        browser.close()
    print(f"limits at 10,000 events: paint {LIMITS[0]} ms, scrub {LIMITS[1]} ms")
    return 0


def _line(place: str, events: int, python: float, paints: list[float], steps: list[list[float]]) -> str:
    paint, step = statistics.median(paints), statistics.median(taken for one in steps for taken in one)
    worst = statistics.median(max(one) for one in steps)
    return f"{place:<11} {events:>8,} {python:>6.0f} ms {paint:>6.0f} ms {step:>6.1f} ms {worst:>6.1f} ms"


def _on_a_page(browser: Any, events: int, rounds: int) -> str:
    import durable_lab.timeline.widget  # noqa: F401 - its import is not measured

    engine = study.current(default="solution").module()
    state = history(engine, events)
    begun = time.perf_counter()
    widget = Timeline(lambda ctx, given: None, state, engine=engine)
    python = (time.perf_counter() - begun) * 1000
    widget.whole()  # there is no kernel that the page could ask
    widget.position = widget.total // 4  # both ends are out of view, and there is room for the steps
    names = [name for name in widget.trait_names(sync=True) if not name.startswith("_")]
    values = {name: getattr(widget, name) for name in names if name not in ("layout", "tabbable", "tooltip")}
    given = {"code": widget._esm, "css": str(widget._css), "state": json.dumps(values)}
    paints, steps = [], []
    for _ in range(rounds):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        paints.append(page.evaluate(PAGE, given))
        steps.append(page.evaluate(SCRUB, STEPS))
        page.close()
    return _line("page", widget.total, python, paints, steps)


def _in_jupyterlab(browser: Any, events: int, rounds: int) -> str:
    root = str(Path(__file__).parents[2])
    with _server(MAKE.format(root=root, events=events), SHOW) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"{address}/lab/tree/bench.ipynb?reset")
        page.wait_for_selector("#jupyterlab-splash", state="detached", timeout=120_000)
        page.wait_for_function(IDLE, timeout=120_000)
        page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-cell')")
        page.evaluate(ASK, "state")  # it is answered after the cell has run
        paints, steps, pythons = [], [], []
        for _ in range(rounds):
            painted = page.evaluate(RUN, 1)
            page.wait_for_function(IDLE, timeout=120_000)
            begun, built = json.loads(page.evaluate(ASK, "[begun, built]"))
            paints.append(painted - begun * 1000)
            pythons.append((built - begun) * 1000)
            total = json.loads(page.evaluate(ASK, "[t.total, setattr(t, 'position', t.total // 4)][0]"))
            page.wait_for_function(f"() => document.querySelector('.dl-stage').ariaValueNow === '{total // 4}'")
            steps.append(page.evaluate(SCRUB, STEPS))
        page.close()
    return _line("JupyterLab", total, statistics.median(pythons), paints, steps)


@contextlib.contextmanager
def _server(*cells: str) -> Iterator[str]:
    """A JupyterLab with these cells in `bench.ipynb`, in a folder and with a home of its own."""
    import nbformat

    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(book, Path(folder) / "bench.ipynb")
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        options = (
            f"--no-browser --allow-root --ServerApp.ip=127.0.0.1 --ServerApp.port={port} --IdentityProvider.token="
        )
        command = [sys.executable, "-m", "jupyterlab", *options.split(), "--LabApp.expose_app_in_browser=True"]
        binaries = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER_")}
        environment |= {"HOME": folder, "PATH": binaries}
        quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        server = subprocess.Popen(command, cwd=folder, env=environment, **quiet)
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(60)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def history(m: Any, events: int) -> Any:
    """A state with so many events: activities, each seventh fails once; each hundredth command waited for a signal."""
    state, left, i = m.WorkflowState(f"bench-{events}"), events, 0
    while left > 0:
        at = float(i * 4)
        if i % 100 == 50:
            state.signals.append(m.Signal("approval", {"by": "Ana", "i": i}, at))
            state.commands.append(m.Command("signal", "approval", [], True, {"by": "Ana"}, None, (), at + 1, at + 1))
        else:
            tries: tuple[Any, ...] = (m.Attempt(at, at + 1, None),)
            if i % 7 == 3:
                tries = (m.Attempt(at, at + 1, "Timeout: no answer"), m.Attempt(at + 2, at + 3, None))
            own = (f"charge_{i % 13}", ["A1", i], True, f"receipt {i}", None, tries, at, tries[-1].ended_at)
            state.commands.append(m.Command("activity", *own))
        left -= 2 if i % 100 == 50 else 3 if i % 7 == 3 else 1
        i += 1
    return state


if __name__ == "__main__":
    raise SystemExit(main())
