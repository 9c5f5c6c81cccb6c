// Exercises on groups: single out, draw, choose k, repair, predict, estimate.

import {
  illnessName, nameOfRecord, people, rows, scaledRows, tenRecords, titles,
} from "./data.js";
import { _, chance, drawInteger, given, sayList, sayNumber, sayPercent, shuffled, table } from "./dom.js";
import { groupDrawing } from "./drawing.js";
import {
  bestPartition, column, deviation, groupMeans, groupsOf, lossOf, lowerBound, mdav, mean, sseOf, standardise,
} from "./method.js";
import { barsOf, lineOf } from "./plane.js";

/** @typedef {import("./exercise.js").Exercise} Exercise */
/** @typedef {import("./exercise.js").Asked} Asked */

/** @returns {Asked} */
function singleOut() {
  const random = chance(given.seed + 201);
  const [d1, d2, d3] = shuffled(random, given.districts);
  const [a1, a2, a3] = shuffled(random, [20, 30, 40, 50].map((age) => `${age}\u2060–\u2060${age + 9}`));
  const rare = drawInteger(random, 0, 4);
  const common = (rare + 1) % 5;
  const other = (rare + 2) % 5;
  const records = shuffled(random, [
    { age: a1, district: d1, illness: common }, { age: a1, district: d1, illness: rare },
    { age: a2, district: d2, illness: common }, { age: a2, district: d2, illness: common },
    { age: a1, district: d2, illness: common, alone: true },
    { age: a3, district: d3, illness: other }, { age: a3, district: d3, illness: common },
    { age: a3, district: d3, illness: other },
  ]);
  const number = (/** @type {(record: any) => boolean} */ holds) => records.map(holds).indexOf(true) + 1;
  const say = (/** @type {number} */ row) => _("Row {row}", { row });
  const lone = number((record) => record.alone);
  return {
    title: _("Find the record that can be singled out"),
    asks: _("An intruder knows a person's age and district, and that they are in the file. **Which row stands alone?**"),
    picture: () => table(_("Eight people without names"), [_("Row"), _("Age"), _("District"), _("Illness")],
      records.map((record, i) => [i + 1, record.age, record.district, illnessName(record.illness)])),
    options: [
      { text: say(lone), right: true },
      {
        text: say(number((record) => record.illness === rare)),
        belief: _("that what is rare gives people away. A rare illness is what the intruder wants to learn; they cannot look for it. Only what they know beforehand singles out."),
      },
      {
        text: say(number((record) => record.age === a3)),
        belief: _("that a district or an age which differs from the others is enough. Count the rows that share both: here there are three."),
      },
      {
        text: _("None: every age and every district is there at least twice"),
        belief: _("that columns can be looked at one at a time. Each value is there twice; the combination is there once."),
      },
    ],
    reasons: [
      { text: _("Its combination of age and district is there only once."), right: true },
      { text: _("Its illness is there only once."), belief: _("that the secret is the key. The intruder searches by what is known, and reads what is secret.") },
      { text: _("One of its values is there only once."), belief: _("that uniqueness is a matter of one column. Most people are unique only in a combination.") },
    ],
    next: _("Which one more fact would single out a second row?"),
  };
}

/** @returns {Asked} */
function draw() {
  const k = 3;
  const ten = tenRecords(3);
  const points = standardise(ten.map((i) => rows[i]));
  const best = bestPartition(points, k).sse;
  const method = sseOf(points, mdav(points, k).labels);
  const limit = lowerBound(points, k);
  const say = (/** @type {number} */ sse) => _("an SSE of {sse}", { sse: sayNumber(sse, 3) });
  return {
    title: _("Draw the groups"),
    asks: _("Put the ten records into groups of at least 3. Then your SSE stands beside MDAV's and that of the best groups. MDAV has here {sse}, its lower bound is {limit}. **What is the least that any groups of at least 3 can have?**", { sse: say(method), limit: sayNumber(limit, 3) }),
    picture: () => groupDrawing({
      label: _("Ten records to be put into groups"), rows: ten.map((i) => rows[i]), titles, nameOf: (i) => nameOfRecord(ten[i]), k, compare: true,
    }),
    options: [
      { text: say(best), right: true },
      { text: say(method), belief: _("that what a program gives is the best there is. MDAV is a rule of thumb: it never looks back at a group it has formed.") },
      { text: say(limit), belief: _("that a lower bound can be reached. It says that nothing is below; often nothing is there either.") },
      { text: say(0), belief: _("that nothing need be lost. As soon as two records in a group differ, one of them has to move.") },
    ],
    reasons: [
      { text: _("All ways to make groups were tried, and none has less."), right: true },
      { text: _("A bound is what a good method reaches."), belief: _("that bound and optimum are the same. Between them lies the optimality gap.") },
      { text: _("It is what everybody uses."), belief: _("that use is proof. A method is as good as its loss here, on these records.") },
    ],
    next: _("Ten records have some thousands of ways. How many have twenty? Would you still try all?"),
  };
}

