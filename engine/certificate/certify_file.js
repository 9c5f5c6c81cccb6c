// What certify.js needs of a certificate's text and of the file that it names: whole
// numbers and fractions, the digest, and the comparison of columns with delimited text.

export class Refused extends Error {}

export function require(holds, otherwise) {
  if (!holds) throw new Refused(otherwise);
}

// How many records may be left out, a number or per cent of all: whether so many do.
export function parseMaxUncovered(text, records) {
  const right = /^(?:[0-9]{1,15}|[0-9]{1,3}(?:\.[0-9]{1,9})?%)$/.test(text);
  const [before, after = ""] = right ? text.replace("%", "").split(".") : ["0"];
  const share = [BigInt(before + after), 10n ** BigInt(after.length)];
  const most = text.endsWith("%") ? 100 : records;
  if (!right || (most < Infinity && share[0] > BigInt(most) * share[1])) {
    const takes = "a number of records, as 3, or 0% to 100% of them";
    throw new RangeError(`${takes}, not '${text}'`, { cause: parseMaxUncovered });
  }
  const of = () => (text.endsWith("%") ? BigInt(records) : 100n);
  return (count) => BigInt(count) * 100n * share[1] <= share[0] * of();
}

// --- numbers ---------------------------------------------------------------------

// A whole number that JSON holds as such or, if it is long, as text.
export function toInt(value) {
  const long = typeof value === "string" && /^-?[0-9]{1,4000}$/.test(value);
  require(long || Number.isSafeInteger(value), "a number is not whole");
  return BigInt(value);
}

/** @type {(values: any) => bigint[]} */
export function toInts(values) {
  require(Array.isArray(values), "numbers are missing");
  return values.map(toInt);
}

export function toRecordIndex(value, n) {
  const i = Number(toInt(value));
  require(i >= 0 && i < n, "there is no such record");
  return i;
}

/** @type {(a: bigint, b: bigint) => bigint} */
export function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
}

// Whether a value is a gap that stays, or one that is filled with the median or mode.
export const isGap = (value) => [null, "median", "mode"].includes(value);

/**
 * A numerator and a denominator, the denominator above 0.
 * @typedef {[bigint, bigint]} Fraction
 */

/** @type {(n: bigint, d?: bigint) => Fraction} */
export function fraction(n, d = 1n) {
  require(d !== 0n, "a fraction is divided by 0");
  const common = (gcd(n, d) || 1n) * (d < 0n ? -1n : 1n);
  return [n / common, d / common];
}

/** @type {(one: Fraction, other: Fraction) => Fraction} */
export const add = ([a, b], [c, d]) => fraction(a * d + c * b, b * d);
/** @type {(one: Fraction, other: Fraction) => Fraction} */
export const multiply = ([a, b], [c, d]) => fraction(a * c, b * d);
/** @type {(values: bigint[]) => bigint} */
export const sum = (values) => values.reduce((total, value) => total + value, 0n);
/** @type {(n: bigint, d: bigint) => bigint} */
export const floorDivide = (n, d) => (n < 0n && n % d !== 0n ? n / d - 1n : n / d); // d > 0
/** @type {(values: bigint[]) => bigint} */
export const minOf = (values) => values.reduce((a, b) => (b < a ? b : a));
/** @type {(values: bigint[]) => bigint} */
export const maxOf = (values) => values.reduce((a, b) => (b > a ? b : a));

// --- SHA-256 (FIPS 180-4), as pages that are not served safely have none ----------

function rootBits(power) {
  const found = [];
  for (let prime = 2; found.length < 64; prime += 1) {
    let divided = false;
    for (let d = 2; d * d <= prime; d += 1) divided ||= prime % d === 0;
    if (!divided) found.push(Math.floor((prime ** power % 1) * 2 ** 32) >>> 0);
  }
  return found;
}

const ROUND = rootBits(1 / 3);

