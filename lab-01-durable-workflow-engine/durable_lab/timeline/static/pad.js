// A canvas with the few things that a timeline is painted with.

const FONT = 12;

class Pad {
  constructor(canvas) {
    this.canvas = canvas;
    this.c = canvas.getContext("2d");
    this.cuts = new Map();
  }

  // Make it empty, and so large. A change of size costs much more than a clear.
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

  font(size = FONT, bold = false) {
    this.c.font = `${bold ? "bold " : ""}${size}px ${this.family}`;
  }

  // A text cut to the room there is. Measured once for each text, because measuring is slow.
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

  text(text, x, y, room, colour, { align = "left", bold = false, size = FONT, ground = "" } = {}) {
    this.font(size, bold);
    this.c.textAlign = align;
    this.c.textBaseline = "middle";
    const cut = this.cut(text, room);
    if (ground) {
      this.c.fillStyle = ground;
      this.c.fillRect(x - 1, y - 7, this.c.measureText(cut).width + 2, 14);
    }
    this.c.fillStyle = colour;
    this.c.fillText(cut, x, y);
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

  shape(points, colour) {
    this.c.fillStyle = colour;
    this.c.beginPath();
    points.forEach(([x, y], i) => (i ? this.c.lineTo(x, y) : this.c.moveTo(x, y)));
    this.c.closePath();
    this.c.fill();
  }

  // A symbol of a scene: the same shapes as in `figure.py`.
  symbol(name, x, y, colour, paper) {
    const r = 4.5, { c } = this;
    if (name === "cross") {
      this.line([[x - r, y - r], [x + r, y + r]], colour, 2.5);
      this.line([[x - r, y + r], [x + r, y - r]], colour, 2.5);
    } else if (name === "diamond") {
      const points = [[x, y - 6], [x + 6, y], [x, y + 6], [x - 6, y]];
      this.shape(points, paper);
      this.line([...points, points[0], points[1]], colour, 2);
    } else if (name === "triangle") this.shape([[x, y - 6], [x + 6, y + 5], [x - 6, y + 5]], colour);
    else if (name === "play") this.shape([[x - 4, y - 5], [x + 5, y], [x - 4, y + 5]], colour);
    else if (name === "square") this.shape([[x - 4, y - 4], [x + 4, y - 4], [x + 4, y + 4], [x - 4, y + 4]], colour);
    else if (name === "question") this.text("?", x, y, 12, colour, { align: "center", bold: true, size: 14 });
    else {
      c.fillStyle = colour;
      c.beginPath();
      c.arc(x, y, r, 0, 7);
      c.fill();
    }
  }

  arrow(x0, y0, x1, y1, colour) {
    const angle = Math.atan2(y1 - y0, x1 - x0);
    this.line([[x0, y0], [x1, y1]], colour, 1.3);
    for (const turn of [2.6, -2.6]) {
      this.line([[x1, y1], [x1 + 7 * Math.cos(angle + turn), y1 + 7 * Math.sin(angle + turn)]], colour, 1.3);
    }
  }
}
