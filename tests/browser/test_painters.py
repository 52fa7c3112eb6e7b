"""Both painters of a scene draw the same: matplotlib in Python, the canvas in Chromium. No JupyterLab is needed."""

import json

import pytest

from durable_lab.timeline import Timeline, history_of
from durable_lab.timeline.figure import LEFT, RIGHT, ROW, WIDTH, figure_of
from durable_lab.timeline.scene import COLOURS, scene_of
from durable_lab.timeline.widget import TimelineWidget
from durable_lab.world import World
from solution import engine as m
from solution.refund import APPROVAL, ORDER, refund_with

# Paints on a canvas that is so wide that nothing is cut, and tells the bars, lines across and texts that were painted.
PAINT = """({ code, scene }) => {
  const script = `${code.replace(/export default .*/, "")}; return { Scene, Painter, Pad }`;
  const { Scene, Painter, Pad } = new Function(script)();
  const pad = new Pad(document.createElement("canvas")), { c } = pad, bars = [], texts = [];
  const stroke = c.strokeRect.bind(c), fill = c.fillText.bind(c);
  const theme = { family: "sans-serif", ink: "#111111", faint: "#222222", paper: "#ffffff", stripe: "#eeeeee" };
  const made = new Scene(scene), view = { start: 0, columns: made.width };
  const painter = new Painter(pad, made, view, { width: 3000, theme, selected: -1, fork: null });
  painter.right = painter.left + 4000;
  painter.unit = 4000 / (painter.to - painter.from);
  const x = (at) => (at - painter.left) / painter.unit, rows = [...painter.y];
  c.strokeRect = (a, y, wide, high) => {
    const row = rows.find(([, middle]) => middle === y + high / 2)[0];
    bars.push([row, x(a), x(a + wide), c.lineWidth > 1 ? "outlined" : "filled", c.strokeStyle, c.fillStyle]);
    stroke(a, y, wide, high);
  };
  c.fillText = (words, ...place) => { texts.push(words); fill(words, ...place); };
  painter.paint();
  return { bars, texts };
}"""


@pytest.fixture
def page(browser):
    made = browser.new_page()
    yield made
    made.close()


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path / "world.db", fails=1)
    yield made
    made.ledger.close()


@pytest.fixture
def runs(world):
    """Blocked, completed, and read by other code."""
    engine = m.DurableEngine(clock=m.SimulatedClock(1000.0))
    blocked = engine.run(refund_with(world), m.WorkflowState("refund-1", ORDER))
    engine.clock.sleep(5)
    done = engine.run(refund_with(world), engine.signal(blocked.state, "approval", APPROVAL))
    return {"blocked": blocked, "done": done, "diverged": m.DurableEngine().run(lambda ctx, _: ctx.now(), done.state)}


def bars_of(history, clock):
    """What matplotlib has drawn: (row, from, to, filled or outlined, colour)."""
    painted, scene = figure_of(history, clock=clock), scene_of(history, clock=clock)
    top = next(text.get_position()[1] for text in painted.axes[0].texts if text.get_text() == "workflow")
    unit, found = (WIDTH - RIGHT - LEFT) / scene.width, []
    for patch in painted.axes[0].patches:
        if not hasattr(patch, "get_height") or round(patch.get_height(), 3) != 0.15:
            continue
        x0, outlined = (patch.get_x() - LEFT) / unit, patch.get_facecolor()[3] == 0
        colour = patch.get_edgecolor() if outlined else patch.get_facecolor()
        row = round((patch.get_y() + 0.075 - top) / ROW)
        hexed = "#" + "".join(f"{round(part * 255):02x}" for part in colour[:3])
        found.append((row, x0, x0 + patch.get_width() / unit, "outlined" if outlined else "filled", hexed))
    texts = [text.get_text() for text in painted.axes[0].texts if text.get_text()]
    return found, texts


@pytest.mark.parametrize("clock", [False, True])
@pytest.mark.parametrize("name", ["blocked", "done", "diverged"])
def test_both_painters_draw_the_same_scene(page, runs, world, name, clock):
    options = {} if name == "diverged" else {"replayed": 2, "crash": 2, "ledger": world.ledger}
    history = history_of(runs[name], **options)
    scene = scene_of(history, clock=clock)
    painted = page.evaluate(PAINT, {"code": TimelineWidget._esm, "scene": scene.to_json()})
    ours, texts = bars_of(history, clock)
    theirs = [(*bar[:4], bar[4] if bar[3] == "outlined" else bar[5]) for bar in painted["bars"]]
    assert len(theirs) == len(ours) > 1
    for one, other in zip(ours, theirs, strict=True):
        assert (one[0], *one[3:]) == (other[0], *other[3:])
        assert one[1:3] == pytest.approx(other[1:3], abs=0.2)  # a bar of no length is some pixels wide on both
        assert one[4].upper() in {colour.upper() for colour in COLOURS.values()}

    said = {words.rstrip("…") for words in painted["texts"]}
    wanted = {row.label for row in scene.rows} | {row.outcome for row in scene.rows if row.outcome}
    wanted |= {across.words for across in scene.across} | {mark.words for mark in scene.marks if mark.words}
    for words in wanted:
        assert any(words.startswith(shown) for shown in said if shown), words
        assert any(words.startswith(shown.rstrip("…")) for shown in texts if len(shown) > 1 or shown == words), words


# A model as the widget manager has it, with a kernel that never answers.
STEP = """async ({ code, state }) => {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  document.body.innerHTML = '<div id="here" style="width: 1000px"></div>';
  const values = JSON.parse(state), get = (name) => values[name], set = (name, value) => { values[name] = value; };
  const model = { get, set, save_changes() {}, send() {}, on() {}, off() {} };
  const end = widget.render({ model, el: document.getElementById("here") });
  const stage = document.querySelector(".dl-stage"), said = [];
  for (let i = 0; i < 3; i++) {
    stage.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await new Promise(requestAnimationFrame);
    said.push([stage.getAttribute("aria-valuetext"), document.querySelector(".dl-detail pre")?.textContent ?? ""]);
  }
  end();
  return said;
}"""


def test_a_step_shows_the_event_and_its_record_without_an_answer_of_the_kernel(page, runs):
    shown = Timeline(lambda ctx, _: None, runs["done"], engine=m)
    names = [name for name in shown.trait_names(sync=True) if not name.startswith("_")]
    state = {name: getattr(shown, name) for name in names if name not in ("layout", "tabbable", "tooltip")}
    said = page.evaluate(STEP, {"code": TimelineWidget._esm, "state": json.dumps(state)})
    assert [words.partition(":")[0] for words, _ in said] == [f"event {i} of {shown.total}" for i in (1, 2, 3)]
    for i, (_, record) in enumerate(said, 1):
        assert json.loads(record)["name"] == shown.rows[i]["name"]
    shown.close()
