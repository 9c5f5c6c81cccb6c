// Check a certificate of Coterie in a browser: a second checker, written apart from
// certify.py, by the theorem that stands there. Whole numbers are BigInts; lines (1)
// to (10) are those of its proof.
//
// `certify(certificate, file, allowed)` takes the bytes of both, as Uint8Arrays, and how
// many records need not be covered, as "3" or "1%". It promises {holds: true, loss, bound,
// best, k, records, left, lost, unseen, read, taken, hierarchies, strata, persons, weights,
// gaps, excused} or {holds: false, why}, or {impossible: true} where so many cannot be.

import { extractTable } from "./certify_archive.js";
import { countGaps, splitColumn, sse } from "./certify_columns.js";
import {
  Refused, add, comparePeople, compareWithFile, floorDivide, fraction, gcd, maxOf, minOf,
  multiply, parseMaxUncovered, require, sha256, sum, toInt, toInts, toRecordIndex,
} from "./certify_file.js";

const FORMAT = "coterie-certificate-5";
const DEEPEST = 900; // levels of a certificate: Python has no more
const LISTED = 1_000_000; // groups of L in (8)
const STORED = 2e7; // distances that are kept

// --- numbers ---------------------------------------------------------------------

const bitLength = (n) => n.toString(16).length * 4; // of n >= 0, or some more

/** @typedef {import("./certify_file.js").Fraction} Fraction */

/** @type {(value: Fraction, up: boolean) => string} */
function toDecimal([n, d], up) {
  const units = up ? -floorDivide(-n * 10n ** 18n, d) : floorDivide(n * 10n ** 18n, d);
  const text = units.toString().padStart(19, "0");
  return `${text.slice(0, -18)}.${text.slice(-18)}`;
}

// --- the certificate ----------------------------------------------------------------

function parseCertificate(bytes) {
  const bare = bytes.slice();
  bare.fill(48, 12, 76);
  const digest = String.fromCharCode(...bytes.slice(12, 76));
  require(sha256(bare) === digest, "this is no certificate, or it was changed since");
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const content = JSON.parse(text);
  // As Python writes it, with a space after each sign between: no name is there twice,
  // and no number in another way than that in which it is read.
  const between = /("(?:[^"\\]+|\\.)*")|[,:]/g;
  const again = JSON.stringify(content).replace(between, (all, part) => part ?? `${all} `);
  const halves = /\\ud[89a-f]/.test(again.replaceAll("\\\\", ""));
  require(again === text && !halves, "its text is not as it is written");
  let level = 0;
  for (const sign of text.replace(/"(?:[^"\\]+|\\.)*"/g, "").match(/[[\]{}]/g)) {
    level += sign === "[" || sign === "{" ? 1 : -1;
    require(level < DEEPEST, "it has too many levels");
  }
  require(content.format === FORMAT, `its format is not ${FORMAT}`);
  const { file, method, persons, versions } = content;
  require(!("persons" in content && persons === null), "persons are wrong");
  checkNames("", content);
  const remarks = [method, file.name, ...Object.values(versions)];
  const named = Object.keys(versions).every((name) => /^[A-Za-z][A-Za-z._-]*$/.test(name));
  const told = named && remarks.every((text) => typeof text === "string");
  const list = typeof versions !== "object" || Array.isArray(versions);
  require(told && !list, "a remark in it is no text");
  return content;
}

const COLUMN = "name weight denominator read categories branches missing values";
const NODE = "prices cuts total tree";

// All names in a certificate, by where they stand.
const TOLD = {
  "": "digest format file reading method versions k scaling columns weights labels"
    + " strata persons unit proof loss bound",
  file: "name sha256",
  reading: "encoding delimiter decimal header footer",
  columns: COLUMN,
  weights: COLUMN,
  strata: "columns of",
  persons: "columns of constant counts",
  "proof pairs": "kind neighbours prices excess",
  "proof groups": `kind target ${NODE}`,
  "proof persons": "kind total",
  tree: NODE,
  together: NODE,
  apart: NODE,
  pair: "pair together apart",
};

