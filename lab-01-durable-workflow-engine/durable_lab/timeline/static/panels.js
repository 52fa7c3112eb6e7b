// What opens below the picture: the forms for a signal and for a fork, the table, the help.

const TABLE = 200; // rows of the table around the selected event

class Panels {
  constructor(state, done) {
    Object.assign(this, { state, done });
    this.box = el("div", { class: "dl-panel", role: "region" });
  }

  show() {
    const name = this.state.get("panel");
    this.box.replaceChildren();
    this.box.hidden = !name;
    const labels = { signal: "deliver a signal", fork: "fork", table: "the table", help: "help" };
    this.box.setAttribute("aria-label", labels[name] ?? "");
    if (name in labels) this[name]();
  }

  submit(content) {
    this.state.send(content);
    this.state.set("panel", "");
    this.done();
  }
  buttons(words) {
    const cancel = el("button", { type: "button", onclick: () => this.state.set("panel", "") }, "Cancel");
    return [el("button", { type: "submit" }, words), cancel];
  }

  // The fields for a signal: its name, from those that are known, and its payload.
  choose() {
    const known = this.state.get("signals"), id = `dl-names-${Math.random().toString(36).slice(2)}`;
    const names = el("datalist", { id }, ...known.map((signal) => el("option", { value: signal.name })));
    const field = (name, label, value, more = {}) => el("input", { type: "text", name, "aria-label": label, value, ...more });
    const name = field("name", "name of the signal", known[0]?.name ?? "", { list: id, required: true });
    const payload = field("payload", "payload as JSON", known[0]?.payload ?? "null");
    name.addEventListener("change", () => {
      const chosen = known.find((signal) => signal.name === name.value);
      if (chosen) payload.value = chosen.payload;
    });
    return { name, payload, parts: [el("label", {}, "name", name, names), el("label", {}, "payload (JSON)", payload)] };
  }

  signal() {
    const { name, payload, parts } = this.choose();
    const deliver = (event) => {
      event.preventDefault();
      this.submit({ do: "deliver", name: name.value, payload: payload.value });
    };
    this.box.append(el("form", { onsubmit: deliver }, ...parts, ...this.buttons("Deliver it now")));
    name.focus();
  }

  fork() {
    const { state } = this, event = state.event, activity = event?.kind === "attempt" || event?.kind === "gap";
    const { name, payload, parts } = this.choose(), called = state.record?.name ?? "the activity";
    const value = event?.ok ? "Timeout: no answer" : "null";
    const outcome = el("input", { type: "text", "aria-label": "the other outcome", name: "outcome", value });
    const ways = [["again", "run it again"], ["signal", "with this signal"]];
    if (activity) ways.push(["error", `${called} fails with`], ["value", `${called} returns`]);
    const first = ["delivered", "blocked"].includes(event?.kind) ? "signal" : activity ? "error" : "again";
    const radio = ([how, words]) => el("label", {}, el("input", { type: "radio", name: "how", value: how, checked: how === first }), words);
    const more = el("span", { class: "dl-group" });
    const form = el("form", {}, el("span", {}, `Another future, from just before event ${state.position}:`),
      ...ways.map(radio), more, ...this.buttons("Fork"));
    const show = () => {
      const how = form.elements.how.value, label = how === "error" ? "Type: message" : "value (JSON)";
      more.replaceChildren(...({ signal: parts, again: [] }[how] ?? [el("label", {}, label, outcome)]));
    };
    form.addEventListener("change", (change) => change.target.name === "how" && show());
    form.addEventListener("submit", (submitted) => {
      submitted.preventDefault();
      const how = form.elements.how.value, given = how === "signal" ? payload.value : outcome.value;
      this.submit({ do: "fork", at: state.position, how, name: name.value, payload: given });
    });
    this.box.append(form);
    show();
    form.querySelector("input:checked").focus();
  }

  table() {
    const { scene, position, total } = this.state;
    const around = Math.max(0, Math.min(scene.column(position) - TABLE / 2, scene.length - TABLE));
    const many = Math.min(TABLE, scene.length), events = Array.from({ length: many }, (_, i) => scene.event(around + i));
    const cells = (e) => [e.index, e.position ?? "", e.at, `${e.mark} ${e.what}`, e.outcome, e.kind === "delivered" ? "" : e.ran];
    const cut = many < total ? ` (${many} of ${total.toLocaleString("en")} events, around the selected one)` : "";
    const rows = events.map((event) => cells(event).map(String)), titles = ["event", "pos", "at", "what", "outcome", "ran"];
    const made = tableOf(titles, rows, this.state.get("title") + cut, (i) => ({ "data-index": events[i].index }));
    this.box.append(el("div", { class: "dl-scroll", tabindex: 0, role: "region", "aria-label": "the table" }, made));
    this.mark(true);
  }

  // Mark the row of the selected event; `move` scrolls to it.
  mark(move = false) {
    for (const line of this.box.querySelectorAll("tr[data-index]")) {
      const here = Number(line.dataset.index) === this.state.position;
      if (here) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
      if (here && move) line.closest(".dl-scroll").scrollTop = line.offsetTop - 60;
    }
  }

  help() {
    const rows = KEYS.map(([, key, words]) => [el("kbd", {}, key), words]);
    this.box.append(tableOf([], rows, "keys, while the timeline has the focus"), el("p", {}, this.state.scene.legend));
  }
}
