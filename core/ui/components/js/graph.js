// A graph drawn several times side by side, each time with another signal; all drawings move together.

const NEAR = 16; // pixels

class GraphView {
  constructor(root) {
    this.root = root;
    root.replaceChildren();
    this.link = new Link();
    this.turn = 0;
    this.hovered = -1;
    this.camera = new Camera();
    this.bar = make("div", "tools", null, { role: "toolbar", "aria-label": "Graph" });
    const middle = (act) => () => {
      const canvas = this.cells[0]?.canvas;
      if (canvas) act(canvas.clientWidth, canvas.clientHeight);
      this.later();
    };
    for (const [text, help, act] of [
      ["+", "Zoom in", middle((w, h) => this.camera.zoomBy(1.5, w / 2, h / 2, w, h))],
      ["−", "Zoom out", middle((w, h) => this.camera.zoomBy(1 / 1.5, w / 2, h / 2, w, h))],
      ["Fit", "Show the whole graph", middle(() => this.camera.fit())],
    ]) this.bar.append(button("", help, act, { text }));
    this.said = make("span", "said caption", "", { "aria-live": "polite" });
    this.bar.append(this.said);
    this.grid = make("div", "panels");
    this.problem = make("p", "problem", "", { role: "alert", hidden: "" });
    root.append(this.bar, this.grid, this.problem);
    this.cells = [];
    this.watcher = new ResizeObserver(() => this.later());
    this.watcher.observe(this.grid);
  }

  async update(component) {
    const { data } = component;
    this.link.hear(component);
    const turn = ++this.turn;
    let graph, values;
    try {
      [graph, values] = await Promise.all([loadParts(data.graph), loadParts(data.values)]);
    } catch (error) {
      this.problem.textContent = `The graph could not be fetched: ${error.message}.`;
      this.problem.hidden = false;
      return;
    }
    if (turn !== this.turn) return;
    this.problem.hidden = true;
    const moved = graph.digest !== this.graph?.digest;
    Object.assign(this, { data, graph, values, colours: theme(this.root) });
    if (moved) {
      this.hovered = -1;
      this.camera.look(graph.places, graph.dims);
    }
    this.bar.hidden = data.small;
    this.build();
    this.say();
    this.later();
  }

  build() {
    const { data } = this;
    this.grid.style.setProperty("--height", `${data.height}px`);
    this.grid.style.setProperty("--least", `${data.small ? 150 : 260}px`);
    while (this.cells.length > data.panels.length) this.cells.pop().cell.remove();
    while (this.cells.length < data.panels.length) {
      const cell = make("div", "cell");
      const canvas = make("canvas", "graph", null, { tabindex: "0", role: "application" });
      const head = make("div", "head");
      const key = make("div", "key");
      cell.append(head, canvas, key);
      this.grid.append(cell);
      const one = { cell, canvas, head, key };
      this.cells.push(one);
      this.listen(one);
    }
    const n = this.graph.places.length / this.graph.dims;
    data.panels.forEach((panel, p) => {
      const one = this.cells[p];
      one.values = this.values.values.subarray(p * n, (p + 1) * n);
      one.panel = panel;
      one.shades = panel.classes ? panel.classes.map(([, colour]) => colour) : shades(panel.signed, data.sequential, this.colours.dark);
      one.head.replaceChildren(make("b", "", panel.title), make("span", "caption", panel.note ?? ""));
      one.canvas.setAttribute("aria-label", `${panel.title}. ${panel.note ?? ""} Arrow keys move, plus and minus zoom, n and p step through nodes${data.picks ? ", Enter takes one" : ""}.`);
      this.legend(one);
    });
  }

  legend({ key, panel, shades: table }) {
    key.replaceChildren();
    if (panel.classes) {
      for (const [name, colour] of panel.classes) {
        const mark = make("span", "mark");
        mark.style.background = colour;
        const item = make("span", "item caption", name);
        item.prepend(mark);
        key.append(item);
      }
      return;
    }
    const ramp = make("span", "ramp");
    ramp.style.background = `linear-gradient(to right, ${table.join(", ")})`;
    key.append(make("span", "caption", short(panel.low)), ramp, make("span", "caption", short(panel.high)));
  }