// Refuses names of what is not read: a certificate hides nothing.
function checkNames(where, some) {
  if (Array.isArray(some)) some.forEach((part) => checkNames(where, part));
  else if (some !== null && typeof some === "object" && where !== "versions") {
    const kind = where === "proof" ? `proof ${some.kind}` : where;
    const known = (TOLD["pair" in some ? "pair" : kind] ?? "").split(" ");
    const more = Object.keys(some).filter((name) => !known.includes(name));
    require(more.length === 0, `${where || "it"} says ${more}, which is not understood`);
    Object.entries(some).forEach(([name, part]) => checkNames(name, part));
  }
}

// --- the proof ----------------------------------------------------------------------

// Distances D of (3). BigInts are slow, so what most pairs need is not D but a number
// that is certain not to exceed it: see `below`.
class Distances {
  /**
   * @param {bigint[][]} columns
   * @param {bigint[]} counts
   */
  constructor(columns, counts) {
    this.columns = columns;
    this.counts = counts;
    this.n = columns[0].length;
    this.known = new Map();
    this.rows = new Map();
  }

  of(i, j) {
    const key = i < j ? i * this.n + j : j * this.n + i;
    let d = this.known.get(key);
    if (d !== undefined) return d;
    d = sum(this.columns.map((x, c) => this.counts[c] * (x[i] - x[j]) ** 2n));
    if (this.known.size < STORED / 10) this.known.set(key, d);
    return d;
  }

  // From now on, `below` is in units of 2^unit. Numbers of a column become differences
  // from its least, without what makes them longer than 53 bits, so that doubles hold
  // them, and subtract them, exactly; what is left out makes two of them differ by less
  // than 1 less. All else rounds by 2^-53 of itself, some p + 5 times, as nothing is
  // below 0: `safe` takes off more than that.
  in(unit) {
    this.safe = 1 - (this.columns.length + 8) * 2 ** -52;
    this.rough = this.columns.map((x, c) => {
      const start = minOf(x);
      const cut = Math.max(0, bitLength(maxOf(x) - start) - 53);
      const count = this.counts[c] << BigInt(2 * cut);
      const long = Math.max(0, bitLength(count) - 64);
      const size = Number(count >> BigInt(long)) * 2 ** (long - unit);
      const short = Float64Array.from(x, (y) => Number((y - start) >> BigInt(cut)));
      return { short, less: cut > 0 ? 1 : 0, size: Math.min(size, 1e200) };
    });
    this.rows.clear();
  }

  // Numbers that D from a record to all, in units, does not fall below.
  below(i) {
    let row = this.rows.get(i);
    if (row !== undefined) return row;
    row = new Float64Array(this.n);
    for (const { short, less, size } of this.rough) {
      for (let j = 0; j < row.length; j += 1) {
        const apart = Math.abs(short[i] - short[j]) - less;
        if (apart > 0) row[j] += size * apart * apart;
      }
    }
    for (let j = 0; j < row.length; j += 1) row[j] *= this.safe;
    if (this.rows.size * this.n > STORED) this.rows.clear();
    this.rows.set(i, row);
    return row;
  }
}

// A number in units of 2^unit, rounded down, or up.
const units = (x, unit) => Number(x >> BigInt(unit));
const unitsUp = (x, unit) => -units(-x, unit);

