// Small helpers for elements. Text from outside only ever becomes text, never markup.

function make(tag, className = "", text = null, attributes = {}) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== null) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// Outlines on a 16 by 16 grid.
const ICONS = {
  reset: ["M3.2 8a4.8 4.8 0 1 0 1.6-3.6", "M3 2.6v2.6h2.6"],
  mute: ["M8 2.8a5.2 5.2 0 1 0 0 10.4a5.2 5.2 0 0 0 0-10.4", "M4.4 4.4l7.2 7.2"],
  solo: ["M8 2.8a5.2 5.2 0 1 0 0 10.4a5.2 5.2 0 0 0 0-10.4", "M8 6.9v2.2", "M6.9 8h2.2"],
  flip: ["M3 5.6h9", "M9.8 3.2l2.4 2.4-2.4 2.4", "M13 10.6h-9", "M6.2 8.2l-2.4 2.4 2.4 2.4"],
  walk: ["M5.4 3.6v8.8l7-4.4z"],
  stop: ["M4.8 4.8h6.4v6.4h-6.4z"],
  undo: ["M5.6 3.2L2.8 6l2.8 2.8", "M3 6h6.4a3.4 3.4 0 0 1 0 6.8H6.6"],
  redo: ["M10.4 3.2L13.2 6l-2.8 2.8", "M13 6H6.6a3.4 3.4 0 0 0 0 6.8h2.8"],
  random: ["M3.4 3.4h9.2v9.2h-9.2z", "M6 6h.01", "M10 6h.01", "M8 8h.01", "M6 10h.01", "M10 10h.01"],
  neutral: ["M2.6 8h10.8", "M8 5.4v5.2"],
  sound: ["M3 6.4v3.2h2.2l3 2.6v-8.4l-3 2.6z", "M10.6 6a2.8 2.8 0 0 1 0 4", "M12.4 4.2a5.4 5.4 0 0 1 0 7.6"],
};

function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  for (const outline of ICONS[name]) {
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", outline);
    svg.append(path);
  }
  return svg;
}

function button(name, label, onclick, { text = null, className = "" } = {}) {
  const element = make("button", `${className} ${name}`.trim(), null, { type: "button", title: label });
  if (name in ICONS) element.append(icon(name));
  if (text !== null) element.append(make("span", "", text));
  else element.setAttribute("aria-label", label);
  element.addEventListener("click", onclick);
  return element;
}

function swapIcon(element, name) {
  element.querySelector("svg").replaceWith(icon(name));
}

const MOUNTED = new WeakMap();

// One view for each place on the page: made at the first message, updated by later ones, destroyed with the place.
function mount(component, selector, View) {
  const place = component.parentElement;
  const root = place.querySelector(selector);
  let view = MOUNTED.get(place);
  if (!view || view.root !== root) {
    view?.destroy();
    view = new View(root);
    MOUNTED.set(place, view);
  }
  view.update(component);
  return () => {
    view.destroy();
    MOUNTED.delete(place);
  };
}