export function sha256(bytes) {
  const length = (((bytes.length + 8) >> 6) + 1) << 6;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(length - 4, (bytes.length << 3) >>> 0);
  const state = rootBits(1 / 2).slice(0, 8);
  const w = new Uint32Array(64);
  const turn = (x, by) => (x >>> by) | (x << (32 - by));
  for (let start = 0; start < length; start += 64) {
    for (let t = 0; t < 16; t += 1) w[t] = view.getUint32(start + 4 * t);
    for (let t = 16; t < 64; t += 1) {
      const low = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ (w[t - 15] >>> 3);
      const high = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ (w[t - 2] >>> 10);
      w[t] = w[t - 16] + low + w[t - 7] + high;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; t += 1) {
      const choice = (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g));
      const one = (h + choice + ROUND[t] + w[t]) >>> 0;
      const major = (a & b) ^ (a & c) ^ (b & c);
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + major;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) >>> 0, c, b, a, (one + two) >>> 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, at) => {
      state[at] = (state[at] + value) >>> 0;
    });
  }
  return state.map((value) => value.toString(16).padStart(8, "0")).join("");
}

// --- the file ---------------------------------------------------------------------

function decodeText(bytes, encoding) {
  const utf16 = bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-16le";
  const windows = { cp1250: "windows-1250", cp1252: "windows-1252" };
  const unicode = { "utf-8": "utf-8", "utf-8-sig": "utf-8", "utf-16": utf16 };
  const others = { "mac-roman": "macintosh", gb18030: "gb18030" };
  const label = { ...windows, ...unicode, ...others }[encoding];
  require(typeof label === "string", "it is not known how the file is encoded");
  const options = { fatal: true, ignoreBOM: encoding === "utf-8" };
  const text = new TextDecoder(label, options).decode(bytes);
  // Bytes that Windows leaves free are control signs to browsers.
  const free = encoding in windows && /[\x80-\x9f]/.test(text);
  require(!free, "the file is not encoded so");
  return text;
}

function parseRows(text, delimiter) {
  const rows = [];
  let [row, cell, quoted, begun] = [[], "", false, false];
  const closeCell = () => {
    require(cell.length <= 131072, "a cell is too long");
    row.push(cell);
    cell = "";
  };
  const endRow = () => {
    if (begun) closeCell();
    rows.push(row);
    [row, begun] = [[], false];
  };
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at];
    const line = !quoted && (one === "\n" || one === "\r");
    if (line && one === "\r" && text[at + 1] === "\n") at += 1;
    if (line) endRow();
    else if (quoted && one === '"' && text[at + 1] !== '"') quoted = false;
    else if (quoted) cell += one === '"' ? text[(at += 1)] : one;
    else if (one === delimiter) closeCell();
    else if (one === '"' && cell === "") quoted = true;
    else cell += one;
    if (!line) begun = true;
  }
  if (begun) endRow();
  return rows;
}

// The header of a delimited text, and rows above, in and below its table.
function splitTable(bytes, { encoding, delimiter, decimal, header, footer }) {
  const signs = [...",;|:\t "].includes(delimiter) && [".", ","].includes(decimal);
  const [first, last] = toInts([header, footer]).map(Number);
  require(signs && first > 0 && last >= 0, "it is not known how to read the file");
  const rows = parseRows(decodeText(bytes, encoding), delimiter);
  const filled = (some) => some.filter((row) => row.length > 0);
  const below = filled(rows.slice(first));
  const end = Math.max(0, below.length - last);
  return {
    header: rows[first - 1],
    above: filled(rows.slice(0, first - 1)),
    body: below.slice(0, end),
    below: below.slice(end),
  };
}

