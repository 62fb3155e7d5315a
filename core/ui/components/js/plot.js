// Curves and spectra as small line plots, drawn at the screen's own resolution.

// Sizes the canvas to what it covers on screen; null while it is not laid out.
function surface(canvas) {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (!width || !height) return null;
  const ratio = globalThis.devicePixelRatio || 1;
  const w = Math.round(width * ratio);
  const h = Math.round(height * ratio);
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height, ratio };
}

// About `count` round numbers from low to high.
function ticks(low, high, count) {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) out.push(i * step);
  return out;
}

function short(value) {
  const size = Math.abs(value);
  if (size < 1e-12) return "0";
  if (size >= 1e5 || size < 1e-3) return value.toExponential(0).replace("+", "");
  return String(Number(value.toPrecision(3)));
}

function paintPlot(canvas, values, form, view) {
  const area = surface(canvas);
  if (!area) return;
  const { pen, width, height, ratio } = area;
  const { colours, axes } = view;
  const length = form.shape[form.shape.length - 1];
  const channels = form.shape.length === 2 ? form.shape[0] : 1;
  const [low, high] = view.range;
  const left = axes ? 34 : 2;
  const bottom = axes ? (form.axis ? 29 : 16) : 2;
  const top = axes ? 6 : 3;
  const from = form.positions ? form.positions[0] : 0;
  const to = form.positions ? form.positions[length - 1] : length - 1;
  const x = (i) => left + ((form.positions ? form.positions[i] - from : i) / (to - from || 1)) * (width - left - 4);
  const y = (v) => top + ((high - v) / (high - low || 1)) * (height - top - bottom);

  pen.lineWidth = 1;
  pen.strokeStyle = colours.line;
  if (low <= 0 && high >= 0) segment(pen, left, Math.round(y(0)) + 0.5, width - 4, Math.round(y(0)) + 0.5);
  if (axes) {
    pen.fillStyle = colours.faint;
    pen.font = `10px ${colours.font}`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const v of ticks(low, high, height > 110 ? 4 : 3)) pen.fillText(short(v), left - 5, Math.min(Math.max(y(v), 6), height - bottom));
    pen.textBaseline = "top";
    const rightwards = to >= from;
    for (const v of ticks(Math.min(from, to), Math.max(from, to), width > 220 ? 4 : 2)) {
      const at = left + ((v - from) / (to - from || 1)) * (width - left - 4);
      pen.textAlign = at > width - 16 ? "right" : at < left + 8 ? "left" : "center";
      segment(pen, at, height - bottom, at, height - bottom + 3);
      pen.fillText(short(v), pen.textAlign === "right" ? width : at, height - bottom + 5);
    }
    if (form.axis) {
      pen.textAlign = "center";
      pen.fillText(form.axis + (rightwards ? "" : " (falling)"), (left + width) / 2, height - 11, width - left);
    }
  }
  const one = (data, channel) => trace(data, channel * length, length, x, y, width * ratio);
  for (let c = 0; c < channels; c++) {
    if (view.ghost) {
      pen.strokeStyle = colours.line;
      pen.lineWidth = 1.5;
      pen.stroke(one(view.ghost, c));
    }
    const path = one(values, c);
    const colour = view.colour || (c % 2 ? colours.positive : colours.neutral);
    if ((form.kind === "spectrum" || view.fill) && channels === 1) {
      const filled = new Path2D(path);
      const floor = y(Math.min(Math.max(0, low), high));
      filled.lineTo(x(length - 1), floor);
      filled.lineTo(x(0), floor);
      filled.closePath();
      pen.globalAlpha = 0.22;
      pen.fillStyle = colour;
      pen.fill(filled);
      pen.globalAlpha = 1;
    }
    pen.strokeStyle = colour;
    pen.lineJoin = "round";
    pen.lineWidth = axes ? 1.6 : 1.4;
    pen.stroke(path);
  }
}

function segment(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

// A line through all points; of very many, only the lowest and highest of each column of screen pixels.
function trace(data, start, length, x, y, width) {
  const path = new Path2D();
  width = Math.max(1, Math.floor(width));
  if (length <= 8 * width) {
    path.moveTo(x(0), y(data[start]));
    for (let i = 1; i < length; i++) path.lineTo(x(i), y(data[start + i]));
    return path;
  }
  const block = length / width;
  for (let column = 0; column < width; column++) {
    const a = Math.floor(column * block);
    const b = Math.min(length, Math.floor((column + 1) * block));
    let low = Infinity;
    let high = -Infinity;
    for (let i = a; i < b; i++) {
      const v = data[start + i];
      if (v < low) low = v;
      if (v > high) high = v;
    }
    if (column === 0) path.moveTo(x(a), y(low));
    path.lineTo(x(a), y(low));
    path.lineTo(x(a), y(high));
  }
  return path;
}
