// The timeline in the browser. It draws what is in view, and asks Python for everything that runs.
// Names: a *row* is an event as Python sent it; its `index` is its column where x is order.

const BLUE = "#0072B2", ORANGE = "#E69F00", GREEN = "#009E73", VERMILION = "#D55E00", PURPLE = "#CC79A7", GREY = "#888888";
const COLOURS = { now: PURPLE, timer: PURPLE, consumed: GREEN, unknown: GREY, blocked: ORANGE, running: ORANGE };
const ROW = 24, FONT = 12, MOST = 18, TICK = 650; // pixels, pixels, columns in view, milliseconds of play
const TABLE = 200; // rows of the table around the selected event

const KEYS = [
  ["ArrowLeft", "←", "the event before"], ["ArrowRight", "→", "the next event"],
  ["Home", "Home", "the first event"], ["End", "End", "the last event"],
  [" ", "space", "play: through what is recorded, then live on the engine"], ["n", "n", "one more step on the engine"],
  ["c", "c", "crash here: the process dies at this event"], ["s", "s", "deliver a signal"],
  ["d", "d", "drop the result: the effect happened, the record is lost"], ["f", "f", "fork here: another future"],
  ["k", "k", "keep the other future"], ["Escape", "Esc", "back: close, leave the fork, or undo"],
  ["t", "t", "the table"], ["o", "o", "order or clock"], ["x", "x", "failed only"], ["/", "/", "search by name"],
  ["?", "?", "this help"],
];

function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// ---------------------------------------------------------------- drawing

class Canvas {
  constructor(canvas) {
    this.canvas = canvas;
    this.c = canvas.getContext("2d");
    this.cuts = new Map();
  }
  size(width, height) {
    const ratio = window.devicePixelRatio || 1;
    const w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
      this.canvas.style.height = `${height}px`;
      this.cuts.clear();
    }
    this.c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.c.clearRect(0, 0, width, height);
  }
  // A text cut to the room there is. Measured once for each text: measuring is what takes time.
  cut(text, room) {
    const key = `${text}|${Math.round(room)}|${this.c.font}`;
    let cut = this.cuts.get(key);
    if (cut === undefined) {
      cut = String(text).slice(0, 200);
      while (cut.length > 1 && this.c.measureText(cut + (cut.length < text.length ? "…" : "")).width > room) {
        const wide = this.c.measureText(cut).width;
        cut = cut.slice(0, Math.min(cut.length - 1, Math.ceil((cut.length * room) / wide)));
      }
      if (cut.length < text.length) cut += "…";
      if (this.cuts.size > 5000) this.cuts.clear();
      this.cuts.set(key, cut);
    }
    return cut;
  }
  text(text, x, y, room, colour, align = "left", bold = false, size = FONT) {
    this.c.font = `${bold ? "bold " : ""}${size}px ${this.family}`;
    this.c.fillStyle = colour;
    this.c.textAlign = align;
    this.c.textBaseline = "middle";
    const cut = this.cut(text, room);
    this.c.fillText(cut, x, y);
    return this.c.measureText(cut).width;
  }
  line(points, colour, width = 1, dash = []) {
    this.c.strokeStyle = colour;
    this.c.lineWidth = width;
    this.c.setLineDash(dash);
    this.c.beginPath();
    points.forEach(([x, y], i) => (i ? this.c.lineTo(x, y) : this.c.moveTo(x, y)));
    this.c.stroke();
    this.c.setLineDash([]);
  }
  dot(x, y, shape, colour, paper) {
    const { c } = this, r = 4.5;
    c.fillStyle = c.strokeStyle = colour;
    c.lineWidth = 2.5;
    c.beginPath();
    if (shape === "cross") {
      this.line([[x - r, y - r], [x + r, y + r]], colour, 2.5);
      this.line([[x - r, y + r], [x + r, y - r]], colour, 2.5);
    } else if (shape === "diamond") {
      c.moveTo(x, y - 6); c.lineTo(x + 6, y); c.lineTo(x, y + 6); c.lineTo(x - 6, y); c.closePath();
      c.fillStyle = paper;
      c.fill();
      c.stroke();
    } else if (shape === "triangle") {
      c.moveTo(x, y - 6); c.lineTo(x + 6, y + 5); c.lineTo(x - 6, y + 5); c.closePath();
      c.fill();
    } else if (shape === "worker") {
      c.moveTo(x - 4, y - 5); c.lineTo(x + 5, y); c.lineTo(x - 4, y + 5); c.closePath();
      c.fill();
    } else {
      c.arc(x, y, r, 0, 7);
      c.fill();
    }
  }
}

