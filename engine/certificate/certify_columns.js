// What certify.js makes of the columns of a certificate: numbers with gaps filled or not,
// what they count, and the sums of squares of groups.

import {
  add, fraction, isGap, maxOf, minOf, multiply, require, sum, toInt, toInts,
} from "./certify_file.js";

// How many values a column lacks, and what became of them.
export function countGaps({ name, missing: texts, values }) {
  require(texts !== undefined, "it does not say what stands for no value");
  const count = (what) => values.filter((value) => value === what).length;
  const [stay, median, mode] = [null, "median", "mode"].map(count);
  return { column: name, texts, missing: stay + median + mode, stay, median, mode };
}

// (10)
function fillGaps(values, categories) {
  require(Array.isArray(values), "values are missing");
  const read = values.map((value) => (isGap(value) ? value : toInt(value)));
  const known = read.filter((value) => !isGap(value));
  known.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  require(known.length > 0, "a column has no values at all");
  const half = (known.length - 1) / 2;
  const twice = known[Math.floor(half)] + known[Math.ceil(half)];
  const halved = categories === null && twice % 2n === 0n;
  require(halved || !values.includes("median"), "a median is no whole number");
  let [mode, often] = [null, 0];
  for (let first = 0, at = 1; at <= known.length; at += 1) {
    if (at < known.length && known[at] === known[first]) continue;
    if (at - first > often) [mode, often] = [known[first], at - first];
    first = at;
  }
  const fills = { median: twice / 2n, mode };
  return read.map((value) => (typeof value === "string" ? fills[value] : value));
}

// Numbers, null for gaps, and what they count, once or for each branch of categories.
export function splitColumn({ categories, branches, denominator, weight, values }, scaling) {
  const filled = fillGaps(values, categories);
  const x = filled.filter((one) => one !== null);
  const n = BigInt(x.length);
  const share = toInts(weight.split("/"));
  require(share.length < 3, "a weight is no fraction");
  let found = [{ values: x, side: (y) => y, length: 1n }];
  let ends = [[minOf(x)], [maxOf(x)]];
  require(categories !== null || branches === null, "numbers have branches");
  if (categories !== null) {
    require(Array.isArray(categories), "categories are missing");
    require(denominator === "1", "categories have a denominator");
    const below = branches.map(([length, some, ...more]) => {
      require(more.length === 0, "a branch is wrong");
      return [toInt(length), new Set(toInts(some))];
    });
    found = below
      .filter(([, some]) => some.size > 0)
      .map(([length, some]) => {
        const side = (y) => (some.has(y) ? 1n : 0n);
        return { values: x.map(side), side, length };
      });
    const rows = x.map((_, i) => found.map((part) => part.values[i]));
    ends = [...new Map(rows.map((row) => [row.join(), row])).values()];
  }
  let spread = fraction(toInt(denominator) ** 2n);
  if (scaling === "zscore") {
    const squares = found.map(
      ({ values: y, length }) => length * (n * sum(y.map((one) => one * one)) - sum(y) ** 2n),
    );
    spread = fraction(sum(squares), n * n);
  } else if (scaling === "range") {
    /** @type {(a: bigint[], b: bigint[]) => bigint} */
    const apart = (a, b) => sum(found.map(({ length }, j) => length * (a[j] - b[j]) ** 2n));
    spread = fraction(maxOf(ends.flatMap((a) => ends.map((b) => apart(a, b)))));
  } else {
    require(scaling === "none", "its scaling is not known");
  }
  const [above, below] = fraction(share[0], share[1]);
  require(above >= 0n && found.every(({ length }) => length >= 0n), "a weight is below 0");
  if (!spread[0]) spread = [1n, 1n]; // of equal values, which have no distance
  return found.map(({ side, length }) => ({
    values: filled.map((y) => (y === null ? null : side(y))),
    factor: fraction(length * above * spread[1], below * spread[0]),
  }));
}

// Squared sums over sizes are rounded down, to parts that are exact for one group. A
// gap adds nothing.
export function sse(parts, weights, groups) {
  let total = fraction(0n);
  for (const { values, factor } of parts) {
    const known = groups
      .map((group) => group.filter((i) => values[i] !== null))
      .filter((group) => group.length > 0);
    const sizes = known.map((group) => sum(group.map((i) => weights[i])));
    const fine = 10n ** 40n * (sum(sizes) || 1n);
    let [less, squares] = [0n, 0n];
    known.forEach((group, g) => {
      less += (sum(group.map((i) => weights[i] * values[i])) ** 2n * fine) / sizes[g];
      squares += sum(group.map((i) => weights[i] * values[i] ** 2n));
    });
    total = add(total, multiply(factor, add(fraction(squares), fraction(-less, fine))));
  }
  return total;
}
