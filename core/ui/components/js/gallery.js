// The gallery: one tile a direction, and a larger picture of the tile under the pointer.

const PREVIEW_DELAY = 350;
const TILES = { image: 96, curve: 148, spectrum: 148, bars: 190 };

class Gallery {
  constructor(root) {
    this.root = root;
    root.replaceChildren();
    root.gallery = this;
    this.link = new Link();
    this.turn = 0;
    this.tiles = new Map();
    this.grid = make("div", "grid", null, { role: "group", "aria-label": "Directions" });
    this.preview = make("div", "preview", null, { hidden: "", "aria-hidden": "true" });
    this.problem = make("p", "problem", "", { role: "alert", hidden: "" });
    root.append(this.grid, this.preview, this.problem);
    this.watcher = new ResizeObserver(() => this.resized());
    this.watcher.observe(root);
  }

  async update(component) {
    const { data } = component;
    const newest = this.link.hear(component);
    const turn = ++this.turn;
    let payload;
    try {
      payload = await loadPayload(data.payload);
    } catch (error) {
      this.problem.textContent = `The directions could not be fetched: ${error.message}.`;
      this.problem.hidden = false;
      return;
    }
    if (turn !== this.turn) return;
    this.problem.hidden = true;
    const colours = theme(this.root);
    const look = JSON.stringify([data.payload.digest, data.names, data.captions, data.order, data.columns, data.height, colours]);
    const rebuild = look !== this.look;
    Object.assign(this, { data, payload, colours, look });
    if (rebuild) this.build();
    if (newest) this.select(data.selected);
  }

  build() {
    const { data, payload } = this;
    const began = performance.now();
    const { form } = payload;
    this.hidePreview();
    this.grid.className = `grid ${form.kind}`;
    this.grid.style.setProperty("--tile", `${TILES[form.kind]}px`);
    this.grid.style.setProperty("--aspect", aspect(form));
    this.grid.classList.toggle("fixed", Boolean(data.columns));
    if (data.columns) this.grid.style.setProperty("--columns", data.columns);
    this.grid.style.maxHeight = data.height ? `${data.height}px` : "";
    const order = data.order ?? Array.from({ length: payload.k }, (_, k) => k);
    this.tiles = new Map(order.map((k) => [k, this.tile(k)]));
    this.grid.replaceChildren(...Array.from(this.tiles.values(), (t) => t.element));
    for (const k of this.tiles.keys()) this.draw(k);
    this.milliseconds = performance.now() - began;
  }

  name(k) {
    return this.data.names?.[k] ?? `Direction ${k + 1}`;
  }

  tile(k) {
    const { form } = this.payload;
    const caption = this.data.captions?.[k];
    const element = make("div", "tile", null, { "data-k": k });
    const pick = make("button", "pick", null, { type: "button", "aria-pressed": "false" });
    pick.setAttribute("aria-label", caption ? `${this.name(k)}, ${caption}` : this.name(k));
    const canvas = make("canvas", form.kind);
    const text = make("span", "text");
    text.append(make("span", "name", this.name(k)));
    if (caption) text.append(make("span", "caption", caption));
    pick.append(canvas, text);
    pick.addEventListener("click", () => this.pick(k));
    element.append(pick);
    if (form.rate && form.shape.length === 1) {
      const play = button("sound", `Play ${this.name(k)}`, () => {
        play.setAttribute("aria-pressed", "true");
        Sound.toggle(play, this.audible(k), form, () => play.setAttribute("aria-pressed", "false"));
      });
      element.append(play);
    }
    element.addEventListener("pointerenter", (event) => {
      if (event.pointerType !== "mouse") return;
      this.timer = setTimeout(() => this.showPreview(k), PREVIEW_DELAY);
    });
    element.addEventListener("pointerleave", () => this.hidePreview());
    return { element, canvas, pick };
  }

  // A spectrum is heard on top of the mean, where it is an edit; a window of a waveform by itself.
  audible(k) {
    const { payload } = this;
    const row = direction(payload, k, 3 * payload.scale[k]);
    return payload.form.kind === "spectrum" && !payload.nonnegative ? row.map((v, i) => v + payload.mean[i]) : row;
  }

  draw(k) {
    paintDirection(this.tiles.get(k).canvas, direction(this.payload, k), this.payload, {
      colours: this.colours, most: 6, numbers: false });
  }

  pick(k) {
    this.hidePreview();
    this.select(k);
    this.link.send({ kind: "pick", index: k });
  }

  select(k) {
    this.tiles.get(this.selected)?.pick.setAttribute("aria-pressed", "false");
    this.selected = k;
    this.tiles.get(k)?.pick.setAttribute("aria-pressed", "true");
  }

  showPreview(k) {
    const { form } = this.payload;
    const tile = this.tiles.get(k).element;
    const canvas = make("canvas", form.kind);
    this.preview.replaceChildren(canvas, make("b", "", this.name(k)), make("span", "caption", this.data.captions?.[k] ?? ""));
    this.preview.style.setProperty("--aspect", aspect(form));
    if (form.kind === "bars") canvas.style.height = `${barsHeight(Math.min(16, this.payload.d), this.payload.d)}px`;
    this.preview.hidden = false;
    paintDirection(canvas, direction(this.payload, k), this.payload, { colours: this.colours, axes: true, most: 16 });
    const [at, area] = [tile.getBoundingClientRect(), this.root.getBoundingClientRect()];
    const [width, height] = [this.preview.offsetWidth, this.preview.offsetHeight];
    const left = Math.min(Math.max(at.left + at.width / 2 - width / 2, 8), innerWidth - width - 8);
    const above = at.top > height + 70;
    this.preview.style.left = `${left - area.left}px`;
    this.preview.style.top = `${(above ? at.top - height - 6 : at.bottom + 6) - area.top}px`;
  }

  hidePreview() {
    clearTimeout(this.timer);
    this.preview.hidden = true;
  }

  resized() {
    const width = this.root.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    if (this.payload && this.payload.form.kind !== "image") for (const k of this.tiles.keys()) this.draw(k);
  }

  destroy() {
    this.turn += 1;
    this.hidePreview();
    Sound.stop();
    this.watcher.disconnect();
  }
}

export default (component) => mount(component, ".gallery", Gallery);
