// Microaggregation of small tables, as the engine does it, to the last printed digit.

/** @typedef {number[][]} Rows Records, each with its coordinates. */

/**
 * @typedef {object} Step One group of MDAV.
 * @property {number} seed The record that the group forms around, -1 for the rest.
 * @property {number[]} from The point that the seed is farthest from.
 * @property {number[]} members
 */

/**
 * Sum as numpy does: eight sums side by side, up to 128 values.
 * @param {number[]} values
 */
export function pairwiseSum(values) {
  const n = values.length;
  if (n > 128) {
    const half = Math.floor(n / 2) - (Math.floor(n / 2) % 8);
    return pairwiseSum(values.slice(0, half)) + pairwiseSum(values.slice(half));
  }
  let total = 0;
  let done = 0;
  if (n >= 8) {
    const sums = values.slice(0, 8);
    for (done = 8; done + 8 <= n; done += 8) {
      for (let j = 0; j < 8; j += 1) sums[j] += values[done + j];
    }
    total = ((sums[0] + sums[1]) + (sums[2] + sums[3]))
      + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
  for (; done < n; done += 1) total += values[done];
  return total;
}

/** @param {number[]} values */
export function mean(values) {
  return pairwiseSum(values) / values.length;
}

/** @param {number[]} values Population standard deviation. */
export function deviation(values) {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((v) => (v - centre) * (v - centre))));
}

/** @param {Rows} rows @param {number} j */
export function column(rows, j) {
  return rows.map((row) => row[j]);
}

/**
 * Scale every column to mean 0 and standard deviation 1; a constant one to 0.
 * @param {Rows} rows
 */
export function standardise(rows) {
  const scales = rows[0].map((_value, j) => {
    const values = column(rows, j);
    const varies = Math.max(...values) > Math.min(...values);
    return [mean(values), varies && deviation(values) > 0 ? deviation(values) : 1];
  });
  return rows.map((row) => row.map((v, j) => (v - scales[j][0]) / scales[j][1]));
}

/** @param {number[]} a @param {number[]} b */
export function squaredDistance(a, b) {
  let total = 0;
  for (let j = 0; j < a.length; j += 1) total += (a[j] - b[j]) * (a[j] - b[j]);
  return total;
}

/** The sum of rows, with what rounding lost (Knuth's TwoSum). */
class CompensatedSum {
  /** @param {number} width */
  constructor(width) {
    this.sum = new Array(width).fill(0);
    this.lost = new Array(width).fill(0);
  }

  /** @param {number[]} row @param {number} sign */
  add(row, sign) {
    row.forEach((value, j) => {
      const a = this.sum[j];
      const x = sign * value;
      const s = a + x;
      const t = s - a;
      this.sum[j] = s;
      this.lost[j] += (a - (s - t)) + (x - t);
    });
  }

  /** @param {number} count */
  mean(count) {
    return this.sum.map((s, j) => (s + this.lost[j]) / count);
  }
}

/**
 * The record farthest from a point, of several the first.
 * @param {Rows} rows @param {number[]} left @param {number[]} point
 */
export function farthest(rows, left, point) {
  let best = -1;
  let record = -1;
  left.forEach((i) => {
    const away = squaredDistance(rows[i], point);
    if (away > best) [best, record] = [away, i];
  });
  return record;
}

/**
 * MDAV (Domingo-Ferrer and Torra 2005): two groups at a time, at opposite ends.
 * @param {Rows} rows @param {number} k
 * @returns {{labels: number[], steps: Step[]}}
 */
export function mdav(rows, k) {
  const labels = new Array(rows.length).fill(-1);
  /** @type {Step[]} */
  const steps = [];
  let left = rows.map((_row, i) => i);
  const total = new CompensatedSum(rows[0].length);
  rows.forEach((row) => total.add(row, 1));
  /** @param {number} seed @param {number[]} from */
  const take = (seed, from) => {
    const near = left.filter((i) => i !== seed)
      .map((i) => ({ i, away: squaredDistance(rows[i], rows[seed]) }))
      .sort((a, b) => a.away - b.away || a.i - b.i)
      .slice(0, k - 1).map((one) => one.i);
    const members = [seed].concat(near);
    members.forEach((i) => {
      labels[i] = steps.length;
      total.add(rows[i], -1);
    });
    left = left.filter((i) => labels[i] < 0);
    steps.push({ seed, from, members });
  };
  while (left.length >= 2 * k) {
    const centre = total.mean(left.length);
    const r = farthest(rows, left, centre);
    take(r, centre);
    take(farthest(rows, left, rows[r]), rows[r]);
  }
  if (left.length >= k) {
    steps.push({ seed: -1, from: total.mean(left.length), members: left });
    left.forEach((i) => { labels[i] = steps.length - 1; });
  } else {
    joinNearest(rows, labels, left);
    left.forEach((i) => steps[labels[i]].members.push(i));
  }
  return { labels, steps };
}

