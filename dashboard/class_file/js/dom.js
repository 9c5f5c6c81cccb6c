// Elements, words, numbers and chance: what every part of the page is made with.

import { fixed } from "./method.js";

/**
 * @typedef {object} Given What Python puts into the page.
 * @property {number} seed
 * @property {string} language
 * @property {Object<string, string>} words Translations, by the English text.
 * @property {string[]} lessons Those asked for, in order; none for all.
 * @property {string} part What the dashboard shows: the cards if it is empty.
 * @property {string[]} districts
 * @property {{name: string, age: number, pay: number, district: number, illness: number}[]} people
 * @property {{columns: string[], values: number[][], source: string, records: number, sampled: boolean, gaps: number} | null} own
 */

/** The dashboard's component that these scripts run in; in a class file there is none. */
export const host = typeof component === "undefined" ? null : component;

/** @type {Given} */
export const given = JSON.parse(host ? host.data : document.getElementById("given").textContent);

const DECIMAL_SIGN = (1.5).toLocaleString(given.language)[1];
const GROUP_SIGN = (12345).toLocaleString(given.language)[2];

/**
 * A number as the page's language writes it.
 * @param {number} value @param {number} [digits] After the decimal sign; without, as many as it has.
 */
export function sayNumber(value, digits) {
  const text = digits === undefined ? String(value) : fixed(value, digits);
  const [whole, part] = text.replace(/^-(?=0\.?0*$)/, "").split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, GROUP_SIGN).replace("-", "\u2212");
  return part === undefined ? grouped : grouped + DECIMAL_SIGN + part;
}

/** @param {number} value @param {number} digits */
export function sayPercent(value, digits) {
  return `${sayNumber(value, digits)}\u00a0%`;
}

/**
 * Say a text in the page's language, with values put in for names in braces.
 * @param {string} text @param {Object<string, string | number>} [values]
 */
export function _(text, values) {
  const said = (given.words[text] || text).replace(/ %/g, "\u00a0%");
  return said.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values && values[name];
    return value === undefined ? whole : typeof value === "number" ? sayNumber(value) : value;
  });
}

/**
 * Say the singular or the plural of a text, of which `{count}` decides.
 * @param {string} one @param {string} many @param {number} count
 * @param {Object<string, string | number>} [values]
 */
export function n_(one, many, count, values) {
  return _(count === 1 ? one : many, Object.assign({ count }, values));
}

/** Join the items of a list as the page's language does. @param {(string | number)[]} items */
export function sayList(items) {
  return items.join(_(", "));
}

/** Join items that may have commas themselves. @param {string[]} items */
export function sayListOfPhrases(items) {
  return items.join(_("; "));
}

/**
 * Make an element.
 * @param {string} tag `svg:` before it makes one of a picture.
 * @param {Object<string, any>} [props] Attributes; functions listen to what they are named for.
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function el(tag, props, ...children) {
  const node = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  Object.keys(props || {}).forEach((name) => {
    const value = props[name];
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  });
  node.append(...children);
  return node;
}

/** Put a text with **strong** parts and `code` into an element. @param {string} tag @param {string} text @param {Object<string, any>} [props] */
export function prose(tag, text, props) {
  const parts = text.split(/(\*\*[^]+?\*\*|`[^`]+`)/);
  return el(tag, props, ...parts.map((part, i) => {
    if (i % 2 === 0) return part;
    return part[0] === "`" ? el("code", {}, part.slice(1, -1)) : el("strong", {}, part.slice(2, -2));
  }));
}

/** @param {Node} node @param {...(Node | string)} children */
export function refill(node, ...children) {
  while (node.firstChild) node.removeChild(node.firstChild);
  /** @type {Element} */ (node).append(...children);
}

/** Chance that is the same for the same seed. @param {number} seed @returns {() => number} */
export function chance(seed) {
  let state = (seed * 2654435761 + 97) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** @param {() => number} random @param {number} low @param {number} high Both can be drawn. */
export function drawInteger(random, low, high) {
  return low + Math.floor(random() * (high - low + 1));
}

/** @template T @param {() => number} random @param {T[]} items @returns {T[]} */
export function shuffled(random, items) {
  const all = items.slice();
  for (let i = all.length - 1; i > 0; i -= 1) {
    const j = drawInteger(random, 0, i);
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}

let idCount = 0;

/** An identifier that no other element has. @param {string} stem */
export function newId(stem) {
  idCount += 1;
  return `${stem}-${idCount}`;
}

/**
 * A slider with its name and its value beside it.
 * @param {string} label @param {number} low @param {number} high @param {number} value
 * @param {(value: number) => void} changed @param {(value: number) => string} [say]
 */
export function slider(label, low, high, value, changed, say) {
  const id = newId("slider");
  const show = say || sayNumber;
  const output = el("output", { for: id }, show(value));
  const input = el("input", {
    id, type: "range", min: low, max: high, step: 1, value, "aria-valuetext": show(value),
    input: () => {
      const now = Number(input.value);
      output.textContent = show(now);
      input.setAttribute("aria-valuetext", show(now));
      changed(now);
    },
  });
  return el("div", { class: "control" }, el("label", { for: id }, label), input, output);
}

/**
 * Buttons of which one is pressed.
 * @param {string} label @param {string[]} names @param {number} value
 * @param {(value: number) => void} changed
 */
export function choice(label, names, value, changed) {
  const buttons = names.map((name, i) => el("button", {
    type: "button",
    "aria-pressed": String(i === value),
    click: () => {
      buttons.forEach((each, at) => each.setAttribute("aria-pressed", String(at === i)));
      changed(i);
    },
  }, name));
  const id = newId("choice");
  return el("div", { class: "labelled", role: "group", "aria-labelledby": id },
    el("span", { id }, label), el("div", { class: "choice" }, ...buttons));
}

/** A box to tick. @param {string} label @param {boolean} checked @param {(checked: boolean) => void} changed */
export function tick(label, checked, changed) {
  const input = el("input", { type: "checkbox", checked, change: () => changed(input.checked) });
  return el("label", { class: "tick" }, input, label);
}

/** A figure with its name: updated by `set`. @param {string} name */
export function figure(name) {
  const value = el("strong", {}, "");
  const node = el("div", { class: "figure" }, el("span", {}, name), value);
  return { node, set: (/** @type {string | number} */ is) => { value.textContent = typeof is === "number" ? sayNumber(is) : is; } };
}

/** @param {...Node} children */
export function figures(...children) {
  return el("div", { class: "figures", "aria-live": "polite" }, ...children);
}

/**
 * A table. @param {string} caption @param {string[]} heads @param {(string | number)[][]} rows
 * @param {(row: number) => string} [classOf]
 */
export function table(caption, heads, rows, classOf) {
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el("table", {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, ...rows.map((row, i) => el("tr", { class: classOf ? classOf(i) : null },
        ...row.map((cell) => el("td", {}, typeof cell === "number" ? sayNumber(cell) : cell)))))));
}
