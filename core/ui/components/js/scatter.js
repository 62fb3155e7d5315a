// Points in a plane: pan, zoom, lasso, and a picture of the point under the pointer.

const NEAR = 12; // pixels
const SHADES = 32;

class Scatter {
  constructor(root) {
    this.root = root;
    root.replaceChildren();
    this.link = new Link();
    this.turn = 0;
    this.mode = "move";
    this.hovered = -1;
    this.bar = make("div", "tools", null, { role: "toolbar", "aria-label": "Map" });
    this.modes = {};
    for (const [mode, label, help] of [["move", "Move", "Drag to move the map"], ["lasso", "Lasso", "Draw around points to select them; hold Shift to add"]]) {
      this.modes[mode] = button("", help, () => this.setMode(mode), { text: label });
      this.bar.append(this.modes[mode]);
    }
    for (const [label, help, act] of [["+", "Zoom in", () => this.zoomBy(1.5)], ["−", "Zoom out", () => this.zoomBy(1 / 1.5)], ["Fit", "Show all points", () => this.fit()], ["Clear", "Select nothing", () => this.choose([])]]) {
      this.bar.append(button("", help, act, { text: label }));
    }
    this.stage = make("div", "stage");
    this.canvas = make("canvas", "points", null, { tabindex: "0", role: "application" });
    this.tip = make("div", "preview", null, { hidden: "" });
    this.stage.append(this.canvas, this.tip);
    this.legend = make("div", "legend");
    this.said = make("p", "caption", "", { "aria-live": "polite" });
    this.problem = make("p", "problem", "", { role: "alert", hidden: "" });
    root.append(this.bar, this.stage, this.legend, this.said, this.problem);
    this.listen();
    this.setMode("move");
    this.watcher = new ResizeObserver(() => this.resized());
    this.watcher.observe(this.stage);
  }

  async update(component) {
    const { data } = component;
    const newest = this.link.hear(component);
    const turn = ++this.turn;
    let points;
    try {
      points = await loadParts(data.points);
    } catch (error) {
      this.problem.textContent = `The points could not be fetched: ${error.message}.`;
      this.problem.hidden = false;
      return;
    }
    if (turn !== this.turn) return;
    this.problem.hidden = true;
    const moved = points.layout !== this.points?.layout;
    Object.assign(this, { data, points, colours: theme(this.root) });
    if (newest) this.selected = new Set(data.selected);
    this.selected ??= new Set();
    this.stage.style.height = "";
    this.stage.style.setProperty("--height", `${data.height}px`);
    this.canvas.setAttribute("aria-label", `${data.label}. Arrow keys move, plus and minus zoom, n and p step through points, Enter takes one. The same points are in the table below.`);
    this.modes.lasso.hidden = !data.lasso;
    this.buildLegend();
    if (moved) {
      this.hover(-1);
      this.fit();
    } else this.draw();
    this.fetchThumbs(turn);
  }

  async fetchThumbs(turn) {
    const { thumbs } = this.data;
    const found = thumbs ? await loadParts(thumbs).catch(() => null) : null;
    if (turn === this.turn) this.thumbs = found;
  }

  buildLegend() {
    const { points, colours } = this;
    const look = JSON.stringify([points.classes, points.scale, points.counts, colours.dark]);
    if (look === this.legendLook) return;
    this.legendLook = look;
    this.legend.replaceChildren();
    if (points.scale) {
      const { title, low, high } = points.scale;
      const ramp = make("span", "ramp");
      ramp.style.background = `linear-gradient(to right, ${this.stops().join(", ")})`;
      this.legend.append(make("span", "caption", `${title}:`), make("span", "caption", short(low)), ramp, make("span", "caption", short(high)));
    }
    (points.classes ?? []).forEach(([name, colour, symbol], index) => {
      const chip = button("chip", `Select ${name}`, () => this.choose(this.members(index)), { text: null });
      const mark = make("canvas", "mark");
      chip.append(mark, make("span", "", `${name} (${points.counts[index]})`));
      this.legend.append(chip);
      requestAnimationFrame(() => {
        const area = surface(mark);
        if (!area) return;
        area.pen.fillStyle = colour;
        area.pen.beginPath();
        outline(area.pen, symbol, area.width / 2, area.height / 2, 4.5);
        area.pen.fill();
      });
    });
  }

