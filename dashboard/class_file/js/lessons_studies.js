// Lessons with figures of several releases, of noise, of attacks, and of groups by lot.

import { nameOfRecord, rows, scaledRows, share, titles } from "./data.js";
import { _, chance, choice, el, figure, figures, given, prose, refill, sayList, sayNumber, sayPercent, slider } from "./dom.js";
import {
  determinedRecords, drawLabels, drawNormal, fuzzyCentres, membershipsOf, moveCentres, releasedLoss,
} from "./fuzzy.js";
import { column, deviation, foundShare, groupMeans, groupsOf, mdav, mean, squaredDistance, standardise } from "./method.js";
import { cellsOf, columnsOf, curvesOf, stripsOf } from "./pictures.js";
import { plane } from "./plane.js";

/** @typedef {import("./lessons_groups.js").Lesson} Lesson */

export const RELEASE_SIZES = [3, 4, 5, 6, 7];

/** @type {Lesson} */
const twoFiles = {
  id: "two-files",
  title: _("Two safe files"),
  idea: _("Each file alone hides everybody, but several files together can reveal people."),
  can: _("See whom several releases give away together."),
  own: true,
  tells: [
    _("Each file has groups of at least k and their **means**: alone, it gives nobody away. Once their rows are **matched**, by order or by a column that stays, two means of groups that differ by one record are an equation with one unknown."),
    _("Hand out one more. The large marks are records whose true values **follow exactly**, by arithmetic alone. Look at many results, and **hand out one**."),
  ],
  build: () => {
    const sizes = RELEASE_SIZES.filter((k) => 2 * k <= rows.length);
    const picture = plane({ label: _("Records; those whose values follow exactly are marked"), rows, titles, nameOf: nameOfRecord });
    const ks = figure("k");
    const opened = figure(_("Found exactly"));
    const tell = (/** @type {number} */ count) => {
      const had = sizes.slice(0, count);
      const lit = determinedRecords(had.map((k) => mdav(scaledRows, k).labels));
      picture.draw({ labels: rows.map((_row, i) => (lit.indexOf(i) < 0 ? -1 : 1)), lit });
      ks.set(sayList(had));
      opened.set(share(lit.length, rows.length));
    };
    tell(2);
    return el("div", {}, slider(_("Releases that somebody has"), 1, sizes.length, 2, tell), picture.node, figures(ks.node, opened.node));
  },
};

/** Torra (2020), doi:10.3233/JIFS-189074: the clean records, and those whose noise was printed. */
export const TORRA = {
  factors: [1.16, 1.07, -1],
  fuzziness: { value: 1.32 },
  still: 3e-3,
  clean: [
    [15, 23, 42.01], [12, 43, 59.93], [64, 229, 319.27], [12, 45, 62.07], [28, 39, 74.21], [71, 102, 191.5],
    [23, 64, 95.16], [25, 102, 138.14], [48, 230, 301.78], [32, 50, 90.62], [90, 200, 318.4], [16, 100, 125.56],
  ],
  noisy: [
    [16.91695, 26.67021, 41.37696], [15.4822, 42.61481, 60.60212], [65.86964, 228.47892, 318.70371],
    [12.9775, 45.84617, 60.80475], [25.93508, 38.55444, 75.96227], [72.14286, 103.34332, 191.54478],
    [24.4355, 65.84895, 96.49401], [24.56774, 101.54299, 137.49281], [47.9778, 226.7584, 302.78913],
    [28.43727, 48.02995, 89.97244], [91.86226, 197.98087, 318.96431], [11.64466, 100.13359, 127.1298],
  ],
  centres: [
    [13.44075, 37.16236, 55.355], [27.59963, 52.64698, 88.34783], [37.11288, 101.71213, 151.88292], [67.3289, 219.64071, 313.11708],
  ],
  deviations: [0.5, 1, 1.5, 3],
  // Of each deviation, distances of the four centres without and with the rule.
  distances: [
    [[1.3756566, 1.0395613], [0.7468825, 0.6681398], [1.5393139, 1.2164527], [0.75078064, 0.74021727]],
    [[0.3256416, 0.3251812], [0.97180617, 0.57486784], [1.1729174, 0.95232975], [0.8439299, 0.6870117]],
    [[2.3907604, 0.8899032], [1.4905896, 0.6206389], [0.8013973, 0.4630664], [2.3106573, 2.25254]],
    [],
  ],
};

const N_NOISE_DRAWS = 60;

