// The list of columns: one row each, of which only those in view are in the page.
//
// The server sends every column once and again after each change; search, filter and
// ticks are the browser's own. A change is told at once and drawn when it comes back.

const SPARE = 6; // rows drawn above and below those in view
const NARROW = 620; // pixels below which a row takes two lines
const HEIGHT = { wide: 34, narrow: 62 };
const PAUSE = 80; // milliseconds of rest before columns in view are asked for
const SELECT = ["ArrowDown", "ArrowUp"];

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

function options(entries, first) {
  const all = first === undefined ? entries : [{ id: "", label: first }, ...entries];
  return all.map(({ id, label, help }) =>
    element("option", { value: id, title: help }, label),
  );
}

function picker(attributes, entries, first) {
  const select = element("select", attributes, ...options(entries, first));
  // Where an arrow changes the value at once, nobody could look at the choices first.
  select.addEventListener("keydown", (event) => {
    if (!SELECT.includes(event.key) || event.altKey || !select.showPicker) return;
    event.preventDefault();
    select.showPicker();
  });
  return select;
}

function drawing(bars) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", `0 0 ${bars.length * 5} 20`);
  svg.setAttribute("aria-hidden", "true");
  [...bars].forEach((digit, at) => {
    const high = Number(digit) * 2 + (digit === "0" ? 0.5 : 2);
    const bar = document.createElementNS(space, "rect");
    bar.setAttribute("x", String(at * 5));
    bar.setAttribute("y", String(20 - high));
    bar.setAttribute("width", "4");
    bar.setAttribute("height", String(high));
    svg.append(bar);
  });
  return svg;
}

class ColumnList {
  constructor(root) {
    this.root = root;
    this.rows = new Map(); // by number of the column
    this.ticked = new Set(); // names
    this.search = "";
    this.fate = "";
    this.shown = [];
    this.width = 0;
    this.build();
    this.watch = new ResizeObserver(() => this.measure());
    this.watch.observe(this.box);
  }

  build() {
    this.find = element("input", {
      type: "search",
      oninput: () => {
        this.search = this.find.value.trim().toLowerCase();
        this.choose();
      },
    });
    this.filter = element("select", {
      onchange: () => {
        this.fate = this.filter.value;
        this.choose();
      },
    });
    this.said = element("span", { class: "said", role: "status" });
    this.together = element("span", { class: "together" });
    this.all = element("input", {
      type: "checkbox",
      onchange: () => this.tickAll(this.all.checked),
    });
    this.head = element("div", { class: "row head", role: "row", "aria-rowindex": 1 });
    this.body = element("div", { class: "body", role: "rowgroup" });
    this.box = element(
      "div",
      { class: "box", onscroll: () => this.draw() },
      this.body,
    );
    this.table = element(
      "div",
      { role: "table" },
      element("div", { role: "rowgroup", class: "heads" }, this.head),
      this.box,
    );
    this.root.replaceChildren(
      element("div", { class: "bar" }, this.find, this.filter, this.said, this.together),
      this.table,
    );
  }

  show(data, tell, ask) {
    const other = this.data?.table !== data.table;
    this.data = data;
    this.tell = tell;
    this.ask = ask;
    this.place = new Map(data.name.map((name, at) => [name, at]));
    if (other) {
      this.ticked.clear();
      this.search = this.find.value = this.fate = "";
      this.box.scrollTop = 0;
    } else {
      for (const name of this.ticked) {
        if (!this.place.has(name)) this.ticked.delete(name);
      }
    }
    const { texts } = data;
    this.find.placeholder = texts.search;
    this.find.setAttribute("aria-label", texts.search);
    this.filter.setAttribute("aria-label", texts.filter);
    const counts = data.roles.map((_, at) => data.role.filter((r) => r === at).length);
    this.filter.replaceChildren(
      ...options(
        data.roles
          .map(({ id, label }, at) => ({ id, label: `${label} (${counts[at]})`, at }))
          .filter(({ at }) => counts[at]),
        texts.everything,
      ),
    );
    if (!counts[data.roles.findIndex(({ id }) => id === this.fate)]) this.fate = "";
    this.filter.value = this.fate;
    this.table.setAttribute("aria-label", texts.title);
    this.table.setAttribute("aria-rowcount", data.name.length + 1);
    this.all.setAttribute("aria-label", texts.tickAll);
    this.head.replaceChildren(
      element("span", { role: "columnheader", class: "tick" }, this.all),
      ...["name", "values", "count", "kind", "fate", "why"].map((part) =>
        element(
          "span",
          { role: "columnheader", class: part, title: texts.help[part] },
          texts.heads[part],
        ),
      ),
    );
    const focused = this.focused();
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.choose(focused);
  }

