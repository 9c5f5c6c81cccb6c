// Exercises on risk: alike groups, two releases, intruders, codes, people with many rows.

import {
  illnessName, nameOfRecord, rows, scaledRows, titles,
} from "./data.js";
import { _, chance, drawInteger, given, sayList, sayListOfPhrases, sayNumber, shuffled, table } from "./dom.js";
import { column, deviation, fixed, groupMeans, groupsOf, mdav, mean, squaredDistance } from "./method.js";
import { drawAmounts, drawVisits, sayTally, tally } from "./lessons_risk.js";
import { plane } from "./plane.js";

/** @typedef {import("./exercise.js").Exercise} Exercise */
/** @typedef {import("./exercise.js").Asked} Asked */

/** Illnesses of a group: how many of each kind. @param {() => number} random @param {number[]} counts */
function drawIllnesses(random, counts) {
  const kinds = shuffled(random, [0, 1, 2, 3, 4]);
  /** @type {string[]} */
  const illnesses = [];
  counts.forEach((count, i) => { for (let j = 0; j < count; j += 1) illnesses.push(illnessName(kinds[i])); });
  return shuffled(random, illnesses);
}

/** @returns {Asked} */
function spotHomogeneous() {
  const random = chance(given.seed + 301);
  const groups = shuffled(random, [
    { illnesses: drawIllnesses(random, [5]), kind: "alike" },
    { illnesses: drawIllnesses(random, [3, 1, 1]), kind: "most" },
    { illnesses: drawIllnesses(random, [1, 1, 1]), kind: "small" },
    { illnesses: drawIllnesses(random, [2, 2, 1, 1]), kind: "large" },
  ]);
  const say = (/** @type {string} */ kind) => _("Group {group}", { group: groups.map((g) => g.kind).indexOf(kind) + 1 });
  return {
    title: _("Spot the group that tells"),
    asks: _("k is 3 in every group. An intruder knows in which group somebody is, and no more. **Of which group does that tell the illness for certain?**"),
    picture: () => table(_("Illnesses in four groups"), [_("Group"), _("People"), _("Illnesses")],
      groups.map((group, i) => [i + 1, group.illnesses.length, sayList(group.illnesses)])),
    options: [
      { text: say("alike"), right: true },
      { text: say("most"), belief: _("that likely is certain. Three of five is a good guess; the other two are why it is a guess.") },
      { text: say("small"), belief: _("that the smallest group is the weakest. Its three people all have something else: l is 3 there.") },
      { text: _("None: k holds everywhere"), belief: _("that k hides what people have. k hides who is who; where all have the same, that need not be known.") },
    ],
    reasons: [
      { text: _("All its people have the same illness, so l is 1."), right: true },
      { text: _("It has the fewest people."), belief: _("that size is all. A group of a thousand that agrees tells as much.") },
      { text: _("One illness is there more than once."), belief: _("that repetition is agreement. Agreement is when there is nothing else.") },
    ],
    next: _("Which two groups would you join to mend it, at the least loss?"),
  };
}

/** @returns {Asked} */
function safer() {
  const random = chance(given.seed + 302);
  const [kA, kB] = [drawInteger(random, 5, 8), drawInteger(random, 3, 4)];
  const first = [drawIllnesses(random, [kA]), drawIllnesses(random, [kA - 2, 1, 1])];
  const second = [drawIllnesses(random, new Array(kB).fill(1)), drawIllnesses(random, [kB - 2, 1, 1])];
  const swapped = random() < 0.5;
  const [nameA, nameB] = swapped ? ["Y", "X"] : ["X", "Y"];
  const lines = [
    ...first.map((illnesses, i) => [nameA, i + 1, kA, sayTally(illnesses)]),
    ...second.map((illnesses, i) => [nameB, i + 1, kB, sayTally(illnesses)]),
  ].sort((a, b) => String(a[0]).localeCompare(String(b[0])));
  return {
    title: _("Which of two releases is safer?"),
    asks: _("Two releases, X and Y, with their smallest groups and the illnesses in them. Somebody knows in which group a person is. **Which release protects the illness better?**"),
    picture: () => table(_("Groups of two releases"), [_("Release"), _("Group"), _("People"), _("Illnesses")], lines),
    options: [
      { text: nameB, right: true },
      { text: nameA, belief: _("that the larger k is always the safer. In one of its groups all have the same illness: of these {k} people everything is told.", { k: kA }) },
      { text: _("Both the same: each is k-anonymous"), belief: _("that k-anonymous is a yes or no. It says how many share a value, not what is learned of them.") },
      { text: _("Neither: groups can always be found"), belief: _("that to know the group is to know the person. In a group with different illnesses one still has to guess.") },
    ],
    reasons: [
      { text: _("In each of its groups there are different illnesses."), right: true },
      { text: _("Its groups are larger."), belief: _("that many is different. k counts people, l counts what they have.") },
      { text: _("Its groups are smaller, so less is lost."), belief: _("that loss answers the question. It was about the illness.") },
    ],
    next: _("What if the intruder also knows one person of the group who is not ill?"),
  };
}

