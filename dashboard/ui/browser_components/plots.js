// A figure of Plotly's that is drawn once and then brought up to date.
//
// What is in the window is drawn at once, the rest when there is time, and drawn anew
// when nobody has made a choice for a while: the next one does not wait for what nobody
// sees.

const LATER = 1500; // milliseconds after which what nobody sees is drawn all the same
const QUIET = 1500; // milliseconds without a choice after which it is drawn anew
const FULL = {
  width: 24,
  height: 24,
  path: "M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z",
};

let loading = null;

// The page may have begun to read it before: see dashboard.server.plotly_script.
function plotly(address) {
  loading ??= new Promise((done, fail) => {
    if (window.Plotly) return done(window.Plotly);
    const { href } = new URL(address, location.href);
    const begun = [...document.scripts].find((one) => one.src === href);
    const script = begun ?? document.createElement("script");
    script.addEventListener("load", () => done(window.Plotly));
    script.addEventListener("error", () => {
      loading = null;
      fail(new Error(`${address} was not loaded`));
    });
    if (!begun) document.head.append(Object.assign(script, { src: href }));
  });
  return loading;
}

// Without WebGL, as on some remote desktops, points are drawn one by one.
const hasWebGl = Boolean(document.createElement("canvas").getContext("webgl"));

function drawable(data) {
  if (!hasWebGl)
    for (const trace of data) trace.type = trace.type?.replace("scattergl", "scatter");
  return data;
}

