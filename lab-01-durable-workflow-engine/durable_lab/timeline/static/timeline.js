// The widget: its elements, when they are painted, and where it stands on the page. Python is asked for all that runs.

const MOST = 18, TICK = 650; // columns in view; milliseconds between two steps of play

class Timeline {
  constructor(model, root) {
    this.state = new State(model, () => this.later());
    this.start = this.frame = this.timer = 0;
    this.build();
    root.append(this.box);
    this.ends = [listenToKeys(this), ...this.listen(model), ...this.watch()];
    this.panels.show();
    this.say();
    this.tell();
    this.draw();
    this.play();
  }

  end() {
    clearTimeout(this.timer);
    clearTimeout(this.state.timer);
    cancelAnimationFrame(this.frame);
    for (const end of this.ends) end();
  }

  // ---------------------------------------------------------------- elements

  build() {
    const canvas = (className) => el("canvas", { "aria-hidden": "true", ...(className && { class: className }) });
    const line = (name, more = {}) => el("div", { class: name, ...more });
    this.title = line("dl-title");
    this.engine = line("dl-engine");
    this.said = line("dl-said", { role: "status", "aria-live": "polite" });
    this.map = new Minimap(canvas("dl-map"));
    this.pad = new Pad(canvas());
    this.otherPad = new Pad(canvas());
    const slider = { tabindex: 0, role: "slider", "aria-orientation": "horizontal", "aria-valuemin": 0 };
    slider["aria-keyshortcuts"] = "ArrowLeft ArrowRight Home End Space";
    this.stage = el("div", { class: "dl-stage", ...slider }, this.pad.canvas);
    this.captions = [line("dl-caption"), line("dl-caption")];
    this.other = el("div", { class: "dl-other", role: "img" }, this.otherPad.canvas);
    this.panels = new Panels(this.state, () => this.stage.focus());
    this.detail = el("section", { class: "dl-detail", "aria-label": "the selected event" });
    this.box = el("div", { class: "dl-timeline", role: "group" }, this.title, this.engine, this.said, this.actions(),
      this.tools(), this.map.canvas, this.captions[0], this.stage, this.captions[1], this.other, this.panels.box, this.detail);
    listenToMouse(this.pad.canvas, (x) => this.pick(x), this.stage);
    listenToMouse(this.otherPad.canvas, (x) => this.pick(x), this.stage);
    listenToMouse(this.map.canvas, (x, width) => this.state.go(Math.floor((x / width) * this.state.total)), this.stage);
  }

  actions() {
    const acts = actionsOf(this), button = (key, words, label) => keyButton(key, words, acts[key], label);
    const group = (...buttons) => el("span", { class: "dl-group" }, ...buttons);
    this.playing = button(" ", "Play");
    this.keep = button("k", "Keep this future");
    this.undo = button("Escape", "Back");
    return el("div", { class: "dl-bar", role: "toolbar", "aria-label": "actions on the run" },
      group(button("Home", "|◀", "first event"), button("ArrowLeft", "◀", "previous event"),
        button("ArrowRight", "▶", "next event"), button("End", "▶|", "last event")),
      group(this.playing, button("n", "Step")),
      group(button("c", "Crash here"), button("s", "Signal"), button("d", "Drop the result"), button("f", "Fork"), this.keep, this.undo));
  }

  tools() {
    const { state } = this, acts = actionsOf(this);
    this.table = keyButton("t", "Table", acts.t);
    this.help = keyButton("?", "Help", acts["?"]);
    const search = () => { state.set("query", this.query.value); this.find(0); };
    const words = "search by name";
    this.query = el("input", { type: "search", placeholder: `${words}  ( / )`, "aria-label": words, size: 20, oninput: search });
    const box = (name) => el("input", { type: "checkbox", onchange: (event) => state.set(name, event.target.checked) });
    this.failed = box("failed_only");
    this.clock = box("clock");
    this.note = el("span", { class: "dl-engine" }); // why x is order although time was asked for
    return el("div", { class: "dl-bar" }, el("span", { class: "dl-group" }, this.table, this.help), this.query,
      el("label", {}, this.failed, "failed only"), el("label", {}, this.clock, "x is clock time"), this.note);
  }

  // An element that has the focus may disappear or be disabled; then the notebook would get the keys.
  keepingFocus(act) {
    const had = this.box.contains(document.activeElement);
    act();
    const now = document.activeElement;
    if (had && (!this.box.contains(now) || now.disabled || now.closest("[hidden]"))) this.stage.focus({ preventScroll: true });
  }

  // ---------------------------------------------------------------- what a reader does

  back() {
    const { state } = this;
    if (state.get("playing")) state.set("playing", false);
    else if (state.get("panel")) state.set("panel", ""); // here, because a message overtakes a change of state
    else state.send({ do: "back" });
  }
  find(by) {
    const words = this.query.value.toLowerCase();
    if (words) this.said.textContent = this.state.find(words, by);
  }
  pick(x) {
    const { painted, state } = this;
    if (!painted) return;
    const at = painted.from + (x - painted.left) / painted.unit;
    const scene = state.columns > state.scene.length ? state.other : state.scene; // the longer future has each column
    state.go(scene.index(scene.nearest(at, this.start, painted.view.columns)));
  }

  // ---------------------------------------------------------------- painting

