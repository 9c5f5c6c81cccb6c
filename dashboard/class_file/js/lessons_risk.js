// Lessons on what k does not say: persons, alike groups, several releases, rules, attacks.

import {
  districtOf, illnessName, illnessOf, nameOfPerson, nameOfRecord, people, peopleRows, peopleTitles, rows, scaledRows, titles,
} from "./data.js";
import { _, chance, choice, drawInteger, el, figure, figures, given, n_, prose, refill, sayList, sayNumber, sayPercent, shuffled, slider, table } from "./dom.js";
import {
  bestRuns, column, deviation, fitLine, fixed, groupMeans, groupsOf, mdav, mean, squaredDistance, standardise,
} from "./method.js";
import { barsOf, heapOf, plane } from "./plane.js";

/** @typedef {import("./lessons_groups.js").Lesson} Lesson */

/** @param {string[]} items How often each is there, the most frequent first. */
export function tally(items) {
  /** @type {{item: string, count: number}[]} */
  const counts = [];
  items.forEach((item) => {
    const known = counts.filter((one) => one.item === item)[0];
    if (known) known.count += 1;
    else counts.push({ item, count: 1 });
  });
  return counts.sort((a, b) => b.count - a.count);
}

/** @param {string[]} items */
export function sayTally(items) {
  return sayList(tally(items).map((one) => (one.count > 1 ? `${one.item} × ${one.count}` : one.item)));
}

/** Visits to a doctor, some of one person, in groups by age. @param {() => number} random */
export function drawVisits(random) {
  const first = drawInteger(random, 0, 20);
  const often = [[4, 1], [1, 1, 1, 2], [3, 2]][drawInteger(random, 0, 2)];
  const layout = [often, [1, 1, 2, 1], [2, 1, 1]];
  let person = first;
  /** @type {{group: number, person: string, illness: string}[]} */
  const visits = [];
  layout.forEach((counts, group) => counts.forEach((count) => {
    for (let i = 0; i < count; i += 1) {
      visits.push({ group: group + 1, person: people[person].name, illness: illnessName(drawInteger(random, 0, 4)) });
    }
    person += 1;
  }));
  return visits;
}

/** @type {Lesson} */
const persons = {
  id: "persons",
  title: _("People and rows"),
  idea: _("k must count people, not rows: one person may fill a group alone."),
  can: _("Count people instead of rows in a group."),
  tells: [
    _("A file of visits has a row for each visit. A group of five rows looks safe. If **four of them are one person**, whoever knows that somebody is ill often knows whom the group is about."),
    _("Choose what k counts, and look at the smallest group."),
  ],
  build: () => {
    const visits = drawVisits(chance(given.seed + 31));
    const slot = el("div");
    const least = figure(_("k, as counted"));
    const said = el("p", { class: "note", "aria-live": "polite" });
    const tell = (/** @type {number} */ by) => {
      const counts = [1, 2, 3].map((group) => {
        const inside = visits.filter((visit) => visit.group === group);
        return by ? tally(inside.map((visit) => visit.person)).length : inside.length;
      });
      const k = Math.min(...counts);
      const small = counts.indexOf(k) + 1;
      refill(slot, table(_("Visits; the name is not in the file, but it is the same person"),
        [_("Group"), _("Person"), _("Illness")],
        visits.map((visit) => [visit.group, visit.person, visit.illness]),
        (i) => (visits[i].group === small ? "lit" : "")));
      least.set(k);
      said.textContent = by
        ? n_("The smallest group is {count} person.", "The smallest group has {count} different people.", k)
        : n_("The smallest group has {count} row.", "The smallest group has {count} rows.", k);
    };
    tell(0);
    return el("div", {}, choice(_("What k counts"), [_("Rows"), _("People")], 0, tell), slot, said, figures(least.node));
  },
};

