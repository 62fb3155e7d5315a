// One way to draw anything that has a form: a sample, a direction, a difference.

// view: range [low, high], signed (zero in the middle), colours, and what single forms know (axes, ghost, order, ...).
function paint(canvas, values, form, view) {
  if (form.kind === "image") paintImage(canvas, values, form, view);
  else if (form.kind === "bars") paintBars(canvas, values, form, view);
  else paintPlot(canvas, values, form, view);
}

// The range that a sample is drawn in, wide enough for all arrays given.
function sampleRange(form, ...arrays) {
  let low = form.low ?? Infinity;
  let high = form.high ?? -Infinity;
  const fixed = form.kind === "image" && form.low !== null && form.high !== null;
  if (!fixed) {
    for (const values of arrays) {
      if (!values) continue;
      for (let i = 0; i < values.length; i++) {
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
      }
    }
  }
  if (!(high > low)) [low, high] = [low - 1, low + 1];
  if (form.signed && form.kind === "image") {
    const most = Math.max(-low, high);
    return [-most, most];
  }
  if (form.kind === "image" || form.kind === "bars") return [low, high];
  const room = 0.04 * (high - low);
  return [low - room, high + room];
}

// The next of 1, 2, 5, 10, ... so that a scale steps and does not flicker.
function roundUp(value) {
  if (!(value > 1e-12)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((m) => m * power).find((s) => s >= value * 0.9999);
}

// A direction has no unit: it is drawn within its own largest entry, in grey where nothing is negative.
function paintDirection(canvas, values, payload, view) {
  const most = largestOf(values) || 1;
  const { form, nonnegative } = payload;
  const range = nonnegative ? [0, most] : [-most, most];
  const room = form.kind === "image" || form.kind === "bars" ? 1 : 1.08;
  paint(canvas, values, form, {
    signed: !nonnegative,
    colour: view.colours.accent,
    ...view,
    range: range.map((v) => v * room),
  });
}

// Width over height of a picture; bars need a height of their own.
function aspect(form) {
  return form.kind === "image" ? form.shape[1] / form.shape[0] : form.kind === "bars" ? 1.2 : 1.6;
}
