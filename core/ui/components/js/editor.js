// Pictures that follow sliders over codes: events go to Python, pictures come back.

const KEY_STEP = 0.1;
const MAGNET = 0.012; // share of the range within which the thumb snaps to the own weight
const LIVE_MS = 60;

class Editor {
  constructor(root) {
    this.root = root;
    root.replaceChildren();
    root.editor = this;
    this.link = new Link();
    this.rows = new Map();
    this.paints = 0;
    this.pictures = make("div", "pictures");
    this.side = make("div", "side");
    const tools = make("div", "tools", null, { role: "toolbar", "aria-label": "All sliders" });
    this.tools = {
      own: button("reset", "Every slider back to the face's own", () => this.all("", "own"), { text: "Reset all" }),
      neutral: button("neutral", "Mouth and expression at rest", () => this.all("", "neutral"), { text: "Neutral" }),
      random: button("random", "Sliders drawn at random", () => this.all("", "random"), { text: "Random" }),
      strips: button("strips", "Little pictures below every slider", () => this.toggle(), { text: "Strips" }),
      undo: button("undo", "Undo", () => this.link.send({ kind: "undo" })),
      redo: button("redo", "Redo", () => this.link.send({ kind: "redo" })),
    };
    tools.append(...Object.values(this.tools));
    this.list = make("div", "rows");
    this.side.append(tools, this.list);
    const both = make("div", "both");
    both.append(this.pictures, this.side);
    root.append(both);
    this.panels = [];
  }

  update(component) {
    const { data } = component;
    const newest = this.link.hear(component);
    this.data = data;
    const list = JSON.stringify(data.banks.map((b) => [b.name, b.note, b.sliders.map((s) => [s.key, s.name])]));
    if (this.strips === undefined) this.strips = data.strips;
    if (list !== this.listed) {
      this.listed = list;
      this.build();
    }
    this.show(newest);
    this.draw(newest);
    this.tools.undo.disabled = !data.undo;
    this.tools.redo.disabled = !data.redo;
    this.tools.strips.hidden = !data.sheet;
    this.tools.strips.setAttribute("aria-pressed", Boolean(this.strips));
    if (this.wanted && this.link.waiting.length === 0) this.ask();
  }

  build() {
    this.list.replaceChildren();
    this.rows = new Map();
    this.gains = new Map();
    for (const bank of this.data.banks) {
      const head = make("div", "head");
      head.append(make("h4", "", bank.name));
      for (const [what, icon, title] of [["own", "reset", "own"], ["neutral", "neutral", "neutral"], ["random", "random", "random"]]) {
        head.append(button(icon, `${bank.name}: ${title}`, () => this.all(bank.name, what)));
      }
      const gain = make("input", "gain", null, {
        type: "range", min: 0, max: 2, step: 0.05, "aria-label": `Gain of ${bank.name}`,
        title: "How much of the bank's change is made: 0 none, 1 as set, 2 twice as much",
      });
      const told = make("output", "caption");
      gain.addEventListener("input", () => (told.textContent = `gain ${Number(gain.value).toFixed(2)}`));
      gain.addEventListener("change", () => this.link.send({ kind: "gain", bank: bank.name, value: Number(gain.value) }));
      head.append(told, gain);
      this.gains.set(bank.name, { gain, told });
      this.list.append(head);
      const block = make("div", "block");
      if (bank.note) block.append(make("p", "note", bank.note));
      for (const slider of bank.sliders) {
        const row = new Knob(this, slider);
        this.rows.set(slider.key, row);
        block.append(row.element);
      }
      this.list.append(block);
    }
  }

  show(newest) {
    for (const bank of this.data.banks) {
      for (const slider of bank.sliders) this.rows.get(slider.key).show(slider, newest);
      const { gain, told } = this.gains.get(bank.name);
      if (this.root.getRootNode().activeElement !== gain || newest) gain.value = bank.gain;
      told.textContent = `gain ${Number(gain.value).toFixed(2)}`;
    }
    const touched = this.data.banks.some((b) => b.gain !== 1 || b.sliders.some((s) => s.value !== s.own));
    this.tools.own.disabled = !touched;
  }