/** How far a point is off the rule. @param {number[]} point */
function offRule(point) {
  return point.reduce((sum, v, j) => sum + v * TORRA.factors[j], 0);
}

/** The nearest point that keeps the rule. @param {number[]} point */
function ontoRule(point) {
  const by = offRule(point) / TORRA.factors.reduce((sum, f) => sum + f * f, 0);
  return point.map((v, j) => v - by * TORRA.factors[j]);
}

/** Centres of the clean records, and of noisy ones without and with the rule. @param {number[][]} noisy */
export function compareCentres(noisy) {
  const { fuzziness, still } = TORRA;
  const clean = moveCentres(TORRA.clean, TORRA.centres, fuzziness, still);
  const [free, ruled] = [undefined, ontoRule].map((onto) => moveCentres(noisy, clean, fuzziness, still, onto));
  return { clean, free, ruled };
}

/** @type {Lesson} */
const rules = {
  id: "rules",
  title: _("Rules against noise"),
  idea: _("Noise in values moves the centres of groups. Centres that must satisfy a rule of the true values move less far."),
  can: _("Say what a rule that must hold gives back of what noise takes."),
  tells: [
    _("Twelve firms whose expenditures **add up**, and noise on every figure: centres of clusters leave the line where the sum holds (orange). Centres that **must keep the rule** (blue) return to it."),
    _("Is that nearer to the centres of the clean figures? Torra (2020) printed one draw for each size of the noise: the crosses. Here are many."),
  ],
  build: () => {
    const random = chance(given.seed + 91);
    const slot = el("div", { class: "pair" });
    const nearer = figure(_("Nearer with the rule"));
    const tell = (/** @type {number} */ at) => {
      const by = TORRA.deviations[at];
      const noisy = () => TORRA.clean.map((row) => row.map((v) => v + by * drawNormal(random)));
      const one = compareCentres(by === 1.5 ? TORRA.noisy : noisy());
      const away = [one.free, one.ruled].map((centres) => centres.map((centre, g) => (
        [centre[0] - one.clean[g][0], offRule(centre) - offRule(one.clean[g])])));
      const paths = plane({
        label: _("Ways from clean to noisy centres, and back onto the rule"),
        rows: [[0, 0], ...away[0], ...away[1]],
        titles: [_("Moved in v1, one draw of the noise"), _("Off the rule")],
        nameOf: String,
      });
      paths.draw({
        labels: [-1, ...away[0].map(() => 1), ...away[1].map(() => 0)],
        lines: [{ slope: 0, intercept: 0, kind: "thin" }],
        strands: away[0].reduce((all, free, g) => all.concat([
          { from: [0, 0], to: free, kind: "limit", strength: 0.8 }, { from: free, to: away[1][g], kind: "", strength: 0.8 },
        ]), /** @type {import("./plane.js").Strand[]} */ ([])),
      });
      const draws = new Array(N_NOISE_DRAWS).fill(0).map(() => {
        const drawn = compareCentres(noisy());
        return [drawn.free, drawn.ruled].map((centres) => (
          centres.map((centre, g) => Math.sqrt(squaredDistance(centre, drawn.clean[g])))));
      });
      const won = draws.filter(([free, ruled]) => mean(ruled) < mean(free)).length;
      refill(slot, paths.node, stripsOf(_("Distances from the clean centres, without and with the rule"),
        [_("Centre, many draws"), _("Distance from the clean centre")],
        one.clean.map((_centre, g) => [0, 1].map((way) => draws.map((pair) => pair[way][g]))), TORRA.distances[at]));
      nearer.set(_("{share} of {count} draws", { share: sayPercent((100 * won) / N_NOISE_DRAWS, 0), count: N_NOISE_DRAWS }));
    };
    tell(2);
    return el("div", {}, slider(_("Standard deviation of the noise"), 0, TORRA.deviations.length - 1, 2, tell,
      (at) => sayNumber(TORRA.deviations[at])), slot, figures(nearer.node));
  },
};

const N_FIRMS = 100;

/** Made-up firms: the larger, the more of everything. @param {() => number} random */
export function drawFirms(random) {
  const typical = [40, 900, 600, 700, 90, 1500];
  return new Array(N_FIRMS).fill(0).map(() => {
    const size = 0.9 * drawNormal(random);
    return typical.map((middle) => Math.round(middle * Math.exp(size + 0.6 * drawNormal(random))));
  });
}

