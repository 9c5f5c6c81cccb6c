// Fuzzy clusters and several releases of small tables, as the engine works them out.

import { column, groupsOf, mean, pairwiseSum, squaredDistance, sstOf } from "./method.js";

/** @typedef {import("./method.js").Rows} Rows */

/**
 * @typedef {object} Fuzziness
 * @property {number} value m, at least 1, or lambda.
 * @property {boolean} [entropy] Whether it is lambda, of clusters with entropy.
 */

const MAX_STEPS = 500;
const MIN_SHARE_LOG = Math.log(1e-18);

/**
 * How much a record belongs to each centre: 1 in all.
 * @param {number[]} record @param {Rows} centres @param {Fuzziness} fuzziness
 */
export function membershipsOf(record, centres, { value, entropy }) {
  const away = centres.map((centre) => squaredDistance(record, centre));
  const nearest = Math.min(...away);
  const isCrisp = !entropy && (value === 1 || nearest === 0);
  let total = 0;
  for (let g = 0; g < away.length; g += 1) {
    const exponent = entropy ? -value * (away[g] - nearest)
      : away[g] === nearest ? 0 : isCrisp ? -Infinity : Math.log(nearest / away[g]) / (value - 1);
    away[g] = exponent > MIN_SHARE_LOG ? Math.exp(exponent) : 0;
    total += away[g];
  }
  return away.map((share) => share / total);
}

/**
 * Move centres until they rest: memberships by the centres, centres by those.
 * @param {Rows} rows @param {Rows} centres @param {Fuzziness} fuzziness
 * @param {number} [still] @param {(centre: number[]) => number[]} [onto] The nearest point that keeps a rule.
 */
export function moveCentres(rows, centres, fuzziness, still = 1e-4, onto = (centre) => centre) {
  const least = still * still * (sstOf(rows) / rows.length);
  let now = centres.map(onto);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const weights = now.map(() => 0);
    const sums = now.map((centre) => centre.map(() => 0));
    rows.forEach((row) => membershipsOf(row, now, fuzziness).forEach((share, g) => {
      if (share === 0) return;
      const weight = fuzziness.entropy ? share : share ** fuzziness.value;
      weights[g] += weight;
      for (let j = 0; j < row.length; j += 1) sums[g][j] += weight * row[j];
    }));
    const moved = now.map((centre, g) => onto(weights[g] > 0 ? sums[g].map((sum) => sum / weights[g]) : centre));
    const far = Math.max(...moved.map((centre, g) => squaredDistance(centre, now[g])));
    now = moved;
    if (far <= least) break;
  }
  return now;
}

/**
 * Centres of fuzzy clusters, sought from records that are far from each other.
 * @param {Rows} rows @param {number} count @param {Fuzziness} fuzziness @param {() => number} random
 */
export function fuzzyCentres(rows, count, fuzziness, random) {
  let far = rows.map(() => 1);
  /** @type {Rows} */
  const starts = [];
  while (starts.length < count) {
    let left = random() * far.reduce((a, b) => a + b, 0);
    let at = 0;
    while (at < rows.length - 1 && left >= far[at]) {
      left -= far[at];
      at += 1;
    }
    const near = starts.length ? far : rows.map(() => Infinity);
    far = rows.map((row, i) => Math.min(near[i], squaredDistance(row, rows[at])));
    starts.push(rows[at]);
  }
  // A record on a centre would hold it for ever where m is large.
  const inwards = fuzziness.entropy ? 0 : 0.1 * (1 - 1 / fuzziness.value);
  const middle = rows[0].map((_value, j) => mean(column(rows, j)));
  return moveCentres(rows, starts.map((row) => row.map((v, j) => v + inwards * (middle[j] - v))), fuzziness);
}

/** The centre that each record draws. @param {number[][]} memberships @param {() => number} random */
export function drawLabels(memberships, random) {
  return memberships.map((shares) => {
    let left = random();
    const drawn = shares.findIndex((share) => { left -= share; return left < 0; });
    return drawn < 0 ? shares.indexOf(Math.max(...shares)) : drawn;
  });
}

/** Loss in per cent where each record becomes another. @param {Rows} rows @param {Rows} released */
export function releasedLoss(rows, released) {
  return (100 * pairwiseSum(rows.map((row, i) => squaredDistance(row, released[i])))) / (sstOf(rows) || 1);
}

/** A number from the standard normal distribution. @param {() => number} random */
export function drawNormal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Records whose values follow from the sums of groups of several releases.
 * @param {number[][]} labelings Labels of each release.
 */
export function determinedRecords(labelings) {
  const n = labelings[0].length;
  /** @type {number[][]} */
  const sums = [];
  labelings.forEach((labels) => groupsOf(labels).forEach((members) => {
    const row = new Array(n).fill(0);
    members.forEach((i) => { row[i] = 1; });
    sums.push(row);
  }));
  const isZero = (/** @type {number} */ v) => Math.abs(v) < 1e-9;
  let top = 0;
  for (let j = 0; j < n && top < sums.length; j += 1) {
    let pivot = top;
    for (let i = top; i < sums.length; i += 1) if (Math.abs(sums[i][j]) > Math.abs(sums[pivot][j])) pivot = i;
    if (isZero(sums[pivot][j])) continue;
    [sums[top], sums[pivot]] = [sums[pivot], sums[top]];
    const unit = sums[top].map((v) => v / sums[top][j]);
    sums.forEach((row, i) => {
      if (i !== top && !isZero(row[j])) sums[i] = row.map((v, c) => v - row[j] * unit[c]);
    });
    sums[top] = unit;
    top += 1;
  }
  return sums.slice(0, top).filter((row) => row.filter((v) => !isZero(v)).length === 1)
    .map((row) => row.findIndex((v) => !isZero(v)));
}