  draw(newest) {
    const { pictures } = this.data;
    if (this.panels.length !== pictures.length) {
      this.panels = pictures.map((p, i) => {
        const figure = make("figure", i ? "small" : "large");
        const image = make("img", "", null, { decoding: "sync" });
        const caption = make("figcaption");
        figure.append(image, caption);
        image.addEventListener("load", () => (this.paints += 1));
        return { figure, image, caption };
      });
      this.pictures.replaceChildren(...this.panels.map((p) => p.figure));
    }
    pictures.forEach((p, i) => {
      const { image, caption, figure } = this.panels[i];
      if (image.getAttribute("src") !== p.url && p.url) image.src = p.url;
      image.alt = p.name;
      figure.style.setProperty("--shape", `${p.size[0]} / ${p.size[1]}`);
      figure.style.setProperty("--wide", p.size[0] / p.size[1]);
      caption.replaceChildren(make("span", "name", p.name), make("span", "caption", p.note));
    });
    this.root.classList.toggle("pending", !newest);
  }

  // A slider is under the hand: ask for a picture, one at a time, always for the newest place.
  move(key, value) {
    this.wanted = { key, value };
    if (this.link.waiting.length === 0) this.ask();
  }

  ask() {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      if (!this.wanted || this.link.waiting.length) return;
      const { key, value } = this.wanted;
      this.wanted = null;
      this.link.send({ kind: "live", direction: key, value });
    }, LIVE_MS);
  }

  release(key, value, own) {
    this.wanted = null;
    this.link.send(value === own ? { kind: "reset", direction: key } : { kind: "change", direction: key, value });
    this.root.classList.add("pending");
  }

  all(bank, what) {
    this.wanted = null;
    this.link.send({ kind: "bank", bank, what });
    this.root.classList.add("pending");
  }

  toggle() {
    this.strips = !this.strips;
    this.tools.strips.setAttribute("aria-pressed", this.strips);
    for (const row of this.rows.values()) row.open(this.strips);
  }

  destroy() {
    clearTimeout(this.timer);
  }
}

class Knob {
  constructor(editor, { key, name }) {
    this.editor = editor;
    this.key = key;
    this.element = make("div", "knob", null, { role: "group", "aria-label": name });
    const label = make("button", "name", name, { type: "button" });
    label.addEventListener("click", () => this.open(this.strip.hidden));
    this.label = label;
    this.track = make("div", "track");
    this.slider = make("input", "", null, { type: "range", step: 0.01, "aria-label": name });
    this.track.append(make("i", "zero"), make("i", "own", null, { title: "the face's own weight" }), this.slider);
    this.number = make("input", "number", null, { type: "number", step: KEY_STEP, "aria-label": `${name} as a number` });
    this.reset = button("reset", `Reset ${name}`, () => this.let(this.own));
    this.strip = make("div", "strip", null, { hidden: "" });
    this.element.append(label, this.track, this.number, this.reset, this.strip);
    this.listen();
  }

  listen() {
    const { slider, number } = this;
    slider.addEventListener("pointerdown", () => (this.held = true));
    slider.addEventListener("input", () => {
      let value = Number(slider.value);
      if (this.held && Math.abs(value - this.own) < MAGNET * (this.high - this.low)) value = this.own;
      this.value = value;
      this.paint();
      this.editor.move(this.key, value);
    });
    slider.addEventListener("change", () => {
      this.held = false;
      if (!this.keyed) this.let(this.value);
    });
    slider.addEventListener("keydown", (event) => {
      const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      this.keyed = true;
      this.value = Math.round(100 * Math.min(Math.max(this.value + way * KEY_STEP, this.low), this.high)) / 100;
      this.paint();
      this.editor.move(this.key, this.value);
    });
    for (const end of ["keyup", "blur"]) {
      slider.addEventListener(end, () => {
        if (this.keyed) this.let(this.value);
        this.keyed = false;
      });
    }
    number.addEventListener("change", () => {
      const value = Number(number.value);
      if (number.value === "" || !Number.isFinite(value)) return this.paint();
      this.let(Math.min(Math.max(value, -12), 12));
    });
  }