/**
 * Let each record left join the group whose mean is nearest, of equal ones the first.
 * @param {Rows} rows @param {number[]} labels @param {number[]} left
 */
function joinNearest(rows, labels, left) {
  const centres = groupMeans(rows, labels);
  left.forEach((i) => {
    const away = centres.map((centre) => squaredDistance(rows[i], centre));
    labels[i] = away.indexOf(Math.min(...away));
  });
}

/**
 * The record of some that is nearest to any of others, of several the first.
 * @param {Rows} rows @param {number[]} some @param {number[]} others
 */
function nearest(rows, some, others) {
  let record = -1;
  let least = Infinity;
  some.forEach((i) => {
    const away = Math.min(...others.filter((j) => j !== i).map((j) => squaredDistance(rows[i], rows[j])));
    if (away < least) [least, record] = [away, i];
  });
  return { record, squared: least };
}

/**
 * @typedef {object} Joined A record that made its group larger than k.
 * @property {number} record
 * @property {number} inside Its distance to the nearest member.
 * @property {number} outside That to the nearest other free record.
 */

/**
 * V-MDAV (Solanas and Martínez-Ballesté 2006): groups of k, which near records join.
 * @param {Rows} rows @param {number} k @param {number} gain
 * @returns {{labels: number[], joined: Joined[]}}
 */
export function vmdav(rows, k, gain) {
  if (rows.length < 2 * k) return { labels: rows.map(() => 0), joined: [] };
  const labels = rows.map(() => -1);
  /** @type {Joined[]} */
  const joined = [];
  const middle = rows[0].map((_value, j) => rows.reduce((sum, row) => sum + row[j], 0) / rows.length);
  const order = rows.map((row, i) => ({ i, away: squaredDistance(row, middle) }))
    .sort((a, b) => b.away - a.away || a.i - b.i).map((one) => one.i);
  const free = () => rows.map((_row, i) => i).filter((i) => labels[i] < 0);
  for (let group = 0; free().length >= k; group += 1) {
    const seed = order.filter((i) => labels[i] < 0)[0];
    const members = free().map((i) => ({ i, away: i === seed ? -1 : squaredDistance(rows[i], rows[seed]) }))
      .sort((a, b) => a.away - b.away || a.i - b.i).slice(0, k).map((one) => one.i);
    members.forEach((i) => { labels[i] = group; });
    while (members.length < 2 * k - 1) {
      const left = free();
      const { record, squared } = nearest(rows, left, members);
      const other = nearest(rows, [record], left).squared;
      if (record < 0 || !(squared < gain * gain * other)) break;
      joined.push({ record, inside: Math.sqrt(squared), outside: Math.sqrt(other) });
      labels[record] = group;
      members.push(record);
    }
  }
  joinNearest(rows, labels, free());
  return { labels, joined };
}

/** @param {number[]} labels The members of each group. */
export function groupsOf(labels) {
  /** @type {number[][]} */
  const groups = [];
  labels.forEach((g, i) => {
    if (g < 0) return;
    while (groups.length <= g) groups.push([]);
    groups[g].push(i);
  });
  return groups;
}

/** @param {Rows} rows @param {number[]} labels */
export function groupMeans(rows, labels) {
  return groupsOf(labels).map((members) => {
    const sums = rows[0].map(() => 0);
    members.forEach((i) => rows[i].forEach((v, j) => { sums[j] += v; }));
    return sums.map((s) => s / members.length);
  });
}

/** Sum of squared distances to the group's mean. @param {Rows} rows @param {number[]} labels */
export function sseOf(rows, labels) {
  const centres = groupMeans(rows, labels);
  return pairwiseSum(rows.map((row, i) => squaredDistance(row, centres[labels[i]])));
}

/** Sum of squared distances to the mean of all. @param {Rows} rows */
export function sstOf(rows) {
  return sseOf(rows, rows.map(() => 0));
}

/** IL = 100 SSE / SST. @param {Rows} rows @param {number[]} labels */
export function lossOf(rows, labels) {
  const sst = sstOf(rows);
  return sst > 0 ? (100 * sseOf(rows, labels)) / sst : 0;
}

/**
 * LB0 as SSE: no groups of at least k lose less.
 * @param {Rows} rows @param {number} k
 */
export function lowerBound(rows, k) {
  const total = pairwiseSum(rows.map((row, i) => {
    const away = rows.filter((_other, at) => at !== i)
      .map((other) => squaredDistance(row, other)).sort((a, b) => a - b);
    return pairwiseSum(away.slice(0, k - 1));
  }));
  return total / (2 * k);
}

