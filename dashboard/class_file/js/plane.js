// Pictures: records in a plane or on a line, which pointer and arrow keys can touch.

import { _, el, refill, sayNumber, table } from "./dom.js";
import { groupMeans, groupsOf } from "./method.js";

export const WIDTH = 400;
const HEIGHT = 290;
const EDGE = { left: 44, right: 14, top: 14, bottom: 40 };

/**
 * @typedef {object} PlaneState What a plane shows now.
 * @property {number[]} [labels] Group of each record, -1 for none.
 * @property {boolean} [centres] Whether records are joined to their group's mean.
 * @property {boolean} [moved] Whether they stand there, as in what is released.
 * @property {number[]} [lit] Records that are pointed out.
 * @property {number[]} [faint] Records that step back.
 * @property {number[][]} [crosses] Points to mark.
 * @property {{slope: number, intercept: number, kind: string}[]} [lines]
 * @property {Strand[]} [strands]
 */

/** @typedef {{from: number[], to: number[], kind: string, strength: number}} Strand A line from point to point, as strong as it is likely. */

/**
 * @typedef {object} PlaneOptions
 * @property {string} label What the picture shows.
 * @property {number[][]} rows
 * @property {string[]} titles Of both axes.
 * @property {(record: number) => string} nameOf
 * @property {(record: number) => void} [pick]
 * @property {(record: number) => void} [paint] Told of each record that a finger is drawn over.
 */

/** Round steps along an axis. @param {number} low @param {number} high */
export function ticksOf(low, high) {
  const raw = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).filter((s) => s >= raw)[0];
  const ticks = [];
  for (let at = Math.ceil(low / step); at * step <= high; at += 1) {
    ticks.push(Number((at * step).toPrecision(12)));
  }
  return ticks;
}

/** @param {number[]} values @param {number} from @param {number} to */
export function makeScale(values, from, to) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const pad = (most - least || 1) * 0.06;
  const [low, high] = [least - pad, most + pad];
  const place = (/** @type {number} */ v) => from + ((v - low) / (high - low)) * (to - from);
  return { place, ticks: ticksOf(low, high), low, high };
}

/** @param {number} x @param {number} y @param {string} text @param {Object<string, any>} [props] */
export function label(x, y, text, props) {
  return el("svg:text", Object.assign({ x, y }, props), text);
}

/** @param {string} name @param {number} height @param {...Node} children */
export function picture(name, height, ...children) {
  return el("svg:svg", {
    viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": name, class: "picture",
  }, ...children);
}

const SHAPES = ["M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z", "M-5 -5h10v10h-10z", "M0 -6.5l6 11h-12z", "M0 -7l7 7l-7 7l-7 -7z"];

/** A record's shape: groups differ by shape as well as by colour. @param {number} group */
function shapeOf(group) {
  return SHAPES[group < 0 ? 0 : group % SHAPES.length];
}

/** Corners of the convex outline of points, in order. @param {number[][]} points */
function outlineOf(points) {
  const sorted = points.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (/** @type {number[][]} */ some) => {
    /** @type {number[][]} */
    const corners = [];
    some.forEach((point) => {
      for (let last = corners.length - 1; last > 0; last -= 1) {
        const [[ax, ay], [bx, by]] = corners.slice(last - 1);
        if ((bx - ax) * (point[1] - ay) > (by - ay) * (point[0] - ax)) break;
        corners.pop();
      }
      corners.push(point);
    });
    return corners;
  };
  return [...half(sorted), ...half(sorted.slice().reverse())];
}

/**
 * Records in a plane.
 * @param {PlaneOptions} options
 * @returns {{node: any, draw: (state: PlaneState) => void}}
 */
