// Paints the part of a scene that is in view: labels left, marks in the middle, outcomes right.

const ROW = 24, HEAD = 38; // pixels: a row, and the labels of the lines across

class Painter {
  // view: { start, columns } in columns. look: { width, theme, selected, fork }, `fork` being { at, difference } or null.
  constructor(pad, scene, view, look) {
    Object.assign(this, { pad, scene, view, look, theme: look.theme });
    this.gutter = Math.min(230, Math.max(96, look.width * 0.24));
    this.margin = Math.min(280, Math.max(96, look.width * 0.26));
    this.left = this.gutter + 6;
    this.right = look.width - this.margin - 8;
    [this.from, this.to] = scene.range(view.start, view.columns);
    this.unit = (this.right - this.left) / (this.to - this.from);
    this.marks = scene.marksIn(this.from, this.to);
    this.y = this.placeRows();
  }

  // Rows that are pinned are always there; of the others, those with something in view.
  placeRows() {
    const { rows } = this.scene, most = Math.min(this.view.columns, this.scene.scrolled);
    const marked = this.marks.map((mark) => mark.row).filter((row) => !rows[row].pin);
    const last = Math.max(...marked), first = Math.max(Math.min(...marked), last - most + 1);
    const y = new Map();
    let next = HEAD + ROW / 2;
    rows.forEach((row, i) => {
      if (!row.pin && !(i >= first && i <= last)) return;
      y.set(i, next);
      next += ROW;
      if (i < this.scene.crossed) this.bottom = next - ROW / 2;
    });
    this.height = HEAD + ROW * (rows.length - this.scene.scrolled + most) + 4;
    return y;
  }

  x(column) { return this.left + (column - this.from) * this.unit; }
  colour(role) { return this.theme[role] ?? this.scene.colours[role]; }

  paint() {
    const { pad, theme, look } = this, { c } = pad;
    pad.family = theme.family;
    pad.size(look.width, this.height);
    for (const [i, y] of this.y) if (this.scene.rows[i].striped) {
      c.fillStyle = theme.stripe;
      c.fillRect(0, y - ROW / 2, look.width, ROW);
    }
    const selected = this.scene.has(look.selected) ? this.scene.event(this.scene.column(look.selected)) : null;
    if (selected) this.select(selected);
    for (const [i, y] of this.y) this.row(this.scene.rows[i], y, i > 0 && selected?.row === i);
    c.save();
    c.beginPath();
    c.rect(this.left - 7, 0, this.right - this.left + 14, this.height);
    c.clip();
    for (const mark of this.marks) if (this.y.has(mark.row)) this[mark.shape](mark, this.y.get(mark.row));
    c.restore();
    for (const across of this.scene.across) {
      const hidden = look.fork && across.shape === "live"; // its label would meet that of the fork
      if (across.x >= this.from && across.x <= this.to && !hidden) this.across(across);
    }
    if (look.fork) this.fork(look.fork);
  }

  select({ x0, x1 }) {
    const { c } = this.pad, a = this.x(x0), b = Math.max(this.x(x1), a + 6), middle = (a + b) / 2;
    c.globalAlpha = 0.18;
    c.fillStyle = this.theme.focus;
    c.fillRect(a - 2, HEAD - 6, b - a + 4, this.bottom - HEAD + 6);
    c.globalAlpha = 1;
    this.pad.shape([[middle - 5, HEAD - 12], [middle + 5, HEAD - 12], [middle, HEAD - 5]], this.theme.focus);
  }

  row({ label, outcome, role, bold }, y, chosen) {
    const colour = this.colour(role), alarm = role === "alarm";
    this.pad.text(label, 4, y, this.gutter - 8, colour, { bold: bold || chosen });
    this.pad.text(outcome, this.look.width - this.margin, y, this.margin - 4, colour, { bold: alarm });
  }

  // ---------------------------------------------------------------- marks, by shape

  // The edges of a mark. What is too narrow to be seen is widened, within the plot.
  ends({ shape, x0, x1 }) {
    const least = this.scene.least[shape], a = this.x(x0);
    const b = Math.max(this.x(x1), a + least), right = this.x(x1) > this.right ? b : Math.min(b, this.right);
    return [Math.min(a, right - least), right];
  }

  bar(mark, y) {
    const { pad } = this, { c } = pad, [a, b] = this.ends(mark), colour = this.colour(mark.role);
    const filled = mark.fill === "filled";
    c.fillStyle = colour;
    if (filled) c.fillRect(a, y - 7, b - a, 14);
    if (mark.hatched) this.hatch(a, b, y, filled ? "#000000" : colour);
    c.strokeStyle = filled ? this.theme.ink : colour;
    c.lineWidth = filled ? 0.8 : 2;
    c.setLineDash(mark.fill === "dotted" ? [3, 3] : []);
    c.strokeRect(a, y - 7, b - a, 14);
    c.setLineDash([]);
    if (mark.symbol) pad.symbol(mark.symbol, b, y, this.colour(mark.symbol_role), this.theme.paper);
  }

