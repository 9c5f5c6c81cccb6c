// Check a certificate of Coterie in a browser: a second checker, written apart from
// certify.py, by the theorem that stands there. Whole numbers are BigInts; lines (1)
// to (9) are those of its proof.
//
// `certify(certificate, file)` takes the bytes of both, as Uint8Arrays, and returns
// {holds: true, loss, bound, best, k, records, left, read, taken, hierarchies, strata,
// weights} or {holds: false, why}.

"use strict";

const FORMAT = "coterie-certificate-4";
const PLACES = 18;
const SCALE = 10n ** BigInt(PLACES);

class Refused extends Error {}

function require(holds, otherwise) {
  if (!holds) throw new Refused(otherwise);
}

// --- numbers ---------------------------------------------------------------------

function whole(value) {
  if (typeof value === "string") {
    require(/^-?[0-9]{1,4000}$/.test(value), "a number is not whole");
    return BigInt(value);
  }
  require(Number.isSafeInteger(value), "a number is not whole");
  return BigInt(value);
}

function index(value, n) {
  require(Number.isInteger(value) && value >= 0 && value < n, "there is no such record");
  return value;
}

const sum = (values) => values.reduce((total, value) => total + value, 0n);
const floorOf = (n, d) => (n < 0n && n % d !== 0n ? n / d - 1n : n / d); // d > 0

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
}

// Fractions are [numerator, denominator], the denominator above 0.
function fraction(n, d = 1n) {
  require(d !== 0n, "a fraction is divided by 0");
  const common = (gcd(n, d) || 1n) * (d < 0n ? -1n : 1n);
  return [n / common, d / common];
}

const plus = ([a, b], [c, d]) => fraction(a * d + c * b, b * d);
const times = ([a, b], [c, d]) => fraction(a * c, b * d);
const most = ([a, b], [c, d]) => a * d <= c * b; // whether the first is no larger

function weightOf(text) {
  const match = /^([0-9]{1,4000})(?:\/([0-9]{1,4000}))?$/.exec(text);
  require(match, "a weight is no fraction");
  return fraction(BigInt(match[1]), BigInt(match[2] ?? "1"));
}

function decimals([n, d], up) {
  const units = up ? -floorOf(-n * SCALE, d) : floorOf(n * SCALE, d);
  const text = units.toString().padStart(PLACES + 1, "0");
  return `${text.slice(0, -PLACES)}.${text.slice(-PLACES)}`;
}

// --- SHA-256 (FIPS 180-4), as pages that are not served safely have none ----------

function roots(power) {
  const found = [];
  for (let prime = 2; found.length < 64; prime += 1) {
    let divided = false;
    for (let d = 2; d * d <= prime; d += 1) divided ||= prime % d === 0;
    if (!divided) found.push(Math.floor((prime ** power % 1) * 2 ** 32) >>> 0);
  }
  return found;
}

const ROUND = roots(1 / 3);