/** @param {string[]} inside @param {string[]} all Distance of two distributions, 0 to 1. */
export function distributionDistance(inside, all) {
  const part = (/** @type {string[]} */ items, /** @type {string} */ item) => (
    items.filter((one) => one === item).length / items.length);
  return tally(all).reduce((sum, one) => sum + Math.abs(part(inside, one.item) - part(all, one.item)), 0) / 2;
}

/** @type {Lesson} */
const homogeneous = {
  id: "homogeneous",
  title: _("Groups that agree too much"),
  idea: _("If everybody in a group has the same illness, k hides who a person is, but not the illness."),
  can: _("Find groups that give away an illness, by l and t."),
  tells: [
    _("Touch a record: that is your neighbour, and the file shows the illnesses of their group. **l-diversity** counts different ones in each group; **t-closeness** asks how far a group's mix is from that of all."),
    _("Move k. Larger groups are rarely all alike, but k alone **promises nothing** about it."),
  ],
  build: () => {
    let k = 3;
    let target = 0;
    const picture = plane({
      label: _("People in groups; the group of the chosen one is marked"),
      rows: peopleRows, titles: peopleTitles, nameOf: nameOfPerson, pick: (i) => { target = i; tell(); },
    });
    const said = el("p", { class: "note", "aria-live": "polite" });
    const l = figure(_("l, least different illnesses in a group"));
    const alike = figure(_("Groups that are all alike"));
    const t = figure(_("t, largest distance from all"));
    const tell = () => {
      const { labels } = mdav(standardise(peopleRows), k);
      const groups = groupsOf(labels).map((members) => members.map(illnessOf));
      const all = people.map((_p, i) => illnessOf(i));
      const different = groups.map((illnesses) => tally(illnesses).length);
      const mine = labels[target];
      picture.draw({ labels, centres: true, lit: groupsOf(labels)[mine] });
      l.set(Math.min(...different));
      alike.set(different.filter((count) => count === 1).length);
      t.set(sayNumber(Math.max(...groups.map((illnesses) => distributionDistance(illnesses, all))), 2));
      const tells = different[mine] === 1
        ? _("Everybody in this group has {illness}: you know, without knowing who is who.", { illness: groups[mine][0] })
        : _("In this group: {illnesses}.", { illnesses: sayTally(groups[mine]) });
      said.textContent = _("{name}. {tells}", { name: nameOfPerson(target), tells });
    };
    tell();
    return el("div", {}, slider(_("k, records in a group at least"), 2, 10, 3, (now) => { k = now; tell(); }),
      picture.node, said, figures(l.node, alike.node, t.node));
  },
};

/** Seven amounts, sorted. @param {() => number} random */
export function drawAmounts(random) {
  const amounts = [drawInteger(random, 15, 22)];
  while (amounts.length < 7) amounts.push(amounts[amounts.length - 1] + drawInteger(random, 2, 9));
  return amounts;
}

/** @type {Lesson} */
const twoReleases = {
  id: "two-releases",
  title: _("Two safe releases that are not"),
  idea: _("Each released mean is an equation. The equations of two releases together can reveal original values."),
  can: _("Work out one person's value from two releases."),
  tells: [
    _("Release A has groups of 3 and 4, release B of 4 and 3. Each alone hides everybody. **Records must be matched first**: by the order of the rows, or by a column that both leave as it is."),
    _("Then a mean times its size is a sum, and the difference of two sums is **one person's** value."),
  ],
  build: () => {
    const amounts = drawAmounts(chance(given.seed + 57));
    const sizes = [[3, 4], [4, 3]];
    let had = 0;
    let matched = 1;
    const slot = el("div");
    const said = el("p", { class: "note", "aria-live": "polite" });
    const tell = () => {
      const means = sizes.map((some) => {
        const labels = [...new Array(some[0]).fill(0), ...new Array(some[1]).fill(1)];
        const centres = groupMeans(amounts.map((v) => [v]), labels);
        return labels.map((g) => sayNumber(centres[g][0], 2));
      });
      const open = had === 2 && matched;
      refill(slot, table(_("Pay of seven people, as each release shows it"),
        [_("Row"), _("Release A"), _("Release B")],
        amounts.map((_v, i) => [i + 1, had === 1 ? "" : means[0][i], had === 0 ? "" : means[1][i]]),
        (i) => (open && i === 3 ? "lit" : "")));
      said.textContent = open
        ? _("4 × {b} − 3 × {a} = {value}: that is the pay of row 4, exactly.", { a: means[0][0], b: means[1][0], value: amounts[3] })
        : had === 2
          ? _("If nobody can say which row of A is which row of B, the equations have no names on them. They must stay unmatched for ever.")
          : _("One release alone: every value is that of three people or four.");
    };
    tell();
    return el("div", {},
      choice(_("Releases that an intruder has"), [_("A"), _("B"), _("A and B")], 0, (i) => { had = i; tell(); }),
      choice(_("Rows of A and B"), [_("cannot be matched"), _("can be matched")], 1, (i) => { matched = i; tell(); }),
      slot, said);
  },
};

