// Beside each chart: buttons that download it, and one selection for all charts.
//
// A click on a point, a bar or a name in a legend is told to the server, which keeps
// the selection; what is not selected fades here at once, in every chart, without any
// of them being drawn again. Plotly is the one that the page has loaded already.

const FADED = 0.15;
const ASIDE = 0.5;
const INK = "#31333F";
const PAPER = "#FFFFFF";
const FONT = "Arial, sans-serif";
const HEAD = 40; // pixels above the picture, for its title
const SCALE = 2; // of pixels, so that a picture is sharp in print
const LOOK = 120; // milliseconds between two looks for a chart that comes or goes
const SELECTED = "coterie-selected";

// The same for every instance: what was selected last.
let selection = { method: null, key: null };

/** @type {(chart: string) => any} */
function plotOf(name) {
  return document.querySelector(`.${CSS.escape(name)} .js-plotly-plot`);
}

function traceOf(element) {
  return element.__data__?.[0]?.trace;
}

function show(plot) {
  const { method, key } = selection;
  const layers = ".scatterlayer .trace, .barlayer .trace, .legend .traces";
  for (const element of plot.querySelectorAll(layers)) {
    const trace = traceOf(element);
    const own = trace?.meta?.method;
    if (!own) continue;
    const whole = trace.opacity ?? 1;
    // A panel of the same method with another k stands back, but not as far.
    const aside = key !== null && trace.meta.key && trace.meta.key !== key;
    element.style.opacity =
      method === null ? whole : own !== method ? FADED : aside ? ASIDE : whole;
    if (!trace.customdata || trace.meta.key) continue; // one result: no single point
    for (const path of element.querySelectorAll(".point > path, path.point")) {
      const at = path.__data__?.i ?? path.parentNode.__data__?.i;
      ring(path, key !== null && trace.customdata[at]?.[0] === key);
    }
  }
}

function ring(path, on) {
  if (on === ("unringed" in path.dataset)) return;
  if (on) path.dataset.unringed = path.style.cssText;
  else {
    path.style.cssText = path.dataset.unringed;
    delete path.dataset.unringed;
    return;
  }
  path.style.stroke = "currentColor";
  path.style.strokeWidth = "2.5px";
  path.style.strokeOpacity = "1";
}

function select(next) {
  selection = next;
  window.dispatchEvent(new Event(SELECTED));
}

// A picture for paper: dark on white, whatever the screen looks like, its title above.
async function picture(plot, format, title, name) {
  const { template, ...layout } = plot.layout;
  const axis = { title: { font: { size: 13 }, standoff: 12 } };
  const width = Math.round(plot._fullLayout.width);
  const height = Math.round(plot._fullLayout.height);
  const figure = {
    data: plot.data,
    layout: {
      ...layout,
      paper_bgcolor: PAPER,
      plot_bgcolor: PAPER,
      font: { ...layout.font, color: INK, family: FONT, size: 13 },
      template: { layout: { xaxis: axis, yaxis: axis } },
    },
  };
  const scale = format === "png" ? SCALE : 1;
  const drawn = await window.Plotly.toImage(figure, { format, width, height, scale });
  const titled = format === "png" ? titledPng : titledSvg;
  const link = document.createElement("a");
  link.href = await titled(drawn, title, width, height);
  link.download = `${name}.${format}`;
  link.click();
}

// While somebody points at a record, its group lights up in every panel: where the
// same record's groups are in other results, which size they have, which result it is.
// Drawn over the charts, which are not drawn again.
const LIT = "coterie-lit";
const SVG = "http://www.w3.org/2000/svg";
let lit = null;

function pointAt(next) {
  if (!lit && !next) return;
  lit = next;
  window.dispatchEvent(new Event(LIT));
}

// What is pointed at: a record's group, or all groups of the sizes of a cell.
function pointedAt({ fullData, customdata }) {
  const meta = fullData?.meta ?? {};
  if (!customdata || !meta.key) return null;
  const [first, second] = customdata;
  if (!meta.groups) return { key: meta.key, sizes: [first, second] };
  const size = fullData.customdata.reduce((n, one) => n + (one[1] === second), 0);
  return { key: meta.key, record: first, sizes: [size, size] };
}

// Numbers as a chart's meta has them: Plotly itself reads them in its data only.
const KINDS = { f4: Float32Array, i2: Int16Array, i4: Int32Array };
const read = new WeakMap();
function numbers(coded) {
  if (!read.has(coded)) {
    const bytes = Uint8Array.from(atob(coded.bdata), (letter) => letter.charCodeAt(0));
    read.set(coded, new KINDS[coded.dtype](bytes.buffer));
  }
  return read.get(coded);
}

