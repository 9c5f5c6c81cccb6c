// Pictures of many figures at once: cells, columns, curves, and strips of dots.

import { el, sayNumber } from "./dom.js";
import { WIDTH, label, makeScale, picture } from "./plane.js";

const SIDE = 10;

/**
 * A hundred cells for each share, as many of them marked; a dashed line after those promised.
 * @param {string} name @param {{title: string, text: string, share: number, promised: number}[]} squares In per cent.
 */
export function cellsOf(name, squares) {
  const step = (WIDTH - 10) / squares.length;
  const cell = (step - 14) / SIDE;
  return picture(name, 48 + step, ...squares.map(({ title, text, share, promised }, s) => {
    const left = 5 + s * step;
    const cells = new Array(SIDE * SIDE).fill(0).map((_cell, i) => el("svg:rect", {
      x: left + (i % SIDE) * cell, y: 46 + Math.floor(i / SIDE) * cell, width: cell - 1.6, height: cell - 1.6,
      class: i < Math.round(share) ? "bar limit" : "trough",
    }));
    const [whole, rest] = [Math.floor(promised / SIDE), promised % SIDE];
    const at = (/** @type {number} */ x, /** @type {number} */ y) => `${left + x * cell - 0.8} ${46 + y * cell - 0.8}`;
    return el("svg:g", {}, label(left, 16, title), label(left, 36, text, { class: "value" }), ...cells,
      ...(promised < 100 ? [el("svg:path", { class: "curve plain", d: `M${rest ? `${at(0, whole + 1)}L${at(rest, whole + 1)}L` : ""}${at(rest, whole)}L${at(SIDE, whole)}` })] : []));
  }));
}

/**
 * Columns, each with its number, what it is expected to be, and the least that all should be.
 * @param {string} name @param {number[]} values @param {number[]} expected @param {number} least
 */
export function columnsOf(name, values, expected, least) {
  const base = 128;
  const wide = (WIDTH - 40) / values.length;
  const place = (/** @type {number} */ v) => base - (v / Math.max(least, ...values, ...expected)) * (base - 8);
  return picture(name, base + 20,
    ...values.map((value, i) => el("svg:g", {},
      el("svg:rect", { x: i * wide + 2, y: place(value), width: wide - 4, height: base - place(value), class: `bar${value < least ? " limit" : ""}` }),
      label((i + 0.5) * wide, base + 15, sayNumber(value), { "text-anchor": "middle" }),
      el("svg:line", { x1: i * wide + 1, x2: (i + 1) * wide - 1, y1: place(expected[i]), y2: place(expected[i]), class: "mark" }))),
    el("svg:line", { x1: 0, x2: WIDTH - 40, y1: place(least), y2: place(least), class: "curve plain" }),
    label(WIDTH - 36, place(least) + 4, `k = ${sayNumber(least)}`));
}

const CHART_HEIGHT = 240;
const CHART_EDGE = { left: 44, right: 14, top: 48, bottom: 40 };
const ROUND = [0.1, 0.3, 1, 1.5, 2, 3, 10, 30, 100];

/**
 * @typedef {object} Curve
 * @property {string} name
 * @property {number[][]} points From left to right.
 * @property {number[][]} [band] The least and the most at each point.
 * @property {string} [kind]
 */

/** Axes with their titles, and what places a point. @param {number[][]} points @param {string[]} titles @param {boolean} [isLog] Of the one across. */
function axesOf(points, titles, isLog) {
  const turn = (/** @type {number} */ v) => (isLog ? Math.log10(v) : v);
  const across = makeScale(points.map((p) => turn(p[0])), CHART_EDGE.left, WIDTH - CHART_EDGE.right);
  const up = makeScale([0, ...points.map((p) => p[1])], CHART_HEIGHT - CHART_EDGE.bottom, CHART_EDGE.top);
  const ticks = isLog ? ROUND.filter((v) => turn(v) >= across.low && turn(v) <= across.high) : across.ticks;
  const axes = el("svg:g", { class: "axes", "aria-hidden": "true" });
  ticks.forEach((t) => axes.append(label(across.place(turn(t)), CHART_HEIGHT - CHART_EDGE.bottom + 16, sayNumber(t), { "text-anchor": "middle" })));
  up.ticks.forEach((t) => axes.append(
    el("svg:line", { x1: CHART_EDGE.left, x2: WIDTH - CHART_EDGE.right, y1: up.place(t), y2: up.place(t) }),
    label(CHART_EDGE.left - 5, up.place(t) + 4, sayNumber(t), { "text-anchor": "end" })));
  axes.append(label(WIDTH - CHART_EDGE.right, CHART_HEIGHT - 6, titles[0], { "text-anchor": "end", class: "title" }),
    label(4, CHART_EDGE.top - 12, titles[1], { class: "title" }));
  return { axes, at: (/** @type {number[]} */ p) => [across.place(turn(p[0])), up.place(p[1])] };
}

/**
 * Curves with their names above them.
 * @param {string} name @param {string[]} titles Of both axes. @param {Curve[]} curves @param {boolean} [isLog]
 */
export function curvesOf(name, titles, curves, isLog) {
  const all = curves.reduce((points, one) => points.concat(one.points,
    ...(one.band || []).map((ends, i) => ends.map((v) => [one.points[i][0], v]))), /** @type {number[][]} */ ([]));
  const { axes, at } = axesOf(all, titles, isLog);
  const way = (/** @type {number[][]} */ points) => points.map((p) => at(p).join(" ")).join(" ");
  return picture(name, CHART_HEIGHT, axes, ...curves.map(({ name: title, points, band, kind }, c) => {
    const x = CHART_EDGE.left + c * 170;
    return el("svg:g", {},
      ...(band ? [el("svg:polygon", { class: "band", points: way([
        ...points.map((p, i) => [p[0], band[i][0]]), ...points.map((p, i) => [p[0], band[i][1]]).reverse()]) })] : []),
      el("svg:polyline", { class: `curve ${kind || ""}`, points: way(points) }),
      ...points.map((p) => el("svg:circle", { cx: at(p)[0], cy: at(p)[1], r: 3, class: `bar ${kind || ""}` })),
      el("svg:line", { x1: x, x2: x + 22, y1: 14, y2: 14, class: `curve ${kind || ""}` }), label(x + 28, 18, title));
  }));
}

/**
 * Strips of dots, two beside each other, with a cross where a figure was printed.
 * @param {string} name @param {string[]} titles @param {number[][][]} pairs Dots of both strips of a pair.
 * @param {number[][]} printed Of each pair, if anything.
 */
export function stripsOf(name, titles, pairs, printed) {
  const both = (/** @type {number} */ p) => [p + 0.85, p + 1.15];
  const points = pairs.reduce((all, pair, p) => all.concat(...pair.map((dots, s) => (
    dots.map((v) => [both(p)[s], v])))), /** @type {number[][]} */ ([]));
  const crosses = printed.reduce((all, pair, p) => all.concat(pair.map((v, s) => [both(p)[s], v])), /** @type {number[][]} */ ([]));
  const { axes, at } = axesOf(points.concat(crosses), titles);
  return picture(name, CHART_HEIGHT, axes,
    ...points.map((p) => el("svg:circle", { cx: at(p)[0], cy: at(p)[1], r: 2.6, class: `bar faint${p[0] % 1 > 0.5 ? " limit" : ""}` })),
    ...crosses.map((p) => el("svg:path", { class: "mark", d: `M${at(p)[0] - 4} ${at(p)[1] - 4}l8 8m0 -8l-8 8` })));
}