// (11)
function boundByPersons(distances, k, unit, proof, who) {
  distances.in(0);
  let total = 0n;
  who.forEach((own, i) => {
    const row = distances.below(i);
    const near = new Map(); // of each other person the record that seems nearest
    who.forEach((other, j) => {
      if (j === i || other === -1 || other === own) return;
      const known = near.get(other);
      if (known === undefined || row[j] < row[known]) near.set(other, j);
    });
    const wanted = own === -1 ? k : k - 1;
    const seeming = [...near.values()].sort((a, b) => row[a] - row[b]).slice(0, wanted);
    require(seeming.length === wanted, "a record has too few other people");
    // What is farther than all of these neither is one of the nearest nor lowers a mean.
    const far = Number(maxOf(seeming.map((j) => distances.of(i, j)))) * (1 + 2 ** -40);
    const some = [];
    row.forEach((d, j) => {
      if (j !== i && d <= far) some.push([distances.of(i, j), who[j]]);
    });
    some.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
    const met = new Set([-1, own]);
    const known = met.size;
    const others = [];
    let paid = 0n;
    for (const [d, other] of some) {
      if (met.size - known < wanted && !met.has(other)) {
        met.add(other);
        paid += d;
      } else others.push(d);
    }
    let size = BigInt(1 + wanted);
    for (const d of others) {
      if (d * size >= paid) break;
      paid += d;
      size += 1n;
    }
    total += paid / (2n * size);
  });
  require(total === toInt(proof.total), `records pay ${total} at least`);
  return fraction(total, unit);
}

// (4)
function boundByPairs(distances, k, unit, proof) {
  const { n } = distances;
  const u = toInts(proof.prices);
  require(u.length === n && u.every((x) => x >= 0n), "a price is missing or negative");
  const t = toInt(proof.neighbours);
  require(t >= 1n && t < BigInt(k), "the number of neighbours is not from 1 to k - 1");
  const size = Math.max(0, bitLength(maxOf(u)) - 50);
  distances.in(size);
  const high = u.map((x) => unitsUp(x, size));
  let excess = 0n;
  for (let i = 0; i < n; i += 1) {
    const row = distances.below(i);
    for (let j = 0; j < i; j += 1) {
      if (high[i] + high[j] <= row[j]) continue; // sums of whole numbers below 2^52
      const over = u[i] + u[j] - distances.of(i, j);
      if (over > 0n) excess += over;
    }
  }
  require(excess === toInt(proof.excess), `what prices exceed D by is ${excess}`);
  return fraction((BigInt(k) - 1n) * (t * sum(u) - excess), t * BigInt(k) * unit);
}

// (5): m is how often a cut counts a record at most.
class Prices {
  constructor({ prices, cuts, total }, n) {
    this.p = toInts(prices);
    require(this.p.length === n, "there is not one price for each record");
    this.total = sum(this.p);
    this.of = Array.from({ length: n }, () => []);
    this.cuts = cuts.map(([some, divisor, price, ...more], c) => {
      require(Array.isArray(some) && some.length > 0 && more.length === 0, "a cut is wrong");
      const T = new Map();
      for (const one of some) {
        const i = toRecordIndex(one, n);
        T.set(i, (T.get(i) ?? 0) + 1);
      }
      for (const [i, count] of T) this.of[i].push([c, count]);
      const [v, q] = [Number(toInt(divisor)), toInt(price)];
      require(q >= 0n && v >= 2, "a cut has no price, or no divisor");
      this.total -= q * BigInt(Math.floor(some.length / v));
      return { T, v, q, m: Math.max(...T.values()) };
    });
    require(this.total === toInt(total), `prices add up to ${this.total}`);
  }

  // How often the cuts count records.
  held(group) {
    const held = new Map();
    for (const i of group) {
      for (const [c, count] of this.of[i]) held.set(c, (held.get(c) ?? 0) + count);
    }
    return held;
  }

  /** @type {(group: number[], cost: bigint) => bigint} */
  gain(group, cost) {
    let total = -cost;
    for (const i of group) total += this.p[i];
    for (const [c, count] of this.held(group)) {
      const { v, q } = this.cuts[c];
      if (count >= v) total -= q * BigInt(Math.floor(count / v));
    }
    return total;
  }
}

