// The selected event in words. What the scene tells is there at once, the record in full when Python has sent it.

function wordsOf(event) {
  if (!event) return "no event";
  const outcome = [event.attempt, event.outcome].filter(Boolean).join(", ");
  return [event.what, outcome, event.ran].filter(Boolean).join(" · ");
}

// A divergence in two columns: what history says, and what the code asked for.
function columnsOf(record) {
  const rows = record.columns.map(([name, had, asked, differs]) => [`${differs ? "≠ " : ""}${name}`, had, asked]);
  const differs = (i) => (record.columns[i][3] ? { class: "dl-differs" } : {});
  const made = tableOf([record.what, "history says", "your code asked"], rows, "", differs);
  made.className = "dl-columns";
  return made;
}

function fillDetail(box, state) {
  const { event, record } = state;
  box.replaceChildren();
  if (!event) return;
  const position = event.position == null ? "" : ` · position ${event.position}`;
  box.append(el("h4", {}, `event ${state.position}${position} · ${wordsOf(event)}`));
  if (state.fork) box.append(el("div", {}, `in the other future: ${wordsOf(state.otherEvent)}`));
  if (record?.line) box.append(el("div", {}, "issued by ", el("code", {}, record.line)));
  if (record?.columns.length) box.append(columnsOf(record));
  else if (record?.tries.length) box.append(el("ul", {}, ...record.tries.map((words) => el("li", {}, words))));
  const json = { tabindex: 0, "aria-label": "the record as JSON" };
  if (record?.json && !record.columns.length) box.append(el("pre", json, record.json));
  if (state.get("printed")) box.append(el("div", {}, "printed in the last run:"), el("pre", {}, state.get("printed")));
}