export function plane(options) {
  const { rows, titles, pick } = options;
  const up = makeScale(rows.map((r) => r[1]), HEIGHT - EDGE.bottom, EDGE.top);
  const left = Math.max(EDGE.left, 24 + 7 * Math.max(...up.ticks.map((t) => sayNumber(t).length)));
  const across = makeScale(rows.map((r) => r[0]), left, WIDTH - EDGE.right);
  const axes = el("svg:g", { class: "axes", "aria-hidden": "true" });
  across.ticks.forEach((t) => axes.append(
    el("svg:line", { x1: across.place(t), x2: across.place(t), y1: EDGE.top, y2: HEIGHT - EDGE.bottom }),
    label(across.place(t), HEIGHT - EDGE.bottom + 15, sayNumber(t), { "text-anchor": "middle" })));
  up.ticks.forEach((t) => axes.append(
    el("svg:line", { y1: up.place(t), y2: up.place(t), x1: left, x2: WIDTH - EDGE.right }),
    label(left - 5, up.place(t) + 4, sayNumber(t), { "text-anchor": "end" })));
  axes.append(
    label(WIDTH - EDGE.right, HEIGHT - 6, titles[0], { "text-anchor": "end", class: "title" }),
    label(0, 0, titles[1], { transform: `translate(12 ${EDGE.top}) rotate(-90)`, "text-anchor": "end", class: "title" }));
  const behind = el("svg:g", { "aria-hidden": "true" });
  const front = el("svg:g", {});
  const svg = picture(options.label, HEIGHT, axes, behind, front);
  const places = rows.map((row) => [across.place(row[0]), up.place(row[1])]);
  const shapes = rows.map(() => el("svg:path", { class: "shape" }));
  const dots = shapes.map((one) => el("svg:g", {}, ...(pick ? [el("svg:circle", { r: 13, class: "reach" })] : []), one));
  front.append(...dots);
  if (pick) makeTouchable(svg, dots, places, pick);
  if (options.paint) makePaintable(svg, dots, options.paint);
  let labels = rows.map(() => -1);
  const cells = el("div");
  const tabulate = () => refill(cells, ...(written.open ? [table(options.label, [_("Record"), ...titles, _("Group")],
    rows.map((row, i) => [i + 1, row[0], row[1], labels[i] < 0 ? "" : labels[i] + 1]))] : []));
  const written = el("details", { class: "as-table", toggle: tabulate }, el("summary", {}, _("The picture as a table")), cells);

  /** @param {PlaneState} state */
  const draw = (state) => {
    labels = state.labels || rows.map(() => -1);
    tabulate();
    const means = state.centres || state.moved
      ? groupMeans(rows, labels).map((centre) => [across.place(centre[0]), up.place(centre[1])]) : [];
    refill(behind);
    if (state.centres) {
      const groups = groupsOf(labels);
      groups.filter((members) => members.length && !state.moved).forEach((members) => behind.append(el("svg:path", {
        d: `M${outlineOf(members.map((i) => places[i])).join("L")}z`, class: `outline hue${labels[members[0]] % 6}`,
      })));
      means.forEach(([x, y], g) => {
        groups[g].forEach((i) => behind.append(el("svg:line", {
          x1: x, y1: y, x2: places[i][0], y2: places[i][1], class: `tie hue${g % 6}`,
        })));
        behind.append(el("svg:path", {
          d: `M${x - 5} ${y}h10M${x} ${y - 5}v10`, class: `centre hue${g % 6}`,
        }));
      });
    }
    (state.strands || []).forEach(({ from, to, kind, strength }) => behind.append(el("svg:line", {
      x1: across.place(from[0]), y1: up.place(from[1]), x2: across.place(to[0]), y2: up.place(to[1]),
      class: `strand ${kind}`, opacity: Math.min(1, strength + 0.12), "stroke-width": 1 + 2 * strength,
    })));
    (state.lines || []).forEach((line) => behind.append(el("svg:line", {
      x1: across.place(across.low), y1: up.place(line.intercept + line.slope * across.low),
      x2: across.place(across.high), y2: up.place(line.intercept + line.slope * across.high),
      class: `fit ${line.kind}`,
    })));
    (state.crosses || []).forEach((at) => behind.append(el("svg:path", {
      d: `M${across.place(at[0]) - 8} ${up.place(at[1]) - 8}l16 16m0 -16l-16 16`, class: "cross",
    })));
    dots.forEach((dot, i) => {
      const [x, y] = state.moved && labels[i] >= 0 ? means[labels[i]] : places[i];
      const lit = Boolean(state.lit) && state.lit.indexOf(i) >= 0;
      const faint = Boolean(state.faint) && state.faint.indexOf(i) >= 0;
      const hue = labels[i] < 0 ? "none" : `hue${labels[i] % 6}`;
      dot.setAttribute("class", `dot ${hue}${lit ? " lit" : ""}${faint ? " faint" : ""}`);
      dot.setAttribute("transform", `translate(${x} ${y})`);
      shapes[i].setAttribute("d", shapeOf(labels[i]));
      if (pick) {
        const group = labels[i] < 0 ? _("in no group") : _("group {group}", { group: labels[i] + 1 });
        dot.setAttribute("aria-label", `${options.nameOf(i)}, ${group}`);
      }
    });
  };
  return { node: options.label ? el("div", {}, svg, written) : svg, draw };
}