/** @returns {Asked} */
function chooseK() {
  const random = chance(given.seed + 203);
  const per = [6, 7, 9, 12, 15, 18][drawInteger(random, 0, 5)];
  const k = Math.ceil(100 / per);
  return {
    title: _("Choose k for a rule"),
    asks: _("The office's rule: whoever knows that a person is in the file must not find the record with a chance above **{per} %**. All groups have the same common value within. **Which is the smallest k?**", { per }),
    options: [
      { text: sayNumber(k), right: true },
      { text: sayNumber(k - 1), belief: _("that one may round as usual. With k = {k} the chance is {chance} %, which is above the rule: a limit is rounded to its safe side.", { k: k - 1, chance: sayNumber(100 / (k - 1), 1) }) },
      { text: sayNumber(2 * k), belief: _("that more is always better. The rule holds at half of that; what is more is paid in loss by everybody who uses the file.") },
      { text: sayNumber(per + (per === k ? 1 : 0)), belief: _("that k is a per cent. k counts records in a group; the chance is 1 / k.") },
    ],
    reasons: [
      { text: _("The chance is 1 / k, and must not be above the limit."), right: true },
      { text: _("The chance is 1 / n, of all records."), belief: _("that the intruder knows nothing. They know the group; only within it do they guess.") },
      { text: _("Larger k is always safer."), belief: _("that safety has no price. The task is the smallest k that keeps the rule.") },
    ],
    next: _("What if the intruder knows all others in the group?"),
  };
}

/** @returns {Asked} */
function repair() {
  const random = chance(given.seed + 204);
  const base = drawInteger(random, 10, 20);
  const values = [0, 2, 3, 5].map((v) => base + v).concat([8, 10].map((v) => base + v), [30, 31, 33].map((v) => base + v + drawInteger(random, 0, 3)).sort((a, b) => a - b));
  const points = values.map((v) => [v]);
  const labels = [0, 0, 0, 0, 1, 1, 2, 2, 2];
  const ways = [
    { text: _("Move {value} over from the group of four", { value: values[3] }), labels: [0, 0, 0, 1, 1, 1, 2, 2, 2] },
    { text: _("Join the two with the group of four"), labels: [0, 0, 0, 0, 0, 0, 1, 1, 1] },
    { text: _("Move {value} over from the group of three", { value: values[6] }), labels: [0, 0, 0, 0, 1, 1, 1, 2, 2] },
  ];
  return {
    title: _("Repair a group"),
    asks: _("k is 3, but one group has only two records. **Which repair keeps k and loses least?**"),
    picture: () => lineOf(_("Nine values in groups of four, two and three"), values, labels, true),
    options: [
      { text: ways[0].text, right: true },
      { text: ways[1].text, belief: _("that joining is the cheapest, as nothing has to be looked at. It loses an SSE of {sse} instead of {best}: six records share one mean now.", { sse: sayNumber(sseOf(points, ways[1].labels), 1), best: sayNumber(sseOf(points, ways[0].labels), 1) }) },
      { text: ways[2].text, belief: _("that only the group that is too small counts. The group that gives has two left: the fault has moved.") },
      { text: _("Leave the two records out"), belief: _("that what is not released loses nothing. Two people are gone from every count, and they were not like the others.") },
    ],
    reasons: [
      { text: _("The giver keeps three, and the record that moves is near."), right: true },
      { text: _("Groups should be as equal in size as possible."), belief: _("that equal sizes are the aim. The aim is near records; sizes only have to be k or more.") },
      { text: _("The fewer groups, the safer and the cheaper."), belief: _("that fewer groups cost less. Fewer groups mean longer ways to the mean.") },
    ],
    next: _("Which of the groups would you divide if one had six records?"),
    reveal: () => lineOf(_("The groups after the repair"), values, ways[0].labels, true),
  };
}

