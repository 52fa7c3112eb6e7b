// Elements, and the table of keys. The files of this folder are the sections of one module: `widget.py` joins them in
// the order of its SCRIPTS, because a module that comes from a kernel has no address that a path could be relative to.
// A section uses names of the earlier ones.

const KEYS = [
  ["ArrowLeft", "←", "the previous event"], ["ArrowRight", "→", "the next event"],
  ["Home", "Home", "the first event"], ["End", "End", "the last event"],
  [" ", "space", "play: through what is recorded, then live on the engine"], ["n", "n", "one more step on the engine"],
  ["c", "c", "crash here: the process dies at this event"], ["s", "s", "deliver a signal"],
  ["d", "d", "drop the result: the effect happened, the record is lost"], ["f", "f", "fork here: another future"],
  ["k", "k", "keep the other future"], ["Escape", "Esc", "back: close, leave the fork, or undo"],
  ["t", "t", "the table"], ["o", "o", "order or clock"], ["x", "x", "failed only"], ["/", "/", "search by name"],
  ["?", "?", "this help"],
];

// An element. Attributes that begin with "on" are listeners; those that are false, null or undefined are left out.
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// A button with its key beside its words.
function keyButton(key, words, act, label = words) {
  const [, shown, title] = KEYS.find((known) => known[0] === key);
  const shortcut = key === " " ? "Space" : key;
  const attributes = { type: "button", "aria-label": label, title, "data-key": key, "aria-keyshortcuts": shortcut };
  return el("button", { ...attributes, onclick: act }, words, el("kbd", { "aria-hidden": "true" }, shown));
}

// A table from its titles and rows of cells. `caption` and `attributes` (of a row) are optional.
function tableOf(titles, rows, caption = "", attributes = () => ({})) {
  const head = titles.map((title) => el("th", { scope: "col" }, title));
  const lines = rows.map((cells, i) => el("tr", attributes(i), ...cells.map((cell) => el("td", {}, cell))));
  const top = titles.length ? [el("thead", {}, el("tr", {}, ...head))] : [];
  return el("table", {}, ...(caption ? [el("caption", {}, caption)] : []), ...top, el("tbody", {}, ...lines));
}
