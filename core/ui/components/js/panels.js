// The four pictures: original, reconstruction, edited, difference.

const TITLES = { original: "Original", reconstruction: "Reconstruction", edited: "Edited", difference: "Difference" };
const PANEL_BARS = 20;
const NARROW = { width: 620, bars: 10 };

class Panels {
  constructor(element) {
    this.element = element;
    this.figures = {};
    for (const [name, title] of Object.entries(TITLES)) {
      const figure = make("figure", name);
      const caption = make("figcaption");
      const note = make("span", "note");
      const frame = make("div", "frame");
      const canvas = make("canvas", "", null, { role: "img", "aria-label": title });
      caption.append(make("b", "", title), note);
      frame.append(canvas);
      figure.append(caption, frame);
      element.append(figure);
      this.figures[name] = { figure, note, canvas, frame };
    }
  }

  // A new basis or sample: sizes, ranges and the two pictures that stay.
  open({ payload, original, reconstruction, colours }) {
    const { form } = payload;
    Object.assign(this, { payload, form, original, reconstruction, colours });
    this.figures.original.figure.hidden = !original;
    this.element.className = `panels ${form.kind}`;
    this.element.style.setProperty("--count", original ? 4 : 3);
    this.element.style.setProperty("--aspect", aspect(form));
    this.order = form.kind === "bars" ? mostMoved(payload, this.element.clientWidth > NARROW.width ? PANEL_BARS : NARROW.bars) : null;
    if (this.order) this.element.style.setProperty("--height", `${barsHeight(this.order.length, payload.d)}px`);
    this.range = sampleRange(form, original, reconstruction);
    this.difference = new Float32Array(payload.d);
    const error = original && reconstruction ? missed(original, reconstruction, payload.mean) : null;
    this.say("reconstruction", error === null ? "" : `error ${percent(error)}`,
      "squared error, as a share of the sample's squared distance from the mean");
    for (const { canvas, frame } of Object.values(this.figures)) this.sound(canvas, frame);
    this.still();
  }

  view(extra) {
    return { colours: this.colours, range: this.range, axes: true, order: this.order, ...extra };
  }

  sample(name, values, ghost = null) {
    const { form } = this;
    const quiet = { signed: form.signed, plain: form.low >= 0, ghost, colour: name === "edited" ? this.colours.accent : null };
    paint(this.figures[name].canvas, values, form, this.view(quiet));
    this.figures[name].values = values;
  }

  still() {
    if (this.original) this.sample("original", this.original);
    if (this.reconstruction) this.sample("reconstruction", this.reconstruction);
  }

  // What moves: the edited sample and its difference from the reconstruction.
  paint(edited, changes) {
    const { form, reconstruction, difference } = this;
    if (!edited || !reconstruction) return;
    const range = sampleRange(form, edited);
    if (range[0] < this.range[0] - 1e-9 || range[1] > this.range[1] + 1e-9) {
      this.range = [Math.min(range[0], this.range[0]), Math.max(range[1], this.range[1])];
      this.still();
    }
    this.sample("edited", edited, form.kind === "image" ? null : reconstruction);
    let square = 0;
    let most = 0;
    for (let i = 0; i < difference.length; i++) {
      const v = edited[i] - reconstruction[i];
      difference[i] = v;
      square += v * v;
      most = Math.max(most, v < 0 ? -v : v);
    }
    const nothing = most < 1e-6 * Math.max(Math.abs(this.range[0]), Math.abs(this.range[1]), 1e-12);
    if (nothing) difference.fill(0);
    const span = nothing ? 1 : roundUp(most);
    paint(this.figures.difference.canvas, difference, form,
      this.view({ range: [-span, span], signed: true, fill: true, colour: this.colours.accent }));
    const size = Math.sqrt(square / difference.length);
    this.say("difference", nothing ? "none" : `rms ${short(size)} · ±${short(span)}`,
      "edited minus reconstruction: root mean square, and the range of the colours or the axis");
    this.say("edited", changes ? `${changes} changed` : "as it is");
  }

  say(name, text, title = "") {
    const { note, canvas } = this.figures[name];
    if (note.textContent === text) return;
    note.textContent = text;
    note.title = title;
    canvas.setAttribute("aria-label", text ? `${TITLES[name]}, ${text}` : TITLES[name]);
  }

  // A play button where the data is sound.
  sound(canvas, frame) {
    const wanted = this.form.rate && this.form.shape.length === 1 && ["spectrum", "curve"].includes(this.form.kind);
    const there = frame.querySelector("button");
    const entry = Object.entries(this.figures).find(([, f]) => f.frame === frame);
    if (!wanted || entry[0] === "difference") return there?.remove();
    if (there) return;
    const play = button("sound", `Play ${TITLES[entry[0]].toLowerCase()}`, () => {
      play.setAttribute("aria-pressed", "true");
      const { values } = this.figures[entry[0]];
      if (values) Sound.toggle(play, values, this.form, () => play.setAttribute("aria-pressed", "false"));
    });
    frame.append(play);
  }
}

function percent(share) {
  return `${(100 * share).toFixed(share < 0.0995 ? 2 : 1)} %`;
}

function missed(original, reconstruction, mean) {
  let error = 0;
  let all = 0;
  for (let i = 0; i < mean.length; i++) {
    error += (original[i] - reconstruction[i]) ** 2;
    all += (original[i] - mean[i]) ** 2;
  }
  return all > 0 ? error / all : 0;
}

// The entries that the basis moves most, over all its directions at their typical size.
function mostMoved(payload, most) {
  const power = new Float64Array(payload.d);
  for (let k = 0; k < payload.k; k++) {
    const row = payload.row(k);
    const by = payload.step[k] * payload.scale[k];
    for (let i = 0; i < payload.d; i++) power[i] += (by * row[i]) ** 2;
  }
  return largestFirst(power, most);
}
