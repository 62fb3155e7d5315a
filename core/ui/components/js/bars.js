// Named numbers as horizontal bars around zero, the largest first; the rest is counted in a note.

const BAR = 16; // pixels a row

function largestFirst(values, most) {
  return Array.from(values, (_, i) => i)
    .sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]))
    .slice(0, most);
}

function barsHeight(shown, total) {
  return shown * BAR + (shown < total ? BAR : 4);
}

function paintBars(canvas, values, form, view) {
  const area = surface(canvas);
  if (!area) return;
  const { pen, width, height } = area;
  const { colours } = view;
  const order = view.order || largestFirst(values, view.most || 30);
  const bare = view.bare; // a picture of a few pixels, without words
  const note = !bare && order.length < values.length;
  const row = (height - (note ? BAR : 0)) / order.length;
  const [low, high] = [Math.min(0, view.range[0]), Math.max(0, view.range[1])];
  const text = bare ? 0 : Math.min(110, width * 0.42);
  const number = bare || view.numbers === false || width < 200 ? 0 : 38;
  const left = text ? text + 6 : 1;
  const x = (v) => left + ((Math.min(Math.max(v, low), high) - low) / (high - low || 1)) * (width - left - number - 2);
  pen.font = `11px ${colours.font}`;
  pen.textBaseline = "middle";
  order.forEach((index, i) => {
    const v = values[index];
    const y = i * row;
    if (text) {
      pen.fillStyle = colours.text;
      pen.textAlign = "right";
      pen.fillText(fitted(pen, barName(form, index), text), text, y + row / 2);
    }
    if (view.ghost) {
      pen.fillStyle = colours.line;
      const g = view.ghost[index];
      pen.fillRect(Math.min(x(0), x(g)), y + row * 0.12, Math.abs(x(g) - x(0)), row * 0.76);
    }
    pen.fillStyle = v < 0 ? colours.negative : view.plain ? colours.neutral : colours.positive;
    const slim = view.ghost ? 0.3 : 0.18;
    pen.fillRect(Math.min(x(0), x(v)), y + row * slim, Math.max(Math.abs(x(v) - x(0)), 0.6), row * (1 - 2 * slim));
    if (number) {
      pen.fillStyle = colours.faint;
      pen.textAlign = "right";
      pen.fillText(short(v), width - 1, y + row / 2);
    }
  });
  pen.strokeStyle = colours.line;
  pen.lineWidth = 1;
  segment(pen, Math.round(x(0)) + 0.5, 0, Math.round(x(0)) + 0.5, row * order.length);
  if (note) {
    pen.fillStyle = colours.faint;
    pen.textAlign = "left";
    pen.fillText(`and ${values.length - order.length} more`, left, height - BAR / 2);
  }
}

function barName(form, index) {
  return form.features ? form.features[index] : `entry ${index + 1}`;
}

// Measuring text is slow, and the same names are drawn again in every frame.
const FITTED = new Map();

function fitted(pen, text, width) {
  const name = `${width}|${pen.font}|${text}`;
  let short = FITTED.get(name);
  if (short === undefined) {
    let n = text.length;
    short = text;
    while (n > 1 && pen.measureText(short).width > width) short = text.slice(0, --n) + "…";
    if (FITTED.size > 5000) FITTED.clear();
    FITTED.set(name, short);
  }
  return short;
}