  // Which control of which line has the focus, to give it back after drawing anew:
  // where a decided column leaves its line, the next one to decide takes its place.
  focused() {
    const at = this.root.activeElement ?? this.root.getRootNode().activeElement;
    const row = at?.closest?.(".body .row");
    if (!row) return null;
    return { line: Number(row.getAttribute("aria-rowindex")) - 2, part: at.dataset.part };
  }

  choose(focused = null) {
    const { data, search, fate } = this;
    const wanted = data.roles.findIndex(({ id }) => id === fate);
    const found = (at) =>
      (wanted < 0 || data.role[at] === wanted) &&
      (!search ||
        [data.name[at], ...(data.facts[at] ?? [])]
          .join("\n")
          .toLowerCase()
          .includes(search));
    const open = data.roles.findIndex(({ id }) => id === data.undecided);
    const all = data.name.map((_, at) => at).filter(found);
    this.shown = [
      ...all.filter((at) => data.role[at] === open),
      ...all.filter((at) => data.role[at] !== open),
    ];
    this.said.textContent =
      this.shown.length === data.name.length
        ? ""
        : fill(data.texts.found, {
            count: this.shown.length.toLocaleString(data.language),
            all: data.name.length.toLocaleString(data.language),
          });
    this.bulk();
    this.measure(focused);
  }

  measure(focused = null) {
    // Without a width it is not in the page yet: nothing is known of the screen.
    const width = this.box.clientWidth;
    this.wide = !width || width >= NARROW;
    this.root.host?.classList.toggle("narrow", !this.wide);
    this.table.classList.toggle("narrow", !this.wide);
    this.high = this.wide ? HEIGHT.wide : HEIGHT.narrow;
    this.body.style.height = `${this.shown.length * this.high}px`;
    this.box.style.setProperty("--rows", this.shown.length);
    this.box.style.setProperty("--row", `${this.high}px`);
    this.draw(focused);
  }

  draw(focused = null) {
    const { scrollTop, clientHeight } = this.box;
    const from = Math.max(0, Math.floor(scrollTop / this.high) - SPARE);
    const to = Math.min(
      this.shown.length,
      Math.ceil((scrollTop + (clientHeight || 600)) / this.high) + SPARE,
    );
    const inView = new Map(this.shown.slice(from, to).map((at, i) => [at, from + i]));
    for (const [at, row] of this.rows) {
      if (inView.has(at)) continue;
      row.remove();
      this.rows.delete(at);
    }
    const { data } = this;
    let before = null;
    for (const [at, line] of inView) {
      let row = this.rows.get(at);
      if (!row) this.rows.set(at, (row = this.row(at)));
      row.style.top = `${line * this.high}px`;
      row.setAttribute("aria-rowindex", line + 2);
      // In the order in which a keyboard goes through them.
      const next = before ? before.nextSibling : this.body.firstChild;
      if (next !== row) this.body.insertBefore(row, next);
      before = row;
    }
    this.want([...inView.keys()].filter((at) => !data.facts[at]));
    if (focused?.part) {
      const at = this.shown[Math.min(focused.line, this.shown.length - 1)];
      this.rows.get(at)?.querySelector(`[data-part=${focused.part}]`)?.focus();
    }
  }

  // Of thousands of columns, only those that somebody comes to are looked at.
  want(missing) {
    clearTimeout(this.waiting);
    if (!missing.length) return;
    const { table, name } = this.data;
    const names = missing.map((at) => name[at]);
    this.waiting = setTimeout(() => this.ask({ table, names }), PAUSE);
  }

