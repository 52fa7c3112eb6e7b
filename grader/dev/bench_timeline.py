"""How fast the timeline is in a browser: `python -m grader.dev.bench_timeline`, about half a minute.

The widget's own file is loaded in headless Chromium with a history of each length. *First paint* is from the call of
`render` to the frame that shows it; a *scrub step* is from a key press to the frame that shows the next event, waiting
for that frame included (at 60 Hz up to 17 ms of it). Medians; the Python side is timed beside them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import time
from typing import Any

from durable_lab import study
from durable_lab.timeline.notebook import Timeline

LENGTHS = (100, 1_000, 10_000, 100_000)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]
STEPS = 60
TARGETS = "targets at 10,000 events: first paint under 500 ms, a scrub step under 33 ms"
# A model as the widget manager has it, without a kernel.
MEASURE = """async ({ code, css, state, steps }) => {
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
  const paint = performance.now() - begun, taken = [];
  const stage = document.querySelector(".dl-stage");
  for (let i = 0; i < steps; i++) {
    const pressed = performance.now();
    stage.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await frame(); await new Promise((done) => setTimeout(done));
    taken.push(performance.now() - pressed);
  }
  return { paint, taken, said: stage.getAttribute("aria-valuetext") };
}"""


def main(arguments: list[str] | None = None) -> int:
    """Measure and print. Returns 0: a figure is no verdict, the reader is."""
    parser = argparse.ArgumentParser(
        prog="python -m grader.dev.bench_timeline", description="The timeline in a browser."
    )
    parser.add_argument("--rounds", type=int, default=5, help="for each length")
    options = parser.parse_args(arguments)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("Playwright is not installed: pip install -r requirements-dev.lock")
        return 2
    chromium = shutil.which("chromium")
    if chromium is None:
        print("There is no chromium on the PATH (Debian: apt install chromium).")
        return 2
    engine = study.current(default="solution").module()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        print(f"Chromium {browser.version} · Python {sys.version.split()[0]} · medians of {options.rounds} rounds")
        print(f"{'commands':>9} {'events':>8} {'python':>9} {'first paint':>12} {'scrub step':>11} {'worst step':>11}")
        for length in LENGTHS:
            print(_line(browser, engine, length, options.rounds), flush=True)
        browser.close()
    print(TARGETS)
    return 0


def _line(browser: Any, engine: Any, length: int, rounds: int) -> str:
    state = _history(engine, length)
    begun = time.perf_counter()
    widget = Timeline(lambda ctx, given: None, state, engine=engine)
    widget.position = widget.total // 2  # the middle, where both ends are out of view
    python = time.perf_counter() - begun
    names = [name for name in widget.trait_names(sync=True) if not name.startswith("_")]
    values = json.dumps(
        {name: getattr(widget, name) for name in names if name not in ("layout", "tabbable", "tooltip")}
    )
    given = {"code": str(widget._esm), "css": str(widget._css), "state": values, "steps": STEPS}
    measured = []
    for _ in range(rounds):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        measured.append(page.evaluate(MEASURE, given))
        page.close()
    paint = statistics.median(one["paint"] for one in measured)
    step = statistics.median(t for one in measured for t in one["taken"])
    worst = statistics.median(max(one["taken"]) for one in measured)
    assert all(f"event {widget.position + STEPS} of" in one["said"] for one in measured), "a step was lost"
    return f"{length:>9,} {widget.total:>8,} {python:>7.2f} s {paint:>9.0f} ms {step:>8.1f} ms {worst:>8.1f} ms"


def _history(m: Any, length: int) -> Any:
    """Activities; each seventh fails once, each hundredth position is a signal that was waited for."""
    state = m.WorkflowState(f"bench-{length}")
    for i in range(length):
        at = float(i * 4)
        if i % 100 == 50:
            state.signals.append(m.Signal("approval", {"by": "Ana", "i": i}, at))
            state.commands.append(m.Command("signal", "approval", [], True, {"by": "Ana"}, None, (), at + 1, at + 1))
            continue
        tries = [m.Attempt(at, at + 1, None)]
        if i % 7 == 3:
            tries = [m.Attempt(at, at + 1, "Timeout: no answer"), m.Attempt(at + 2, at + 3, None)]
        value = f"receipt {i}"
        state.commands.append(
            m.Command(
                "activity", f"charge_{i % 13}", ["A1", i], True, value, None, tuple(tries), at, tries[-1].ended_at
            )
        )
    return state


if __name__ == "__main__":
    raise SystemExit(main())