/**
 * Make dots buttons: one tab stop, arrow keys go to the nearest in a direction.
 * @param {any} svg @param {any[]} dots @param {number[][]} places
 * @param {(record: number) => void} pick
 */
function makeTouchable(svg, dots, places, pick) {
  svg.setAttribute("role", "group");
  const focus = (/** @type {number} */ to) => {
    dots.forEach((dot, i) => dot.setAttribute("tabindex", i === to ? "0" : "-1"));
    dots[to].focus();
  };
  dots.forEach((dot, i) => {
    dot.setAttribute("role", "button");
    dot.setAttribute("tabindex", i === 0 ? "0" : "-1");
    dot.addEventListener("click", () => pick(i));
    dot.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        event.stopPropagation();
        pick(i);
        return;
      }
      const way = ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] })[event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      let best = -1;
      let least = Infinity;
      places.forEach((place, at) => {
        const [dx, dy] = [place[0] - places[i][0], place[1] - places[i][1]];
        const ahead = dx * way[0] + dy * way[1];
        const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
        if (at !== i && ahead > 0 && ahead + 2 * aside < least) [least, best] = [ahead + 2 * aside, at];
      });
      if (best >= 0) focus(best);
    });
  });
}

/**
 * Tell of the dots that a pressed pointer goes over, where it began on one or not.
 * @param {any} svg @param {any[]} dots @param {(record: number) => void} paint
 */
function makePaintable(svg, dots, paint) {
  let from = -1;
  const dotAt = (/** @type {PointerEvent} */ event) => {
    const under = svg.getRootNode().elementFromPoint(event.clientX, event.clientY);
    return dots.indexOf(under && under.closest(".dot"));
  };
  svg.classList.add("paintable");
  svg.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => { from = dotAt(event); });
  svg.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    const at = event.buttons ? dotAt(event) : -1;
    if (at < 0 || at === from) return;
    [from, at].filter((i) => i >= 0).forEach(paint);
    from = at;
  });
}

/**
 * How high each of some things stands, so that near ones do not cover each other.
 * @param {number[]} across From left to right. @param {number} width Of one thing.
 */
export function stack(across, width) {
  /** @type {number[]} */
  const ends = [];
  return across.map((x) => {
    let level = ends.findIndex((end) => x - end >= width);
    if (level < 0) level = ends.length;
    ends[level] = x;
    return level;
  });
}

const LINE = 124;

/**
 * Values on a line, cut into groups.
 * @param {string} name @param {number[]} values Sorted. @param {number[]} labels
 * @param {boolean} [written] Whether values stand above their marks.
 */