/** @type {Lesson} */
const edits = {
  id: "edits",
  title: _("Rules that must hold"),
  idea: _("If columns add up to a total, their group means add up only if all these columns have the same groups."),
  can: _("Keep a sum true in what is released."),
  tells: [
    _("For each firm **net + tax = gross**. If every column has groups of its own, the released rows no longer add up, and everybody sees that they are made up."),
    _("With the same groups in all columns, the means add up by themselves. **Rounding** each of them may break that again, by one."),
  ],
  build: () => {
    const random = chance(given.seed + 83);
    const firms = [0, 1, 2, 3, 4, 5].map(() => {
      const net = drawInteger(random, 40, 400);
      return [net, drawInteger(random, 5, Math.floor(net / 2))];
    });
    const data = firms.map(([net, tax]) => [net, tax, net + tax]);
    let way = 0;
    let rounded = 0;
    const slot = el("div");
    const broken = figure(_("Rows that do not add up"));
    const tell = () => {
      const together = mdav(standardise(data), 3).labels;
      const released = data.map((row) => row.slice());
      [0, 1, 2].forEach((j) => {
        const labels = way ? together : bestRuns(column(data, j), 3);
        const means = groupMeans(data.map((row) => [row[j]]), labels);
        labels.forEach((g, i) => { released[i][j] = rounded ? Number(fixed(means[g][0], 0)) : means[g][0]; });
      });
      const wrong = released.map(([net, tax, gross]) => Math.abs(net + tax - gross) > 1e-9);
      refill(slot, table(_("Firms as released"), [_("Net"), _("Tax"), _("Gross"), _("Net + tax − gross")],
        released.map((row) => [...row.map((v) => sayNumber(v, rounded ? 0 : 1)), sayNumber(row[0] + row[1] - row[2], rounded ? 0 : 1)]),
        (i) => (wrong[i] ? "lit" : "")));
      broken.set(wrong.filter(Boolean).length);
    };
    tell();
    return el("div", {},
      choice(_("Groups"), [_("Each column its own"), _("The same in all columns")], 0, (i) => { way = i; tell(); }),
      choice(_("Means"), [_("Not rounded"), _("Rounded")], 0, (i) => { rounded = i; tell(); }),
      slot, figures(broken.node));
  },
};

