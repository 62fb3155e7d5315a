// Images: one canvas pixel for each pixel of the data; the browser enlarges without blurring.

const SMALL = 200; // wider images are enlarged smoothly

function paintImage(canvas, values, form, view) {
  const [height, width, channels = 1] = form.shape;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.imageRendering = width <= SMALL ? "pixelated" : "auto";
    canvas.pixels = null;
  }
  const pen = canvas.getContext("2d");
  canvas.pixels ??= pen.createImageData(width, height);
  const out = new Uint32Array(canvas.pixels.data.buffer);
  const [low, high] = view.range;
  const by = 255 / (high - low || 1);
  const level = (v) => {
    const at = (v - low) * by + 0.5;
    return at > 255 ? 255 : at > 0 ? at | 0 : 0;
  };
  if (channels === 3) {
    for (let i = 0, j = 0; i < out.length; i++, j += 3) {
      out[i] = (255 << 24) | (level(values[j + 2]) << 16) | (level(values[j + 1]) << 8) | level(values[j]);
    }
  } else {
    const table = view.signed ? RAMPS.diverging : RAMPS.grey;
    for (let i = 0; i < out.length; i++) out[i] = table[level(values[i])];
  }
  pen.putImageData(canvas.pixels, 0, 0);
}