/** @returns {Asked} */
function predict() {
  const sizes = [2, 3, 4, 5, 6, 8, 10, 12].filter((k) => 2 * k <= rows.length);
  const losses = sizes.map((k) => lossOf(scaledRows, mdav(scaledRows, k).labels));
  const low = 1;
  const before = losses[low];
  const guesses = (/** @type {number} */ to) => [
    (before * sizes[to]) / sizes[low], before, before * (sizes[to] / sizes[low]) ** 2,
  ];
  // Of a k at which no wrong belief happens to be right.
  const telling = [4, 5, 3, 6, 7, 2].filter((to) => to < sizes.length
    && guesses(to).every((guess) => Math.abs(guess - losses[to]) > 0.15 * losses[to]));
  const high = telling.length ? telling[0] : sizes.length - 1;
  const after = losses[high];
  const [twice, same, square] = guesses(high);
  const say = (/** @type {number} */ v) => sayPercent(v, 1);
  const wrong = [
    { value: twice, belief: _("that loss is proportional to k. It follows how far the next records are away, not how many there are.") },
    { value: same, belief: _("that a larger k is free if groups are good. Every group has to reach farther.") },
    { value: square, belief: _("that loss grows with the square of k because it adds squares. Distances to the next neighbours grow much more slowly than k.") },
  ];
  const apart = wrong.map((one, i) => {
    let value = one.value;
    while (Math.abs(value - after) < 0.08 * after || wrong.slice(0, i).some((w) => say(w.value) === say(value))) value *= 1.3;
    one.value = value;
    return { text: say(value), belief: one.belief };
  });
  return {
    title: _("Predict before the curve shows"),
    asks: _("With k = {low}, MDAV loses {loss} of the whole table. **What does it lose with k = {high}?** The curve comes with the answer.", { low: sizes[low], high: sizes[high], loss: say(before) }),
    options: [{ text: say(after), right: true }, ...apart],
    reasons: [
      { text: _("Groups have to reach to the next neighbours; how far these are depends on the table."), right: true },
      { text: _("Twice the size is twice the loss."), belief: _("that there is a law of proportion. The curve has the shape of the table: steep where clusters break, flat within.") },
      { text: _("Squares grow with the square."), belief: _("that what is squared is k. Squared are distances.") },
    ],
    next: _("Is the curve ever going down? Look for a k that loses less than the one before."),
    reveal: () => barsOf(_("Loss by k"), sizes.map((k, i) => ({ name: `k = ${k}`, value: losses[i], text: say(losses[i]) }))),
  };
}

/** @returns {Asked} */
function estimate() {
  const k = 4;
  // Groups of different sizes, or their means would need no weights.
  const order = people.map((_p, i) => i).slice(0, [13, 14, 15, 17, 18][given.seed % 5]);
  const pays = order.map((i) => [people[i].pay]);
  const { labels } = mdav(pays, k);
  const means = groupMeans(pays, labels);
  const sizes = groupsOf(labels).map((members) => members.length);
  const n = pays.length;
  const released = labels.map((g) => means[g][0]);
  const loss = lossOf(pays, labels) / 100;
  const middle = mean(released);
  const plain = mean(column(means, 0));
  const left = deviation(released);
  const whole = left / Math.sqrt(1 - loss);
  const say = (/** @type {number} */ m, /** @type {number} */ half) => _("{mean}, give or take {half}", { mean: sayNumber(m, 2), half: sayNumber(half, 2) });
  const right = say(middle, (2 * whole) / Math.sqrt(n));
  return {
    title: _("Estimate a mean and its interval"),
    asks: _("All that you have is this release: means and sizes of groups, and that {loss} % of the variation is lost. **What is the mean pay, give or take two standard errors?**", { loss: sayNumber(100 * loss, 1) }),
    picture: () => table(_("Pay as released (thousands a year)"), [_("Group"), _("People"), _("Mean pay")],
      means.map((m, g) => [g + 1, sizes[g], sayNumber(m[0], 2)])),
    options: [
      { text: right, right: true },
      { text: say(Math.abs(plain - middle) < 0.02 ? middle + left / 3 : plain, (2 * whole) / Math.sqrt(n)), belief: _("that every group counts the same. A group stands for its people: {sizes} of them. Means are weighted by size.", { sizes: sayList(sizes) }) },
      { text: say(middle, (2 * left) / Math.sqrt(n)), belief: _("that the scatter of a release is that of the people. Within groups it is gone: divide the variance by 1 − IL before you use it.") },
      { text: say(middle, (2 * whole) / Math.sqrt(means.length)), belief: _("that the sample is as small as the number of groups. The mean is that of {n} people; grouping has not made them fewer.", { n }) },
    ],
    reasons: [
      { text: _("Group means keep the mean exactly; the scatter within groups must be put back."), right: true },
      { text: _("A release can be used as if it were the table."), belief: _("that protected is the same as true. Means are, scatter is not: errors come out too small.") },
      { text: _("Groups are the new records."), belief: _("that a group is one person. It is the mean of several, and counts for each.") },
    ],
    next: _("And the mean of those above fifty, of whom no group consists alone?"),
  };
}

/** @type {Exercise[]} */
export const groupExercises = [
  { id: "single-out", lesson: "names", make: singleOut },
  { id: "draw", lesson: "groups-by-hand", make: draw, own: true },
  { id: "predict", lesson: "mdav", make: predict, own: true },
  { id: "repair", lesson: "fixed-size", make: repair },
  { id: "choose-k", lesson: "loss", make: chooseK },
  { id: "estimate", lesson: "regression", make: estimate },
];

