// Colours of values on points: signed values over a grey middle, others along the sequential scale.

const SHADES = 48;
const SIGNED = {
  light: ["#0c3470", "#2e6eac", "#86b2d8", "#c3c6cb", "#e0a876", "#be5624", "#70260c"],
  dark: ["#a9d2f5", "#4f97d6", "#35608a", "#474c55", "#8a5428", "#dd8438", "#fbcf9b"],
};

// `SHADES` colours from the lowest to the highest value, without the end that would be lost on this background.
function shades(signed, sequential, dark) {
  const stops = signed ? SIGNED[dark ? "dark" : "light"] : dark ? sequential.slice(1) : sequential.slice(0, -1);
  return Array.from({ length: SHADES }, (_, i) => mix(stops, i / (SHADES - 1)));
}

function mix(stops, share) {
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  const part = (colour, c) => parseInt(colour.slice(1 + 2 * c, 3 + 2 * c), 16);
  const channel = (c) => Math.round(part(stops[low], c) + (at - low) * (part(stops[low + 1], c) - part(stops[low], c)));
  return `rgb(${channel(0)}, ${channel(1)}, ${channel(2)})`;
}