// The group of the record that is pointed at, with the members that are not drawn.
function companions(trace, places) {
  if (lit.record !== undefined && trace.meta.groupOf && places) {
    const [groups, xs, ys] = [trace.meta.groupOf, ...places].map(numbers);
    const own = groups[lit.record - 1];
    const found = [];
    if (own) groups.forEach((one, row) => one === own && found.push([row + 1, xs[row], ys[row]]));
    return own ? [found] : [];
  }
  return [...litGroups(trace)].map((group) =>
    trace.customdata.flatMap((one, i) =>
      one[1] === group ? [[one[0], trace.x[i], trace.y[i]]] : [],
    ),
  );
}

function litGroups(trace) {
  if (lit.record !== undefined) {
    const own = trace.customdata.find((one) => one[0] === lit.record);
    return new Set(own ? [own[1]] : []);
  }
  if (trace.meta.key !== lit.key) return new Set();
  const counts = new Map();
  for (const one of trace.customdata) counts.set(one[1], (counts.get(one[1]) ?? 0) + 1);
  const [low, high] = lit.sizes;
  return new Set([...counts].filter(([, n]) => n >= low && n <= high).map(([g]) => g));
}

function node(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function outline(corners) {
  const sorted = [...corners].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (points) => {
    const side = [];
    for (const [x, y] of points) {
      while (side.length > 1) {
        const [[a, b], [c, d]] = side.slice(-2);
        if ((c - a) * (y - b) - (d - b) * (x - a) > 0) break;
        side.pop();
      }
      side.push([x, y]);
    }
    return side;
  };
  return [...half(sorted).slice(0, -1), ...half(sorted.reverse()).slice(0, -1)];
}

function litShapes(trace, across, up, places) {
  const at = (x, y) => [across.c2p(x), up.c2p(y)];
  const data = trace.customdata;
  const line = { stroke: "currentColor", "stroke-width": 2 };
  if (trace.meta?.groups) {
    const shapes = [];
    for (const group of companions(trace, places)) {
      const corners = [];
      for (const [record, x, y] of group) {
        const [cx, cy] = at(x, y);
        corners.push([cx, cy]);
        const r = record === lit.record ? 6 : 3.5;
        shapes.push(node("circle", { cx, cy, r, ...line, fill: "none" }));
      }
      const points = outline(corners).map((one) => one.join(",")).join(" ");
      shapes.push(node("polygon", { points, ...line, fill: "currentColor", "fill-opacity": 0.15 }));
    }
    return shapes;
  }
  if (trace.type === "bar" && trace.meta?.key) {
    if (trace.meta.key !== lit.key) return [];
    return [...trace.customdata.keys()]
      .filter((i) => data[i][0] <= lit.sizes[1] && data[i][1] >= lit.sizes[0])
      .map((i) => {
        const [x, y] = at(trace.base[i], trace.y[i] - 0.43);
        const [right, low] = at(trace.base[i] + trace.x[i], trace.y[i] + 0.43);
        const box = { x, y: Math.min(y, low), width: right - x, height: Math.abs(low - y) };
        return node("rect", { ...box, rx: 3, ...line, fill: "none" });
      });
  }
  return [...data.keys()]
    .filter((i) => data[i][0] === lit.key)
    .map((i) => {
      const [cx, cy] = at(trace.x[i], trace.y[i]);
      return node("circle", { cx, cy, r: 10, ...line, fill: "none" });
    });
}

function light(plot) {
  plot.querySelector(`.${LIT}`)?.remove();
  const layout = plot._fullLayout;
  if (!lit || !layout || !plot._fullData) return;
  const all = node("svg", { class: LIT, width: layout.width, height: layout.height });
  all.style.cssText = "position:absolute;inset:0;pointer-events:none;overflow:hidden";
  for (const trace of plot._fullData) {
    if (!trace.customdata || !trace.x || !trace.xaxis) continue;
    const [across, up] = [trace.xaxis, trace.yaxis].map(
      (name) => layout[name.replace(/^([xy])/, "$1axis")],
    );
    const shapes = litShapes(trace, across, up, layout.meta?.places);
    if (!shapes.length) continue;
    const box = { x: across._offset, y: up._offset, width: across._length, height: up._length };
    const panel = node("svg", box);
    panel.append(...shapes);
    all.append(panel);
  }
  if (all.childElementCount) plot.querySelector(".svg-container")?.append(all);
}

async function titledPng(address, title, width, height) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * SCALE;
  canvas.height = (height + HEAD) * SCALE;
  const paper = canvas.getContext("2d");
  paper.scale(SCALE, SCALE);
  paper.fillStyle = PAPER;
  paper.fillRect(0, 0, width, height + HEAD);
  paper.fillStyle = INK;
  paper.font = `600 18px ${FONT}`;
  paper.fillText(title, 16, 26);
  paper.drawImage(image, 0, HEAD, width, height);
  return canvas.toDataURL("image/png");
}

