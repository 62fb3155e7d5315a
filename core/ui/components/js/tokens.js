// Texts that grow token by token; the pointer or the arrow keys show what else was likely at a token.

class Tokens {
  constructor(root) {
    this.root = root;
    root.replaceChildren();
    this.row = make("div", "columns");
    this.tip = make("div", "tip", null, { role: "status", hidden: "" });
    root.append(this.row, this.tip);
    this.columns = [];
    this.at = null;
    root.addEventListener("pointerover", (event) => this.point(event.target));
    root.addEventListener("pointerleave", () => this.leave());
    root.addEventListener("click", (event) => this.point(event.target));
  }

  update({ data }) {
    this.data = data;
    this.root.classList.toggle("stacked", data.stacked);
    this.row.style.setProperty("--least", `${data.least}px`);
    this.row.style.setProperty("--many", data.columns.length);
    while (this.columns.length > data.columns.length) this.columns.pop().element.remove();
    data.columns.forEach((column, i) => {
      if (!this.columns[i]) {
        this.columns[i] = this.column();
        this.row.append(this.columns[i].element);
      }
      this.show(this.columns[i], column);
    });
    if (data.likely !== this.address) {
      this.address = data.likely;
      this.likely = null;
    }
    if (this.at && !this.at.isConnected) this.leave();
  }

  column() {
    const element = make("section", "column");
    const head = make("header", "head");
    const title = make("span", "name");
    const note = make("span", "caption");
    head.append(title, note);
    const body = make("div", "body", null, { tabindex: "0", role: "group" });
    const lead = make("span", "lead");
    const text = make("span", "text");
    const end = make("span", "end");
    body.append(lead, text, end);
    const facts = make("footer", "facts caption");
    element.append(head, body, facts);
    body.addEventListener("keydown", (event) => this.step(event, text));
    body.addEventListener("blur", () => this.leave());
    return { element, title, note, body, lead, text, end, facts, key: null };
  }

  show(place, column) {
    place.title.textContent = column.title;
    place.note.textContent = column.note;
    place.lead.textContent = column.lead;
    place.body.setAttribute("aria-label", `${column.title}, arrow keys go from token to token`);
    place.body.setAttribute("aria-busy", column.growing);
    if (place.key !== column.key || place.text.childElementCount > column.tokens.length) place.text.replaceChildren();
    place.key = column.key;
    for (let i = place.text.childElementCount; i < column.tokens.length; i += 1) {
      const [text, shade] = column.tokens[i];
      const span = make("span", "token", text);
      const share = Math.sqrt(Math.min(Math.max(shade / this.data.strongest, 0), 1));
      if (share > 0.02) span.style.setProperty("--shade", `${Math.round(100 * share)}%`);
      place.text.append(span);
    }
    place.end.textContent = column.growing ? "\u258d" : column.ended ? " \u220e" : "";
    place.end.title = column.ended ? "The model ended its text here." : "";
    place.end.classList.toggle("growing", column.growing);
    const facts = column.facts.map((fact) => make("span", "", fact));
    place.facts.replaceChildren(...facts);
  }

  point(target) {
    if (target.classList?.contains("token")) this.explain(target);
    else if (!this.tip.contains(target)) this.leave();
  }

  step(event, text) {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") this.leave();
    if (!way) return;
    event.preventDefault();
    const all = [...text.children];
    const i = all.indexOf(this.at);
    const next = all[i < 0 ? (way > 0 ? 0 : all.length - 1) : Math.min(Math.max(i + way, 0), all.length - 1)];
    if (next) this.explain(next);
  }

  leave() {
    this.at?.classList.remove("at");
    this.at = null;
    this.tip.hidden = true;
  }

  async explain(span) {
    if (span === this.at) return;
    this.leave();
    this.at = span;
    span.classList.add("at");
    const column = this.columns.findIndex((c) => c.text === span.parentElement);
    const i = [...span.parentElement.children].indexOf(span);
    const token = this.data.columns[column]?.tokens[i];
    if (!token) return;
    this.draw(span, token, null);
    if (!this.address) return;
    const address = this.address;
    try {
      this.likely ||= fetch(address).then((answer) => answer.json());
      const found = (await this.likely)[column]?.[i];
      if (found && this.at === span && address === this.address) this.draw(span, token, found);
    } catch {
      this.likely = null;
    }
  }

  draw(span, [text, shade, chance], found) {
    const word = make("div", "word", text.trim() ? text : JSON.stringify(text));
    const numbers = [];
    if (shade !== null) numbers.push(`${this.data.shade} ${shade.toFixed(2)} nats`);
    if (chance !== null) numbers.push(`probability ${percents(chance)}`);
    const said = make("div", "caption", numbers.join(", "));
    this.tip.replaceChildren(word, said);
    if (found) {
      const lists = make("div", "lists");
      found.forEach((list, j) => {
        const part = make("div", "list");
        part.append(make("div", "caption", this.data.names[j]));
        for (const [piece, p] of list) {
          const line = make("div", "line");
          line.style.setProperty("--share", `${(100 * p).toFixed(1)}%`);
          line.append(make("span", "piece", shown(piece)), make("span", "p", percents(p)));
          part.append(line);
        }
        lists.append(part);
      });
      this.tip.append(lists);
    }
    this.tip.hidden = false;
    const box = this.root.getBoundingClientRect();
    const [first] = span.getClientRects();
    const at = first || span.getBoundingClientRect();
    const width = this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(at.left - box.left, box.width - width))}px`;
    this.tip.style.top = `${at.bottom - box.top + 6}px`;
  }

  destroy() {}
}

function shown(piece) {
  return piece.replace(/^ /, "\u2423").replaceAll("\n", "\u23ce");
}

function percents(p) {
  return p >= 0.1 ? `${Math.round(100 * p)}%` : p >= 0.001 ? `${(100 * p).toFixed(1)}%` : "< 0.1%";
}

export default (component) => mount(component, ".tokens", Tokens);
