// A figure of Plotly's that is drawn once and then brought up to date.
//
// What is in the window is drawn at once, the rest when there is time. While a slider
// is dragged, figures that have a view of its place show it before the server answers.

const MOVED = "coterie-moved"; // a slider, told by live_slider
const PATIENCE = 3000; // milliseconds in which the server should have said the same
const LATER = 1500; // milliseconds after which what nobody sees is drawn all the same
const FULL = {
  width: 24,
  height: 24,
  path: "M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z",
};

let loading = null;

function plotly(address) {
  loading ??= new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => done(window.Plotly);
    script.onerror = () => {
      loading = null;
      fail(new Error(`${address} was not loaded`));
    };
    document.head.append(script);
  });
  return loading;
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
let moved = null; // where a slider is, as long as the server may not know it

window.addEventListener(MOVED, ({ detail }) => {
  moved = { at: detail, until: performance.now() + PATIENCE };
  for (const plot of plots) plot.refresh();
});

class Plot {
  constructor(root) {
    this.box = root.querySelector(".coterie-plot");
    this.root = root;
    this.told = this.text = this.drawn = this.look = this.later = null;
    this.drawing = Promise.resolve();
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(this.box);
    plots.add(this);
  }

  update(text) {
    const seen = look(this.root.host ?? this.root);
    const same = JSON.stringify(seen) === JSON.stringify(this.look);
    if (text === this.text && same) return;
    if (!same) this.drawn = null;
    [this.text, this.told, this.look] = [text, JSON.parse(text), seen];
    if (moved?.at === this.told.shown) moved = null;
    this.box.setAttribute("role", "figure");
    this.box.setAttribute("aria-label", this.told.alt);
    if (this.told.stretch) {
      for (let up = this.box; up !== this.root; up = up.parentElement)
        up.style.height = "100%";
    }
    this.refresh();
  }

  // The view that is looked at: the slider's while it is being dragged.
  view() {
    const { figures, shown } = this.told;
    const ahead = moved && performance.now() < moved.until ? figures[moved.at] : null;
    return ahead ?? figures[shown];
  }

  refresh() {
    if (!this.told || this.view() === this.drawn) return;
    cancelIdleCallback(this.later);
    const { top, bottom, width } = this.box.getBoundingClientRect();
    if (!width) return; // until there is room
    if (top < innerHeight && bottom >= 0) this.draw();
    else this.later = requestIdleCallback(() => this.draw(), { timeout: LATER });
  }

  size(layout) {
    const whole = document.fullscreenElement === this.box;
    const height = whole || this.told.stretch ? this.box.clientHeight : layout.height;
    return { width: this.box.clientWidth, height };
  }

  draw() {
    const view = this.view();
    if (view === this.drawn) return;
    const first = this.drawn === null;
    this.drawn = view;
    const { data, layout, frames } = JSON.parse(view);
    if (!this.told.stretch) this.box.style.height = `${layout.height}px`;
    this.drawing = this.drawing.then(async () => {
      const Plotly = await plotly(this.told.script);
      if (!this.box.isConnected) return;
      if (frames?.length && this.box._fullLayout) await Plotly.deleteFrames(this.box);
      this.layout = layout;
      const whole = { ...layout, ...this.size(layout), template: this.look };
      const config = first ? { config: this.config() } : {};
      await Plotly.react(this.box, { data, layout: whole, frames, ...config });
    });
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
    const drawn = this.box._fullLayout;
    if (!drawn) return this.refresh();
    const { width, height } = this.size(this.layout);
    if (!width || (width === drawn.width && height === drawn.height)) return;
    this.drawing = this.drawing.then(() =>
      window.Plotly.relayout(this.box, { width, height }),
    );
  }

  stop() {
    plots.delete(this);
    this.watch.disconnect();
    cancelIdleCallback(this.later);
    window.Plotly?.purge(this.box);
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