  hatch(a, b, y, colour) {
    const { c } = this.pad;
    c.save();
    c.beginPath();
    c.rect(a, y - 7, b - a, 14);
    c.clip();
    for (let x = a - 14; x < b; x += 6) this.pad.line([[x, y + 7], [x + 14, y - 7]], colour, 1.2);
    c.restore();
  }

  wait(mark, y) {
    const [a, b] = this.ends(mark), colour = this.colour(mark.role);
    this.pad.line([[b, y - 5], [a, y - 5], [a, y + 5], [b, y + 5]], colour, 1.5);
    if (mark.symbol) this.pad.symbol(mark.symbol, b - 6, y, this.colour(mark.symbol_role), this.theme.paper);
  }

  line({ x0, x1, role, words }, y) {
    const a = Math.max(this.x(x0), this.left - 6), b = Math.min(this.x(x1), this.right + 6), least = this.scene.least.label;
    this.pad.line([[a, y], [b, y]], this.colour(role), words ? 1.5 : 1);
    const how = { align: "center", size: 9.5 };
    if (words && b - a > least) this.pad.text(words, (a + b) / 2, y - 7, b - a, this.theme.ink, how);
  }

  symbol({ x0, shift, symbol, symbol_role }, y) {
    this.pad.symbol(symbol, this.x(x0) + 9 * shift, y, this.colour(symbol_role), this.theme.paper);
  }

  letter({ x0, x1, role, words, shift }, y) {
    const x = this.x(x0) + 16 * shift, room = Math.min(this.x(x1), this.right) - x - 22;
    this.pad.text("✉", x, y, 20, this.colour(role), { align: "center", size: 15 });
    if (!words || room < this.scene.least.label) return;
    this.pad.text(words, x + 10, y, Math.min(room, 150), this.theme.ink, { size: 11, ground: this.theme.paper });
  }

  arrow({ x0, x1, role, to }, y) {
    if (this.y.has(to)) this.pad.arrow(this.x(x0), y - 5, this.x(x1), this.y.get(to) + 9, this.colour(role));
  }

  tick({ x0, role, words }, y) {
    const x = this.x(x0), colour = this.colour(role);
    this.pad.line([[x, y - ROW / 2], [x, y - ROW / 2 + 5]], colour);
    this.pad.text(words, x, y + 2, 60, colour, { align: "center", size: 10 });
  }

  // ---------------------------------------------------------------- lines across the rows

  across({ shape, x, words, role, tier, shift }) {
    const at = this.x(x) + shift, colour = this.colour(role);
    if (shape === "live") this.pad.line([[at, HEAD - 8], [at, this.bottom]], colour, 1, [5, 4]);
    else {
      const points = [];
      for (let y = HEAD - 4, i = 0; y <= this.bottom; y += 7, i++) points.push([at + (i % 2 ? 4 : -4), y]);
      this.pad.line(points, colour, 2);
    }
    this.above(at, tier ? 21 : 8, words, at > this.look.width * 0.68);
  }

  // A label over a line, before it or behind it.
  above(x, y, words, before) {
    const room = before ? x - 10 : this.look.width - x - 10, align = before ? "right" : "left";
    this.pad.text(words, before ? x - 5 : x + 5, y, room, this.theme.ink, { align, size: 11 });
  }

  // Where two futures part: a dotted line at the fork, a frame around the first difference.
  fork({ at, difference }) {
    const place = (index) => (this.scene.has(index) ? this.scene.event(this.scene.column(index)) : null);
    const fork = place(at), split = place(difference);
    if (split && split.x0 <= this.to && split.x1 >= this.from) {
      const { c } = this.pad, a = this.x(split.x0), b = this.x(split.x1);
      c.strokeStyle = this.scene.colours.bad;
      c.lineWidth = 2;
      c.strokeRect(a - 3, HEAD - 2, b - a + 6, this.bottom - HEAD + 2);
      this.above(a - 4, 21, at === difference ? "fork, and ≠ first difference" : "≠ first difference", false);
    }
    if (fork && fork.x0 <= this.to && fork.x1 >= this.from) {
      const edge = this.x(fork.x0) - 4;
      this.pad.line([[edge, HEAD - 8], [edge, this.bottom]], this.theme.ink, 1.5, [2, 3]);
      if (at !== difference) this.above(edge, 21, "fork", true);
    }
  }
}