export function lineOf(name, values, labels, written) {
  const scale = makeScale(values, 20, WIDTH - 20);
  const at = values.map(scale.place);
  const means = groupMeans(values.map((v) => [v]), labels);
  const lifts = stack(at, 9).map((level) => LINE - 46 - 9 * level);
  const tops = stack(at, 24).map((level, i) => (
    Math.min(...lifts.filter((_lift, j) => Math.abs(at[j] - at[i]) < 24)) - 12 - 13 * level));
  const marks = values.map((v, i) => {
    const hue = `hue${labels[i] % 6}`;
    return el("svg:g", { class: `dot ${hue}`, transform: `translate(${at[i]} ${lifts[i]})` },
      el("svg:line", {
        x1: 0, y1: 0, x2: scale.place(means[labels[i]][0]) - at[i], y2: LINE - lifts[i], class: `tie ${hue}`,
      }),
      el("svg:path", { class: "shape", d: shapeOf(labels[i]) }),
      ...(written ? [label(0, tops[i] - lifts[i], sayNumber(v), { "text-anchor": "middle" })] : []));
  });
  const centres = means.map((m, g) => el("svg:g", {},
    el("svg:path", { d: `M${scale.place(m[0])} ${LINE - 8}v16`, class: `centre hue${g % 6}` }),
    label(scale.place(m[0]), LINE + 22, sayNumber(Number(m[0].toFixed(1))), { "text-anchor": "middle" })));
  return picture(name, LINE + 30,
    el("svg:line", { x1: 10, x2: WIDTH - 10, y1: LINE, y2: LINE, class: "axis" }), ...marks, ...centres);
}

/**
 * Shares in per cent, each a dot upon those that are about as large.
 * @param {string} name @param {number[]} values @param {number} reach To either side of 0.
 */
export function heapOf(name, values, reach) {
  const [base, step] = [150, 9];
  const place = (/** @type {number} */ v) => WIDTH / 2 + (v / reach) * (WIDTH / 2 - 20);
  /** @type {Object<number, number>} */
  const heights = {};
  const dots = values.map((v) => {
    const x = Math.round(place(v) / step) * step;
    heights[x] = (heights[x] || 0) + 1;
    return [x, heights[x]];
  });
  const most = Math.max(1, ...Object.keys(heights).map((x) => heights[Number(x)]));
  const rise = Math.min(step, (base - 12) / most);
  return picture(name, base + 26,
    el("svg:line", { x1: place(0), x2: place(0), y1: 4, y2: base, class: "fit thin" }),
    el("svg:line", { x1: 10, x2: WIDTH - 10, y1: base, y2: base, class: "axis" }),
    ...[-reach, -reach / 2, 0, reach / 2, reach].map((t) => label(place(t), base + 18, sayNumber(t), { "text-anchor": "middle" })),
    ...dots.map(([x, height]) => el("svg:circle", {
      cx: x, cy: base - rise * (height - 0.5), r: step / 2 - 0.3, class: `bar${x < place(0) - step / 2 ? " limit" : ""}`,
    })));
}

/**
 * Bars, each with its name and figure.
 * @param {string} name @param {{name: string, value: number, text: string, kind?: string}[]} bars
 * @param {number} [most]
 */
export function barsOf(name, bars, most) {
  const top = most || Math.max(...bars.map((bar) => bar.value)) || 1;
  return picture(name, bars.length * 44 + 6, ...bars.map((bar, i) => el("svg:g", {},
    label(4, i * 44 + 15, bar.name),
    label(WIDTH - 4, i * 44 + 15, bar.text, { "text-anchor": "end", class: "value" }),
    el("svg:rect", { x: 4, y: i * 44 + 21, width: WIDTH - 8, height: 14, class: "trough" }),
    el("svg:rect", {
      x: 4, y: i * 44 + 21, width: Math.max(0, Math.min(1, bar.value / top)) * (WIDTH - 8), height: 14, class: `bar ${bar.kind || ""}`,
    }))));
}