/** @returns {Asked} */
function compose() {
  const amounts = drawAmounts(chance(given.seed + 303));
  const three = mean(amounts.slice(0, 3));
  const four = mean(amounts.slice(0, 4));
  const rest = mean(amounts.slice(3));
  const say = (/** @type {number} */ v) => sayNumber(v, 2);
  const [a, b] = [three, four].map((v) => Number(fixed(v, 2)));
  return {
    title: _("Compose two releases"),
    asks: _("Release A shows {a} for rows 1 to 3 and {rest} for rows 4 to 7. Release B shows {b} for rows 1 to 4. The rows are the same people in the same order. **What is the pay of row 4?**", { a: say(three), b: say(four), rest: say(rest) }),
    options: [
      { text: sayNumber(amounts[3]), right: true },
      { text: say(b), belief: _("that the newest mean is the best guess. It is; but two means of groups that differ by one person are more than a guess.") },
      { text: say(Math.abs(b - a)), belief: _("that means can be subtracted. Sums can: multiply each mean by its number of people first.") },
      { text: _("It cannot be known: both releases are safe"), belief: _("that safe and safe is safe. Each hides row 4 among others; together they leave one unknown and one equation.") },
    ],
    reasons: [
      { text: _("4 × the mean of four less 3 × the mean of three is the one who was added."), right: true },
      { text: _("The difference of the means is what the new one brought."), belief: _("that a mean does not know its size. Adding one person to three moves the mean by a quarter of the difference.") },
      { text: _("Every value is shared by at least three."), belief: _("that k holds across files. It holds within each.") },
    ],
    next: _("What would release B have to be, so that the two are still safe together?"),
  };
}

/** The group whose mean is nearest. @param {number[][]} centres @param {number[]} row */
function nearestGroup(centres, row) {
  const away = centres.map((centre) => squaredDistance(centre, row));
  return away.indexOf(Math.min(...away));
}

/** @returns {Asked} */
function intruder() {
  const random = chance(given.seed + 304);
  const k = 4;
  const { labels } = mdav(scaledRows, k);
  const centres = groupMeans(rows, labels);
  const scaledCentres = groupMeans(scaledRows, labels);
  const groups = groupsOf(labels);
  const candidates = shuffled(random, rows.map((_r, i) => i)).filter((i) => nearestGroup(scaledCentres, scaledRows[i]) === labels[i]);
  const raw = candidates.filter((i) => nearestGroup(centres, rows[i]) !== labels[i]);
  const target = (raw.length ? raw : candidates)[0];
  const mine = labels[target];
  const order = scaledCentres.map((_c, g) => g).sort((a, b) => (
    squaredDistance(scaledCentres[a], scaledRows[target]) - squaredDistance(scaledCentres[b], scaledRows[target])));
  const other = raw.length ? nearestGroup(centres, rows[target]) : order[1];
  const size = groups[mine].length;
  const three = sayListOfPhrases([
    ...titles.map((title, j) => `${title}: ${sayNumber(rows[target][j])}`), _("is in the file"),
  ]);
  return {
    title: _("Be the intruder, with three facts"),
    asks: _("You know of somebody: **{facts}**. The release shows only these group means. One standard deviation is {sd1} of the first column and {sd2} of the second. **Which group is theirs, and how sure are you which record is?**", {
      facts: three, sd1: sayNumber(deviation(column(rows, 0)), 1), sd2: sayNumber(deviation(column(rows, 1)), 1),
    }),
    picture: () => table(_("What the release shows"), [_("Group"), _("Records"), titles[0], titles[1]],
      centres.map((centre, g) => [g + 1, groups[g].length, sayNumber(centre[0], 1), sayNumber(centre[1], 1)])),
    options: [
      { text: _("Group {group}, one chance in {size}", { group: mine + 1, size }), right: true },
      { text: _("Group {group}, for certain", { group: mine + 1 }), belief: _("that the nearest is the one. The group is found; within it {size} records look the same.", { size }) },
      { text: _("Group {group}, one chance in {size}", { group: other + 1, size: groups[other].length }), belief: _("that differences can be added as they are, or that near in one column is near. Count in standard deviations, in both.") },
      { text: _("Nobody can say: there are no names"), belief: _("that a name is what one is found by. Facts find the group, as in the first lesson.") },
    ],
    reasons: [
      { text: _("It is nearest in standard deviations, and its records are alike in the release."), right: true },
      { text: _("It is nearest, so it is the person's own."), belief: _("that to find the group is to find the record. k leaves the last step to chance.") },
      { text: _("A release without names names nobody."), belief: _("that identity is a column. It is a combination.") },
    ],
    next: _("What would you need to know to be surer?"),
    reveal: () => {
      const picture = plane({ label: _("The groups; the record that was sought is marked"), rows, titles, nameOf: nameOfRecord });
      picture.draw({ labels, centres: true, lit: [target] });
      return picture.node;
    },
  };
}

