// The numbers behind the sliders. All weights are in units of the scale; `state.py` does the same sums in Python.

const DIGITS = 4;
const rounded = (w) => Number(w.toFixed(DIGITS));

class Mix {
  constructor(payload, code, affine) {
    this.payload = payload;
    this.affine = affine;
    this.own = Float64Array.from(code, (c, k) => c / payload.scale[k]);
    this.weights = this.own.slice();
    this.muted = new Set();
    this.flipped = new Set();
    this.solo = new Set();
    this.walk = null;
    this.applied = this.own.slice();
    if (affine) {
      this.reconstruction = this.sum(this.own);
      this.edited = this.reconstruction.slice();
    }
  }

  // What a direction counts for now: its weight, then the other sign, then mute and solo. A walk shows through both.
  effective(k) {
    const walking = this.walk?.k === k;
    const w = walking ? this.walk.weight : this.weights[k];
    if (!walking && (this.muted.has(k) || (this.solo.size && !this.solo.has(k)))) return 0;
    return this.flipped.has(k) ? -w : w;
  }

  sum(weights) {
    const out = Float32Array.from(this.payload.mean);
    for (let k = 0; k < weights.length; k++) this.add(out, k, weights[k]);
    return out;
  }

  add(out, k, weight) {
    if (weight === 0) return;
    const by = weight * this.payload.scale[k] * this.payload.step[k];
    const row = this.payload.row(k);
    for (let i = 0; i < out.length; i++) out[i] += by * row[i];
  }

  // Brings the edited sample up to date: one direction is added on top, many are summed afresh.
  refresh() {
    const moved = [];
    for (let k = 0; k < this.own.length; k++) {
      const w = this.effective(k);
      if (w !== this.applied[k]) moved.push([k, w - this.applied[k]]);
      this.applied[k] = w;
    }
    if (!this.affine || !moved.length) return moved.length > 0;
    if (moved.length <= 4) for (const [k, by] of moved) this.add(this.edited, k, by);
    else this.settle();
    return true;
  }

  // Sums afresh, which also drops what rounding left behind after many small moves.
  settle() {
    if (!this.affine) return;
    for (let k = 0; k < this.own.length; k++) this.applied[k] = this.effective(k);
    this.edited = this.sum(this.applied);
  }

  code() {
    return Array.from(this.own, (_, k) => this.effective(k) * this.payload.scale[k]);
  }

  changed(k) {
    return this.weights[k] !== this.own[k];
  }

  touched(k) {
    return this.changed(k) || this.muted.has(k) || this.flipped.has(k) || this.solo.has(k);
  }

  reset(k) {
    this.weights[k] = this.own[k];
    for (const set of [this.muted, this.flipped, this.solo]) set.delete(k);
  }

  state() {
    const state = {};
    const weights = {};
    this.weights.forEach((w, k) => this.changed(k) && (weights[k] = rounded(w)));
    if (Object.keys(weights).length) state.weights = weights;
    for (const name of ["muted", "flipped", "solo"]) {
      if (this[name].size) state[name] = [...this[name]].sort((a, b) => a - b);
    }
    return state;
  }

  adopt(state) {
    this.weights = this.own.slice();
    for (const [k, w] of Object.entries(state.weights || {})) this.weights[k] = w;
    for (const name of ["muted", "flipped", "solo"]) this[name] = new Set(state[name] || []);
  }
}