// One future: names left, bars in the middle, outcomes right. `view` holds the rows that are shown, one column each.
function paint(pad, rows, view, at, look) {
  const { c } = pad, { width, theme, columns } = look;
  const gutter = Math.min(230, Math.max(96, width * 0.24)), right = Math.min(280, Math.max(96, width * 0.26));
  const left = gutter + 6, unit = (width - right - left - 8) / columns;
  const shown = view.slice(look.start, look.start + columns).map((i) => rows[i]).filter(Boolean);
  const top = 38, lanes = lanesOf(shown);
  const y = new Map();
  let line = top;
  for (const lane of [0, ...lanes, ...(look.signals ? [-1] : [])]) {
    y.set(lane, line + ROW / 2);
    line += ROW;
  }
  const height = look.height ?? top + ROW * (look.lanes + 1 + (look.signals ? 1 : 0)) + (look.effects.length ? ROW : 0) + 4;
  pad.family = theme.family;
  pad.size(width, height);
  const bottom = Math.max(line, top + ROW);
  const x = scaleOf(shown, left, unit, look);
  const middle = (row) => (x(row)[0] + x(row)[1]) / 2;

  for (const [lane, mid] of y) if (lane % 2 === 0) { c.fillStyle = theme.stripe; c.fillRect(0, mid - ROW / 2, width, ROW); }
  const selected = shown.find((row) => row.index === at);
  if (selected) {
    const [a, b] = x(selected);
    c.globalAlpha = 0.18;
    c.fillStyle = theme.focus;
    c.fillRect(a - 2, top - 6, b - a + 4, bottom - top + 6);
    c.globalAlpha = 1;
    c.fillStyle = theme.focus;
    c.beginPath(); c.moveTo(middle(selected) - 5, top - 12); c.lineTo(middle(selected) + 5, top - 12);
    c.lineTo(middle(selected), top - 5); c.fill();
  }
  const names = new Map(), outcomes = new Map();
  for (const row of shown) {
    if (row.kind !== "gap" && row.kind !== "divergence" && !names.has(row.lane)) names.set(row.lane, row.what);
  }
  for (const lane of lanes) outcomes.set(lane, look.finals.get(lane));
  for (const [lane, mid] of y) {
    if (lane === 0) {
      pad.text("workflow", 4, mid, gutter - 8, theme.ink, "left", true);
      pad.text(look.standing, width - right, mid, right - 4, theme.ink);
      if (shown.length) pad.line([[left, mid], [x(shown[shown.length - 1])[1], mid]], theme.line);
    } else if (lane === -1) {
      pad.text("signals", 4, mid, gutter - 8, theme.ink);
    } else {
      const end = outcomes.get(lane), unread = end?.ran === "unread";
      pad.text(`${lane - 1}  ${names.get(lane) ?? end?.what ?? ""}`, 4, mid, gutter - 8, unread ? theme.faint : theme.ink,
        "left", selected?.lane === lane);
      if (end) {
        const many = end.tries > 1 ? `  (${end.tries} attempts)` : "";
        pad.text(`${unread ? "not reached: " : ""}${end.mark} ${end.outcome}${many}`, width - right, mid, right - 4,
          unread ? theme.faint : theme.ink);
      }
    }
  }
  const labels = [];
  for (const row of shown) {
    const mid = y.get(row.lane), [a, b] = x(row);
    if (row.kind === "crash" || row.kind === "divergence") { tear(pad, middle(row), top - 4, bottom, row, look); continue; }
    if (mid === undefined) continue;
    if (row.kind === "gap") {
      pad.line([[a, mid], [b, mid]], theme.faint, 1.5);
      if (b - a > 24) pad.text(row.outcome, (a + b) / 2, mid - 7, b - a, theme.ink, "center", false, 9.5);
    } else if (row.kind === "delivered") {
      const colour = row.link == null ? theme.faint : GREEN;
      const target = row.link == null ? null : rows[row.link - look.first];
      if (target && y.has(target.lane) && shown.includes(target)) arrow(pad, middle(row), mid - 5, x(target)[1] - 5, y.get(target.lane) + 9, GREEN);
      pad.text("✉", middle(row), mid, 20, colour, "center", false, 15);
      const following = shown.find((other) => other.kind === "delivered" && other.index > row.index);
      const room = (following ? middle(following) : width - right) - middle(row) - 22;
      if (room > 14) labels.push([row.link == null ? `${row.name} (unread)` : row.name, middle(row) + 10, mid, Math.min(150, room)]);
    } else if (row.lane === 0) {
      pad.dot(middle(row), mid, row.kind === "worker" ? "worker" : row.ok ? "dot" : "cross", row.kind === "worker" ? theme.faint : row.ok ? GREEN : VERMILION, theme.paper);
    } else if (row.kind === "blocked" || row.kind === "running" || row.kind === "consumed") {
      const since = row.since == null ? a : (shown.find((r) => r.index === row.since) ? x(shown.find((r) => r.index === row.since))[0] : row.since < shown[0].index ? left : a);
      const from = Math.min(since, a);
      if (from < a || row.kind !== "consumed") {
        pad.line([[from, mid - 5], [b, mid - 5]], ORANGE, 1.5);
        pad.line([[from, mid + 5], [b, mid + 5]], ORANGE, 1.5);
        pad.line([[from, mid - 5], [from, mid + 5]], ORANGE, 1.5);
      }
      if (row.kind === "consumed") bar(pad, row, a, b, mid, theme);
      else pad.dot(b, mid, "diamond", ORANGE, theme.paper);
    } else bar(pad, row, a, b, mid, theme);
  }
  for (const [words, from, mid, room] of labels) { // over the lines that cross the lanes
    const size = 11;
    c.font = `${size}px ${pad.family}`;
    c.fillStyle = theme.paper;
    c.fillRect(from - 1, mid - 7, c.measureText(pad.cut(words, room)).width + 2, 14);
    pad.text(words, from, mid, room, theme.ink, "left", false, size);
  }
  const live = shown.find((row) => row.ran === "live" && row.position != null);
  if (look.replayed && live && !look.fork && live.index > 0 && (live.position === look.replayed)) {
    const at = x(live)[0] - 3;
    pad.line([[at, top - 8], [at, bottom]], theme.ink, 1, [5, 4]);
    above(pad, at, 21, "now: from here it is live", theme.ink, width);
  }
  if (look.fork) marks(pad, shown, x, top, bottom, look);
  if (look.effects.length) strip(pad, shown, middle, bottom + ROW / 2 + 2, width, right, gutter, look);
  return { left, unit, height };
}