/** @returns {Asked} */
function codeOrAmount() {
  const random = chance(given.seed + 305);
  const amount = shuffled(random, [
    { text: _("Rent a month: 640, 815, 1120"), right: true },
    { text: _("Days in hospital: 2, 9, 14"), right: true },
    { text: _("Weight at birth in grams: 2950, 3410, 3820"), right: true },
  ])[0];
  const district = sayList(given.districts.slice(0, 3));
  return {
    title: _("Code or amount?"),
    asks: _("All four columns are whole numbers. **Of which does a mean say something?**"),
    options: [
      amount,
      { text: _("District: {codes}", { codes: district }), belief: _("that what is written as a number counts something. Districts are numbered; between two of them there need be no place.") },
      { text: _("Diagnosis: 250, 401, 493"), belief: _("that an order of codes is an order of illness. The mean of 250 and 493 is no illness in between.") },
      { text: _("School finished: 1, 2, 3, 9"), belief: _("that ranks are amounts. 2 is not twice 1, and 9 often means that nothing is known: it would pull every mean up.") },
    ],
    reasons: [
      { text: _("Twice the number is twice as much of something."), right: true },
      { text: _("Larger numbers come later in the list."), belief: _("that order is enough for a mean. Order gives a median; a mean needs distances.") },
      { text: _("A program can work out a mean of it."), belief: _("that what can be computed means something. A program averages telephone numbers, too.") },
    ],
    next: _("What should a group show of the column with ranks?"),
  };
}

/** @returns {Asked} */
function manyRows() {
  const visits = drawVisits(chance(given.seed + 306));
  const inside = visits.filter((visit) => visit.group === 1);
  const different = tally(inside.map((visit) => visit.person)).length;
  const smallest = Math.min(...[1, 2, 3].map((g) => visits.filter((visit) => visit.group === g).length));
  const perGroup = Math.min(...[1, 2, 3].map((g) => tally(visits.filter((v) => v.group === g).map((v) => v.person)).length));
  const all = tally(visits.map((visit) => visit.person)).length;
  const wrong = [
    { value: smallest, belief: _("that a row is a person. Some rows here are visits of one and the same.") },
    { value: all, belief: _("that k is about the whole file. It is about the smallest group: there one has to hide.") },
    { value: visits.length, belief: _("that all rows hide everybody. Only those of the own group look the same.") },
    { value: inside.length + 1, belief: _("that the first group speaks for all. The smallest decides.") },
    { value: different + 2, belief: _("that people and visits can be added.") },
  ].filter((one, i, list) => one.value !== perGroup && list.map((w) => w.value).indexOf(one.value) === i).slice(0, 3);
  return {
    title: _("One person with many rows"),
    asks: _("Visits in three groups. **How many people does the weakest group hide among each other?**"),
    picture: () => table(_("Visits"), [_("Group"), _("Person")], visits.map((visit) => [visit.group, visit.person])),
    options: [
      { text: sayNumber(perGroup), right: true },
      ...wrong.map((one) => ({ text: sayNumber(one.value), belief: one.belief })),
    ],
    reasons: [
      { text: _("The smallest number of different people in a group is what counts."), right: true },
      { text: _("Every row counts once."), belief: _("that rows are what is protected. People are.") },
      { text: _("There are many people in the file."), belief: _("that a crowd elsewhere helps. One is hidden by those in the own group.") },
    ],
    next: _("What does somebody learn who knows how often a person went to the doctor?"),
  };
}

/** @type {Exercise[]} */
export const riskExercises = [
  { id: "many-rows", lesson: "persons", make: manyRows },
  { id: "homogeneous", lesson: "homogeneous", make: spotHomogeneous },
  { id: "safer", lesson: "homogeneous", make: safer },
  { id: "compose", lesson: "two-releases", make: compose },
  { id: "code-or-amount", lesson: "codes", make: codeOrAmount },
  { id: "intruder", lesson: "attack", make: intruder, own: true },
];
