// Sound of a spectrum or of a window of a waveform, made in the browser; one at a time.

const Sound = {
  context: null,
  playing: null,

  stop() {
    if (!this.playing) return;
    const { source, gain, ended } = this.playing;
    this.playing = null;
    const now = this.context.currentTime;
    gain.gain.cancelScheduledValues(now);
    gain.gain.setTargetAtTime(0, now, 0.02);
    source.stop(now + 0.12);
    ended();
  },

  // Plays for two seconds, or stops if this very thing is playing.
  toggle(owner, values, form, ended) {
    const same = this.playing?.owner === owner;
    this.stop();
    if (same) return;
    this.context ??= new AudioContext();
    this.context.resume();
    const source = form.kind === "spectrum" ? this.tone(values, form) : this.loop(values, form);
    const gain = this.context.createGain();
    const now = this.context.currentTime;
    gain.gain.setValueAtTime(0, now);
    gain.gain.linearRampToValueAtTime(0.25, now + 0.05);
    gain.gain.setValueAtTime(0.25, now + 1.8);
    gain.gain.linearRampToValueAtTime(0, now + 2);
    source.connect(gain).connect(this.context.destination);
    source.start();
    source.stop(now + 2.05);
    this.playing = { owner, source, gain, ended };
    source.onended = () => {
      if (this.playing?.source !== source) return;
      this.playing = null;
      ended();
    };
  },

  // All frequencies at once, each with a random phase that is the same every time.
  tone(values, form) {
    const amplitude = {
      amplitude: (v) => Math.max(v, 0),
      power: (v) => Math.sqrt(Math.max(v, 0)),
      root: (v) => Math.max(v, 0) ** 2,
      log1p: (v) => Math.expm1(Math.max(v, 0)),
      log: (v) => Math.exp(v),
      decibel: (v) => 10 ** (v / 20),
    }[form.level];
    const real = new Float32Array(values.length);
    const imaginary = new Float32Array(values.length);
    const random = randomNumbers(1);
    for (let i = 1; i < values.length; i++) {
      const phase = 2 * Math.PI * random();
      real[i] = amplitude(values[i]) * Math.cos(phase);
      imaginary[i] = amplitude(values[i]) * Math.sin(phase);
    }
    const source = this.context.createOscillator();
    source.setPeriodicWave(this.context.createPeriodicWave(real, imaginary));
    source.frequency.value = form.rate / 2 / (values.length - 1);
    return source;
  },

  loop(values, form) {
    const rate = Math.min(Math.max(form.rate, 8000), 96000);
    const buffer = this.context.createBuffer(1, values.length, rate);
    const most = largestOf(values) || 1;
    buffer.copyToChannel(Float32Array.from(values, (v) => v / most), 0);
    const source = this.context.createBufferSource();
    source.buffer = buffer;
    source.loop = true;
    source.playbackRate.value = form.rate / rate;
    return source;
  },
};

// Uniform numbers from 0 to 1, the same for the same seed (a 32-bit generator of Weyl type).
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return ((z ^ (z >>> 16)) >>> 0) / 4294967296;
  };
}

// Standard normal numbers (Box and Muller).
function normalNumbers(seed) {
  const uniform = randomNumbers(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}