function lanesOf(shown) {
  return [...new Set(shown.map((row) => row.lane).filter((lane) => lane > 0))].sort((a, b) => a - b);
}

// By order every row has its column. By clock, x is seconds between the first and the last row in view.
function scaleOf(shown, left, unit, look) {
  const place = new Map(shown.map((row, i) => [row.index, i]));
  const times = shown.flatMap((row) => [row.start, row.end]).filter((t) => t != null);
  const begin = Math.min(...times), end = Math.max(...times), width = unit * look.columns;
  if (!look.clock || !times.length || end === begin) {
    return (row) => { const x = left + place.get(row.index) * unit; return [x + unit * 0.07, x + unit * 0.93]; };
  }
  return (row) => {
    const from = row.start ?? end, to = row.end ?? (row.start == null ? end : row.start);
    const a = left + ((from - begin) / (end - begin)) * (width - 8), b = left + ((to - begin) / (end - begin)) * (width - 8);
    return [a, Math.max(b, a + 6)];
  };
}

function bar(pad, row, a, b, mid, theme) {
  const { c } = pad, outlined = row.ran === "replayed" || row.ran === "unread";
  const colour = row.ran === "unread" ? GREY : !row.ok ? VERMILION : COLOURS[row.kind] ?? BLUE;
  c.fillStyle = colour;
  if (!outlined) c.fillRect(a, mid - 7, b - a, 14);
  if (!row.ok) {
    c.save();
    c.beginPath(); c.rect(a, mid - 7, b - a, 14); c.clip();
    for (let x = a - 14; x < b; x += 6) pad.line([[x, mid + 7], [x + 14, mid - 7]], outlined ? colour : "#000000", 1.2);
    c.restore();
  }
  c.strokeStyle = outlined ? colour : theme.ink;
  c.lineWidth = outlined ? 2 : 0.8;
  c.setLineDash(row.ran === "unread" ? [3, 3] : []);
  c.strokeRect(a, mid - 7, b - a, 14);
  c.setLineDash([]);
  if (!row.final) return;
  if (row.kind === "unknown") pad.text("?", (a + b) / 2, mid, 12, outlined ? theme.ink : "#000", "center", true);
  else pad.dot(b, mid, row.kind === "timer" ? "triangle" : row.ok ? "dot" : "cross", row.ran === "unread" ? GREY : row.ok ? GREEN : VERMILION, theme.paper);
}

function arrow(pad, x0, y0, x1, y1, colour) {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  pad.line([[x0, y0], [x1, y1]], colour, 1.3);
  for (const turn of [2.6, -2.6]) pad.line([[x1, y1], [x1 + 7 * Math.cos(angle + turn), y1 + 7 * Math.sin(angle + turn)]], colour, 1.3);
}

// A label over a line: on the side where there is more room, or on the one that is asked for.
function above(pad, x, y, words, colour, width, before = x > width * 0.68) {
  pad.text(words, before ? x - 5 : x + 5, y, before ? x - 10 : width - x - 10, colour, before ? "right" : "left", false, 11);
}

function tear(pad, x, top, bottom, row, look) {
  const points = [];
  for (let y = top, i = 0; y <= bottom; y += 7, i++) points.push([x + (i % 2 ? 4 : -4), y]);
  pad.line(points, VERMILION, 2);
  const crash = row.kind === "crash";
  above(pad, x, crash ? 8 : 21, `${row.mark} ${crash ? row.what : "your code differs from here"}`, look.theme.ink, look.width);
}

function marks(pad, shown, x, top, bottom, look) {
  const { theme } = look;
  const at = shown.find((row) => row.index === look.fork.at), split = shown.find((row) => row.index === look.fork.difference);
  if (split) {
    const [a, b] = x(split);
    pad.c.strokeStyle = VERMILION;
    pad.c.lineWidth = 2;
    pad.c.strokeRect(a - 3, top - 2, b - a + 6, bottom - top + 2);
    const words = look.fork.at === look.fork.difference ? "fork, and ≠ first difference" : "≠ first difference";
    above(pad, a - 4, 21, words, theme.ink, look.width, false);
  }
  if (at) {
    const edge = x(at)[0] - 4;
    pad.line([[edge, top - 8], [edge, bottom]], theme.ink, 1.5, [2, 3]);
    if (look.fork.at !== look.fork.difference) above(pad, edge, 21, "fork", theme.ink, look.width, true);
  }
}