/** @type {Lesson} */
const codes = {
  id: "codes",
  title: _("Codes are not amounts"),
  idea: _("A mean of codes of places is a number, but does not name a place."),
  can: _("Tell codes from amounts, and choose a common value for each."),
  tells: [
    _("Districts look like numbers. Their **mean** is a district that does not exist, or one where none of the group lives; and a distance of 20 between two codes says nothing of the way between them."),
    _("Of codes a group shows the **most frequent**, or all of them as a set. Touch a record to see its group."),
  ],
  build: () => {
    let target = 0;
    let way = 0;
    const { labels } = mdav(standardise(peopleRows), 4);
    const picture = plane({
      label: _("People in groups; the group of the chosen one is marked"),
      rows: peopleRows, titles: peopleTitles, nameOf: nameOfPerson, pick: (i) => { target = i; tell(); },
    });
    const shown = figure(_("Released district"));
    const said = el("p", { class: "note", "aria-live": "polite" });
    const tell = () => {
      const members = groupsOf(labels)[labels[target]];
      const inside = members.map(districtOf);
      const middle = mean(inside.map(Number));
      picture.draw({ labels, centres: true, lit: members });
      const counts = tally(inside);
      shown.set([sayNumber(middle, 1), counts[0].item, counts.map((one) => one.item).sort().join(" / ")][way]);
      const exists = given.districts.indexOf(fixed(middle, 1).replace(/\.0$/, "")) >= 0;
      const tells = [
        exists ? _("The mean happens to be a district: by chance, not by meaning.") : _("There is no district with this mean."),
        _("{count} of {total} really live there.", { count: counts[0].count, total: inside.length }),
        _("True of everybody in the group, and less exact."),
      ];
      said.textContent = [_("The group lives in {districts}.", { districts: sayTally(inside) }), tells[way]].join(" ");
    };
    tell();
    return el("div", {},
      choice(_("Common value"), [_("Mean"), _("Most frequent"), _("Set")], 0, (i) => { way = i; tell(); }),
      picture.node, said, figures(shown.node));
  },
};

/** @param {number[]} x @param {number[]} y */
export function correlation(x, y) {
  return (fitLine(x, y).slope * deviation(x)) / deviation(y);
}

/** @type {Lesson} */
const regression = {
  id: "regression",
  title: _("What a regression loses"),
  idea: _("If means of groups replace values, the mean stays the same, the scatter shrinks, and relations look stronger than they are."),
  can: _("Say what grouping does to a slope, a correlation and a standard error."),
  own: true,
  tells: [
    _("Thin: the line through all records. Thick: the line through what is released. The **slope** moves little while groups are small. The scatter around it is gone with the groups, so that the **correlation** grows and errors look smaller than they are."),
    _("Whoever uses such a file must know its loss, or will be too sure."),
  ],
  build: () => {
    const picture = plane({ label: _("Records in groups, with the line through all and the line through the means"), rows, titles, nameOf: nameOfRecord });
    const slope = figure(_("Slope: true → released"));
    const relation = figure(_("Correlation: true → released"));
    const spread = figure(_("Standard deviation that is left"));
    const tell = (/** @type {number} */ k) => {
      const { labels } = mdav(scaledRows, k);
      const means = groupMeans(rows, labels);
      const released = labels.map((g) => means[g]);
      const before = fitLine(column(rows, 0), column(rows, 1));
      const after = fitLine(column(released, 0), column(released, 1));
      picture.draw({ labels, centres: true, lines: [{ ...before, kind: "thin" }, { ...after, kind: "thick" }] });
      slope.set([before, after].map((line) => sayNumber(line.slope, 2)).join(" → "));
      relation.set([rows, released].map((some) => sayNumber(correlation(column(some, 0), column(some, 1)), 2)).join(" → "));
      spread.set(sayPercent((100 * deviation(column(released, 1))) / deviation(column(rows, 1)), 0));
    };
    tell(3);
    return el("div", {}, slider(_("k, records in a group at least"), 2, Math.floor(rows.length / 3), 3, tell),
      picture.node, figures(slope.node, relation.node, spread.node));
  },
};

const N_INSIDE = 30;

/**
 * How often an intruder guesses the illness right, of those in the file and of others.
 * @param {number} k @param {number[]} order Of all people; the first thirty are in the file.
 */
function attackIllness(k, order) {
  const scaled = standardise(peopleRows);
  const inside = order.slice(0, N_INSIDE).map((i) => scaled[i]);
  const { labels } = mdav(inside, k);
  const centres = groupMeans(inside, labels);
  const guesses = groupsOf(labels).map((members) => tally(members.map((at) => illnessOf(order[at])))[0].item);
  const right = order.map((i) => {
    const away = centres.map((centre) => squaredDistance(scaled[i], centre));
    return guesses[away.indexOf(Math.min(...away))] === illnessOf(i) ? 1 : 0;
  });
  return { inside: mean(right.slice(0, N_INSIDE)), outside: mean(right.slice(N_INSIDE)) };
}

