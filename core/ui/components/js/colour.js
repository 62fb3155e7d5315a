// Colours: Streamlit's theme, a grey ramp, and a diverging map that colour-blind people can read.

// From deep blue over near-white to rust; blue and orange stay apart in every common colour blindness.
const DIVERGING = [
  [12, 52, 112], [46, 110, 172], [126, 176, 214], [206, 224, 236], [247, 246, 243],
  [245, 214, 186], [231, 155, 100], [190, 86, 36], [112, 38, 12],
];
const GREY = [[0, 0, 0], [255, 255, 255]];

function ramp(anchors) {
  const table = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (anchors.length - 1);
    const low = Math.min(Math.floor(at), anchors.length - 2);
    const [r, g, b] = anchors[low].map((v, c) => Math.round(v + (at - low) * (anchors[low + 1][c] - v)));
    table[i] = (255 << 24) | (b << 16) | (g << 8) | r;
  }
  return table;
}

const RAMPS = { grey: ramp(GREY), diverging: ramp(DIVERGING) };

// Colours of lines and bars that show a sign, made for each background.
function theme(element) {
  const style = getComputedStyle(element);
  const read = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
  const text = read("--st-text-color", "#31333f");
  const background = read("--st-background-color", "#ffffff");
  const accent = read("--st-primary-color", "#0f766e");
  const dark = brightness(background) < 0.5;
  return {
    text,
    background,
    dark,
    accent: dark ? `color-mix(in srgb, ${accent} 66%, ${text})` : accent, // thin lines need more light on dark
    font: read("--st-font", "sans-serif"),
    faint: `color-mix(in srgb, ${text} 55%, ${background})`,
    line: `color-mix(in srgb, ${text} 22%, ${background})`,
    positive: dark ? "#ef9a5c" : "#c05a1e",
    negative: dark ? "#6db1ea" : "#2869ab",
    neutral: dark ? "#9fb3c8" : "#4b6075",
  };
}

function brightness(colour) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  const [r, g, b] = pen.getImageData(0, 0, 1, 1).data;
  return (0.3 * r + 0.6 * g + 0.1 * b) / 255;
}