function sha256(bytes) {
  const length = (((bytes.length + 8) >> 6) + 1) << 6;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(length - 4, (bytes.length << 3) >>> 0);
  const state = roots(1 / 2).slice(0, 8);
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

// --- the certificate and the file ---------------------------------------------------

function opened(bytes) {
  const head = new TextDecoder().decode(bytes.slice(0, 76));
  require(/^\{"digest": "[0-9a-f]{64}$/.test(head), "this is not a certificate of Coterie");
  const bare = bytes.slice();
  bare.fill(48, 12, 76);
  require(sha256(bare) === head.slice(12), "the certificate was changed after it was written");
  const content = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  require(content.format === FORMAT, `its format is not ${FORMAT}`);
  return content;
}

function rowsOf(text, delimiter) {
  require(typeof delimiter === "string" && delimiter.length === 1, "there is no delimiter");
  const rows = [];
  let row = [];
  let cell = "";
  let quoted = false;
  const closed = () => {
    if (row.length > 0 || cell !== "") row.push(cell);
    rows.push(row);
    [row, cell] = [[], ""];
  };
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at];
    if (quoted) {
      if (one !== '"') cell += one;
      else if (text[at + 1] === '"') cell += text[(at += 1)];
      else quoted = false;
    } else if (one === '"' && cell === "") quoted = true;
    else if (one === delimiter) {
      row.push(cell);
      cell = "";
    } else if (one === "\n" || one === "\r") {
      if (one === "\r" && text[at + 1] === "\n") at += 1;
      closed();
    } else cell += one;
  }
  if (row.length > 0 || cell !== "") closed();
  return rows;
}

function compareWithFile(bytes, reading, columns) {
  const encoding = { "utf-8-sig": "utf-8", cp1252: "windows-1252" }[reading.encoding];
  const decoder = new TextDecoder(encoding ?? reading.encoding, { fatal: true });
  const rows = rowsOf(decoder.decode(bytes), reading.delimiter);
  const { header: at, footer } = reading;
  require(Number.isInteger(at) && at > 0 && Number.isInteger(footer) && footer >= 0, "no such row");
  const header = rows[at - 1];
  let body = rows.slice(at).filter((row) => row.length > 0);
  body = body.slice(0, Math.max(0, body.length - footer));
  for (const { name, denominator, categories, values } of columns) {
    const place = header.indexOf(name);
    const once = place >= 0 && header.lastIndexOf(name) === place;
    require(once, `the file has not one column '${name}'`);
    require(/^10*$/.test(denominator), "a denominator is not a power of 10");
    require(body.length === values.length, `the file has ${body.length} records`);
    const codes = new Map((categories ?? []).map((text, at) => [text, BigInt(at)]));
    require(codes.size === (categories ?? []).length, "a category comes twice");
    body.forEach((row, i) => {
      const found = codes.size > 0
        ? (codes.get(row[place]) ?? null)
        : cellTimes(row[place], reading.decimal, BigInt(denominator));
      const right = found !== null && found === whole(values[i]);
      require(right, `record ${i + 1} has '${row[place]}' in column '${name}'`);
    });
  }
}

function cellTimes(cell, sign, denominator) {
  const match = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?\s*$/.exec(
    (cell ?? "").replaceAll(sign, "."),
  );
  if (!match || !(match[2] || match[3])) return null;
  const digits = BigInt(match[2] + (match[3] ?? ""));
  const power = Number(match[4] ?? 0) - (match[3] ?? "").length;
  const above = digits * denominator * 10n ** BigInt(Math.max(power, 0));
  const below = 10n ** BigInt(Math.max(-power, 0));
  if (above % below !== 0n) return null;
  return match[1] === "-" ? -above / below : above / below;
}

// --- the proof ----------------------------------------------------------------------

// Whole numbers and what they count, once or for each branch of categories.
function partsOf(column, scaling) {
  const values = column.values.map(whole);
  const n = BigInt(values.length);
  let found = [{ values, length: 1n }];
  let ends = [values.reduce((a, b) => (b < a ? b : a)), values.reduce((a, b) => (b > a ? b : a))];
  ends = ends.map((x) => [x]);
  if (column.categories !== null && column.categories.length > 0) {
    require(column.denominator === "1", "categories have a denominator");
    found = column.branches.map(([length, below]) => {
      const inside = new Set(below.map(whole));
      return { values: values.map((x) => (inside.has(x) ? 1n : 0n)), length: whole(length) };
    });
    const rows = values.map((_, i) => found.map((part) => part.values[i]));
    ends = [...new Map(rows.map((row) => [row.join(), row])).values()];
  }
  let spread;
  if (scaling === "zscore") {
    const squares = found.map(
      ({ values: x, length }) => length * (n * sum(x.map((y) => y * y)) - sum(x) ** 2n),
    );
    spread = fraction(sum(squares), n * n);
  } else if (scaling === "range") {
    let widest = 0n;
    for (const a of ends) {
      for (const b of ends) {
        const apart = sum(found.map(({ length }, j) => length * (a[j] - b[j]) ** 2n));
        if (apart > widest) widest = apart;
      }
    }
    spread = fraction(widest);
  } else {
    require(scaling === "none", "its scaling is not known");
    spread = fraction(whole(column.denominator) ** 2n);
  }
  const weight = weightOf(column.weight);
  return found.map(({ values: x, length }) => {
    require(length >= 0n, "a branch has a negative length");
    const above = length * weight[0] * spread[1];
    return { values: x, factor: spread[0] ? fraction(above, weight[1] * spread[0]) : [0n, 1n] };
  });
}

// Squared sums over sizes are rounded down, to parts that are exact for one group.
function sse(columns, factors, weights, groups) {
  const sizes = groups.map((group) => sum(group.map((i) => weights[i])));
  const fine = 10n ** 40n * sum(sizes);
  let total = [0n, 1n];
  columns.forEach((values, j) => {
    let less = 0n;
    groups.forEach((group, g) => {
      less += (sum(group.map((i) => weights[i] * values[i])) ** 2n * fine) / sizes[g];
    });
    const squares = sum(values.map((x, i) => weights[i] * x * x));
    total = plus(total, times(factors[j], plus(fraction(squares), fraction(-less, fine))));
  });
  return total;
}

// (4)
function byPairs(D, n, k, unit, proof) {
  const u = proof.prices.map(whole);
  require(u.length === n && u.every((x) => x >= 0n), "a price is missing or negative");
  const t = whole(proof.neighbours);
  require(t >= 1n && t < BigInt(k), "the number of neighbours is not from 1 to k - 1");
  let excess = 0n;
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < i; j += 1) {
      const over = u[i] + u[j] - D(i, j);
      if (over > 0n) excess += over;
    }
  }
  require(excess === whole(proof.excess), `what prices exceed D by is ${excess}`);
  return fraction((BigInt(k) - 1n) * (t * sum(u) - excess), t * BigInt(k) * unit);
}