// Compares columns with the file, and counts what it has that the certificate leaves
// out: records of the label -2 by what their cells hold that is called missing, and
// lines above or below the table that are as full as its header.
export function compareWithFile(bytes, { reading, labels }, columns) {
  const { header, above, body, below } = splitTable(bytes, reading);
  require(body.length === labels.length, `the file has ${body.length} records`);
  const stay = [...body.keys()].filter((i) => labels[i] !== -2);
  // A row of several empty cells is no record that could be covered.
  const isNothing = (row) => row.length > 1 && row.join("").trim() === "";
  const without = body.filter((row, i) => labels[i] === -2 && !isNothing(row));
  const gaps = new Set(columns.flatMap(({ missing }) => missing).map((x) => `${x}`.trim()));
  const lacks = (cell) => gaps.has(cell.trim()) || cell.trim() === "";
  const reasons = without.map((row) => row.every(lacks) ? "every cell" : null);
  for (const { name, denominator, categories, missing, values } of columns) {
    const place = header.indexOf(name);
    const once = place >= 0 && header.lastIndexOf(name) === place;
    require(once, `the file has not one column '${name}'`);
    const power = typeof denominator === "string" && /^10*$/.test(denominator);
    require(power, "a denominator is not a power of 10");
    require(Array.isArray(missing), "it does not say what stands for no value");
    require(stay.length === values.length, `the file has ${stay.length} records that count`);
    const codes = new Map((categories ?? []).map((text, at) => [text, BigInt(at)]));
    require(codes.size === (categories ?? []).length, "a category comes twice");
    stay.forEach((record, i) => {
      const [cell, value] = [body[record][place], values[i]];
      const found = codes.get(cell)
        ?? (categories === null ? scaleCell(cell, reading.decimal, toInt(denominator)) : null);
      const right = missing.includes(cell)
        ? isGap(value)
        : !isGap(value) && found !== null && found === toInt(value);
      require(right, `record ${record + 1} has '${cell}' in column '${name}'`);
    });
    if (values.some(isGap)) continue; // else those that lack it are dropped
    require(without.every((row) => place < row.length), "a record is too short");
    without.forEach((row, i) => {
      if (missing.includes(row[place])) reasons[i] ??= `${name} = '${row[place]}'`;
    });
  }
  const filled = (row) => row.filter((cell) => cell.trim() !== "").length;
  const full = (rows) => rows.filter((row) => filled(row) >= filled(header)).length;
  const empty = body.filter(isNothing).length;
  const lines = above.length + empty + below.length;
  return { reasons, beside: full(above) + full(below), lines };
}

// Whether cells say who records are about: no two texts are one person, and blank ones
// alone are nobody. A file that names other people is refused.
export function comparePeople(bytes, { reading, labels }, { columns, of }) {
  const { header, body } = splitTable(bytes, reading);
  if (!columns.every((name) => header.filter((one) => one === name).length === 1)) return false;
  const places = columns.map((name) => header.indexOf(name));
  const rows = body.filter((_, i) => labels[i] !== -2);
  const told = new Map();
  rows.forEach((row, i) => {
    const cells = places.map((place) => row[place]);
    require(!cells.includes(undefined), "a record is too short");
    const [text, full] = [JSON.stringify(cells), cells.every((cell) => cell.trim() !== "")];
    const known = told.get(text) ?? { who: of[i], full };
    told.set(text, known);
    require(known.who === of[i] && (full || of[i] < 0), `in ${columns.join(", ")} the file names other people`);
  });
  const named = [...told.values()].filter(({ full }) => full);
  return new Set([-1, ...named.map(({ who }) => who)]).size === named.length + 1;
}

function scaleCell(cell, decimal, denominator) {
  const [number, power, ...more] = cell.replace(/^[ \t-\r]+|[ \t-\r]+$/g, "").split(/e/i);
  const match = /^([+-]?)(\d{0,400})(?:([.,])(\d{0,400}))?$/.exec(number);
  if (!match || more.length > 0 || !/^[+-]?\d{1,3}$/.test(power ?? "0")) return null;
  const [, sign, before, point = decimal, after = ""] = match;
  if (point !== decimal || before + after === "") return null;
  const digits = BigInt(before + after) * denominator * (sign === "-" ? -1n : 1n);
  const places = Number(power ?? 0) - after.length;
  const [above, below] = fraction(
    digits * 10n ** BigInt(Math.max(places, 0)),
    10n ** BigInt(Math.max(-places, 0)),
  );
  return below === 1n ? above : null;
}
