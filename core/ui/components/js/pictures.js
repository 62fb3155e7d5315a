// Samples or directions in rows under headings, drawn in their own form; a click picks one.

class Pictures {
  constructor(root) {
    this.root = root;
    root.replaceChildren();
    this.link = new Link();
    this.turn = 0;
    this.drawn = [];
    this.body = make("div", "sections");
    this.problem = make("p", "problem", "", { role: "alert", hidden: "" });
    root.append(this.body, this.problem);
    this.watcher = new ResizeObserver(() => this.resized());
    this.watcher.observe(root);
  }

  async update(component) {
    const { data } = component;
    this.link.hear(component);
    const turn = ++this.turn;
    let payload;
    try {
      payload = await loadPayload(data.payload);
    } catch (error) {
      this.problem.textContent = `The pictures could not be fetched: ${error.message}.`;
      this.problem.hidden = false;
      return;
    }
    if (turn !== this.turn) return;
    this.problem.hidden = true;
    const colours = theme(this.root);
    const { answer, payload: address, ...shown } = data;
    const look = JSON.stringify([address.digest, shown, colours]);
    if (look === this.look) return;
    Object.assign(this, { data, payload, colours, look });
    this.build();
  }

  build() {
    const { data, payload } = this;
    const { form } = payload;
    const rows = Array.from({ length: payload.k }, (_, k) => direction(payload, k));
    this.range = sampleRange(form, ...rows);
    this.order = form.kind === "bars" && !data.directions ? sharedOrder(rows, 8) : null; // so that pictures compare
    this.body.style.setProperty("--own", `${data.tile ?? { image: 84, curve: 132, spectrum: 132, bars: 180 }[form.kind]}px`);
    this.body.style.setProperty("--aspect", aspect(form));
    this.drawn = [];
    this.body.replaceChildren();
    let at = 0;
    for (const { title, note, count } of data.sections) {
      if (title) {
        const heading = make("p", "heading");
        heading.append(make("b", "", title));
        if (note) heading.append(make("span", "caption", ` ${note}`));
        this.body.append(heading);
      }
      const grid = make("div", `grid ${form.kind}`, null, { role: "group", "aria-label": title || data.label });
      for (const end = at + count; at < end; at++) grid.append(this.tile(at, rows[at]));
      this.body.append(grid);
    }
    this.draw();
  }

  tile(i, values) {
    const { data, payload: { form } } = this;
    const element = make("div", "tile");
    const name = data.names[i];
    const caption = data.captions?.[i];
    const label = caption ? `${name}, ${caption}` : name;
    const frame = data.picks
      ? make("button", "pick", null, { type: "button", title: `${data.picks} ${name}` })
      : make("div", "still", null, { role: "img", "aria-label": label });
    const canvas = make("canvas", form.kind);
    const text = make("span", "text");
    text.append(make("span", "name", name));
    if (caption) text.append(make("span", "caption", caption));
    frame.append(canvas, text);
    if (data.picks) frame.addEventListener("click", () => this.link.send({ kind: "pick", index: i }));
    element.append(frame);
    if (form.rate && form.shape.length === 1 && !data.directions) {
      const play = button("sound", `Play ${name}`, () => {
        play.setAttribute("aria-pressed", "true");
        Sound.toggle(play, values, form, () => play.setAttribute("aria-pressed", "false"));
      });
      element.append(play);
    }
    this.drawn.push({ canvas, values });
    return element;
  }

  draw() {
    const { data, payload, colours, range } = this;
    const { form } = payload;
    for (const { canvas, values } of this.drawn) {
      if (data.directions) paintDirection(canvas, values, payload, { colours, most: 6, numbers: false });
      else paint(canvas, values, form, { colours, range, signed: form.signed, plain: form.low >= 0, order: this.order, numbers: false });
    }
  }

  resized() {
    const width = this.root.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    if (this.payload && this.payload.form.kind !== "image") this.draw();
  }

  destroy() {
    this.turn += 1;
    Sound.stop();
    this.watcher.disconnect();
  }
}

// The entries that are largest over all rows.
function sharedOrder(rows, most) {
  const size = new Float64Array(rows[0].length);
  for (const row of rows) row.forEach((v, i) => { size[i] += v * v; });
  return largestFirst(size, most);
}

export default (component) => mount(component, ".pictures", Pictures);
