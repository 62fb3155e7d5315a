// A curve that is drawn with the pointer: control points over one axis, with other curves and bars for reference.

const GRAB = 18; // pixels

class CurveEditor {
  constructor(root) {
    this.root = root;
    root.replaceChildren();
    this.link = new Link();
    this.active = -1;
    this.points = [];
    this.stage = make("div", "stage");
    this.canvas = make("canvas", "curve", null, { tabindex: "0", role: "application" });
    this.stage.append(this.canvas);
    this.foot = make("div", "foot");
    this.legend = make("div", "legend");
    this.less = button("", "Remove the chosen point", () => this.remove(this.active), { text: "Remove point" });
    this.foot.append(this.legend, this.less);
    this.said = make("p", "caption", "", { "aria-live": "polite" });
    root.append(this.stage, this.foot, this.said);
    this.listen();
    this.watcher = new ResizeObserver(() => this.later());
    this.watcher.observe(this.stage);
  }

  update(component) {
    const { data } = component;
    const newest = this.link.hear(component);
    this.data = data;
    this.colours = theme(this.root);
    if (newest && !this.dragging) {
      const before = JSON.stringify(this.points);
      this.points = data.points.map((p) => [...p]);
      if (JSON.stringify(this.points) !== before && this.active >= this.points.length) this.active = -1;
      this.edited = false;
    }
    this.stage.style.setProperty("--height", `${data.height}px`);
    this.canvas.setAttribute("aria-label", `${data.label}. ${data.editable ? "n and p choose a point, arrow keys move it, Delete removes it, a double click adds one." : ""}`);
    this.less.hidden = !data.editable;
    this.buildLegend();
    this.later();
  }

  buildLegend() {
    this.legend.replaceChildren();
    const entries = this.data.lines.map(({ name, colour, dash }) => [name, colour, dash]);
    if (this.data.bars.length) entries.push([this.data.bar_name, this.colours.line, null]);
    for (const [name, colour, dash] of entries) {
      const mark = make("span", `swatch${dash ? " dash" : ""}`);
      mark.style.setProperty("--colour", this.colour(colour));
      const item = make("span", "item caption", name);
      item.prepend(mark);
      this.legend.append(item);
    }
  }

  colour(name) {
    return name === "text" ? this.colours.text : name;
  }