// (7): calls found(group, cost) for all groups of s records that gain more than floor.
// (7) is used for prices in units, rounded up, and q, D and the floor rounded down, so
// that a group gains no less by them: who gains more than the floor is found. They are
// whole numbers in doubles. With P the largest price, a distance counts at most `far`,
// more than what s records are worth above the floor, and no sum that occurs exceeds
// 8 s^3 P + 8 s^2 |floor| + 4 s sum q: the unit keeps that below 2^53, where sums of
// whole numbers are exact.
function findGroups(distances, prices, s, w, floor, found) {
  const size = (x) => (x < 0n ? -x : x);
  const [S, P, F] = [BigInt(s), maxOf(prices.p.map(size)), size(floor)];
  const Q = sum(prices.cuts.map(({ q }) => q));
  const unit = Math.max(0, bitLength(8n * S * S * (S * P + F) + 4n * S * Q) - 51);
  const far = 2 * (s * unitsUp(P, unit) + unitsUp(F, unit)) + 1;
  const p = prices.p.map((x) => unitsUp(x, unit));
  const cuts = prices.cuts.map((cut) => ({ ...cut, q: units(cut.q, unit) }));
  const bottom = units(floor, unit);
  distances.in(unit);
  const half = Number(w / 2n); // w is even
  const halfOf = (row, y) => Math.floor(Math.min(row[y] * half * distances.safe, far));
  const n = p.length;
  const order = [...p.keys()].sort((a, b) => p[b] - p[a] || a - b);
  let nearest = new Map();

  function keepCandidates(C, value, some, r) {
    const charge = new Map();
    const held = prices.held(C);
    for (const [c, count] of held) {
      const { T, v, q } = cuts[c];
      value -= q * Math.floor(count / v);
      if (v > 2 || count % 2 === 0) continue;
      for (const y of T.keys()) charge.set(y, (charge.get(y) ?? 0) + Math.floor(q / 2));
    }
    for (const one of some) {
      one.credit = one.gain - (nearest.get(one.y)?.[r - 1] ?? 0) - (charge.get(one.y) ?? 0);
    }
    some.sort((a, b) => b.credit - a.credit);
    if (some.length < r) return [];
    const first = some.slice(0, r);
    const best = first.reduce((total, { credit }) => total + credit, value);
    if (best <= bottom) return [];
    for (const c of new Set(first.flatMap(({ y }) => prices.of[y].map(([cut]) => cut)))) {
      if (best - cutReduction(cuts[c], held.get(c) ?? 0, some, r) <= bottom) return [];
    }
    const others = best - some[r - 1].credit;
    return some.filter(({ credit }) => credit + others > bottom);
  }

  // What a set of records, some of them in C, takes off the r largest credits.
  function cutReduction({ T, v, q, m }, count, some, r) {
    const within = some.slice(0, r).filter(({ y }) => T.has(y));
    const counted = within.reduce((total, { y }) => total + T.get(y), 0);
    const more = Math.ceil((counted + (count % v) + 1 - v) / m);
    if (v === 2 || more <= 0) return 0;
    const instead = [];
    for (let at = r; at < some.length && instead.length < more; at += 1) {
      if (m > 1 || !T.has(some[at].y)) instead.push(some[at]);
    }
    if (instead.length < more) return q;
    const credits = (all) => all.reduce((total, { credit }) => total + credit, 0);
    return Math.min(q, credits(within.slice(-more)) - credits(instead));
  }

  function grow(C, value, some, r) {
    const left = keepCandidates(C, value, some, r);
    for (let at = 0; at + r <= left.length; at += 1) {
      const { y: x, gain } = left[at];
      const group = [...C, x];
      if (r > 1) {
        const row = distances.below(x);
        const next = left.slice(at + 1);
        const rest = next.map(({ y, gain: g }) => ({ y, gain: g - 2 * halfOf(row, y) }));
        grow(group, value + gain, rest, r - 1);
        continue;
      }
      const pairs = group.flatMap((a, i) => group.slice(0, i).map((b) => distances.of(a, b)));
      const cost = w * sum(pairs);
      if (prices.gain(group, cost) > floor) found(group, cost);
    }
  }

  // Sums of half distances to the nearest of some records, but for itself.
  function sumNearest(y, some) {
    const [row, near] = [distances.below(y), Array(s).fill(far)];
    for (const { y: other } of some) {
      let d = other === y ? far : halfOf(row, other);
      for (let at = 0; d < near[s - 1] && at < s; at += 1) {
        if (d < near[at]) [near[at], d] = [d, near[at]];
      }
    }
    const sums = [0];
    for (let r = 1; r < s; r += 1) sums.push(sums[r - 1] + near[r - 1]);
    return sums;
  }

  order.forEach((first, place) => {
    const row = distances.below(first);
    const gains = new Float64Array(n - place - 1);
    for (let at = 0; at < gains.length; at += 1) {
      const y = order[place + 1 + at];
      gains[at] = p[y] - 2 * halfOf(row, y);
    }
    if (gains.length < s - 1) return;
    // With the s-2 largest, one that is not above the floor is in no group: (7).
    const largest = gains.slice().sort().subarray(gains.length - s + 2);
    const bar = bottom - p[first] - largest.reduce((total, gain) => total + gain, 0);
    let some = [];
    gains.forEach((gain, at) => {
      if (gain > bar) some.push({ y: order[place + 1 + at], gain });
    });
    nearest = new Map();
    some = keepCandidates([first], p[first], some, s - 1);
    for (let before = Infinity; s > 2 && some.length < 0.9 * before; ) {
      before = some.length;
      nearest = new Map(some.map(({ y }) => [y, sumNearest(y, some)]));
      some = keepCandidates([first], p[first], some, s - 1);
    }
    grow([first], p[first], some, s - 1);
  });
}

