// One row: picture, name, slider, number and buttons of one direction.

const KEY_STEP = 0.1;
const FINE_STEP = 0.01;
const MAGNET = 0.012; // share of the range within which the thumb snaps to the sample's own weight
const ROW_BUTTONS = { reset: "Reset", mute: "Mute: count as zero", solo: "Solo: count this one only", flip: "Flip the sign" };

class Row {
  constructor(mixer, k) {
    this.mixer = mixer;
    this.k = k;
    this.name = mixer.name(k);
    this.element = make("div", "row", null, { role: "group", "aria-label": this.name, "data-k": k });
    this.picture = make("canvas", `picture ${mixer.payload.form.kind}`, null, { role: "img", "aria-label": `Direction ${this.name}` });
    const label = make("div", "label");
    label.append(make("span", "name", this.name, { title: this.name }));
    const caption = mixer.data.captions?.[k];
    if (caption) label.append(make("span", "caption", caption));
    this.track = make("div", "track");
    this.slider = make("input", "", null, { type: "range", step: FINE_STEP, "aria-label": `Weight of ${this.name}` });
    this.track.append(make("i", "zero"), make("i", "own", null, { title: "the sample's own weight" }), this.slider);
    this.number = make("input", "number", null, { type: "number", step: KEY_STEP, "aria-label": `Weight of ${this.name} as a number` });
    const buttons = make("div", "buttons");
    this.buttons = {};
    for (const [name, title] of Object.entries(ROW_BUTTONS)) {
      this.buttons[name] = button(name, `${title} (${this.name})`, () => this.press(name));
      buttons.append(this.buttons[name]);
    }
    if (mixer.data.affine) {
      this.buttons.walk = button("walk", `Walk along ${this.name}`, () => mixer.toggleWalk(this.k));
      buttons.append(this.buttons.walk);
    }
    this.element.append(this.picture, label, this.track, this.number, buttons);
    this.listen();
    this.limits();
  }

  listen() {
    const { slider, number } = this;
    slider.addEventListener("pointerdown", () => (this.pointer = true));
    slider.addEventListener("input", () => {
      let w = Number(slider.value);
      const own = this.mixer.mix.own[this.k];
      if (this.pointer && Math.abs(w - own) < MAGNET * (this.high - this.low)) w = own;
      this.mixer.move(this.k, w);
    });
    slider.addEventListener("change", () => this.release());
    for (const end of ["pointerup", "pointercancel"]) slider.addEventListener(end, () => (this.pointer = false));
    slider.addEventListener("keydown", (event) => {
      const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      const w = this.mixer.mix.weights[this.k] + way * (event.shiftKey ? FINE_STEP : KEY_STEP);
      this.mixer.move(this.k, rounded(Math.min(Math.max(w, this.low), this.high)));
      this.keyed = true;
    });
    for (const end of ["keyup", "blur"]) {
      slider.addEventListener(end, () => {
        if (this.keyed) this.release();
        this.keyed = false;
      });
    }
    number.addEventListener("change", () => {
      const w = Number(number.value);
      if (number.value === "" || !Number.isFinite(w)) {
        number.value = hundredths(this.mixer.mix.weights[this.k]);
        return;
      }
      this.mixer.move(this.k, rounded(this.mixer.data.nonnegative ? Math.max(w, 0) : w));
      this.limits();
      this.release();
    });
  }

  release() {
    this.pointer = false;
    this.mixer.release();
  }

  press(name) {
    const { mix } = this.mixer;
    if (name === "reset") mix.reset(this.k);
    else {
      const set = { mute: mix.muted, solo: mix.solo, flip: mix.flipped }[name];
      if (!set.delete(this.k)) set.add(this.k);
    }
    this.limits();
    this.mixer.release();
  }

  // Ends of the slider: the usual ones, widened for the sample's own weight and the present one.
  limits() {
    const { data, mix } = this.mixer;
    const [low, high] = data.ranges?.[this.k] || [data.nonnegative ? 0 : -3, 3];
    const most = [mix.own[this.k], mix.weights[this.k]];
    this.low = Math.min(low, ...most.map((w) => Math.floor(w * 10) / 10));
    this.high = Math.max(high, ...most.map((w) => Math.ceil(w * 10) / 10));
    this.slider.min = this.low;
    this.slider.max = this.high;
    const share = (w) => `${(w - this.low) / (this.high - this.low)}`;
    this.track.style.setProperty("--own", share(mix.own[this.k]));
    this.track.style.setProperty("--zero", share(0));
    this.shown = null;
  }

  // Brings the row up to date. It runs in every frame for all rows, so a row that did not change is left alone.
  show() {
    const { mix } = this.mixer;
    const walking = mix.walk?.k === this.k;
    const w = walking ? mix.walk.weight : mix.weights[this.k];
    if (w < this.low || w > this.high) this.limits();
    const own = mix.own[this.k];
    const sets = [mix.muted, mix.solo, mix.flipped].map((set) => set.has(this.k));
    const look = [w, own, walking, mix.effective(this.k), ...sets].join();
    if (look === this.shown) return;
    this.shown = look;
    if (!this.pointer || walking) this.slider.value = w;
    this.slider.setAttribute("aria-valuetext", `${hundredths(w)}, own weight ${hundredths(own)}`);
    if (this.element.getRootNode().activeElement !== this.number || walking) this.number.value = hundredths(w);
    this.track.style.setProperty("--at", (w - this.low) / (this.high - this.low));
    const zeroed = !walking && mix.effective(this.k) === 0 && w !== 0;
    this.element.classList.toggle("off", zeroed);
    this.element.classList.toggle("changed", mix.touched(this.k));
    this.buttons.reset.disabled = !mix.touched(this.k);
    const pressed = { mute: mix.muted, solo: mix.solo, flip: mix.flipped };
    for (const [name, set] of Object.entries(pressed)) this.buttons[name].setAttribute("aria-pressed", set.has(this.k));
    if (this.buttons.walk && this.walking !== walking) {
      this.walking = walking;
      swapIcon(this.buttons.walk, walking ? "stop" : "walk");
      this.buttons.walk.setAttribute("aria-pressed", walking);
    }
    const flipped = mix.flipped.has(this.k);
    if (this.drawn !== flipped) this.draw();
  }

  draw() {
    const { payload, colours, mix } = this.mixer;
    this.drawn = mix.flipped.has(this.k);
    const values = direction(payload, this.k, this.drawn ? -1 : 1);
    const view = { colours, bare: true, most: 6, order: payload.form.kind === "bars" ? largestFirst(values, 6) : null };
    paintDirection(this.picture, values, this.drawn ? { ...payload, nonnegative: false } : payload, view);
  }
}

// Two decimals, and no minus before a zero.
function hundredths(w) {
  return Number(w.toFixed(2)).toFixed(2);
}
