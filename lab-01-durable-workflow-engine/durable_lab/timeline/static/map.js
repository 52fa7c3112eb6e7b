// The strip above the picture: the whole history, what is in view of it, and the selected event.

class Minimap {
  constructor(canvas) {
    this.canvas = canvas;
    this.pad = new Pad(canvas);
    this.forget();
  }

  forget() { this.image = null; } // the history or the colours have changed

  paint(state, { width, theme, from, many }) {
    const { pad } = this, { c } = pad, height = 22, all = Math.max(state.total, 1);
    if (this.image?.width !== Math.round(width * devicePixelRatio)) this.keep(state, width, height, theme);
    pad.size(width, height);
    c.drawImage(this.image, 0, 0, width, height);
    c.strokeStyle = theme.ink;
    c.lineWidth = 2;
    c.strokeRect((from / all) * width + 1, 1, Math.max(8, (Math.min(many, all) / all) * width) - 2, height - 2);
    c.fillStyle = theme.focus;
    c.fillRect((state.position / all) * width, 0, Math.max(3, width / all - 1), 3);
  }

  // Paint the strip once, and keep it as an image: each step only moves what is on it.
  keep(state, width, height, theme) {
    const letters = state.get("overview"), { c } = this.pad, unit = width / Math.max(letters.length, 1);
    const { bad, good, activity } = state.scene.colours;
    this.pad.size(width, height);
    c.fillStyle = theme.stripe;
    c.fillRect(0, 3, width, height - 6);
    for (let i = 0; i < letters.length; i++) {
      const tall = letters[i] === "." ? 4 : 12;
      c.fillStyle = letters[i] === "f" ? bad : letters[i] === "s" ? good : activity;
      c.fillRect(i * unit, height / 2 - tall / 2, Math.max(1, unit - (unit > 3 ? 1 : 0)), tall);
    }
    this.image = document.createElement("canvas");
    this.image.width = this.canvas.width;
    this.image.height = this.canvas.height;
    this.image.getContext("2d").drawImage(this.canvas, 0, 0);
  }
}