/**
 * The best groups of at least k of at most twelve records, by trying all.
 * @param {Rows} rows @param {number} k
 */
export function bestPartition(rows, k) {
  const n = rows.length;
  const full = 2 ** n - 1;
  /** @type {number[]} */
  const costs = new Array(full + 1).fill(-1);
  const cost = (/** @type {number} */ mask) => {
    if (costs[mask] < 0) {
      const members = rows.filter((_row, i) => mask & (2 ** i));
      costs[mask] = sstOf(members);
    }
    return costs[mask];
  };
  const least = new Array(full + 1).fill(Infinity);
  const chosen = new Array(full + 1).fill(0);
  least[0] = 0;
  for (let taken = 0; taken < full; taken += 1) {
    if (least[taken] === Infinity) continue;
    let first = 0;
    while (taken & (2 ** first)) first += 1;
    const free = [];
    for (let i = first + 1; i < n; i += 1) if (!(taken & (2 ** i))) free.push(i);
    const grow = (/** @type {number} */ mask, /** @type {number} */ from, /** @type {number} */ size) => {
      if (size >= k) {
        const whole = taken | mask;
        const sum = least[taken] + cost(mask);
        if (sum < least[whole]) {
          least[whole] = sum;
          chosen[whole] = mask;
        }
      }
      if (size === 2 * k - 1) return;
      for (let at = from; at < free.length; at += 1) grow(mask | (2 ** free[at]), at + 1, size + 1);
    };
    grow(2 ** first, 0, 1);
  }
  const labels = new Array(n).fill(-1);
  let group = 0;
  for (let mask = full; mask > 0; mask -= chosen[mask], group += 1) {
    for (let i = 0; i < n; i += 1) if (chosen[mask] & (2 ** i)) labels[i] = group;
  }
  return { labels, sse: sseOf(rows, labels) };
}

/**
 * The best groups of one column: runs of sorted values (Hansen and Mukherjee 2003).
 * @param {number[]} values @param {number} k
 */
export function bestRuns(values, k) {
  const order = values.map((_v, i) => i).sort((a, b) => values[a] - values[b] || a - b);
  const n = values.length;
  const least = [0].concat(new Array(n).fill(Infinity));
  const begin = new Array(n + 1).fill(0);
  for (let stop = k; stop <= n; stop += 1) {
    for (let start = Math.max(0, stop - 2 * k + 1); start <= stop - k; start += 1) {
      const run = order.slice(start, stop).map((i) => [values[i]]);
      const cost = least[start] + sstOf(run);
      if (cost < least[stop]) {
        least[stop] = cost;
        begin[stop] = start;
      }
    }
  }
  const ends = [n];
  while (ends[0] > 0) ends.unshift(begin[ends[0]]);
  const labels = new Array(n).fill(0);
  for (let g = 0; g + 1 < ends.length; g += 1) {
    for (let at = ends[g]; at < ends[g + 1]; at += 1) labels[order[at]] = g;
  }
  return labels;
}

/**
 * The share of records found by the nearest group's value, one of its members guessed.
 * @param {Rows} rows On the scale that counts. @param {number[]} labels
 * @param {Rows} [centres] What is released of each group, if not its mean.
 */
export function foundShare(rows, labels, centres = groupMeans(rows, labels)) {
  const sizes = groupsOf(labels).map((members) => members.length);
  const right = rows.map((row, i) => {
    const away = centres.map((centre, g) => (sizes[g] ? squaredDistance(centre, row) : Infinity));
    const limit = Math.min(...away) * (1 + 1e-9);
    const candidates = sizes.reduce((sum, size, g) => sum + (away[g] <= limit ? size : 0), 0);
    return away[labels[i]] <= limit ? 1 / candidates : 0;
  });
  return 100 * mean(right);
}

/** Least squares: slope and intercept. @param {number[]} x @param {number[]} y */
export function fitLine(x, y) {
  const [mx, my] = [mean(x), mean(y)];
  const slope = pairwiseSum(x.map((v, i) => (v - mx) * (y[i] - my)))
    / pairwiseSum(x.map((v) => (v - mx) * (v - mx)));
  return { slope, intercept: my - slope * mx };
}

/**
 * A number with so many decimals, exact halves to the even digit, as the engine prints.
 * @param {number} value @param {number} digits
 */
export function fixed(value, digits) {
  const text = value.toFixed(digits);
  const tail = value.toFixed(digits + 30).slice(digits ? -30 : -30);
  if (!/^50*$/.test(tail)) return text;
  const down = value.toFixed(digits + 30).slice(0, digits ? -30 : -31);
  return Number(down.slice(-1)) % 2 === 0 ? down : text;
}