// How often a divisor goes into a number.
const multiples = (count, v) => BigInt(Math.floor(count / v));

// (5)
class Prices {
  constructor({ prices, cuts, total }, n) {
    this.p = prices.map(whole);
    require(this.p.length === n, "there is not one price for each record");
    this.cuts = cuts.map((cut) => {
      require(cut.length === 3, "a cut is no set with a divisor and a price");
      const records = new Map();
      for (const i of cut[0]) records.set(index(i, n), (records.get(i) ?? 0) + 1);
      require(records.size > 0, "a cut is on no records");
      const v = Number(whole(cut[1]));
      const q = whole(cut[2]);
      require(q >= 0n && v >= 2, "a cut has no price, or no divisor");
      return { records, size: cut[0].length, v, q, heaviest: Math.max(...records.values()) };
    });
    this.total = sum(this.p);
    for (const { size, v, q } of this.cuts) this.total -= q * multiples(size, v);
    require(this.total === whole(total), `prices add up to ${this.total}`);
    this.of = Array.from({ length: n }, () => []);
    for (const cut of this.cuts) for (const i of cut.records.keys()) this.of[i].push(cut);
  }

  touched(group) {
    const held = new Map();
    for (const i of group) {
      for (const cut of this.of[i]) held.set(cut, (held.get(cut) ?? 0) + cut.records.get(i));
    }
    return held;
  }

  gain(group, cost) {
    let total = sum(group.map((i) => this.p[i])) - cost;
    for (const [{ v, q }, count] of this.touched(group)) total -= q * multiples(count, v);
    return total;
  }
}

