// A figure of Plotly's that is drawn once and then brought up to date.
//
// What is in the window is drawn at once, the rest when there is time, and drawn anew
// when nobody has made a choice for a while: the next one does not wait for what nobody
// sees. Where a slider or another choice leads, figures that were sent ahead are shown
// before the server answers. Those that are likely next are drawn beside the page when
// nothing else is to be done: then a choice puts one drawing in the place of another.

const AHEAD = "coterie-ahead"; // figures of a chart at other places, told by ahead
const MOVED = "coterie-moved"; // to a place, told by live_slider and ahead
const LIKELY = "coterie-likely"; // places that may be next, told by the same
const TURNED = "coterie-turned"; // another drawing is shown, told to chart_tools
const PATIENCE = 3000; // milliseconds in which the server should have said the same
const LATER = 1500; // milliseconds after which what nobody sees is drawn all the same
const QUIET = 1500; // milliseconds without a choice after which it is drawn anew
const SPARE = 6; // drawings beside the one that is shown, of each chart
const SPARE_GL = 2; // the same drawn by the graphics card: browsers have few places there
const INK = "ink"; // what pictures are called whose words and lines all must read
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

// Words and lines as the page has them: dark ones for a light page, and back. Inked, words
// are as dark as the page's own: a projector swallows a quiet grey.
function look(element, inked) {
  const page = getComputedStyle(element);
  const one = (name) => page.getPropertyValue(`--st-${name}`).trim();
  const dark = page.colorScheme.includes("dark");
  const quiet = dark ? "#c6cad1" : "#4a4f59";
  const [ink, line] = [inked ? one("text-color") : quiet, one("border-color")];
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
const ahead = new Map(); // by chart: figures by place
const likely = new Map(); // by who says so: places, the likeliest first
let moved = null; // where the page is, as long as the server may not know it

window.addEventListener(AHEAD, ({ detail }) => {
  ahead.set(detail.chart, detail.figures);
  prepareSoon();
});
window.addEventListener(LIKELY, ({ detail }) => {
  likely.set(detail.by, detail.places);
  prepareSoon();
});
window.addEventListener(MOVED, ({ detail }) => {
  moved = { at: detail, until: performance.now() + PATIENCE };
  // All that is drawn already, before anything is measured.
  const rest = [...plots].filter((plot) => !plot.turn());
  rest.sort((one, other) => one.top - other.top).forEach((plot) => plot.refresh());
  setTimeout(() => plots.forEach((plot) => plot.refresh()), PATIENCE + 1);
});

// Drawings are made here: laid out, or letters could not be measured, and never seen.
const beside = Object.assign(document.createElement("div"), { inert: true });
beside.style.cssText = "position:fixed;left:-9999px;top:0;visibility:hidden;contain:strict";

let preparing = null;

function prepareSoon() {
  preparing ??= requestIdleCallback(async () => {
    let next = [...plots].find((plot) => plot.inView && plot.missing());
    await next?.prepare(next.missing()).catch((error) => {
      next = null; // or it would be tried for ever
      reportError(error);
    });
    preparing = null;
    if (next) prepareSoon();
  });
}

let chosen = 0; // when somebody last used a control
for (const kind of ["pointerdown", "keydown", "input"])
  addEventListener(kind, ({ timeStamp }) => (chosen = timeStamp), { capture: true });

// Paper has what is out of sight too.
addEventListener("beforeprint", () => plots.forEach((plot) => plot.paint()));

// One after the other. After a while, and before the next, comes whatever else is due.
const AT_ONCE = 100; // milliseconds
const breathe = () => globalThis.scheduler?.yield?.() ?? new Promise((go) => setTimeout(go));
let [queue, queued, since] = [Promise.resolve(), 0, 0];

function soon(task) {
  if (queued++ === 0) since = performance.now();
  queue = queue
    .then(task)
    .catch(reportError)
    .then(async () => {
      queued--;
      if (performance.now() - since < AT_ONCE) return;
      await breathe();
      since = performance.now();
    });
}

// When it is drawn to its end: what is purged before fails in Plotly.
const purgeSoon = (element) => soon(() => window.Plotly.purge(element));

class Plot {
  constructor(root) {
    this.box = root.querySelector(".coterie-plot");
    this.root = root;
    this.told = this.text = this.drawn = this.look = this.later = this.idle = null;
    this.live = null; // the drawing that is shown
    this.spare = new Map(); // others by their figures
    this.due = this.inView = false;
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(this.box);
    this.sight = new IntersectionObserver((seen) => {
      this.inView = seen.at(-1).isIntersecting;
      this.refresh();
      prepareSoon();
    });
    this.sight.observe(this.box);
    plots.add(this);
  }

  update(text) {
    const place = this.root.host ?? this.root;
    const seen = look(place, false);
    const same = JSON.stringify(seen) === JSON.stringify(this.look);
    if (text === this.text && same) return;
    if (!same) this.forget();
    [this.text, this.told, this.look] = [text, JSON.parse(text), seen];
    this.inked = look(place, true);
    if (moved?.at === this.told.shown) moved = null;
    this.box.setAttribute("role", "figure");
    this.box.setAttribute("aria-label", this.told.alt);
    if (this.told.stretch) {
      for (let up = this.box; up !== this.root; up = up.parentElement)
        up.style.height = "100%";
    }
    this.refresh();
    prepareSoon();
  }

  // What is looked at: where a choice has led to, until the server says so too.
  view() {
    const { name, figures, shown } = this.told;
    const there = moved && performance.now() < moved.until;
    return (there && ahead.get(name)?.[moved.at]) || figures[shown];
  }

  get top() {
    const { top, left } = this.box.getBoundingClientRect();
    return top + left / innerWidth; // of those side by side the left one
  }

  refresh() {
    clearTimeout(this.later);
    cancelIdleCallback(this.idle);
    if (!this.told || this.turn() || this.view() === this.drawn) return;
    const { top, bottom, width } = this.box.getBoundingClientRect();
    if (!width) return; // until there is room
    if (top < innerHeight && bottom >= 0) return this.draw();
    const rest = this.drawn === null ? 0 : chosen + QUIET - performance.now();
    if (rest > 0) this.later = setTimeout(() => this.refresh(), rest);
    else this.idle = requestIdleCallback(() => this.draw(), { timeout: LATER });
  }

  size(layout) {
    const whole = document.fullscreenElement === this.box;
    const height = whole || this.told.stretch ? this.box.clientHeight : layout.height;
    return { width: this.box.clientWidth, height };
  }

  draw() {
    if (this.due) return;
    this.due = true;
    soon(() => this.paint());
  }

  async paint() {
    this.due = false;
    if (!this.told || !plots.has(this) || this.turn()) return;
    const view = this.view(); // what was due before may be outdated
    if (view === this.drawn) return;
    this.drawn = view;
    const figure = JSON.parse(view);
    this.fill(figure.layout);
    await plotly(this.told.script);
    if (!plots.has(this) || !this.box.isConnected || this.drawn !== view) return;
    this.live ??= { element: this.box.appendChild(document.createElement("div")) };
    await this.render(this.live, figure, view);
  }

  fill({ height }) {
    if (!this.told.stretch) this.box.style.height = `${height}px`;
  }

  async render(drawing, { data, layout, frames }, view) {
    const { element } = drawing;
    const config = element._fullLayout ? {} : { config: this.config() };
    if (frames?.length && element._fullLayout) await window.Plotly.deleteFrames(element);
    Object.assign(drawing, { view, layout, touched: false });
    const inked = layout.meta === INK;
    for (const { name, line } of data)
      if (inked && name === INK) line.color = this.inked.layout.font.color;
    const template = inked ? this.inked : this.look;
    const whole = { ...layout, ...this.size(layout), template };
    await window.Plotly.react(element, { data: drawable(data), layout: whole, frames, ...config });
    // Whoever looked closer at a part finds the whole when they come back.
    if (config.config) element.on("plotly_relayout", () => (drawing.touched = true));
  }

  // What may be shown next and is sent, as far as there is room for drawings of it.
  wanted() {
    const figures = this.told ? ahead.get(this.told.name) ?? {} : {};
    // Whoever names one place is surer than who names several.
    const places = [...likely.values()].sort((one, other) => one.length - other.length);
    const views = new Set(places.flat().map((place) => figures[place]).filter(Boolean));
    views.delete(this.drawn);
    const most = this.drawn?.includes('"scattergl"') ? SPARE_GL : SPARE;
    return [...views].slice(0, most);
  }

  missing() {
    if (!this.live || this.drawn !== this.live.view) return null;
    return this.wanted().find((view) => !this.spare.has(view)) ?? null;
  }

  async prepare(view) {
    const wanted = this.wanted();
    for (const [one, { element }] of this.spare)
      if (!wanted.includes(one)) this.drop(one, element);
    const drawing = { element: document.createElement("div") };
    if (!beside.isConnected) document.body.append(beside);
    beside.append(drawing.element);
    const look = this.look;
    try {
      await this.render(drawing, JSON.parse(view), view);
    } finally {
      drawing.element.remove();
    }
    if (look === this.look && plots.has(this)) this.spare.set(view, drawing);
    else window.Plotly.purge(drawing.element);
  }

  // Shows what is drawn already; returns whether it was.
  turn() {
    const next = this.told && this.live && this.spare.get(this.view());
    if (!next || this.view() === this.drawn) return false;
    const last = this.live;
    this.spare.delete(next.view);
    [this.live, this.drawn] = [next, next.view];
    this.fill(next.layout);
    last.element.replaceWith(next.element);
    if (last.touched || !last.view) purgeSoon(last.element);
    else this.spare.set(last.view, last);
    window.dispatchEvent(new Event(TURNED));
    return true;
  }

  drop(view, element) {
    this.spare.delete(view);
    purgeSoon(element);
  }

  // All is to be drawn anew: in other colours, or in another size.
  forget() {
    this.drawn = null;
    for (const [view, { element }] of this.spare) this.drop(view, element);
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
    const element = this.live?.element;
    const drawn = element?._fullLayout;
    if (!drawn) return this.refresh();
    const { width, height } = this.size(this.live.layout);
    if (!width || (width === drawn.width && height === drawn.height)) return;
    const shown = this.drawn;
    this.forget();
    this.drawn = shown;
    soon(async () => {
      const { live } = this;
      if (!plots.has(this) || live.element !== element) return;
      await window.Plotly.relayout(element, { width, height });
      live.touched = false; // not by a person
    });
  }

  stop() {
    plots.delete(this);
    this.watch.disconnect();
    this.sight.disconnect();
    clearTimeout(this.later);
    cancelIdleCallback(this.idle);
    this.forget();
    // Another plot may come into the same box.
    const element = this.live?.element;
    element?.remove();
    if (element) purgeSoon(element);
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