/** @type {Lesson} */
const linkage = {
  id: "intruder",
  title: _("What an intruder can still do"),
  idea: _("Somebody knows a few facts. How many firms do they find?"),
  can: _("Tell how many an intruder finds at most, however much they know."),
  tells: [
    _("Somebody knows true values of every firm, and takes the **nearest** record of the file for it. Orange: found, of every 100 firms."),
    _("Dashed: found if each were linked to its own group and guessed among its members. **More than that, k does not allow.**"),
  ],
  build: () => {
    const names = [_("employees"), _("sales at home"), _("exports"), _("wages"), _("investment"), _("assets")];
    const firms = standardise(drawFirms(chance(given.seed + 93)));
    const files = [1, 3, 10].map((k) => {
      const labels = k === 1 ? firms.map((_firm, i) => i) : mdav(firms, k).labels;
      return { k, labels, centres: groupMeans(firms, labels) };
    });
    const slot = el("div");
    const said = el("p", { class: "note", "aria-live": "polite" });
    const tell = (/** @type {number} */ known) => {
      const first = (/** @type {number[][]} */ some) => some.map((row) => row.slice(0, known));
      refill(slot, cellsOf(_("A hundred cells for each release; those of records found are orange"), files.map(({ k, labels, centres }) => {
        const found = foundShare(first(firms), labels, first(centres));
        return {
          title: k === 1 ? _("As it is") : `k = ${sayNumber(k)}`,
          text: _("{share} found", { share: sayPercent(found, 0) }),
          share: found,
          promised: (100 * centres.length) / firms.length,
        };
      })));
      said.textContent = _("Known: {names}.", { names: sayList(names.slice(0, known)) });
    };
    tell(3);
    return el("div", {}, slider(_("How many attributes are known"), 1, names.length, 3, tell), slot, said);
  },
};

const FUZZY_K = 3;
const DRAW_STEPS = [1, 1.1, 1.2, 1.3, 1.5, 1.75, 2, 2.5, 3, 5, 10, 100];
const USUAL = { m1: 1.1, m2: 1.5, lambda1: 10, lambda2: 2 };

/** @type {Lesson} */
const fuzzyGroups = {
  id: "fuzzy-groups",
  title: _("Fuzzy groups"),
  idea: _("Each record gets a random group. See what the random groups hide, and how much they lose."),
  can: _("Say what k promises where groups are drawn by lot."),
  own: true,
  tells: [
    _("Each record **draws** one of some centres, the crosses: the darker the line, the likelier. Orange: fewer than {k} drew the same.", { k: FUZZY_K }),
    _("A larger **m2** makes all centres as likely: nobody can tell who drew which, most is lost, and **k is only expected**."),
  ],
  build: () => {
    const some = scaledRows.slice(0, 30);
    const places = rows.slice(0, 30);
    const random = chance(given.seed + 95);
    const centres = fuzzyCentres(some, Math.floor(some.length / FUZZY_K), { value: USUAL.m1 }, random);
    const scales = [0, 1].map((j) => ({ middle: mean(column(rows, j)), unit: deviation(column(rows, j)) || 1 }));
    const back = centres.map((centre) => centre.map((v, j) => scales[j].middle + v * scales[j].unit));
    const picture = plane({ label: _("Lines from records to centres, darker where likelier"), rows: places, titles, nameOf: nameOfRecord });
    const slot = el("div");
    const small = figure(_("In groups below {k}", { k: FUZZY_K }));
    const lost = figure(_("Information loss"));
    let at = DRAW_STEPS.indexOf(USUAL.m2);
    const tell = () => {
      const shares = some.map((row) => membershipsOf(row, centres, { value: DRAW_STEPS[at] }));
      const labels = drawLabels(shares, random);
      const sizes = centres.map((_centre, g) => labels.filter((drawn) => drawn === g).length);
      const below = labels.map((drawn) => (sizes[drawn] < FUZZY_K ? 1 : 0));
      picture.draw({
        labels: below,
        crosses: back,
        strands: shares.reduce((all, likely, i) => all.concat(likely.map((strength, g) => (
          { from: places[i], to: back[g], kind: "", strength })).filter((strand) => strand.strength > 0.02)), /** @type {import("./plane.js").Strand[]} */ ([])),
      });
      const order = sizes.map((_size, g) => g).sort((a, b) => sizes[b] - sizes[a]);
      refill(slot, columnsOf(_("How many drew each centre, with how many were expected to"), order.map((g) => sizes[g]),
        order.map((g) => shares.reduce((sum, likely) => sum + likely[g], 0)), FUZZY_K));
      small.set(share(below.filter(Boolean).length, below.length));
      lost.set(sayPercent(releasedLoss(some, labels.map((drawn) => centres[drawn])), 1));
    };
    tell();
    return el("div", {},
      slider(_("m2, fuzziness of the draw"), 0, DRAW_STEPS.length - 1, at, (now) => { at = now; tell(); }, (now) => sayNumber(DRAW_STEPS[now])),
      el("button", { type: "button", click: tell }, _("Draw again")),
      el("div", { class: "pair" }, picture.node, el("p", { class: "note" }, _("Records per centre")), slot),
      figures(small.node, lost.node));
  },
};