// What the world's own books say: a square under the command that caused it.
function strip(pad, shown, middle, y, width, right, gutter, look) {
  const { theme } = look, places = new Map(), counts = new Map();
  for (const row of shown) if (row.final) places.set(row.position, middle(row));
  for (const effect of look.effects) {
    const name = effect.operation;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const x = places.get(effect.position);
    if (x === undefined) continue;
    const shift = effect.twice ? 9 : 0;
    pad.c.fillStyle = effect.twice ? VERMILION : BLUE;
    pad.c.fillRect(x - 4 + shift, y - 4, 8, 8);
  }
  pad.text("the world's own books", 4, y, gutter - 8, theme.ink, "left", true);
  const words = [...counts].map(([name, count]) => `${count} × ${name}`).join(", ");
  pad.text(words, width - right, y, right - 4, theme.ink, "left", look.effects.some((effect) => effect.twice));
}

// ---------------------------------------------------------------- the widget

function render({ model, el: root }) {
  const get = (name) => model.get(name);
  const send = (content) => { flush(); model.send(content); };
  let position = get("position"), start = 0, rows = [], finals = new Map(), view = [], lanes = 0, signals = false;
  let otherFinals = new Map(), theme, timer = 0, frame = 0, sync = 0, geometry = null, mapImage = null, mapTheme = "";

  const button = (key, words, act, label) => el("button", {
    type: "button", "aria-label": label ?? words, title: KEYS.find((k) => k[0] === key)?.[2], "data-key": key,
    "aria-keyshortcuts": key === " " ? "Space" : key, onclick: act,
  }, words, el("kbd", { "aria-hidden": "true" }, KEYS.find((k) => k[0] === key)[1]));
  const title = el("div", { class: "dl-title" }), engine = el("div", { class: "dl-engine" });
  const said = el("div", { class: "dl-said", role: "status", "aria-live": "polite" });
  const play = button(" ", "Play", () => toggle("playing"));
  const keep = button("k", "Keep this future", () => send({ do: "keep" }));
  const back = button("Escape", "Back", goBack);
  const table = button("t", "Table", () => open("table")), help = button("?", "Help", () => open("help"));
  const query = el("input", { type: "search", placeholder: "search by name  ( / )", "aria-label": "search by name", size: 20,
    oninput: () => { set("query", query.value); find(0); } });
  const failed = el("input", { type: "checkbox", onchange: () => set("failed_only", failed.checked) });
  const clock = el("input", { type: "checkbox", onchange: () => set("clock", clock.checked) });
  const ordered = el("span", { class: "dl-engine" }); // why x is order although time was asked for
  const bar = el("div", { class: "dl-bar", role: "toolbar", "aria-label": "actions on the run" },
    el("span", { class: "dl-group" }, button("Home", "|◀", () => go(first()), "first event"), button("ArrowLeft", "◀", () => step(-1), "previous event"),
      button("ArrowRight", "▶", () => step(1), "next event"), button("End", "▶|", () => go(last()), "last event")),
    el("span", { class: "dl-group" }, play, button("n", "Step", () => send({ do: "step" }))),
    el("span", { class: "dl-group" }, button("c", "Crash here", () => send({ do: "crash", at: position })), button("s", "Signal", () => open("signal")),
      button("d", "Drop the result", () => send({ do: "drop", at: position })), button("f", "Fork", () => open("fork")), keep, back));
  const tools = el("div", { class: "dl-bar" }, el("span", { class: "dl-group" }, table, help), query, el("label", {}, failed, "failed only"), el("label", {}, clock, "x is clock time"), ordered);
  const map = el("canvas", { class: "dl-map", "aria-hidden": "true" });
  const canvas = el("canvas", { "aria-hidden": "true" });
  const stage = el("div", { class: "dl-stage", tabindex: 0, role: "slider", "aria-orientation": "horizontal", "aria-valuemin": 0,
    "aria-keyshortcuts": "ArrowLeft ArrowRight Home End Space" }, canvas);
  const captions = [el("div", { class: "dl-caption" }), el("div", { class: "dl-caption" })];
  const otherCanvas = el("canvas", { "aria-hidden": "true" });
  const other = el("div", { class: "dl-other", role: "img" }, otherCanvas);
  const panel = el("div", { class: "dl-panel", role: "region" });
  const detail = el("section", { class: "dl-detail", "aria-label": "the selected event" });
  const box = el("div", { class: "dl-timeline", role: "group" },
    title, engine, said, bar, tools, map, captions[0], stage, captions[1], other, panel, detail);
  root.append(box);
  const pad = new Canvas(canvas), otherPad = new Canvas(otherCanvas), mapPad = new Canvas(map);

  // ------------------------------------------------------------ state

  // What has the focus may go away or be disabled; then the page would take the keys.
  function keepingFocus(act) {
    const had = box.contains(document.activeElement);
    act();
    const now = document.activeElement;
    if (had && (!box.contains(now) || now.disabled || now.closest("[hidden]"))) stage.focus({ preventScroll: true });
  }
  function set(name, value) {
    model.set(name, value);
    model.save_changes();
  }
  function toggle(name) { set(name, !get(name)); }
  function open(name) { set("panel", get("panel") === name ? "" : name); }
  function goBack() {
    if (get("playing")) set("playing", false);
    else if (get("panel")) set("panel", ""); // while a kernel is busy, a message overtakes a change of state
    else send({ do: "back" });
  }
  function flush() {
    clearTimeout(sync);
    sync = 0;
    if (model.get("position") !== position) set("position", position);
  }
  const total = () => (get("mode") === "fork" ? Math.max(get("total"), get("other").length) : get("total"));
  const first = () => (view.length && get("failed_only") ? view[0] + get("first") : 0);
  const last = () => (view.length && get("failed_only") ? view[view.length - 1] + get("first") : total() - 1);

  function go(index) {
    index = Math.max(0, Math.min(index, total() - 1));
    if (index === position) return;
    position = index;
    if (get("mode") !== "fork" && (index < get("first") || index >= get("first") + rows.length)) {
      send({ do: "window", at: index });
      return;
    }
    if (!sync) sync = setTimeout(flush, 50);
    later();
  }
  function step(by) {
    if (!get("failed_only")) return go(position + by);
    const here = view.map((i) => i + get("first"));
    const next = by > 0 ? here.find((i) => i > position) : here.reverse().find((i) => i < position);
    if (next !== undefined) go(next);
  }
  function find(by) {
    const words = query.value.toLowerCase();
    if (!words) return;
    const here = rows.filter((row) => `${row.name} ${row.what}`.toLowerCase().includes(words)).map((row) => row.index);
    const found = here.find((i) => i > position - (by ? 0 : 1)) ?? here[0];
    if (found !== undefined) go(found);
    const part = rows.length < total() ? " among the events that are here" : "";
    said.textContent = here.length ? `${here.indexOf(found) + 1} of ${here.length} events of this name${part}` : `no event of this name${part}`;
  }

  function finalsOf(all) {
    const made = new Map();
    for (const row of all) if (row.final || row.kind === "blocked" || row.kind === "running") made.set(row.lane, row);
    return made;
  }
  function takeRows() {
    rows = get("rows");
    finals = finalsOf(rows);
    lanes = finals.size;
    signals = rows.some((row) => row.lane === -1) || get("other").some((row) => row.lane === -1);
    otherFinals = finalsOf(get("other"));
    mapImage = null;
    filter();
  }
  function filter() {
    view = [];
    for (let i = 0; i < rows.length; i++) if (!get("failed_only") || !rows[i].ok) view.push(i);
  }

  // ------------------------------------------------------------ drawing

  function readTheme() {
    const style = getComputedStyle(box), of = (name) => style.getPropertyValue(name).trim();
    theme = { ink: of("--dl-ink"), faint: of("--dl-faint"), paper: of("--dl-paper"), stripe: of("--dl-stripe"),
      line: of("--dl-line"), focus: of("--dl-focus"), family: style.fontFamily };
    if (mapTheme !== theme.stripe) mapImage = null;
    mapTheme = theme.stripe;
  }
  function later() { if (!frame) frame = requestAnimationFrame(() => { frame = 0; draw(); }); }

  function draw() {
    const width = box.clientWidth - 12, fork = get("mode") === "fork";
    if (width < 50) return;
    readTheme();
    const plot = width * 0.5 - 14;
    const columns = Math.max(6, Math.min(fork ? 12 : MOST, Math.floor(plot / 24), Math.max(view.length, fork ? get("other").length : 0, 6)));
    const shown = fork ? total() : view.length;
    const place = get("failed_only") && !fork ? Math.max(0, view.findIndex((i) => i + get("first") >= position)) : position - (fork ? 0 : get("first"));
    if (place < start + 1 || place > start + columns - 2 || start > Math.max(0, shown - columns)) {
      start = Math.max(0, Math.min(place - (place < start + 1 ? 2 : columns - 3), shown - columns));
    }
    const look = { width, theme, columns, start, signals, finals, lanes: Math.min(columns, lanes), clock: get("clock") && !get("by_order"), first: get("first"),
      replayed: get("replayed"), effects: fork ? [] : get("effects"), standing: standing(get("title")), fork: fork && { at: get("fork_at"), difference: get("first_difference") } };
    if (fork) {
      const most = Math.min(columns, Math.max(lanes, otherFinals.size));
      look.lanes = most;
      const all = [...rows.keys()], others = get("other");
      geometry = paint(pad, rows, all, position, look);
      paint(otherPad, others, [...others.keys()], position, { ...look, finals: otherFinals, first: 0, standing: standing(get("other_title")),
        fork: { at: get("fork_at"), difference: get("other_difference") } });
    } else geometry = paint(pad, rows, view, position, look);
    drawMap(width, columns);
    tell();
  }
  const standing = (text) => {
    const words = text.split(" · ").slice(1).join(" · ");
    const mark = words.startsWith("completed") ? "● " : words.startsWith("failed") ? "✖ " : words.startsWith("blocked") ? "◇ " : "";
    return mark + words;
  };

  function drawMap(width, columns) {
    const letters = get("overview"), height = 22, all = Math.max(total(), 1);
    if (!mapImage || mapImage.width !== Math.round(width * devicePixelRatio)) {
      mapPad.size(width, height);
      const { c } = mapPad, unit = width / Math.max(letters.length, 1);
      c.fillStyle = theme.stripe;
      c.fillRect(0, 3, width, height - 6);
      for (let i = 0; i < letters.length; i++) {
        const tall = letters[i] === "." ? 4 : 12;
        c.fillStyle = letters[i] === "f" ? VERMILION : letters[i] === "s" ? GREEN : BLUE;
        c.fillRect(i * unit, height / 2 - tall / 2, Math.max(1, unit - (unit > 3 ? 1 : 0)), tall);
      }
      mapImage = document.createElement("canvas");
      mapImage.width = map.width;
      mapImage.height = map.height;
      mapImage.getContext("2d").drawImage(map, 0, 0);
    }
    mapPad.size(width, height);
    mapPad.c.drawImage(mapImage, 0, 0, width, height);
    const from = get("failed_only") ? position - 1 : start + get("first");
    mapPad.c.strokeStyle = theme.ink;
    mapPad.c.lineWidth = 2;
    mapPad.c.strokeRect((from / all) * width + 1, 1, Math.max(8, (Math.min(columns, all) / all) * width) - 2, height - 2);
    mapPad.c.fillStyle = theme.focus;
    mapPad.c.fillRect((position / all) * width, 0, Math.max(3, width / all - 1), 3);
  }

  // ------------------------------------------------------------ words

  const rowAt = (index) => (get("mode") === "fork" && index >= rows.length ? get("other")[index] : rows[index - get("first")]);
  function wordsOf(row) {
    if (!row) return "no event";
    const tries = row.tries > 1 && row.attempt ? `attempt ${row.attempt} of ${row.tries}, ` : "";
    const ran = row.kind === "delivered" ? (row.link == null ? "unread" : `read by event ${row.link}`) : row.ran === "unread" ? "not reached" : row.ran;
    return [row.what, `${tries}${row.outcome}`, ran].filter(Boolean).join(" · ");
  }
  const tell = () => keepingFocus(tellSelected);
  function tellSelected() {
    const row = rowAt(position);
    stage.setAttribute("aria-valuenow", position);
    stage.setAttribute("aria-valuemax", Math.max(total() - 1, 0));
    stage.setAttribute("aria-valuetext", total() ? `event ${position} of ${total()}: ${wordsOf(row)}` : said.textContent);
    showDetail(row);
    if (get("panel") === "table") mark();
  }
  function showDetail(row) {
    const full = get("selected"), same = full.index === position && get("mode") !== "fork" ? full : full.index === position ? full : null;
    detail.replaceChildren();
    if (!row) return;
    detail.append(el("h4", {}, `event ${position}${row.position == null ? "" : ` · position ${row.position}`} · ${wordsOf(row)}`));
    if (get("mode") === "fork") detail.append(el("div", {}, `in the other future: ${wordsOf(get("other")[position])}`));
    if (same?.line) detail.append(el("div", {}, "issued by ", el("code", {}, same.line)));
    if (row.kind === "divergence" && same) detail.append(columnsOf(same));
    else if (same?.tries?.length) detail.append(triesOf(same.tries));
    if (same?.json && row.kind !== "divergence") detail.append(el("pre", { tabindex: 0, "aria-label": "the record as JSON" }, same.json));
    if (get("printed")) detail.append(el("div", {}, "printed in the last run:"), el("pre", {}, get("printed")));
  }
  function columnsOf(event) {
    const line = ([name, had, asked, differs]) => el("tr", differs ? { class: "dl-differs" } : {}, el("td", {}, `${differs ? "≠ " : ""}${name}`), el("td", {}, had), el("td", {}, asked));
    return el("table", { class: "dl-columns" }, el("thead", {}, el("tr", {}, ...[event.what, "history says", "your code asked"].map((w) => el("th", { scope: "col" }, w)))),
      el("tbody", {}, ...event.columns.map(line)));
  }
  function triesOf(tries) {
    return el("ul", { style: "margin: 2px 0 2px 1.2em; padding: 0" }, ...tries.map((words) => el("li", {}, words)));
  }

  // ------------------------------------------------------------ panels

  function choose(list) {
    const names = el("datalist", { id: `dl-names-${Math.random().toString(36).slice(2)}` }, ...list.map((s) => el("option", { value: s.name })));
    const name = el("input", { type: "text", "aria-label": "name of the signal", name: "name", list: names.id, value: list[0]?.name ?? "", required: true });
    const payload = el("input", { type: "text", "aria-label": "payload as JSON", name: "payload", value: list[0]?.payload ?? "null" });
    name.addEventListener("change", () => { const known = list.find((s) => s.name === name.value); if (known) payload.value = known.payload; });
    return { name, payload, parts: [el("label", {}, "name", name, names), el("label", {}, "payload (JSON)", payload)] };
  }
  function submit(content) {
    send(content);
    set("panel", "");
    stage.focus();
  }
  function signalPanel() {
    const { name, payload, parts } = choose(get("signals"));
    const form = el("form", { onsubmit: (event) => { event.preventDefault(); submit({ do: "deliver", name: name.value, payload: payload.value }); } },
      ...parts, el("button", { type: "submit" }, "Deliver it now"), el("button", { type: "button", onclick: () => set("panel", "") }, "Cancel"));
    panel.append(form);
    name.focus();
  }
  function forkPanel() {
    const row = rowAt(position), activity = row?.kind === "attempt" || row?.kind === "gap";
    const { name, payload, parts } = choose(get("signals"));
    const outcome = el("input", { type: "text", "aria-label": "the other outcome", name: "outcome", value: row?.ok ? "Timeout: no answer" : "null" });
    const ways = [["again", "run it again"], ["signal", "with this signal"], ...(activity ? [["error", `${row.name} fails with`], ["value", `${row.name} returns`]] : [])];
    const chosen = row?.kind === "delivered" || row?.kind === "blocked" ? "signal" : activity ? "error" : "again";
    const radios = ways.map(([value, words]) => el("label", {}, el("input", { type: "radio", name: "how", value, checked: value === chosen }), words));
    const more = el("span", { class: "dl-group" }), how = () => form.elements.how.value;
    const show = () => more.replaceChildren(...(how() === "signal" ? parts : how() === "again" ? [] : [el("label", {}, how() === "error" ? "Type: message" : "value (JSON)", outcome)]));
    const form = el("form", { onchange: (event) => event.target.name === "how" && show(), onsubmit: (event) => {
      event.preventDefault();
      submit({ do: "fork", at: position, how: how(), name: name.value, payload: how() === "signal" ? payload.value : outcome.value });
    } }, el("span", {}, `Another future, from just before event ${position}:`), ...radios, more,
      el("button", { type: "submit" }, "Fork"), el("button", { type: "button", onclick: () => set("panel", "") }, "Cancel"));
    panel.append(form);
    show();
    (form.querySelector("input:checked") ?? form.querySelector("input")).focus();
  }
  function tablePanel() {
    const around = Math.max(0, Math.min(position - get("first") - TABLE / 2, rows.length - TABLE));
    const part = rows.slice(around, around + TABLE);
    const cells = (row) => [row.index, row.position ?? "", row.at, `${row.mark} ${row.what}`, row.outcome, row.ran === "unread" ? "not reached" : row.ran];
    const body = part.map((row) => el("tr", { "data-index": row.index }, ...cells(row).map((cell) => el("td", {}, String(cell)))));
    const cut = part.length < total() ? ` (${part.length} of ${total().toLocaleString("en")} events, around the selected one)` : "";
    panel.append(el("div", { class: "dl-scroll", tabindex: 0, role: "region", "aria-label": "the table" }, el("table", {}, el("caption", {}, get("title") + cut),
      el("thead", {}, el("tr", {}, ...["event", "pos", "at", "what", "outcome", "ran"].map((w) => el("th", { scope: "col" }, w)))), el("tbody", {}, ...body))));
    mark(true);
  }
  function mark(move = false) {
    for (const line of panel.querySelectorAll("tr[data-index]")) {
      const here = Number(line.dataset.index) === position;
      if (here) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
      if (here && move) line.parentElement.closest(".dl-scroll").scrollTop = line.offsetTop - 60;
    }
  }
  function helpPanel() {
    panel.append(el("table", {}, el("caption", {}, "keys, while the timeline has the focus"),
      el("tbody", {}, ...KEYS.map(([, key, words]) => el("tr", {}, el("td", {}, el("kbd", {}, key)), el("td", {}, words))))),
      el("p", {}, "Outlined: replayed, nothing ran. Filled: live. Hatched: a failed attempt. A thin line: a back-off. Open, with a diamond: it waits."));
  }
  const showPanel = () => keepingFocus(fillPanel);
  function fillPanel() {
    const name = get("panel");
    panel.replaceChildren();
    panel.hidden = !name;
    panel.setAttribute("aria-label", { signal: "deliver a signal", fork: "fork", table: "the table", help: "help" }[name] ?? "");
    ({ signal: signalPanel, fork: forkPanel, table: tablePanel, help: helpPanel })[name]?.();
    table.setAttribute("aria-pressed", name === "table");
    help.setAttribute("aria-pressed", name === "help");
  }

  // ------------------------------------------------------------ play

  function tick() {
    timer = 0;
    if (!get("playing")) return;
    if (position < total() - 1) { step(1); timer = setTimeout(tick, TICK); return; }
    if (get("status")) { set("playing", false); return; } // it has ended, or it waits
    send({ do: "step" }); // what comes back are new rows: they call tick again
  }
  function playing() {
    play.setAttribute("aria-pressed", get("playing"));
    play.firstChild.textContent = get("playing") ? "Pause" : "Play";
    clearTimeout(timer);
    timer = get("playing") ? setTimeout(tick, 30) : 0;
  }

  // ------------------------------------------------------------ what Python says

  const refresh = () => keepingFocus(tellAll);
  function tellAll() {
    title.textContent = get("title");
    engine.textContent = get("engine");
    said.textContent = get("said");
    said.classList.toggle("dl-problem", get("problem"));
    const fork = get("mode") === "fork";
    captions[0].hidden = captions[1].hidden = other.hidden = keep.hidden = !fork;
    captions[0].textContent = "as it was";
    captions[1].textContent = fork ? `the other future: ${standing(get("other_title"))}` : "";
    other.setAttribute("aria-label", captions[1].textContent);
    stage.setAttribute("aria-label", `events of ${get("title")}`);
    box.setAttribute("aria-label", `timeline of ${get("title")}`);
    back.disabled = !(get("panel") || fork || get("depth"));
    failed.checked = get("failed_only");
    clock.checked = get("clock");
    ordered.textContent = get("clock") && get("by_order") ? `${get("by_order")} So x is order, not time.` : "";
    if (query.value !== get("query")) query.value = get("query");
    later();
  }
  const listen = [
    ["change:rows change:other", () => { takeRows(); clearTimeout(timer); if (get("playing")) timer = setTimeout(tick, TICK); }],
    ["change:failed_only", () => { filter(); start = 0; }],
    ["change:position", () => { if (!sync) position = get("position"); }],
    ["change:overview", () => { mapImage = null; }],
    ["change:panel", showPanel],
    ["change:playing", playing],
    ["change:title change:engine change:said change:problem change:mode change:rows change:other change:depth change:panel change:clock change:failed_only change:query change:position change:selected change:effects change:printed change:total", refresh],
  ];
  for (const [names, act] of listen) for (const name of names.split(" ")) model.on(name, act);

  // ------------------------------------------------------------ keys and mouse

  const keys = {
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => go(first()), End: () => go(last()),
    " ": () => toggle("playing"), n: () => send({ do: "step" }), c: () => send({ do: "crash", at: position }), s: () => open("signal"),
    d: () => send({ do: "drop", at: position }), f: () => open("fork"), k: () => send({ do: "keep" }), Escape: goBack,
    t: () => open("table"), "?": () => open("help"), o: () => toggle("clock"), x: () => toggle("failed_only"), "/": () => query.focus(),
  };
  // Notebook 7 takes keys at the document before they come down to here, JupyterLab when they come up again. The window
  // is before both: a key that the timeline uses, or that types, goes no further.
  function onKey(event) {
    if (!(event.target instanceof Node && box.contains(event.target)) || event.isComposing || event.key === "Tab") return;
    const target = event.target, chord = event.ctrlKey || event.metaKey || event.altKey;
    const typing = target.matches("input:not([type=checkbox]):not([type=radio]), select, textarea");
    const editing = typing && (event.ctrlKey || event.metaKey) && "acvxyz".includes(event.key.toLowerCase());
    if ((chord && !editing) || (event.key === "Enter" && event.shiftKey)) return; // the notebook's
    event.stopPropagation();
    if (chord || (typing && event.key !== "Escape" && !(target === query && event.key === "Enter"))) return;
    if (target.matches("input[type=radio]") && /^( |Arrow|Enter)/.test(event.key)) return;
    if (target.matches("button, input[type=checkbox]") && event.key === " ") return;
    if (target.matches(".dl-scroll, pre") && ["ArrowLeft", "ArrowRight", "Home", "End", " "].includes(event.key)) return;
    if (target === query) {
      event.preventDefault();
      if (event.key === "Enter") find(1);
      else stage.focus();
    } else if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
      if (event.key === "Escape") stage.focus();
    }
  }
  window.addEventListener("keydown", onKey, true);
  function pick(event) {
    if (!geometry) return;
    const column = Math.floor((event.clientX - canvas.getBoundingClientRect().left - geometry.left) / geometry.unit);
    const place = Math.max(0, column) + start;
    if (get("mode") === "fork") go(place);
    else if (view[place] !== undefined) go(view[place] + get("first"));
  }
  const jump = (event) => { const box = map.getBoundingClientRect(); go(Math.floor(((event.clientX - box.left) / box.width) * total())); };
  for (const [target, act] of [[canvas, pick], [otherCanvas, pick], [map, jump]]) {
    target.addEventListener("pointerdown", (event) => { target.setPointerCapture(event.pointerId); act(event); stage.focus({ preventScroll: true }); event.preventDefault(); });
    target.addEventListener("pointermove", (event) => { if (event.buttons & 1) act(event); });
  }
  const resize = new ResizeObserver(later);
  resize.observe(box);
  // A theme's style sheet arrives some time after its name.
  const themes = new MutationObserver(() => { for (const wait of [0, 200, 800, 2000]) setTimeout(later, wait); });
  themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class"] });

  takeRows();
  showPanel();
  refresh();
  draw();
  playing();
  return () => {
    clearTimeout(timer);
    clearTimeout(sync);
    cancelAnimationFrame(frame);
    window.removeEventListener("keydown", onKey, true);
    resize.disconnect();
    themes.disconnect();
    for (const [names, act] of listen) for (const name of names.split(" ")) model.off(name, act);
  };
}

// A notebook keeps what it shows, and a widget's view is an error message wherever its kernel is gone. So the output is
// the static figure; where there is a kernel, its place is taken by the live one.
function initialize({ model }) {
  const places = document.getElementsByClassName(model.get("home")), live = new Map();
  function end(place) {
    const { leave, still, page } = live.get(place);
    live.delete(place);
    leave();
    place.replaceChildren(...still);
    page?.classList.add("jp-RenderedHTMLCommon");
  }
  function look() {
    for (const place of [...live.keys()]) if (!place.isConnected) end(place);
    for (const place of places) {
      if (live.has(place)) continue;
      const still = [...place.childNodes], page = place.closest(".jp-RenderedHTMLCommon");
      page?.classList.remove("jp-RenderedHTMLCommon"); // its rules for tables and text are not for a widget
      place.replaceChildren();
      live.set(place, { still, page, leave: render({ model, el: place }) });
    }
  }
  const watch = new MutationObserver(look);
  watch.observe(document.body, { childList: true, subtree: true });
  look();
  return () => {
    watch.disconnect();
    for (const place of [...live.keys()]) end(place);
  };
}

export default { initialize, render };