// Words and lines as the page has them: dark ones for a light page, and back.
function look(element) {
  const page = getComputedStyle(element);
  const one = (name) => page.getPropertyValue(`--st-${name}`).trim();
  const dark = page.colorScheme.includes("dark");
  const [ink, line] = [dark ? "#c6cad1" : "#4a4f59", one("border-color")];
  const axis = {
    color: ink,
    gridcolor: line,
    zerolinecolor: line,
    tickcolor: line,
    tickfont: { size: 11 },
    title: { font: { size: 12 }, standoff: 12 },
    automargin: true,
  };
  return {
    data: {
      scatter: [{ marker: { line: { width: 0 } } }],
      // Tints let the page shine through, which Plotly does not reckon with.
      heatmap: [{ textfont: { color: one("text-color") } }],
    },
    layout: {
      font: { color: ink, family: one("font"), size: 12 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      legend: { font: { color: one("text-color"), size: 12 }, borderwidth: 0 },
      hoverlabel: {
        bgcolor: one("background-color"),
        bordercolor: line,
        font: { color: one("text-color"), size: 12 },
      },
      margin: { pad: 6 },
      xaxis: { ...axis, showgrid: false, zeroline: false },
      yaxis: axis,
    },
  };
}

const plots = new Set();

let chosen = 0; // when somebody last used a control
for (const kind of ["pointerdown", "keydown", "input"])
  addEventListener(kind, ({ timeStamp }) => (chosen = timeStamp), { capture: true });

// Paper has what is out of sight too.
addEventListener("beforeprint", () => plots.forEach((plot) => plot.paint()));

// One after the other; what is drawn is shown before the next takes the page's time.
const AT_ONCE = 50; // milliseconds of drawing between two frames
const LATEST = 250; // milliseconds to wait for a frame: a page behind another has none
const nextFrame = () =>
  new Promise((go) => {
    requestAnimationFrame(() => setTimeout(go));
    setTimeout(go, LATEST);
  });
let [queue, since] = [Promise.resolve(), 0];

function soon(task) {
  queue = queue
    .then(async () => {
      if (performance.now() - since > AT_ONCE) {
        await nextFrame();
        since = performance.now();
      }
      await task();
    })
    .catch(reportError);
}

// The uppermost that can be seen comes first: it is what is read first.
function paintUppermost() {
  let first = null;
  for (const plot of plots) if (plot.due && (!first || plot.isBefore(first))) first = plot;
  return first?.paint();
}

// When it is drawn to its end: what is purged before fails in Plotly.
const purgeSoon = (element) => soon(() => window.Plotly.purge(element));

class Plot {
  constructor(root) {
    this.box = root.querySelector(".coterie-plot");
    this.root = root;
    this.told = this.text = this.drawn = this.look = this.later = this.idle = null;
    this.live = null; // the drawing that is shown
    this.due = false;
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(this.box);
    this.sight = new IntersectionObserver(() => this.refresh());
    this.sight.observe(this.box);
    plots.add(this);
  }

  update(text) {
    const seen = look(this.root.host ?? this.root);
    const same = JSON.stringify(seen) === JSON.stringify(this.look);
    if (text === this.text && same) return;
    if (!same) this.drawn = null; // all is to be drawn anew, in other colours
    [this.text, this.told, this.look] = [text, JSON.parse(text), seen];
    this.box.setAttribute("role", "figure");
    this.box.setAttribute("aria-label", this.told.alt);
    // As high as it will be, so that nothing below it moves when it is drawn.
    if (!this.box.style.height) this.fill(JSON.parse(this.told.figure).layout);
    this.refresh();
  }

  refresh() {
    clearTimeout(this.later);
    cancelIdleCallback(this.idle);
    if (!this.told || this.told.figure === this.drawn) return;
    const { top, bottom, width } = this.box.getBoundingClientRect();
    if (!width) return; // until there is room
    if (top < innerHeight && bottom >= 0) return this.draw();
    const rest = this.drawn === null ? 0 : chosen + QUIET - performance.now();
    if (rest > 0) this.later = setTimeout(() => this.refresh(), rest);
    else this.idle = requestIdleCallback(() => this.draw(), { timeout: LATER });
  }

  size(layout) {
    const whole = document.fullscreenElement === this.box;
    const height = whole ? this.box.clientHeight : layout.height;
    return { width: this.box.clientWidth, height };
  }

  draw() {
    if (this.due) return;
    this.due = true;
    soon(paintUppermost);
  }

  isBefore(other) {
    const [mine, its] = [this, other].map(({ box }) => box.getBoundingClientRect());
    if (mine.bottom < 0 !== its.bottom < 0) return its.bottom < 0;
    return (mine.top - its.top || mine.left - its.left) < 0;
  }

  async paint() {
    this.due = false;
    if (!this.told || !plots.has(this)) return;
    const { figure: text } = this.told; // what was due before may be outdated
    if (text === this.drawn) return;
    this.drawn = text;
    const figure = JSON.parse(text);
    this.fill(figure.layout);
    await plotly(this.told.script);
    if (!plots.has(this) || !this.box.isConnected || this.drawn !== text) return;
    this.live ??= this.box.appendChild(document.createElement("div"));
    await this.render(this.live, figure);
  }

  fill({ height }) {
    this.box.style.height = `${height}px`;
  }

  async render(element, { data, layout, frames }) {
    const config = element._fullLayout ? {} : { config: this.config() };
    if (frames?.length && element._fullLayout) await window.Plotly.deleteFrames(element);
    this.layout = layout;
    const whole = { ...layout, ...this.size(layout), template: this.look };
    await window.Plotly.react(element, { data: drawable(data), layout: whole, frames, ...config });
  }

  config() {
    const title = this.told.full;
    const click = () =>
      document.fullscreenElement
        ? document.exitFullscreen()
        : this.box.requestFullscreen();
    const button = { name: title, title, icon: FULL, click };
    return { ...this.told.config, modeBarButtonsToAdd: [button] };
  }

  fit() {
    const element = this.live;
    const drawn = element?._fullLayout;
    if (!drawn) return this.refresh();
    const { width, height } = this.size(this.layout);
    if (!width || (width === drawn.width && height === drawn.height)) return;
    soon(async () => {
      if (plots.has(this)) await window.Plotly.relayout(element, { width, height });
    });
  }

  stop() {
    plots.delete(this);
    this.watch.disconnect();
    this.sight.disconnect();
    clearTimeout(this.later);
    cancelIdleCallback(this.idle);
    // Another plot may come into the same box.
    this.live?.remove();
    if (this.live) purgeSoon(this.live);
  }
}

const all = new WeakMap();

export default function ({ data, parentElement }) {
  let plot = all.get(parentElement);
  if (!plot) all.set(parentElement, (plot = new Plot(parentElement)));
  plot.update(data);
  return () => {
    plot.stop();
    all.delete(parentElement);
  };
}