const N_DRAWS = 5;
const M_VALUES = [1, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5, 3];
const LAMBDA_VALUES = [0.1, 0.3, 1, 2, 5, 10, 30, 100];
const NOISE_VALUES = [0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5];

/** @typedef {{loss: number, found: number, least: number, most: number}} Tried Means over some draws, in per cent. */

/** @param {(random: () => number) => {loss: number, found: number}} draw @returns {Tried} */
function tryDraws(draw) {
  const draws = new Array(N_DRAWS).fill(0).map((_draw, i) => draw(chance(given.seed + 97 + i)));
  const losses = draws.map((one) => one.loss);
  return { loss: mean(losses), found: mean(draws.map((one) => one.found)), least: Math.min(...losses), most: Math.max(...losses) };
}

/** Groups by lot with another value of one parameter. @param {number[][]} some @param {string} name @param {number} value */
function tryFuzzy(some, name, value) {
  const entropy = name.length > 2;
  const set = Object.assign({}, USUAL, { [name]: value });
  return tryDraws((random) => {
    const centres = fuzzyCentres(some, Math.floor(some.length / FUZZY_K), { value: entropy ? set.lambda1 : set.m1, entropy }, random);
    const labels = drawLabels(some.map((row) => membershipsOf(row, centres, { value: entropy ? set.lambda2 : set.m2, entropy })), random);
    return { loss: releasedLoss(some, labels.map((drawn) => centres[drawn])), found: foundShare(some, labels, centres) };
  });
}

/** Noise instead of groups. @param {number[][]} some @param {number} by */
function tryNoise(some, by) {
  return tryDraws((random) => {
    const noisy = some.map((row) => row.map((v) => v + by * drawNormal(random)));
    return { loss: releasedLoss(some, noisy), found: foundShare(some, noisy.map((_row, i) => i), noisy) };
  });
}

/** @type {Lesson} */
const fuzziness = {
  id: "fuzziness",
  title: _("How fuzzy is fuzzy enough"),
  idea: _("See how the parameters m and lambda change the loss and the number of hidden records."),
  can: _("Compare ways to protect by what they hide for the same loss."),
  own: true,
  tells: [
    _("Above: what {count} records lose, and how many of them are **found** by somebody who knows their true values; the mean of {draws} draws, and the range of losses. A larger m is fuzzier, a larger lambda crisper.", { count: Math.min(40, rows.length), draws: N_DRAWS }),
    _("Below: the share that is found, by the same losses. Dashed: **plain noise** instead of groups. Which of the two hides more for the same loss?"),
  ],
  build: () => {
    const some = scaledRows.slice(0, 40);
    const names = ["m1", "m2", "lambda1", "lambda2"];
    const noise = NOISE_VALUES.map((by) => tryNoise(some, by));
    const slot = el("div", { class: "pair" });
    const tell = (/** @type {number} */ which) => {
      const values = which < 2 ? M_VALUES : LAMBDA_VALUES;
      const tried = values.map((value) => tryFuzzy(some, names[which], value));
      const against = (/** @type {Tried[]} */ all) => all.map((one) => [one.loss, one.found]);
      refill(slot,
        curvesOf(_("Lines of loss and of records found against a parameter"), [names[which], _("Per cent")], [
          { name: _("Information loss"), points: tried.map((one, i) => [values[i], one.loss]), band: tried.map((one) => [one.least, one.most]) },
          { name: _("Records found"), points: tried.map((one, i) => [values[i], one.found]), kind: "limit" },
        ], true),
        curvesOf(_("Lines of records found against loss, of fuzzy groups and of noise"), [_("Information loss (%)"), _("Records found (%)")], [
          { name: _("Fuzzy groups"), points: against(tried) }, { name: _("Plain noise"), points: against(noise), kind: "plain" },
        ]));
    };
    tell(1);
    return el("div", {}, choice(_("Parameter"), names, 1, tell), slot);
  },
};

export const studyLessons = [twoFiles, rules, linkage, fuzzyGroups, fuzziness];
