// The mixer: the toolbar, the list of rows, and the loop that repaints while a slider moves.

const WALK_SECONDS = 4; // there and back
const SLOW_STEP = 0.8; // seconds a still, where less motion is asked for

class Mixer {
  constructor(root) {
    this.root = root;
    root.replaceChildren();
    root.mixer = this;
    this.link = new Link();
    this.rows = new Map();
    this.turn = 0;
    this.presses = 0;
    this.paints = 0;
    const tools = make("div", "tools", null, { role: "toolbar", "aria-label": "All weights" });
    this.tools = {
      reset: button("reset", "Every weight back to the sample's own", () => this.all("reset"), { text: "Reset all" }),
      random: button("random", "Random weights", () => this.all("random"), { text: "Random" }),
      neutral: button("neutral", "Every weight zero: the mean", () => this.all("neutral"), { text: "Neutral" }),
      undo: button("undo", "Undo", () => this.link.send({ kind: "undo" })),
      redo: button("redo", "Redo", () => this.link.send({ kind: "redo" })),
    };
    this.hint = make("span", "hint", "Weights in units of each direction's typical size");
    tools.append(...Object.values(this.tools), this.hint);
    const pictures = make("div", "panels");
    this.panels = new Panels(pictures);
    this.list = make("div", "rows");
    this.more = make("button", "more", "", { type: "button", "aria-expanded": "false" });
    this.more.addEventListener("click", () => {
      this.open = !this.open;
      this.build();
    });
    this.problem = make("p", "problem", "", { role: "alert", hidden: "" });
    root.append(pictures, tools, this.list, this.more, this.problem);
    this.watcher = new ResizeObserver(() => this.resized());
    this.watcher.observe(root);
  }

  async update(component) {
    const { data } = component;
    const newest = this.link.hear(component);
    const turn = ++this.turn;
    let loaded;
    try {
      const { pictures } = data;
      loaded = await Promise.all(
        [loadPayload(data.payload), ...[data.original, pictures.reconstruction, pictures.edited].map(loadArray)]);
    } catch (error) {
      if (turn === this.turn) this.complain(`The pictures could not be fetched: ${error.message}.`);
      return;
    }
    if (turn !== this.turn) return;
    this.complain("");
    const [payload, original, reconstruction, edited] = loaded;
    const sample = JSON.stringify([data.payload.digest, data.code, data.affine]);
    const list = JSON.stringify(
      [data.payload.digest, data.names, data.captions, data.groups, data.order, data.first, data.nonnegative, data.affine]);
    const colours = theme(this.root);
    const [newSample, newList] = [sample !== this.sample, list !== this.listed];
    const newColours = JSON.stringify(colours) !== JSON.stringify(this.colours);
    const before = this.pictures || {};
    const newPictures = original !== before.original || reconstruction !== before.reconstruction;
    Object.assign(this, { data, payload, sample, listed: list, colours, pictures: { original, reconstruction, edited } });
    if (newSample) {
      this.endWalk();
      this.mix = new Mix(payload, data.code, data.affine);
    }
    if (newest || newSample) {
      const held = this.heldRow();
      const hand = held === null ? 0 : this.mix.weights[held];
      this.mix.adopt(data.state);
      this.last = JSON.stringify(this.mix.state());
      if (held !== null) this.mix.weights[held] = hand;
    }
    this.pending = !newest;
    this.mix.refresh();
    this.mix.settle();
    for (const name of ["undo", "redo"]) {
      this.tools[name].hidden = data[name] === null;
      this.tools[name].disabled = !data[name];
    }
    if (newList) this.build();
    else for (const row of this.rows.values()) row.limits();
    if (newSample || newPictures || newColours) {
      this.panels.open({ payload, original, reconstruction: reconstruction || this.mix.reconstruction, colours });
    }
    if (newColours && !newList) for (const row of this.rows.values()) row.draw();
    this.paint();
  }

  complain(text) {
    this.problem.textContent = text;
    this.problem.hidden = !text;
  }

  name(k) {
    return this.data.names?.[k] ?? `Direction ${k + 1}`;
  }

  // The row under the hand: what comes from Python does not move it.
  heldRow() {
    for (const row of this.rows.values()) if (row.pointer || row.keyed) return row.k;
    return null;
  }

