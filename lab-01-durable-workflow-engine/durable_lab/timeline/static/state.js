// What is shown, and which event is selected. A step through the history needs no kernel: Python is told of it later.

class State {
  constructor(model, moved) {
    Object.assign(this, { model, moved, timer: 0, position: model.get("position") });
    this.takeScenes();
    this.takeRecords();
  }

  get(name) { return this.model.get(name); }
  set(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }
  toggle(name) { this.set(name, !this.get(name)); }
  open(name) { this.set("panel", this.get("panel") === name ? "" : name); }
  send(content) {
    this.flush();
    this.model.send(content);
  }

  takeScenes() {
    this.scene = new Scene(this.get("scene"));
    this.other = this.get("other_scene") ? new Scene(this.get("other_scene")) : null;
  }
  takeRecords() { this.records = JSON.parse(this.get("records")); } // by index: the events around the selected one

  // ---------------------------------------------------------------- the selected event

  get fork() { return this.get("mode") === "fork"; }
  get total() { return this.fork && this.other ? Math.max(this.get("total"), this.other.index(0) + this.other.length) : this.get("total"); }
  get first() { return this.get("failed_only") && !this.fork ? this.scene.index(0) : 0; }
  get last() { return this.get("failed_only") && !this.fork ? this.scene.index(this.scene.length - 1) : this.total - 1; }
  get column() { return this.fork ? this.position - this.scene.index(0) : this.scene.column(this.position); }
  get columns() { return Math.max(this.scene.length, this.fork ? this.other.length : 0); }
  get event() { return this.at(this.scene) ?? this.at(this.other); }
  get otherEvent() { return this.at(this.other); }
  get record() { return this.records[this.position]; }
  at(scene) { return scene?.has(this.position) ? scene.event(scene.column(this.position)) : undefined; }

  go(index) {
    index = Math.max(0, Math.min(index, this.total - 1));
    if (this.get("failed_only") && !this.fork) index = this.scene.index(this.scene.column(index));
    if (index === this.position) return;
    this.position = index;
    if (!this.fork && !this.scene.has(index)) this.flush(); // what comes back is the part of history around it
    else if (!this.timer) this.timer = setTimeout(() => this.flush(), 50);
    this.moved();
  }
  step(by) {
    if (!this.get("failed_only") || this.fork) return this.go(this.position + by);
    const column = this.scene.column(this.position), back = by < 0 || this.scene.index(column) === this.position;
    this.go(this.scene.index(Math.max(0, Math.min(column + (back ? by : 0), this.scene.length - 1))));
  }
  flush() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.get("position") !== this.position) this.set("position", this.position);
  }
  heard() { if (!this.timer) this.position = this.get("position"); } // of a step that Python made

  // Select the next event with these words, `by` 1 past this one. Returns what to tell the reader.
  find(words, by) {
    const { scene } = this, what = scene.field.what, here = [];
    for (const event of scene.events) if (event[what].toLowerCase().includes(words)) here.push(event[scene.field.index]);
    const found = here.find((index) => index > this.position - (by ? 0 : 1)) ?? here[0];
    if (found !== undefined) this.go(found);
    const part = scene.length < this.total ? " among the events that are here" : "";
    const place = `${here.indexOf(found) + 1} of ${here.length} events of this name`;
    return `${here.length ? place : "no event of this name"}${part}`;
  }
}