// (7): calls found(group, cost) for all groups of s records that gain more than floor.
function search(D, n, prices, s, w, floor, found) {
  const order = [...Array(n).keys()];
  order.sort((a, b) => (prices.p[a] > prices.p[b] ? -1 : prices.p[a] < prices.p[b] ? 1 : a - b));
  const byCredit = (a, b) => (a.credit > b.credit ? -1 : a.credit < b.credit ? 1 : 0);
  let half = new Map();

  function kept(C, value, some, r) {
    const charge = new Map();
    const held = prices.touched(C);
    for (const [{ records, v, q }, count] of held) {
      value -= q * multiples(count, v);
      if (v > 2 || count % 2 === 0) continue;
      for (const y of records.keys()) charge.set(y, (charge.get(y) ?? 0n) + q / 2n);
    }
    for (const one of some) {
      one.credit = one.gain - (half.get(one.y)?.[r - 1] ?? 0n) - (charge.get(one.y) ?? 0n);
    }
    some.sort(byCredit);
    if (some.length < r) return [];
    const best = value + sum(some.slice(0, r).map(({ credit }) => credit));
    if (best <= floor) return [];
    for (const cut of new Set(some.slice(0, r).flatMap(({ y }) => prices.of[y]))) {
      if (best - off(cut, held.get(cut) ?? 0, some, r) <= floor) return [];
    }
    const others = best - some[r - 1].credit;
    return some.filter(({ credit }) => credit + others > floor);
  }

  // What a set of records, some of them in C, takes off the r largest credits.
  function off({ records, v, q, heaviest }, count, some, r) {
    const within = some.slice(0, r).filter(({ y }) => records.has(y));
    const counted = within.reduce((total, { y }) => total + records.get(y), 0);
    const more = Math.ceil((counted + (count % v) + 1 - v) / heaviest);
    if (v === 2 || more <= 0) return 0n;
    const free = ({ y }) => heaviest > 1 || !records.has(y);
    const instead = some.slice(r).filter(free).slice(0, more);
    if (instead.length < more) return q;
    const credits = (all) => sum(all.map(({ credit }) => credit));
    const loss = credits(within.slice(-more)) - credits(instead);
    return loss < q ? loss : q;
  }

  function grow(C, value, some, r) {
    const left = kept(C, value, some, r);
    for (let at = 0; at + r <= left.length; at += 1) {
      const { y: x, gain } = left[at];
      const group = [...C, x];
      if (r === 1) {
        const cost = sum(group.map((i) => prices.p[i])) - value - gain;
        if (prices.gain(group, cost) > floor) found(group, cost);
      } else {
        const rest = left.slice(at + 1);
        const next = rest.map(({ y, gain: g }) => ({ y, gain: g - w * D(x, y) }));
        grow(group, value + gain, next, r - 1);
      }
    }
  }

  order.forEach((first, place) => {
    half = new Map();
    const p = prices.p[first];
    let some = order.slice(place + 1);
    some = some.map((y) => ({ y, gain: prices.p[y] - w * D(first, y) }));
    for (let before = Infinity; some.length < before && s > 2; ) {
      before = some.length;
      some = kept([first], p, some, s - 1);
      half = new Map();
      for (const { y } of some) {
        const near = some.filter((one) => one.y !== y).map((one) => (w / 2n) * D(y, one.y));
        near.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        const sums = [0n];
        for (const d of near.slice(0, s - 2)) sums.push(sums.at(-1) + d);
        while (sums.length < s) sums.push(sums.at(-1));
        half.set(y, sums);
      }
    }
    grow([first], p, some, s - 1);
  });
}

// (8)
function leaves(node, n, groups, target) {
  if (!("pair" in node)) {
    const prices = new Prices(node, n);
    const open = groups.filter(({ group, cost }) => {
      const gain = prices.gain(group, cost);
      require(gain <= 0n, `records ${group} gain at a node`);
      return gain > prices.total - target;
    });
    require(node.tree !== undefined, "a node does not say what is below it");
    if (node.tree === null) return prices.total;
    const below = leaves(node.tree, n, open, target);
    return below < target ? below : target;
  }
  const [i, j] = node.pair;
  require(node.pair.length === 2, "a node has no pair");
  const both = ({ group }) => group.includes(i) && group.includes(j);
  const same = ({ group }) => group.includes(i) === group.includes(j);
  const one = leaves(node.together, n, groups.filter(same), target);
  const other = leaves(node.apart, n, groups.filter((each) => !both(each)), target);
  return one < other ? one : other;
}

function byGroups(D, n, k, unit, proof) {
  let W = 1n; // (5)
  for (let s = BigInt(k); s < 2n * BigInt(k); s += 1n) W = (W * s) / gcd(W, s);
  W *= 2n;
  const prices = new Prices(proof, n);
  const { tree } = proof;
  require(tree === null || typeof tree === "object", "there is no tree");
  const target = whole(proof.target);
  require(target >= prices.total, "the target lies below what prices prove");
  const floor = prices.total - target;
  const groups = [];
  const alone = floor === 0n && prices.cuts.length === 0; // (6)
  for (let s = k; s <= (alone ? k : Math.min(2 * k - 1, n)); s += 1) {
    search(D, n, prices, s, W / BigInt(s), floor, (group, cost) => {
      require(prices.gain(group, cost) <= 0n, `records ${group} gain`);
      groups.push({ group, cost });
    });
  }
  let least = prices.total;
  if (tree !== null) {
    least = leaves(tree, n, groups, target);
    if (target < least) least = target;
  }
  return fraction(least, W * unit);
}