  later() {
    this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.draw(); });
  }

  colours() {
    const style = getComputedStyle(this.box), theme = { family: style.fontFamily };
    for (const name of ["ink", "faint", "paper", "stripe", "alarm", "focus"]) theme[name] = style.getPropertyValue(`--dl-${name}`).trim();
    if (this.theme?.stripe !== theme.stripe) this.map.forget();
    return theme;
  }

  draw() {
    const { state } = this, width = this.box.clientWidth - 12;
    if (width < 50) return;
    this.theme = this.colours();
    const columns = this.scroll(Math.floor((width * 0.5 - 14) / 24)), view = { start: this.start, columns };
    const fork = (difference) => state.fork && { at: state.get("fork_at"), difference: state.get(difference) };
    const look = { width, theme: this.theme, selected: state.position };
    this.painted = new Painter(this.pad, state.scene, view, { ...look, fork: fork("first_difference") });
    this.painted.paint();
    if (state.fork) new Painter(this.otherPad, state.other, view, { ...look, fork: fork("other_difference") }).paint();
    this.askForMore();
    this.map.paint(state, { width, theme: this.theme, from: state.scene.index(this.start), many: columns });
    this.keepingFocus(() => this.select());
  }

  // Of a long history only a part is sent at first. Once that is painted, the rest is asked for.
  askForMore() {
    if (this.state.scene.whole || this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => setTimeout(() => this.state.send({ do: "whole" })));
  }

  // Keep the selected event in view. Returns how many columns are.
  scroll(room) {
    const { column, columns: all, fork } = this.state;
    const columns = Math.max(6, Math.min(fork ? 12 : MOST, room, all)), last = Math.max(0, all - columns);
    if (column < this.start + 1 || column > this.start + columns - 2 || this.start > last) {
      this.start = Math.max(0, Math.min(column - (column < this.start + 1 ? 2 : columns - 3), last));
    }
    return columns;
  }

  // Say the selected event in words: to a screen reader, and below the picture.
  select() {
    const { position, total, event } = this.state;
    this.stage.setAttribute("aria-valuenow", position);
    this.stage.setAttribute("aria-valuemax", Math.max(total - 1, 0));
    this.stage.setAttribute("aria-valuetext", total ? `event ${position} of ${total}: ${wordsOf(event)}` : this.said.textContent);
    fillDetail(this.detail, this.state);
    if (this.state.get("panel") === "table") this.panels.mark();
  }

  // ---------------------------------------------------------------- what Python says

  tell() {
    const { state } = this, get = (name) => state.get(name), { fork } = state;
    this.title.textContent = get("title");
    this.engine.textContent = get("engine");
    for (const part of [...this.captions, this.other, this.keep]) part.hidden = !fork;
    this.captions[0].textContent = "as it was";
    this.captions[1].textContent = fork ? `the other future: ${state.other.rows[0].outcome}` : "";
    this.other.setAttribute("aria-label", this.captions[1].textContent);
    this.stage.setAttribute("aria-label", `events of ${get("title")}`);
    this.box.setAttribute("aria-label", `timeline of ${get("title")}`);
    this.undo.disabled = !(get("panel") || fork || get("depth"));
    this.failed.checked = get("failed_only");
    this.clock.checked = get("clock");
    this.note.textContent = state.scene.note;
    this.table.setAttribute("aria-pressed", get("panel") === "table");
    this.help.setAttribute("aria-pressed", get("panel") === "help");
    if (this.query.value !== get("query")) this.query.value = get("query");
    this.later();
  }

  say() {
    this.said.textContent = this.state.get("said");
    this.said.classList.toggle("dl-problem", this.state.get("problem"));
  }

  listen(model) {
    const on = (names, act) => {
      for (const name of names.split(" ")) model.on(`change:${name}`, act);
      return () => { for (const name of names.split(" ")) model.off(`change:${name}`, act); };
    };
    const scenes = () => {
      this.state.takeScenes();
      this.asked = false;
      this.map.forget();
      clearTimeout(this.timer);
      if (this.state.get("playing")) this.timer = setTimeout(() => this.tick(), TICK);
    };
    const all = "title engine mode panel depth clock failed_only query position scene other_scene records printed total";
    return [
      on("scene other_scene", scenes),
      on("records", () => this.state.takeRecords()),
      on("position", () => this.state.heard()),
      on("overview", () => this.map.forget()),
      on("panel", () => this.keepingFocus(() => this.panels.show())),
      on("playing", () => this.play()),
      on("said problem", () => this.say()),
      on(all, () => this.keepingFocus(() => this.tell())),
    ];
  }

  watch() {
    const resized = new ResizeObserver(() => this.later());
    resized.observe(this.box);
    // The style sheet of a theme arrives some time after its name.
    const themed = new MutationObserver(() => { for (const wait of [0, 200, 800, 2000]) setTimeout(() => this.later(), wait); });
    themed.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class"] });
    return [() => resized.disconnect(), () => themed.disconnect()];
  }

  play() {
    const playing = this.state.get("playing");
    this.playing.setAttribute("aria-pressed", playing);
    this.playing.firstChild.textContent = playing ? "Pause" : "Play";
    clearTimeout(this.timer);
    this.timer = playing ? setTimeout(() => this.tick(), 30) : 0;
  }

  tick() {
    const { state } = this;
    this.timer = 0;
    if (!state.get("playing")) return;
    if (state.position < state.last) {
      state.step(1);
      this.timer = setTimeout(() => this.tick(), TICK);
    } else if (state.get("status")) state.set("playing", false); // the run has ended, or it waits
    else state.send({ do: "step" }); // a new scene comes back, and with it the next tick
  }
}

function render({ model, el: root }) {
  const timeline = new Timeline(model, root);
  return () => timeline.end();
}

// A notebook keeps its outputs, and the view of a widget becomes an error message when its kernel is gone. So the output
// is the static figure; while there is a kernel, the live timeline takes its place.
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