  row(at) {
    const { data } = this;
    const { texts } = data;
    const unknown = ["", "", "", "", "…", ""];
    const [values, number, spread, bars, why, label] = data.facts[at] ?? unknown;
    const name = data.name[at];
    const titled = label ? `${name}: ${label}` : name;
    const role = data.roles[data.role[at]];
    const tick = element("input", {
      type: "checkbox",
      "data-part": "tick",
      "aria-label": fill(texts.tick, { name }),
      onclick: (event) => this.tick(at, tick.checked, event.shiftKey),
      onkeydown: (event) => this.move(event, at),
    });
    tick.checked = this.ticked.has(name);
    const kind = picker(
      { "data-part": "kind", "aria-label": fill(texts.kindOf, { name }) },
      data.kinds,
    );
    kind.value = data.kinds[data.kind[at]].id;
    kind.title = data.kinds[data.kind[at]].help;
    kind.addEventListener("change", () =>
      this.tell({ names: [name], kind: kind.value }),
    );
    const open = role.id === data.undecided;
    const fate = picker(
      { "data-part": "fate", "aria-label": fill(texts.fateOf, { name }) },
      data.roles.map((one) =>
        one.id === data.undecided ? { ...one, label: texts.decide } : one,
      ),
    );
    fate.value = role.id;
    fate.title = role.help;
    fate.addEventListener("change", () =>
      this.tell({ names: [name], role: fate.value }),
    );
    const pill = element("span", { class: open ? "pill open" : "pill" }, fate);
    pill.style.setProperty("--colour", role.colour);
    const count = element("span", {
      role: "cell",
      class: "count",
      title: spread,
    });
    if (bars) {
      count.append(drawing(bars), element("span", { class: "heard" }, spread));
    } else {
      count.append(number);
    }
    return element(
      "div",
      { class: open ? "row need" : "row", role: "row" },
      element("span", { role: "cell", class: "tick" }, tick),
      element(
        "span",
        { role: "rowheader", class: "name", title: titled },
        name,
        ...(label ? [" ", element("small", {}, label)] : []),
      ),
      element("span", { role: "cell", class: "values", title: values }, values),
      count,
      element("span", { role: "cell", class: "kind" }, kind),
      element("span", { role: "cell", class: "fate" }, pill),
      element("span", { role: "cell", class: "why", title: why }, why),
    );
  }

  tick(at, on, upTo) {
    const { name } = this.data;
    const line = this.shown.indexOf(at);
    const last = upTo ? this.shown.indexOf(this.last) : -1;
    const [from, to] = last < 0 ? [line, line] : [last, line].sort((a, b) => a - b);
    for (const one of this.shown.slice(from, to + 1)) this.set(name[one], on);
    this.last = at;
    this.bulk();
  }

  set(name, on) {
    if (on) this.ticked.add(name);
    else this.ticked.delete(name);
    const box = this.rows.get(this.place.get(name))?.querySelector("[data-part=tick]");
    if (box) box.checked = on;
  }

  tickAll(on) {
    for (const at of this.shown) this.set(this.data.name[at], on);
    this.bulk();
  }

  // Up and down go from tick to tick, also to rows that are not drawn yet.
  move(event, at) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const line = this.shown.indexOf(at) + step;
    if (!step || line < 0 || line >= this.shown.length) return;
    event.preventDefault();
    const top = line * this.high;
    const { scrollTop, clientHeight } = this.box;
    if (top < scrollTop) this.box.scrollTop = top;
    if (top + this.high > scrollTop + clientHeight) {
      this.box.scrollTop = top + this.high - clientHeight;
    }
    this.draw({ line, part: "tick" });
  }

  bulk() {
    const { data, ticked } = this;
    const { texts } = data;
    const names = () => data.name.filter((name) => ticked.has(name));
    const here = this.shown.filter((at) => ticked.has(data.name[at])).length;
    this.all.checked = here > 0 && here === this.shown.length;
    this.all.indeterminate = here > 0 && here < this.shown.length;
    if (!ticked.size) {
      this.together.replaceChildren();
      return;
    }
    const role = picker({ "aria-label": texts.fates }, data.roles, texts.fates);
    role.addEventListener("change", () =>
      this.tell({ names: names(), role: role.value }),
    );
    const kind = picker({ "aria-label": texts.kinds }, data.kinds, texts.kinds);
    kind.addEventListener("change", () =>
      this.tell({ names: names(), kind: kind.value }),
    );
    const proposed = () => this.tell({ names: names(), proposed: true });
    const count = ticked.size.toLocaleString(data.language);
    this.together.replaceChildren(
      element("strong", {}, fill(texts.ticked, { count })),
      role,
      kind,
      element("button", { type: "button", onclick: proposed }, texts.proposed),
      element(
        "button",
        { type: "button", onclick: () => this.tickNone() },
        texts.none,
      ),
    );
  }

  tickNone() {
    for (const name of [...this.ticked]) this.set(name, false);
    this.bulk();
    this.find.focus();
  }

  end() {
    this.watch.disconnect();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const place = parentElement.querySelector(".columns");
  place.list ??= new ColumnList(place);
  place.list.show(
    data,
    (change) => setTriggerValue("change", change),
    (names) => setTriggerValue("want", names),
  );
  return () => {
    if (!place.isConnected) place.list.end();
  };
}