function checked(content, file) {
  const { columns, k, proof, scaling } = content;
  require(sha256(file) === content.file.sha256, "the file is not the one of the certificate");
  const every = content.weights === null ? columns : [...columns, content.weights];
  const read = every.filter((column) => column.read);
  if (read.length > 0) compareWithFile(file, content.reading, read);
  require(new Set(columns.map(({ name }) => name)).size === columns.length, "a column comes twice");
  const parts = columns.flatMap((column) => partsOf(column, scaling));
  const all = parts[0].values.length;
  const single = content.weights === null;
  const weighed = single ? Array(all).fill(1n) : content.weights.values.map(whole);
  const lengths = [weighed, content.labels, ...parts.map((part) => part.values)];
  const alike = lengths.every((column) => Array.isArray(column) && column.length === all);
  require(all > 0 && alike, "columns differ in length");
  require(weighed.every((w) => w > 0n), "a weight is not above 0");
  require(Number.isInteger(k) && k >= 2, "k is not a whole number of at least 2");
  // Records left out count for scales, and for nothing else.
  const stay = [...Array(all).keys()].filter((i) => content.labels[i] !== -1);
  const kept = (column) => stay.map((i) => column[i]);
  const values = parts.map((part) => kept(part.values));
  const weights = kept(weighed);
  const labels = kept(content.labels);
  const n = stay.length;
  const groups = [];
  labels.forEach((label, i) => (groups[index(label, n)] ??= []).push(i));
  require(groups.length > 0, "no record is in a group");
  for (let g = 0; g < groups.length; g += 1) {
    require((groups[g]?.length ?? 0) >= k, `a group has fewer than k = ${k} records`);
  }
  const factors = parts.map((part) => part.factor);
  const sst = sse(values, factors, weights, [[...Array(n).keys()]]);
  require(sst[0] > 0n, "all records are equal");
  const share = ([a, b]) => fraction(100n * a * sst[1], b * sst[0]);
  const loss = share(sse(values, factors, weights, groups));
  const unit = whole(content.unit);
  require(unit > 0n, "the unit is not positive");
  const counts = factors.map(([a, b]) => floorOf(unit * a, b)); // (3)
  const known = new Map();
  const D = (i, j) => {
    const key = i < j ? i * n + j : j * n + i;
    let d = known.get(key);
    if (d === undefined) {
      d = sum(values.map((column, c) => counts[c] * (column[i] - column[j]) ** 2n));
      if (known.size < 2_000_000) known.set(key, d);
    }
    return d;
  };
  const { strata } = content;
  const named = strata === null ? Array(all).fill(0) : strata.of;
  const proofs = strata === null ? [proof] : proof;
  const one = named.length === all && Array.isArray(proofs);
  require(one, "there is not one proof for each stratum");
  const of = kept(named);
  const members = proofs.map(() => []);
  of.forEach((stratum, i) => members[index(stratum, proofs.length)].push(i));
  require(members.every((some) => some.length > 0), "a stratum has no records");
  const together = (group) => group.every((i) => of[i] === of[group[0]]);
  require(groups.every(together), "a group lies in two strata");
  let proven = [0n, 1n];
  proofs.forEach((one, number) => {
    // (9)
    const some = members[number];
    const inner = (i, j) => D(some[i], some[j]);
    require(["pairs", "groups"].includes(one.kind), "its kind of proof is not known");
    const by = one.kind === "pairs" ? byPairs : byGroups;
    const found = by(inner, some.length, k, unit, one);
    const least = some.reduce((w, i) => (weights[i] < w ? weights[i] : w), weights[some[0]]);
    if (found[0] > 0n) proven = plus(proven, times(fraction(least), found));
  });
  const bound = share(proven);
  require(most(bound, loss), "the bound lies above the loss");
  require(decimals(loss, true) === content.loss, `the loss is ${decimals(loss, true)} %`);
  require(decimals(bound, false) === content.bound, `proven is ${decimals(bound, false)} %`);
  const gap = plus(loss, [-bound[0], bound[1]]);
  return {
    holds: true,
    loss: content.loss,
    bound: content.bound,
    best: most(times(gap, [10n ** 9n, 1n]), loss),
    k,
    records: n,
    left: all - n,
    read: read.map(({ name }) => name),
    taken: every.filter((column) => !column.read).map(({ name }) => name),
    hierarchies: columns.filter(({ categories }) => categories?.length).map(({ name }) => name),
    strata: strata === null ? [] : strata.columns,
    weights: content.weights === null ? null : content.weights.name,
  };
}

// Where a certificate lacks something, JavaScript throws a TypeError and the like.
export function certify(certificate, file) {
  try {
    return checked(opened(certificate), file);
  } catch (error) {
    const damaged = `the certificate is incomplete or damaged (${error.message})`;
    return { holds: false, why: error instanceof Refused ? error.message : damaged };
  }
}
