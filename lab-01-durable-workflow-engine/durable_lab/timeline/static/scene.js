// A scene as Python laid it out (see scene.py). Nothing is placed here: a scene only says what is in view.
// Events, marks and rows arrive as arrays, which are small on their way; they become objects when they are painted.

function unpack(names, values) {
  const made = {};
  for (let i = 0; i < names.length; i++) made[names[i]] = values[i];
  return made;
}

class Scene {
  constructor(text) {
    Object.assign(this, JSON.parse(text));
    const { Mark, Event } = this.names;
    this.place = { x0: Mark.indexOf("x0"), x1: Mark.indexOf("x1") };
    this.field = Object.fromEntries(Event.map((name, i) => [name, i]));
    this.rows = this.rows.map((row) => unpack(this.names.Row, row));
    this.across = this.across.map((across) => unpack(this.names.Across, across));
    this.scrolled = this.rows.filter((row) => !row.pin).length;
  }
  get length() { return this.events.length; }

  // An event's index counts from the beginning of the history; its column, from the beginning of this scene.
  index(column) { return this.events[column]?.[this.field.index] ?? 0; }
  event(column) { return this.events[column] && unpack(this.names.Event, this.events[column]); }
  has(index) { return this.length > 0 && this.index(this.column(index)) === index; }

  // The column of the event with this index, or of the next one that is in the scene.
  column(index) {
    let low = 0, high = this.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.index(middle) < index) low = middle + 1;
      else high = middle;
    }
    return Math.max(low, 0);
  }

  // Where `columns` events from `start` on are: the same width for each by order, what they took by clock.
  range(start, columns) {
    if (!this.clock) return [start, start + columns];
    const { x0, x1 } = this.field, shown = this.events.slice(start, start + columns);
    const from = Math.min(...shown.map((event) => event[x0])), to = Math.max(...shown.map((event) => event[x1]));
    return to > from ? [from, to + (to - from) * 0.03] : [from, from + 1];
  }

  marksIn(from, to) {
    const { x0, x1 } = this.place;
    const shown = this.marks.filter((mark) => mark[x0] <= to && mark[x1] >= from);
    return shown.map((mark) => unpack(this.names.Mark, mark));
  }

  // The column between `start` and `start + columns` whose event is nearest to x.
  nearest(x, start, columns) {
    let best = start, least = Infinity;
    for (let i = start; i < Math.min(start + columns, this.length); i++) {
      const { x0, x1 } = this.event(i), away = Math.max(x0 - x, x - x1, 0);
      if (away < least) [best, least] = [i, away];
    }
    return best;
  }
}