// (8)
function boundAtNode(node, n, groups, target) {
  if (!("pair" in node)) {
    const prices = new Prices(node, n);
    const open = groups.filter(({ group, cost }) => {
      const gain = prices.gain(group, cost);
      require(gain <= 0n, `records ${group} gain at a node`);
      return gain > prices.total - target;
    });
    require(node.tree !== undefined, "a node does not say what is below it");
    if (node.tree === null) return prices.total;
    return minOf([target, boundAtNode(node.tree, n, open, target)]);
  }
  const [i, j, ...more] = toInts(node.pair).map(Number);
  require(j !== undefined && more.length === 0, "a node has no pair");
  const both = ({ group }) => group.includes(i) && group.includes(j);
  const same = ({ group }) => group.includes(i) === group.includes(j);
  const apart = groups.filter((each) => !both(each));
  return minOf([
    boundAtNode(node.together, n, groups.filter(same), target),
    boundAtNode(node.apart, n, apart, target),
  ]);
}

function boundByGroupPrices(distances, k, unit, proof) {
  const { n } = distances;
  let W = 1n; // (5)
  for (let s = BigInt(k); s < 2n * BigInt(k); s += 1n) W = (W * s) / gcd(W, s);
  W *= 2n;
  const prices = new Prices(proof, n);
  const target = toInt(proof.target);
  require(target >= prices.total, "the target lies below what prices prove");
  const floor = prices.total - target;
  const groups = [];
  const alone = floor === 0n && prices.cuts.length === 0; // (6)
  for (let s = k; s <= (alone ? k : Math.min(2 * k - 1, n)); s += 1) {
    findGroups(distances, prices, s, W / BigInt(s), floor, (group, cost) => {
      require(prices.gain(group, cost) <= 0n, `records ${group} gain`);
      groups.push({ group, cost });
      require(groups.length <= LISTED, "too many groups are left open");
    });
  }
  require(proof.tree !== undefined, "there is no tree");
  const tree = proof.tree === null ? prices.total : boundAtNode(proof.tree, n, groups, target);
  return fraction(minOf([target, tree]), W * unit);
}

const KINDS = new Map([
  ["pairs", boundByPairs],
  ["groups", boundByGroupPrices],
  ["persons", boundByPersons],
]);

// (11)
function classesOf(groups, who, counts) {
  const met = new Map();
  groups.forEach((group, g) => {
    for (const i of group) {
      if (!met.has(who[i])) met.set(who[i], []);
      met.get(who[i]).push(g);
    }
  });
  const nameOf = (some) => [...(counts ? some : new Set(some))].join();
  const sets = new Map([...met].map(([person, some]) => [person, nameOf(some)]));
  const found = new Map();
  for (const group of groups) {
    const names = new Set(group.filter((i) => who[i] !== -1).map((i) => sets.get(who[i])));
    require(names.size === 1, "people of a group have records in other groups");
    const [name] = names;
    if (!found.has(name)) found.set(name, []);
    found.get(name).push(...group);
  }
  return [...found.values()];
}