/** @type {Lesson} */
const attack = {
  id: "attack",
  title: _("An attack, and its control"),
  idea: _("An attack counts only if it succeeds more often for people in the file than for people outside the file."),
  can: _("Tell what a file gave away from what anybody could have guessed."),
  tells: [
    _("An intruder knows age and pay, takes the nearest group, and claims its most frequent illness. That is often right. But **is it the file's fault?**"),
    _("The control is the same attack on ten people **who are not in the file**. What is right of them is knowledge about people like them; only what is more than that was given away by being in the file."),
    _("Ten people are few: chance alone moves the control by many points. **Draw again** who is in the file and who is not, a hundred times, and see where the differences pile up."),
  ],
  build: () => {
    const random = chance(given.seed + 71);
    const usual = tally(people.map((_p, i) => illnessOf(i)))[0].count / people.length;
    const all = people.map((_p, i) => i);
    let k = 2;
    /** @type {number[]} */
    let differences = [];
    let left = 0;
    const slot = el("div");
    const heap = el("div");
    const said = el("p", { class: "note", "aria-live": "polite" });
    const draw = (/** @type {number[]} */ order) => {
      const result = attackIllness(k, order);
      differences.push(100 * (result.inside - result.outside));
      const bars = [
        { name: _("Right of those in the file"), value: 100 * result.inside, kind: "" },
        { name: _("Right of those who are not: the control"), value: 100 * result.outside, kind: "limit" },
        { name: _("Right by always claiming the most frequent illness"), value: 100 * usual, kind: "good" },
      ];
      refill(slot, barsOf(_("How often the intruder is right"), bars.map((bar) => Object.assign({ text: sayPercent(bar.value, 0) }, bar)), 100));
      refill(heap, heapOf(_("Percentage points more than the control, a dot for each draw"), differences, 60));
    };
    const tell = () => {
      const middle = mean(differences);
      const [low, high] = [Math.min(...differences), Math.max(...differences)].map((v) => sayNumber(v, 0));
      if (differences.length > 1) said.textContent = _("{count} draws: {more} percentage points more than the control on average, and from {low} to {high} in a single one. So little does one draw say.", { count: differences.length, more: sayNumber(middle, 1), low, high });
      else if (Math.round(middle) > 0) said.textContent = n_("{count} percentage point more than the control: so much is given away by being in the file, as far as ten people can tell.", "{count} percentage points more than the control: so much is given away by being in the file, as far as ten people can tell.", Math.round(middle));
      else said.textContent = _("No more than the control: what is right here is knowledge about people, not about those in the file.");
    };
    const step = () => {
      if (left <= 0) return;
      for (let i = 0; i < 4 && left > 0; i += 1, left -= 1) draw(shuffled(random, all));
      if (left > 0) window.requestAnimationFrame(step);
      else tell();
    };
    const begin = (/** @type {number} */ now) => {
      [k, left, differences] = [now, 0, []];
      draw(all);
      tell();
    };
    const more = (/** @type {number} */ count) => () => {
      const isIdle = left === 0;
      left += count;
      if (isIdle) step();
    };
    begin(2);
    return el("div", {}, slider(_("k, records in a group at least"), 2, 12, 2, begin), slot,
      el("div", { class: "row" },
        el("button", { type: "button", click: more(1) }, _("Draw again")),
        el("button", { type: "button", class: "main", click: more(100) }, _("Draw a hundred times"))),
      el("p", { class: "note" }, _("Percentage points more than the control, a dot for each draw")),
      heap, said);
  },
};

export const riskLessons = [persons, homogeneous, twoReleases, edits, codes, regression, attack];