  later() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.draw();
    });
  }

  frame(width, height) {
    const { range, domain } = this.data;
    const [left, right, top, bottom] = [44, 10, 10, 34];
    return {
      left, bottom, top, right,
      x: (v) => left + ((v - domain[0]) / (domain[1] - domain[0])) * (width - left - right),
      y: (v) => top + ((range[1] - v) / (range[1] - range[0])) * (height - top - bottom),
      back: (px, py) => [
        domain[0] + ((px - left) / (width - left - right)) * (domain[1] - domain[0]),
        range[1] - ((py - top) / (height - top - bottom)) * (range[1] - range[0]),
      ],
    };
  }

  draw() {
    const { data, colours } = this;
    if (!data) return;
    const area = surface(this.canvas);
    if (!area) return;
    const { pen, width, height } = area;
    const f = (this.at = this.frame(width, height));
    pen.font = `11px ${colours.font}`;
    pen.strokeStyle = colours.line;
    pen.fillStyle = colours.faint;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const v of ticks(...data.range, 4)) {
      const y = Math.round(f.y(v)) + 0.5;
      pen.globalAlpha = 0.6;
      segment(pen, f.left, y, width - f.right, y);
      pen.globalAlpha = 1;
      pen.fillText(short(v), f.left - 11, y);
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const v of ticks(...data.domain, 4)) pen.fillText(short(v), f.x(v), height - f.bottom + 5);
    pen.fillText(data.axis, (f.left + width - f.right) / 2, height - 13);
    pen.save();
    pen.beginPath();
    pen.rect(f.left - 6, 0, width - f.left - f.right + 12, height - f.bottom + 2);
    pen.clip();
    const floor = f.y(Math.max(0, data.range[0]));
    pen.strokeStyle = colours.line;
    pen.lineWidth = Math.max(2, (width - 48) / 130);
    pen.lineCap = "butt";
    for (const [x, share] of data.bars) segment(pen, f.x(x), floor, f.x(x), floor - share * (floor - f.top) * 0.96);
    for (const { values, colour, dash, own } of data.lines) {
      if (own && (this.dragging || this.edited)) continue; // while it is drawn, the curve through the points stands for it
      this.trace(values, f, this.colour(colour), dash);
    }
    if (data.editable) {
      const own = data.lines.find((line) => line.own);
      if (own && (this.dragging || this.edited)) {
        const curve = monotone(this.points);
        const n = 201;
        this.trace(Array.from({ length: n }, (_, i) => curve(data.domain[0] + (i / (n - 1)) * (data.domain[1] - data.domain[0]))), f, this.colour(own.colour), false);
      }
      this.points.forEach(([x, y], i) => {
        pen.beginPath();
        pen.arc(f.x(x), f.y(y), i === this.active ? 7.5 : 6, 0, 2 * Math.PI);
        pen.fillStyle = i === this.active ? colours.accent : colours.background;
        pen.fill();
        pen.lineWidth = 2.2;
        pen.strokeStyle = colours.accent;
        pen.stroke();
      });
    }
    pen.restore();
    this.less.disabled = this.active < 1 || this.active > this.points.length - 2;
    const chosen = this.points[this.active];
    this.said.textContent = chosen && data.editable ? `Point at ${short(chosen[0])}: gain ${short(chosen[1])}.` : data.hint;
  }

  trace(values, f, colour, dash) {
    const { pen } = { pen: this.canvas.getContext("2d") };
    const { domain } = this.data;
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.setLineDash(dash ? [6, 4] : []);
    pen.beginPath();
    values.forEach((v, i) => {
      const x = f.x(domain[0] + (i / (values.length - 1)) * (domain[1] - domain[0]));
      const y = Math.min(Math.max(f.y(v), -1e4), 1e4);
      if (i) pen.lineTo(x, y);
      else pen.moveTo(x, y);
    });
    pen.stroke();
    pen.setLineDash([]);
  }

  // Moves a point within its neighbours and the range; the first and the last keep their place on the axis.
  move(i, x, y) {
    const { domain, limits } = this.data;
    const last = this.points.length - 1;
    const gap = (domain[1] - domain[0]) / 200;
    const at = i === 0 ? domain[0] : i === last ? domain[1] : Math.min(Math.max(x, this.points[i - 1][0] + gap), this.points[i + 1][0] - gap);
    this.points[i] = [round(at), round(Math.min(Math.max(y, limits[0]), limits[1]))];
    this.edited = true;
    this.later();
  }

  remove(i) {
    if (i < 1 || i > this.points.length - 2) return;
    this.points.splice(i, 1);
    this.active = Math.min(i, this.points.length - 2);
    this.edited = true;
    this.tell();
  }

  add(x, y) {
    const { domain, most } = this.data;
    if (this.points.length >= most) return;
    const i = this.points.findIndex(([px]) => px > x);
    if (i < 1) return;
    const gap = (domain[1] - domain[0]) / 200;
    if (x - this.points[i - 1][0] < gap || this.points[i][0] - x < gap) return;
    this.points.splice(i, 0, [x, y]);
    this.active = i;
    this.move(i, x, y);
    this.tell();
  }

  tell() {
    this.later();
    this.link.send({ kind: "points", points: this.points });
  }

  listen() {
    const { canvas } = this;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const near = (x, y) => {
      let [best, found] = [GRAB, -1];
      this.points.forEach(([px, py], i) => {
        const d = Math.hypot(this.at.x(px) - x, this.at.y(py) - y);
        if (d < best) [best, found] = [d, i];
      });
      return found;
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (!this.data?.editable || !this.at || event.button) return;
      const found = near(...place(event));
      if (found < 0) {
        this.active = -1;
        this.later();
        return;
      }
      event.preventDefault();
      canvas.focus();
      canvas.setPointerCapture(event.pointerId);
      this.active = found;
      this.dragging = { moved: false };
      this.later();
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.at || !this.data?.editable) return;
      if (!this.dragging) {
        canvas.style.cursor = near(...place(event)) >= 0 ? "grab" : "crosshair";
        return;
      }
      this.dragging.moved = true;
      this.move(this.active, ...this.at.back(...place(event)));
    });
    const end = () => {
      if (!this.dragging) return;
      const { moved } = this.dragging;
      this.dragging = null;
      if (moved) this.tell();
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("dblclick", (event) => {
      if (this.data?.editable && near(...place(event)) < 0) this.add(...this.at.back(...place(event)));
    });
    // fingers scroll the page, except where they take a point
    canvas.addEventListener("touchstart", (event) => {
      const touch = event.touches[0];
      if (this.data?.editable && this.at && near(...place(touch)) >= 0) event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => this.settle());
  }

  // Keys move a point many times; Python is told once they rest.
  settle() {
    if (!this.resting) return;
    clearTimeout(this.resting);
    this.resting = null;
    this.tell();
  }

  key(event) {
    if (!this.data?.editable || event.ctrlKey || event.metaKey) return;
    const { range, domain } = this.data;
    const n = this.points.length;
    const [dx, dy] = [(domain[1] - domain[0]) / 100, (range[1] - range[0]) / 50];
    const nudge = (x, y) => () => {
      if (this.active < 0) return;
      this.move(this.active, this.points[this.active][0] + x, this.points[this.active][1] + y);
      clearTimeout(this.resting);
      this.resting = setTimeout(() => this.settle(), 400);
    };
    const acts = {
      n: () => { this.active = (this.active + 1) % n; },
      p: () => { this.active = (Math.max(this.active, 0) + n - 1) % n; },
      ArrowUp: nudge(0, dy),
      ArrowDown: nudge(0, -dy),
      ArrowLeft: nudge(-dx, 0),
      ArrowRight: nudge(dx, 0),
      Delete: () => this.remove(this.active),
      Backspace: () => this.remove(this.active),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
    this.later();
  }

  destroy() {
    clearTimeout(this.resting);
    this.watcher.disconnect();
  }
}

const round = (v) => Math.round(v * 1e4) / 1e4;

// The monotone cubic through the points that SciPy's `PchipInterpolator` draws.
function monotone(points) {
  const n = points.length;
  const h = [];
  const d = [];
  for (let i = 0; i < n - 1; i++) {
    h.push(points[i + 1][0] - points[i][0]);
    d.push((points[i + 1][1] - points[i][1]) / h[i]);
  }
  const slope = new Array(n).fill(0);
  for (let i = 1; i < n - 1; i++) {
    if (d[i - 1] * d[i] <= 0) continue;
    const [a, b] = [2 * h[i] + h[i - 1], h[i] + 2 * h[i - 1]];
    slope[i] = (a + b) / (a / d[i - 1] + b / d[i]);
  }
  const end = (h0, h1, d0, d1) => {
    const s = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (s * d0 <= 0) return 0;
    return d0 * d1 <= 0 && Math.abs(s) > 3 * Math.abs(d0) ? 3 * d0 : s;
  };
  if (n === 2) slope.fill(d[0]);
  else {
    slope[0] = end(h[0], h[1], d[0], d[1]);
    slope[n - 1] = end(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
  }
  return (x) => {
    let i = 0;
    while (i < n - 2 && x > points[i + 1][0]) i++;
    const t = (x - points[i][0]) / h[i];
    const [t2, t3] = [t * t, t * t * t];
    return points[i][1] * (2 * t3 - 3 * t2 + 1) + h[i] * slope[i] * (t3 - 2 * t2 + t) + points[i + 1][1] * (3 * t2 - 2 * t3) + h[i] * slope[i + 1] * (t3 - t2);
  };
}

export default (component) => mount(component, ".curves", CurveEditor);