  build() {
    const { groups, first } = this.data;
    const order = this.data.order ?? Array.from({ length: this.payload.k }, (_, k) => k);
    const banks = groups ? [...new Set(order.map((k) => groups[k]))] : [null];
    const quota = groups ? Math.max(4, Math.ceil(first / banks.length)) : first;
    const shown = [];
    this.list.replaceChildren();
    for (const bank of banks) {
      const members = bank === null ? order : order.filter((k) => groups[k] === bank);
      if (bank !== null) this.list.append(make("h4", "", bank || "directions"));
      shown.push(...(this.open ? members : members.slice(0, quota)).map((k) => this.place(k)));
    }
    const before = this.rows;
    this.rows = new Map(shown.map((row) => [row.k, row]));
    if (before.size && this.mix.walk && !this.rows.has(this.mix.walk.k)) this.endWalk();
    const rest = order.length - shown.length;
    this.more.hidden = order.length <= shown.length && !this.open;
    this.more.textContent = this.open ? "Show fewer" : `More (${rest})`;
    this.more.setAttribute("aria-expanded", Boolean(this.open));
    this.list.classList.toggle("open", Boolean(this.open) && order.length > 12);
    for (const row of shown) {
      row.draw();
      row.show();
    }
  }

  place(k) {
    const row = new Row(this, k);
    this.list.append(row.element);
    return row;
  }

  // A slider is moving.
  move(k, weight) {
    if (this.mix.walk) this.endWalk();
    this.mix.weights[k] = weight;
    this.schedule();
  }

  schedule() {
    this.frame ??= requestAnimationFrame(() => this.paint());
  }

  paint() {
    if (this.frame) cancelAnimationFrame(this.frame);
    this.frame = null;
    if (!this.mix) return;
    this.mix.refresh();
    for (const row of this.rows.values()) row.show();
    const count = this.mix.own.reduce((n, _, k) => n + this.mix.touched(k), 0);
    this.tools.reset.disabled = !count;
    this.root.classList.toggle("pending", !this.data.affine && this.pending);
    this.panels.paint(this.data.affine ? this.mix.edited : this.pictures.edited, count);
    this.paints += 1;
  }

  // Let go: sum afresh, and tell Python once if anything is different.
  release() {
    this.endWalk();
    this.mix.settle();
    const state = this.mix.state();
    const text = JSON.stringify(state);
    if (text !== this.last) {
      this.last = text;
      this.pending = true;
      this.link.send({ kind: "change", state });
    }
    this.paint();
  }

  all(what) {
    const { mix, data } = this;
    for (const set of [mix.muted, mix.flipped, mix.solo]) set.clear();
    if (what === "random") {
      const normal = normalNumbers(data.seed + 7919 * ++this.presses);
      mix.weights = mix.own.map(() => {
        const w = Math.min(Math.max(normal(), -3), 3);
        return rounded(data.nonnegative ? Math.abs(w) : w);
      });
    } else mix.weights = what === "reset" ? mix.own.slice() : mix.own.map(() => 0);
    for (const row of this.rows.values()) row.limits();
    this.release();
  }

  toggleWalk(k) {
    if (this.mix.walk?.k === k) return this.endWalk();
    this.endWalk();
    const row = this.rows.get(k);
    const low = Math.max(row.low, -3);
    const high = Math.min(row.high, Math.max(3, low + 1));
    const [middle, reach] = [(low + high) / 2, (high - low) / 2];
    const start = Math.asin(Math.min(Math.max((this.mix.weights[k] - middle) / reach, -1), 1));
    const slow = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const began = performance.now();
    const step = (now) => {
      if (!this.mix.walk) return;
      let seconds = (now - began) / 1000;
      if (slow) seconds = (Math.floor(seconds / SLOW_STEP) * WALK_SECONDS) / 12;
      this.mix.walk.weight = middle + reach * Math.sin(start + (2 * Math.PI * seconds) / WALK_SECONDS);
      this.paint();
      this.walkFrame = requestAnimationFrame(step);
    };
    this.mix.walk = { k, weight: this.mix.weights[k] };
    this.walkFrame = requestAnimationFrame(step);
  }

  // The sliders come back to where they were.
  endWalk() {
    if (!this.mix?.walk) return;
    cancelAnimationFrame(this.walkFrame);
    this.mix.walk = null;
    this.schedule();
  }

  resized() {
    const width = this.root.clientWidth;
    if (!width || width === this.width || !this.mix) return;
    this.width = width;
    this.panels.still();
    for (const row of this.rows.values()) row.draw();
    this.schedule();
  }

  destroy() {
    this.turn += 1;
    this.endWalk();
    Sound.stop();
    if (this.frame) cancelAnimationFrame(this.frame);
    this.watcher.disconnect();
    this.mix = null;
  }
}

export default (component) => mount(component, ".mixer", Mixer);