function checkProofs(content, file, packed, allowed) {
  const { columns, k, labels, proof, scaling, strata, weights: weight } = content;
  require(sha256(file) === content.file.sha256, "the file is not the one of the certificate");
  const every = weight === null ? columns : [...columns, weight];
  require(every.every((column) => "read" in column), "it does not say what was read");
  const right = Array.isArray(labels) && labels.every((x) => Number.isSafeInteger(x));
  require(right, "a label is no whole number");
  const read = every.filter((column) => column.read === true);
  const counted = content.reading !== null;
  require(counted || read.length === 0, "nothing says how to read it");
  const alone = labels.filter((label) => label === -2).map(() => null);
  const unread = { reasons: alone, beside: 0, lines: 0 };
  const { reasons, beside, lines } = counted ? compareWithFile(file, content, read) : unread;
  const lost = reasons.length;
  const names = columns.map(({ name }) => name).filter((name) => typeof name === "string");
  const named = new Set(names).size === columns.length && (weight === null || "name" in weight);
  require(named, "a column has no name, or that of another");
  const parts = columns.flatMap((column) =>
    splitColumn(column, scaling).map((part) => ({ ...part, name: column.name })),
  );
  const plain = ({ branches, categories, weight: share }) =>
    branches === null && categories === null && share === "1";
  require(weight === null || plain(weight), "weights are no numbers");
  const known = labels.filter((label) => label !== -2);
  const all = known.length;
  const w = weight === null ? Array(all).fill(1n) : toInts(weight.values);
  const homes = strata === null ? Array(all).fill(0n) : toInts(strata.of);
  require(strata === null || Array.isArray(strata.columns), "strata have no columns");
  const lengths = [w, homes, ...columns.map(({ values }) => values)];
  require(all > 0 && lengths.every(({ length }) => length === all), "columns differ in length");
  const unit = toInt(content.unit);
  require(unit > 0n && w.every((one) => one > 0n), "a unit or weight is not above 0");
  require(Number.isSafeInteger(k) && k >= 2, "k is not a whole number of at least 2");
  // Records left out count for scales and what fills gaps, and for nothing else.
  const groups = [];
  const members = new Map(); // (9): of each stratum, apart where gaps are others
  const of = homes.map((home, i) => [home, ...columns.map((x) => x.values[i] === null)].join());
  known.forEach((label, i) => {
    if (label === -1) return;
    (groups[toRecordIndex(label, all)] ??= []).push(i);
    if (!members.has(of[i])) members.set(of[i], []);
    members.get(of[i]).push(i);
  });
  const full = Array.from(groups, (group) => group?.length >= k).every(Boolean);
  require(groups.length > 0 && full, `a group has fewer than k = ${k} records`);
  const together = (group) => group.every((i) => of[i] === of[group[0]]);
  require(groups.every(together), "a group lies in two strata, or has other gaps");
  const persons = "persons" in content ? content.persons : null;
  let classes = [];
  if (persons !== null) {
    const { of: who, columns: by } = persons;
    const full = Array.isArray(by) && Array.isArray(who) && who.length === all;
    require(full && who.every((x) => Number.isSafeInteger(x) && x >= -1), "persons are wrong");
    const people = groups.map((group) => new Set(group.map((i) => who[i]).filter((x) => x !== -1)));
    require(people.every(({ size }) => size >= k), `a group has fewer than k = ${k} persons`);
    const { counts = false } = persons;
    const told = [0, 1, false, true].includes(counts) && (!counts || persons.constant !== null);
    require(told, "persons are wrong");
    if (persons.constant !== null) {
      const names = columns.map(({ name }) => name);
      const listed = Array.isArray(persons.constant);
      require(listed && persons.constant.every((x) => names.includes(x)), "no such column");
      classes = classesOf(groups, who, counts);
    }
  }
  const people = persons === null ? [] : persons.columns;
  const compared = people.length > 0 && counted && comparePeople(file, content, persons);
  const complete = Array.isArray(proof) && proof.length === members.size;
  require(complete, "there is not one proof for each stratum");
  const factors = parts.map((part) => part.factor);
  const counts = factors.map(([a, b]) => floorDivide(unit * a, b)); // (3)
  let proven = fraction(0n);
  [...members.values()].forEach((some, number) => {
    const one = proof[number];
    const inside = (column) => some.map((i) => column[i] ?? 0n); // (9)
    const distances = new Distances(parts.map(({ values }) => inside(values)), counts);
    const prove = KINDS.get(one.kind);
    require(prove !== undefined, "its kind of proof is not known");
    require(one.kind !== "persons" || persons !== null, "nobody says who records are about");
    const whose = persons === null ? [] : some.map((i) => persons.of[i]);
    const found = prove(distances, k, unit, one, whose);
    if (found[0] > 0n) proven = add(proven, multiply([minOf(inside(w)), 1n], found));
  });
  const stay = groups.flat();
  const sst = sse(parts, w, [stay]);
  require(sst[0] > 0n, "all records are equal");
  /** @type {(value: Fraction) => Fraction} */
  const share = ([a, b]) => fraction(100n * a * sst[1], b * sst[0]);
  const wide = new Set(classes.length > 0 ? persons.constant : []);
  const ofClasses = sse(parts.filter(({ name }) => wide.has(name)), w, classes);
  const ofGroups = sse(parts.filter(({ name }) => !wide.has(name)), w, groups);
  const [loss, bound] = [share(add(ofClasses, ofGroups)), share(proven)];
  const gap = add(loss, fraction(-bound[0], bound[1]));
  require(gap[0] >= 0n, "the bound lies above the loss");
  const above = toDecimal(loss, true);
  require(above === content.loss, `the loss is ${above} %`);
  const below = toDecimal(bound, false);
  require(below === content.bound, `the bound is ${below} %`);
  const uncovered = all - stay.length + lost + beside;
  return {
    holds: true,
    loss: content.loss,
    bound: content.bound,
    best: add(loss, multiply(gap, [-(10n ** 9n), 1n]))[0] >= 0n,
    k,
    records: stay.length,
    left: all - stay.length,
    lost,
    all: all + lost + beside,
    uncovered,
    excused: parseMaxUncovered(allowed, all + lost + beside)(uncovered),
    unseen: reasons.filter((reason) => reason === null).length,
    reasons: [...new Set(reasons.filter((reason) => reason !== null))].map(
      (reason) => `${reason} (${reasons.filter((one) => one === reason).length})`,
    ),
    beside,
    lines: lines - beside,
    packed,
    counted,
    read: [...read.map(({ name }) => name), ...(compared ? people : [])],
    taken: [
      ...every.filter((column) => column.read !== true).map(({ name }) => name),
      ...(compared ? [] : people),
    ],
    hierarchies: columns.filter(({ categories }) => categories?.length).map(({ name }) => name),
    strata: strata === null ? [] : strata.columns,
    persons: people,
    histories: classes.length > 0,
    counts: Boolean(persons?.counts),
    wide: [...wide],
    weights: weight === null ? null : weight.name,
    gaps: columns.map(countGaps).filter(({ missing }) => missing > 0),
  };
}

// Where a certificate lacks something, JavaScript throws a TypeError and the like.
export async function certify(certificate, file, allowed = "0") {
  try {
    parseMaxUncovered(allowed, Infinity);
    const content = parseCertificate(certificate);
    const { table, names } = await extractTable(file, content.file.sha256);
    return checkProofs(content, table, names, allowed);
  } catch (error) {
    if (error instanceof RangeError && error.cause === parseMaxUncovered) {
      return { holds: false, impossible: true, why: error.message };
    }
    const damaged = `the certificate is incomplete or damaged (${error.message})`;
    return { holds: false, why: error instanceof Refused ? error.message : damaged };
  }
}
