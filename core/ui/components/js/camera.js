// One view of points in a plane or in space, shared by several canvases: pan, zoom, and turn in space.

class Camera {
  constructor() {
    this.zoom = 1;
  }

  // The points `(n * dims)` that it looks at.
  look(places, dims) {
    Object.assign(this, { places, dims, n: places.length / dims, x: 0, y: 0, zoom: 1, yaw: 0.35, pitch: 0.12 });
    const low = new Array(dims).fill(Infinity);
    const high = new Array(dims).fill(-Infinity);
    for (let i = 0; i < places.length; i++) {
      low[i % dims] = Math.min(low[i % dims], places[i]);
      high[i % dims] = Math.max(high[i % dims], places[i]);
    }
    this.middle = low.map((v, d) => (v + high[d]) / 2);
    this.span = low.map((v, d) => high[d] - v || 1);
  }

  fit() {
    Object.assign(this, { x: 0, y: 0, zoom: 1, yaw: 0.35, pitch: 0.12 });
  }

  // Screen places `(n * 2)` on a canvas of that size, and depths in space.
  project(width, height) {
    const { places, dims, n, middle, span } = this;
    const room = 14;
    const across = dims === 3 ? Math.hypot(...span) * 0.78 : span[0];
    const up = dims === 3 ? across : span[1];
    const scale = Math.min((width - 2 * room) / across, (height - 2 * room) / up) * this.zoom;
    const [sy, cy, sp, cp] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    const out = new Float32Array(2 * n);
    const depth = dims === 3 ? new Float32Array(n) : null;
    const [ox, oy] = [width / 2 + this.x * this.zoom * width, height / 2 + this.y * this.zoom * width];
    for (let i = 0; i < n; i++) {
      let px = places[dims * i] - middle[0];
      let py = places[dims * i + 1] - middle[1];
      if (dims === 3) {
        const pz = places[3 * i + 2] - middle[2];
        const turned = cy * px + sy * pz;
        const back = cy * pz - sy * px;
        px = turned;
        depth[i] = cp * back + sp * py;
        py = cp * py - sp * back;
      }
      out[2 * i] = ox + px * scale;
      out[2 * i + 1] = oy - py * scale;
    }
    return { at: out, depth, scale, spacing: Math.sqrt((span[0] * span[1]) / n) * scale };
  }

  drag(dx, dy, width) {
    if (this.dims === 3) {
      this.yaw += dx * 0.01;
      this.pitch = Math.min(Math.max(this.pitch + dy * 0.01, -1.5), 1.5);
    } else {
      this.x += dx / width / this.zoom;
      this.y += dy / width / this.zoom;
    }
  }

  // Zoom about a place on the canvas.
  zoomBy(factor, px, py, width, height) {
    const zoom = Math.min(Math.max(this.zoom * factor, 0.3), 200);
    this.x += ((px - width / 2) / width) * (1 / zoom - 1 / this.zoom);
    this.y += ((py - height / 2) / width) * (1 / zoom - 1 / this.zoom);
    this.zoom = zoom;
  }
}
