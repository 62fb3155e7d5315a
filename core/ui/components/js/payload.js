// Fetching and decoding of what Python publishes beside the page.

// One store for all components of the page: a gallery and a mixer of one basis fetch it once.
const STORE = (globalThis[Symbol.for("basis-explorer.files")] ??= new Map());
const KEPT = 24;

// Streamlit names files from the root of the server; behind a proxy the page's own scripts tell where that is.
function mediaAddress(path) {
  const own = document.querySelector('script[src*="/static/js/"]');
  return own ? own.src.split("/static/js/")[0] + path : path;
}

async function fetchBytes(path) {
  for (let attempt = 0; ; attempt++) {
    try {
      const answer = await fetch(mediaAddress(path));
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      return await answer.arrayBuffer();
    } catch (error) {
      if (attempt === 2) throw error;
      await new Promise((later) => setTimeout(later, 300 * (attempt + 1)));
    }
  }
}

function stored(name, make) {
  let entry = STORE.get(name);
  if (!entry) {
    entry = make();
    entry.catch(() => STORE.delete(name));
  }
  STORE.delete(name);
  STORE.set(name, entry);
  for (const old of STORE.keys()) {
    if (STORE.size <= KEPT) break;
    STORE.delete(old);
  }
  return entry;
}

function loadPayload({ url, digest }) {
  return stored(digest, async () => parsePayload(await fetchBytes(url)));
}

// An array of float32 after the 32 bytes of its digest.
function loadArray(url) {
  return url ? stored(url, async () => new Float32Array(await fetchBytes(url), 32)) : Promise.resolve(null);
}

// Named arrays after a header, as `pack` in Python writes them.
function loadParts({ url, digest }) {
  return stored(digest, async () => {
    const buffer = await fetchBytes(url);
    const length = new DataView(buffer).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    const out = { ...head };
    let at = 4 + length;
    for (const [name, kind, count] of head.arrays) {
      const type = { f4: Float32Array, u1: Uint8Array }[kind];
      out[name] = new type(buffer, at, count);
      at += Math.ceil((count * type.BYTES_PER_ELEMENT) / 4) * 4;
    }
    return out;
  });
}

function parsePayload(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const { k, d } = head;
  let at = 4 + length;
  const floats = (n) => {
    const array = new Float32Array(buffer, at, n);
    at += 4 * n;
    return array;
  };
  const scale = floats(k);
  const mean = floats(d);
  const step = floats(k);
  const whole = new Int16Array(buffer, at, k * d);
  return { ...head, scale, mean, step, whole, row: (i) => whole.subarray(i * d, (i + 1) * d) };
}

// One direction as numbers, times a factor.
function direction(payload, index, factor = 1) {
  const by = payload.step[index] * factor;
  const row = payload.row(index);
  const out = new Float32Array(row.length);
  for (let i = 0; i < out.length; i++) out[i] = row[i] * by;
  return out;
}

function largestOf(values) {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]));
  return most;
}
