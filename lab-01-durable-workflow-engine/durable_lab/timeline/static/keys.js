// Keys and the mouse.

// What each key does; `ui` is the Timeline.
function actionsOf(ui) {
  const { state } = ui, here = (name) => state.send({ do: name, at: state.position });
  return {
    ArrowLeft: () => state.step(-1), ArrowRight: () => state.step(1), Home: () => state.go(state.first), End: () => state.go(state.last),
    " ": () => state.toggle("playing"), n: () => state.send({ do: "step" }), c: () => here("crash"), s: () => state.open("signal"),
    d: () => here("drop"), f: () => state.open("fork"), k: () => state.send({ do: "keep" }), Escape: () => ui.back(),
    t: () => state.open("table"), "?": () => state.open("help"), o: () => state.toggle("clock"), x: () => state.toggle("failed_only"),
    "/": () => ui.query.focus(),
  };
}

const ARROWS = ["ArrowLeft", "ArrowRight", "Home", "End", " "];

// Whether the element with the focus uses this key itself.
function usesKey(target, event, query) {
  const typing = target.matches("input:not([type=checkbox]):not([type=radio]), select, textarea");
  if (typing && event.key !== "Escape" && !(target === query && event.key === "Enter")) return true;
  if (target.matches("input[type=radio]") && /^( |Arrow|Enter)/.test(event.key)) return true;
  if (target.matches("button, input[type=checkbox]") && event.key === " ") return true;
  return target.matches(".dl-scroll, pre") && ARROWS.includes(event.key);
}

// Keys with Control are the notebook's, except those that edit what is typed.
function isNotebooks(target, event) {
  const chord = event.ctrlKey || event.metaKey || event.altKey;
  const typing = target.matches("input:not([type=checkbox]):not([type=radio]), select, textarea");
  const editing = typing && (event.ctrlKey || event.metaKey) && "acvxyz".includes(event.key.toLowerCase());
  return (chord && !editing) || (event.key === "Enter" && event.shiftKey);
}

// Notebook 7 takes keys at the document before they come down to the timeline, JupyterLab when they come up again. The
// window is before both: a key that the timeline uses, or that types, goes no further. Returns what ends it.
function listenToKeys(ui) {
  const { box, query, stage } = ui, actions = actionsOf(ui);
  function onKey(event) {
    const { target } = event;
    if (!(target instanceof Node && box.contains(target)) || event.isComposing || event.key === "Tab") return;
    if (isNotebooks(target, event)) return;
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey || usesKey(target, event, query)) return;
    if (target === query) {
      event.preventDefault();
      if (event.key === "Enter") ui.find(1);
      else stage.focus();
    } else if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]();
      if (event.key === "Escape") stage.focus();
    }
  }
  window.addEventListener("keydown", onKey, true);
  return () => window.removeEventListener("keydown", onKey, true);
}

// A press, or a drag, on a canvas: `act` gets how far right of its left edge it is, and its width.
function listenToMouse(canvas, act, stage) {
  const place = (event) => {
    const { left, width } = canvas.getBoundingClientRect();
    act(event.clientX - left, width);
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    place(event);
    stage.focus({ preventScroll: true });
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", (event) => event.buttons & 1 && place(event));
}