  members(index) {
    const out = [];
    this.points.colour.forEach((c, i) => { if (c === index) out.push(i); });
    return out;
  }

  // The scale, without the end that would be lost on this background.
  stops() {
    const { stops } = this.points.scale;
    return this.colours.dark ? stops.slice(1) : stops.slice(0, -1);
  }

  setMode(mode) {
    this.mode = mode;
    for (const [name, element] of Object.entries(this.modes)) element.setAttribute("aria-pressed", String(name === mode));
    this.canvas.style.touchAction = mode === "lasso" ? "none" : "pan-y";
    this.canvas.style.cursor = mode === "lasso" ? "crosshair" : "grab";
  }

  fit() {
    const { xy } = this.points;
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < xy.length; i += 2) {
      left = Math.min(left, xy[i]); right = Math.max(right, xy[i]);
      low = Math.min(low, xy[i + 1]); high = Math.max(high, xy[i + 1]);
    }
    const [w, h] = [this.canvas.clientWidth || 600, this.canvas.clientHeight || 400];
    const zoom = Math.min((w - 40) / (right - left || 1), (h - 40) / (high - low || 1));
    this.at = { x: (left + right) / 2, y: (low + high) / 2, zoom, first: zoom };
    this.draw();
  }

  zoomBy(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    if (!this.at) return;
    const zoom = Math.min(Math.max(this.at.zoom * factor, this.at.first / 4), this.at.first * 400);
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.at.x += (x - w / 2) * (1 / this.at.zoom - 1 / zoom);
    this.at.y -= (y - h / 2) * (1 / this.at.zoom - 1 / zoom);
    this.at.zoom = zoom;
    this.later();
  }

  place(i) {
    const { x, y, zoom } = this.at;
    const { xy } = this.points;
    return [(xy[2 * i] - x) * zoom + this.canvas.clientWidth / 2, (y - xy[2 * i + 1]) * zoom + this.canvas.clientHeight / 2];
  }

  later() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.draw();
    });
  }

  draw() {
    if (!this.points || !this.at) return;
    const area = surface(this.canvas);
    if (!area) return;
    const { pen, width, height } = area;
    const { points, selected, colours, data } = this;
    const n = points.xy.length / 2;
    const size = (n > 1500 ? 2.6 : n > 300 ? 3.6 : 5.5) * Math.min(2, (this.at.zoom / this.at.first) ** 0.25);
    const groups = new Map();
    const some = selected.size > 0;
    for (let i = 0; i < n; i++) {
      const [x, y] = this.place(i);
      if (x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
      const shade = points.scale ? Math.round(points.colour[i] * (SHADES - 1)) : points.colour[i];
      const key = (some && !selected.has(i) ? 1000 : 0) + shade;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(x, y);
    }
    const stops = points.scale ? this.stops() : null;
    for (const key of [...groups.keys()].sort((a, b) => b - a)) {
      const [shade, faint] = [key % 1000, key >= 1000];
      const [, colour, symbol] = points.scale ? ["", between(stops, shade / (SHADES - 1)), "circle"] : points.classes[shade];
      pen.globalAlpha = faint ? 0.13 : 0.85;
      pen.fillStyle = colour;
      pen.beginPath();
      const places = groups.get(key);
      for (let j = 0; j < places.length; j += 2) outline(pen, symbol, places[j], places[j + 1], size);
      pen.fill();
    }
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    for (const [i, colour] of [[data.current ?? -1, colours.accent], [this.hovered, colours.text]]) {
      if (i < 0 || i >= n) continue;
      const [x, y] = this.place(i);
      pen.strokeStyle = colour;
      pen.beginPath();
      pen.arc(x, y, size + 4, 0, 2 * Math.PI);
      pen.stroke();
    }
    if (this.path?.length > 1) {
      pen.strokeStyle = colours.accent;
      pen.fillStyle = `color-mix(in srgb, ${colours.accent} 14%, transparent)`;
      pen.beginPath();
      this.path.forEach(([x, y], j) => (j ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.closePath();
      pen.fill();
      pen.stroke();
    }
    const text = some ? `${selected.size} of ${n} selected.` : "";
    if (this.said.textContent !== text) this.said.textContent = text;
  }

  listen() {
    const { canvas } = this;
    const pointers = new Map();
    let from = null;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      pointers.set(event.pointerId, at(event));
      canvas.setPointerCapture(event.pointerId);
      from = { start: at(event), last: at(event), moved: false };
      if (this.mode === "lasso" && pointers.size === 1) this.path = [at(event)];
    });
    canvas.addEventListener("pointermove", (event) => {
      const here = at(event);
      if (!pointers.has(event.pointerId)) return this.hover(this.nearest(...here));
      const before = pointers.get(event.pointerId);
      if (pointers.size === 2) { // two fingers: zoom about their middle
        const [other] = [...pointers.entries()].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
        const [was, is] = [distance(before, other), distance(here, other)];
        if (was > 0) this.zoomBy(is / was, (here[0] + other[0]) / 2, (here[1] + other[1]) / 2);
        this.path = null;
        from.moved = true;
      } else if (from) {
        if (distance(here, from.start) > 4) from.moved = true;
        if (this.path) this.path.push(here);
        else if (this.at) {
          this.at.x -= (here[0] - before[0]) / this.at.zoom;
          this.at.y += (here[1] - before[1]) / this.at.zoom;
        }
        this.later();
      }
      pointers.set(event.pointerId, here);
      if (from?.moved) this.hover(-1);
    });
    const end = (event) => {
      if (!pointers.delete(event.pointerId)) return;
      const path = this.path;
      this.path = null;
      if (event.type === "pointerup" && from && !from.moved) this.pick(this.nearest(...at(event)));
      else if (path?.length > 2) {
        const inside = this.inside(path);
        this.choose(event.shiftKey ? [...new Set([...this.selected, ...inside])] : inside);
      }
      if (!pointers.size) from = null;
      this.later();
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => this.hover(-1));
    canvas.addEventListener("wheel", (event) => { // a plain wheel scrolls the page until the map has the focus
      if (!event.ctrlKey && !event.metaKey && canvas.getRootNode().activeElement !== canvas) return;
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * 0.002), ...at(event));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (!this.at) return;
    const step = 60 / this.at.zoom;
    const n = this.points.xy.length / 2;
    const acts = {
      ArrowLeft: () => { this.at.x -= step; },
      ArrowRight: () => { this.at.x += step; },
      ArrowUp: () => { this.at.y += step; },
      ArrowDown: () => { this.at.y -= step; },
      "+": () => this.zoomBy(1.3),
      "=": () => this.zoomBy(1.3),
      "-": () => this.zoomBy(1 / 1.3),
      0: () => this.fit(),
      n: () => this.hover((this.hovered + 1) % n),
      p: () => this.hover((Math.max(this.hovered, 0) + n - 1) % n),
      Enter: () => this.pick(this.hovered),
      Escape: () => this.choose([]),
    };
    if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    acts[event.key]();
    this.later();
  }

  nearest(x, y) {
    if (!this.points || !this.at) return -1;
    let [best, found] = [NEAR * NEAR, -1];
    for (let i = 0; i < this.points.xy.length / 2; i++) {
      const [px, py] = this.place(i);
      const d = (px - x) ** 2 + (py - y) ** 2;
      if (d < best) [best, found] = [d, i];
    }
    return found;
  }

  inside(path) {
    const out = [];
    for (let i = 0; i < this.points.xy.length / 2; i++) {
      const [x, y] = this.place(i);
      let odd = false;
      for (let a = 0, b = path.length - 1; a < path.length; b = a++) {
        const [[ax, ay], [bx, by]] = [path[a], path[b]];
        if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
      }
      if (odd) out.push(i);
    }
    return out;
  }

  choose(indices) {
    this.selected = new Set(indices);
    this.draw();
    this.link.send({ kind: "select", indices: [...this.selected].sort((a, b) => a - b) });
  }

  pick(i) {
    if (i >= 0 && this.data.picks) this.link.send({ kind: "pick", index: i });
  }

  hover(i) {
    if (i === this.hovered && this.tip.hidden === i < 0) return;
    this.hovered = i;
    this.tip.hidden = i < 0;
    this.later();
    if (i < 0) return;
    const { points, thumbs, data } = this;
    const words = make("div", "words");
    words.append(make("b", "", points.names[i]), make("span", "caption", points.texts?.[i] ?? ""));
    this.tip.replaceChildren(words);
    if (thumbs && i < thumbs.n) {
      const { form, low, high, n } = thumbs;
      const d = thumbs.values.length / n;
      const canvas = make("canvas", form.kind);
      this.tip.prepend(canvas);
      this.tip.style.setProperty("--aspect", aspect(form));
      if (form.kind === "bars") canvas.style.height = `${barsHeight(Math.min(8, d), d)}px`;
      const values = Float32Array.from(thumbs.values.subarray(i * d, (i + 1) * d), (v) => low + (v / 255) * (high - low));
      const view = { colours: this.colours, most: 8, numbers: false };
      if (thumbs.directions) paintDirection(canvas, values, { form, nonnegative: low >= 0 }, view);
      else paint(canvas, values, form, { ...view, range: sampleRange(form, values), signed: form.signed, plain: low >= 0 });
    }
    const [x, y] = this.place(i);
    const [w, h] = [this.tip.offsetWidth, this.tip.offsetHeight];
    const [width, height] = [this.stage.clientWidth, this.stage.clientHeight];
    this.tip.style.left = `${x + w + 24 < width ? x + 14 : Math.max(0, x - w - 14)}px`;
    this.tip.style.top = `${Math.min(Math.max(4, y - h / 2), Math.max(4, height - h - 4))}px`;
  }

  resized() {
    const size = `${this.stage.clientWidth} ${this.stage.clientHeight}`;
    if (size === this.size) return;
    const first = !this.size || this.size.startsWith("0 ");
    this.size = size;
    if (this.points && first) this.fit();
    else this.draw();
  }

  destroy() {
    this.turn += 1;
    this.watcher.disconnect();
  }
}

function outline(pen, symbol, x, y, r) {
  if (symbol === "circle") {
    pen.moveTo(x + r, y);
    pen.arc(x, y, r, 0, 2 * Math.PI);
  } else if (symbol === "square") pen.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r);
  else {
    const corners = symbol === "triangle" ? [[0, -1.2], [1.1, 0.8], [-1.1, 0.8]] : [[0, -1.3], [1.1, 0], [0, 1.3], [-1.1, 0]];
    corners.forEach(([a, b], j) => (j ? pen.lineTo(x + a * r, y + b * r) : pen.moveTo(x + a * r, y + b * r)));
    pen.closePath();
  }
}

function distance([a, b], [c, d]) {
  return Math.hypot(a - c, b - d);
}

function between(stops, share) {
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  const byte = (hex, c) => parseInt(hex.slice(1 + 2 * c, 3 + 2 * c), 16);
  const mixed = [0, 1, 2].map((c) => Math.round(byte(stops[low], c) + (at - low) * (byte(stops[low + 1], c) - byte(stops[low], c))));
  return `rgb(${mixed.join(" ")})`;
}

export default (component) => mount(component, ".scatter", Scatter);