function titledSvg(address, title, width, height) {
  const inner = decodeURIComponent(address.slice(address.indexOf(",") + 1));
  const text = title.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const size = `width="${width}" height="${height + HEAD}"`;
  const whole =
    `<svg xmlns="http://www.w3.org/2000/svg" ${size}>` +
    `<rect width="100%" height="100%" fill="${PAPER}"/>` +
    `<text x="16" y="26" font-family="${FONT}" font-size="18" font-weight="600"` +
    ` fill="${INK}">${text}</text>` +
    `${inner.replace("<svg ", `<svg y="${HEAD}" `)}</svg>`;
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(whole)}`;
}

class Tools {
  constructor(root) {
    this.root = root;
    this.plot = null;
    this.heard = []; // what the plot is asked to tell
    this.onSelected = () => this.plot && show(this.plot);
    this.onLit = () => this.plot && light(this.plot);
    window.addEventListener(SELECTED, this.onSelected);
    window.addEventListener(LIT, this.onLit);
    this.clock = setInterval(() => this.look(), LOOK);
  }

  update(data, tell) {
    this.data = data;
    this.tell = tell;
    const box = this.root.querySelector(".tools");
    const buttons = data.formats.map(({ format, label, help }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.title = help;
      button.setAttribute("aria-label", help);
      button.onclick = () =>
        this.plot && picture(this.plot, format, data.title, data.file);
      return button;
    });
    const focused = [...box.children].indexOf(this.root.activeElement);
    box.replaceChildren(...buttons);
    if (focused >= 0) box.children[focused]?.focus();
    if (data.linked) select(data.selection);
    this.look();
  }

  look() {
    const plot = plotOf(this.data.chart);
    if (plot === this.plot || (plot && !plot.on)) return;
    this.deafen();
    this.plot = plot;
    if (!plot || !this.data.linked) return;
    this.listen("plotly_afterplot", () => {
      show(plot);
      light(plot);
    });
    this.listen("plotly_click", (event) => this.clicked(event));
    this.listen("plotly_hover", ({ event, points }) => {
      if (!points?.[0]?.customdata) return;
      event.target.style.cursor = "pointer";
      pointAt(pointedAt(points[0]));
    });
    this.listen("plotly_unhover", ({ event }) => {
      if (event?.target?.style) event.target.style.cursor = "";
      pointAt(null);
    });
    this.listen("plotly_legendclick", ({ fullData, curveNumber }) => {
      const method = fullData[curveNumber]?.meta?.method;
      if (method) {
        select({ method, key: null });
        this.tell("picked", { method });
      }
      return false;
    });
    this.listen("plotly_legenddoubleclick", () => false);
    show(plot);
    light(plot);
  }

  listen(event, handler) {
    this.plot.on(event, handler);
    this.heard.push([event, handler]);
  }

  // A chart outlives the buttons beside it: told twice, a click would select and let go.
  deafen() {
    for (const [event, handler] of this.heard) {
      this.plot.removeListener?.(event, handler);
    }
    this.heard = [];
  }

  clicked({ points }) {
    const point = points?.find((one) => one.customdata);
    if (!point) return;
    const meta = point.fullData?.meta ?? {};
    const rest = Array.from(point.customdata);
    const key = meta.key ?? rest.shift();
    if (meta.method) select({ method: meta.method, key });
    this.tell("picked", { key, rest });
  }

  stop() {
    clearInterval(this.clock);
    this.deafen();
    window.removeEventListener(SELECTED, this.onSelected);
    window.removeEventListener(LIT, this.onLit);
  }
}

const all = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  let tools = all.get(parentElement);
  if (!tools) all.set(parentElement, (tools = new Tools(parentElement)));
  tools.update(data, setTriggerValue);
  return () => {
    tools.stop();
    all.delete(parentElement);
  };
}