  later() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.draw();
    });
  }

  draw() {
    if (!this.graph) return;
    for (const one of this.cells) {
      const area = surface(one.canvas);
      if (area) this.paint(one, area);
    }
  }

  paint(one, { pen, width, height }) {
    const { graph, colours, data } = this;
    const view = this.camera.project(width, height);
    one.view = view;
    const { at, depth, spacing } = view;
    const n = at.length / 2;
    const inside = (x, y) => x > -20 && y > -20 && x < width + 20 && y < height + 20;
    pen.strokeStyle = colours.text;
    pen.globalAlpha = graph.edges.length > 8000 ? 0.12 : 0.22;
    pen.lineWidth = spacing > 20 ? 1.2 : 0.7;
    pen.beginPath();
    for (let e = 0; e < (data.squares ? 0 : graph.edges.length); e += 2) { // squares touch where there is an edge
      const [a, b] = [2 * graph.edges[e], 2 * graph.edges[e + 1]];
      if (!inside(at[a], at[a + 1]) && !inside(at[b], at[b + 1])) continue;
      pen.moveTo(at[a], at[a + 1]);
      pen.lineTo(at[b], at[b + 1]);
    }
    pen.stroke();
    pen.globalAlpha = 1;
    const square = data.squares;
    const size = square ? view.scale * data.squares : Math.min(Math.max(0.36 * spacing, 1.3), data.small ? 4 : 7);
    this.dots(pen, one, at, depth, size, square, inside);
    for (const [i, colour] of [[data.current ?? -1, colours.accent], [this.hovered, colours.text]]) {
      if (i < 0 || i >= n) continue;
      pen.strokeStyle = colour;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(at[2 * i], at[2 * i + 1], Math.max(size, 3) + 3.5, 0, 2 * Math.PI);
      pen.stroke();
    }
  }

  // Large values last, so that they are not covered; in space the near ones last.
  dots(pen, one, at, depth, size, square, inside) {
    const { panel, values, shades: table } = one;
    const n = values.length;
    const shade = new Int16Array(n);
    const span = panel.high - panel.low || 1;
    for (let i = 0; i < n; i++) {
      if (panel.classes) shade[i] = values[i];
      else shade[i] = Math.min(Math.max(Math.round(((values[i] - panel.low) / span) * (table.length - 1)), 0), table.length - 1);
    }
    const put = (i) => {
      const [x, y] = [at[2 * i], at[2 * i + 1]];
      if (!inside(x, y)) return;
      if (square) { // on whole pixels, so that no seams show
        const [left, top] = [Math.floor(x - size / 2), Math.floor(y - size / 2)];
        pen.rect(left, top, Math.ceil(x + size / 2) - left, Math.ceil(y + size / 2) - top);
      } else if (size < 1.6) pen.rect(x - size, y - size, 2 * size, 2 * size);
      else {
        pen.moveTo(x + size, y);
        pen.arc(x, y, size, 0, 2 * Math.PI);
      }
    };
    if (depth) {
      const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => depth[a] - depth[b]);
      for (const i of order) {
        pen.fillStyle = table[shade[i]] ?? this.colours.line;
        pen.beginPath();
        put(i);
        pen.fill();
      }
      return;
    }
    const groups = new Map();
    for (let i = 0; i < n; i++) {
      if (!groups.has(shade[i])) groups.set(shade[i], []);
      groups.get(shade[i]).push(i);
    }
    const middle = (table.length - 1) / 2;
    const rank = panel.signed ? (s) => Math.abs(s - middle) : (s) => s;
    for (const key of [...groups.keys()].sort((a, b) => rank(a) - rank(b))) {
      pen.fillStyle = table[key] ?? this.colours.line;
      pen.beginPath();
      groups.get(key).forEach(put);
      pen.fill();
    }
  }

  nearest(one, x, y) {
    let [best, found] = [NEAR * NEAR, -1];
    const { at } = one.view ?? { at: [] };
    for (let i = 0; i < at.length / 2; i++) {
      const d = (at[2 * i] - x) ** 2 + (at[2 * i + 1] - y) ** 2;
      if (d < best) [best, found] = [d, i];
    }
    return found;
  }

  hover(i) {
    if (i === this.hovered) return;
    this.hovered = i;
    this.say();
    this.later();
  }

  say() {
    const { data, graph, hovered } = this;
    const told = (one) => (one.panel.classes ? one.panel.classes[one.values[hovered]]?.[0] ?? "none" : String(Number(one.values[hovered].toPrecision(4))));
    this.said.textContent = hovered < 0 ? data.hint : `Node ${graph.names[hovered]} · ${this.cells.map((one) => `${one.panel.title}: ${told(one)}`).join(" · ")}`;
  }

  pick(i) {
    if (i >= 0 && this.data.picks) this.link.send({ kind: "pick", index: i });
  }

  listen(one) {
    const { canvas } = one;
    const pointers = new Map();
    let moved = false;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      pointers.set(event.pointerId, { first: place(event), last: place(event) });
      canvas.setPointerCapture(event.pointerId);
      moved = false;
    });
    canvas.addEventListener("pointermove", (event) => {
      const here = place(event);
      const pointer = pointers.get(event.pointerId);
      if (!pointer) return this.hover(this.nearest(one, ...here));
      const [dx, dy] = [here[0] - pointer.last[0], here[1] - pointer.last[1]];
      if (Math.hypot(here[0] - pointer.first[0], here[1] - pointer.first[1]) > 4) moved = true;
      if (pointers.size === 2) {
        const [, other] = [...pointers.entries()].find(([id]) => id !== event.pointerId);
        const reach = (p) => Math.hypot(p[0] - other.last[0], p[1] - other.last[1]);
        const before = reach(pointer.last);
        if (before > 0) this.camera.zoomBy(reach(here) / before, (here[0] + other.last[0]) / 2, (here[1] + other.last[1]) / 2, canvas.clientWidth, canvas.clientHeight);
      } else if (moved) this.camera.drag(dx, dy, canvas.clientWidth);
      pointer.last = here;
      if (moved) this.hover(-1);
      this.later();
    });
    const end = (event) => {
      if (pointers.delete(event.pointerId) && event.type === "pointerup" && !moved) this.pick(this.nearest(one, ...place(event)));
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => this.hover(-1));
    canvas.addEventListener("wheel", (event) => { // a plain wheel scrolls the page until the drawing has the focus
      if (!event.ctrlKey && !event.metaKey && canvas.getRootNode().activeElement !== canvas) return;
      event.preventDefault();
      this.camera.zoomBy(Math.exp(-event.deltaY * 0.002), ...place(event), canvas.clientWidth, canvas.clientHeight);
      this.later();
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event, canvas));
  }

  key(event, canvas) {
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    const n = this.camera.n;
    const acts = {
      ArrowLeft: () => this.camera.drag(30, 0, w),
      ArrowRight: () => this.camera.drag(-30, 0, w),
      ArrowUp: () => this.camera.drag(0, 30, w),
      ArrowDown: () => this.camera.drag(0, -30, w),
      "+": () => this.camera.zoomBy(1.3, w / 2, h / 2, w, h),
      "=": () => this.camera.zoomBy(1.3, w / 2, h / 2, w, h),
      "-": () => this.camera.zoomBy(1 / 1.3, w / 2, h / 2, w, h),
      0: () => this.camera.fit(),
      n: () => this.hover((this.hovered + 1) % n),
      p: () => this.hover((Math.max(this.hovered, 0) + n - 1) % n),
      Enter: () => this.pick(this.hovered),
    };
    if (event.ctrlKey || event.metaKey || !acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
    this.later();
  }

  destroy() {
    this.turn += 1;
    this.watcher.disconnect();
  }
}

export default (component) => mount(component, ".graphs", GraphView);