  let(value) {
    this.value = value;
    this.limits();
    this.paint();
    this.editor.release(this.key, value, this.own);
  }

  limits() {
    const { reach } = this.editor.data;
    this.low = Math.min(-reach, Math.floor(this.own - 1), Math.floor(this.value * 10) / 10);
    this.high = Math.max(reach, Math.ceil(this.own + 1), Math.ceil(this.value * 10) / 10);
    this.slider.min = this.low;
    this.slider.max = this.high;
    const share = (w) => (w - this.low) / (this.high - this.low);
    this.track.style.setProperty("--own", share(this.own));
    this.track.style.setProperty("--zero", share(0));
  }

  show(slider, newest) {
    this.own = slider.own;
    if (newest && !this.held && !this.keyed) this.value = slider.value;
    this.value ??= slider.value;
    this.below = slider.below;
    this.label.title = `${this.below ? `Below zero: ${this.below}. ` : ""}Show little pictures of it.`;
    this.row = slider.strip;
    this.limits();
    this.paint();
    if (!this.known) {
      this.known = true;
      this.open(this.editor.strips);
    } else if (!this.strip.hidden) this.film();
  }

  paint() {
    const share = (w) => (w - this.low) / (this.high - this.low);
    this.track.style.setProperty("--at", share(this.value));
    this.slider.value = this.value;
    if (this.element.getRootNode().activeElement !== this.number) this.number.value = this.value.toFixed(2);
    const says = this.value < this.own && this.below ? `, ${this.below}` : "";
    this.slider.setAttribute("aria-valuetext", `${this.value.toFixed(2)}, own weight ${this.own.toFixed(2)}${says}`);
    const touched = Math.abs(this.value - this.own) > 0.004;
    this.element.classList.toggle("changed", touched);
    this.reset.disabled = !touched;
  }

  open(open) {
    this.strip.hidden = !open;
    if (open) this.film();
  }

  // Five little pictures of this direction, cut out of the sheet; a click on one goes there.
  film() {
    const { sheet } = this.editor.data;
    const film = JSON.stringify([sheet?.url, this.row, this.own]);
    if (film === this.filmed) return;
    this.filmed = film;
    if (!sheet || this.row < 0) {
      this.strip.replaceChildren(make("span", "note", this.row < 0 ? "Not drawn for this network; it would take minutes." : "The little pictures are being drawn ..."));
      return;
    }
    const n = sheet.stops.length;
    this.strip.replaceChildren(
      ...sheet.stops.map((stop, i) => {
        const value = Math.round(100 * (this.own + stop)) / 100;
        const name = stop < 0 && this.below ? this.below : this.element.getAttribute("aria-label");
        const cell = make("button", "cell", null, { type: "button", title: `${name}, ${value.toFixed(2)}` });
        const film = make("span", "film");
        film.style.backgroundImage = `url("${sheet.url}")`;
        film.style.backgroundSize = `${100 * n}% ${100 * sheet.rows}%`;
        film.style.backgroundPosition = `${(100 * i) / (n - 1)}% ${sheet.rows > 1 ? (100 * this.row) / (sheet.rows - 1) : 0}%`;
        cell.append(film, make("span", "caption", stop === 0 ? "own" : (stop > 0 ? "+" : "\u2212") + Math.abs(stop)));
        cell.addEventListener("click", () => this.let(stop === 0 ? this.own : value));
        return cell;
      }),
    );
  }
}

ICONS.strips = ["M2.4 4.6h11.2v6.8h-11.2z", "M6.1 4.6v6.8", "M9.9 4.6v6.8"];

export default (component) => mount(component, ".editor", Editor);
