// Lessons on groups: why, by hand, by MDAV, of fixed size, and what they lose.

import {
  illnessOf, districtOf, nameOfPerson, nameOfRecord, people, peopleRows, peopleTitles, rows, scaledRows, share, tenRecords, titles,
} from "./data.js";
import { _, choice, el, figure, figures, newId, prose, refill, sayNumber, sayPercent, slider, tick } from "./dom.js";
import { groupDrawing } from "./drawing.js";
import {
  bestPartition, bestRuns, groupMeans, groupsOf, lossOf, lowerBound, mdav, squaredDistance, sstOf, standardise, vmdav,
} from "./method.js";
import { barsOf, lineOf, plane } from "./plane.js";

/**
 * @typedef {object} Lesson
 * @property {string} id
 * @property {string} title
 * @property {string} idea One sentence.
 * @property {string} can What one is able to do after it.
 * @property {boolean} [own] Whether its picture shows the own table, if there is one.
 * @property {string[]} tells With **strong** parts.
 * @property {() => Node} build The picture and its controls.
 * @property {() => Node} [small] What its card shows, if not that.
 */

/** @type {Lesson} */
const names = {
  id: "names",
  title: _("A name removed is not enough"),
  idea: _("Without the name, a few facts that neighbours know can still identify a person."),
  can: _("Find who is singled out by what a neighbour knows."),
  tells: [
    _("This file has no names. But you know a neighbour: their district, their age, perhaps their pay."),
    _("Choose a neighbour and what you know of them. **Who is left?** If it is one, you have read their illness."),
  ],
  build: () => {
    const known = [false, true, false];
    let target = 0;
    const picture = plane({
      label: _("People by age and pay; those whom your facts fit are marked"),
      rows: peopleRows, titles: peopleTitles, nameOf: nameOfPerson,
      pick: (i) => { target = i; select.value = String(i); tell(); },
    });
    const fits = (/** @type {number} */ i) => (!known[0] || people[i].age === people[target].age)
      && (!known[1] || people[i].district === people[target].district)
      && (!known[2] || people[i].pay === people[target].pay);
    const said = prose("p", "", { class: "note", "aria-live": "polite" });
    const left = figure(_("Records that fit"));
    const tell = () => {
      const fit = people.map((_p, i) => i).filter(fits);
      picture.draw({ lit: fit, faint: people.map((_p, i) => i).filter((i) => !fits(i)) });
      left.set(share(fit.length, people.length));
      said.textContent = fit.length === 1
        ? _("Only one record fits. It is {name}, and the file says: {illness}.", { name: people[target].name, illness: illnessOf(target) })
        : _("{count} records fit: you would have to guess. Do you know one thing more?", { count: fit.length });
    };
    const id = newId("neighbour");
    const select = el("select", { id, change: () => { target = Number(select.value); tell(); } },
      ...people.map((p, i) => el("option", { value: i }, p.name)));
    const boxes = [_("age"), _("district"), _("pay")].map((name, j) => (
      tick(name, known[j], (checked) => { known[j] = checked; tell(); })));
    tell();
    return el("div", {},
      el("div", { class: "row" }, el("label", { for: id }, _("Neighbour")), select, ...boxes),
      picture.node, said, figures(left.node));
  },
};

/** Records in their groups, to be looked at only. @param {number[][]} some @param {number[]} labels @param {boolean} centres */
function groupsPicture(some, labels, centres) {
  const picture = plane({ label: "", rows: some, titles, nameOf: String });
  picture.draw({ labels, centres });
  return el("div", {}, picture.node);
}

/** @type {Lesson} */
const byHand = {
  id: "groups-by-hand",
  title: _("Groups by hand"),
  idea: _("In a group of k records with one common value, all records look the same."),
  can: _("Form groups of k, and say why nobody in them can be told apart."),
  own: true,
  tells: [
    _("**Microaggregation** puts at least k similar records into a group, and the file shows only the mean of each group."),
    _("Here k is 3. Take a pen and draw over records, or touch them, until each is in a group of **three or more**. The nearer they are to each other, the less is lost."),
  ],
  build: () => {
    const ten = tenRecords(1);
    return groupDrawing({
      label: _("Ten records to be put into groups"),
      rows: ten.map((i) => rows[i]), titles, nameOf: (i) => nameOfRecord(ten[i]), k: 3, compare: false,
    });
  },
  small: () => {
    const ten = tenRecords(1).map((i) => rows[i]);
    const [first] = mdav(standardise(ten), 3).steps;
    return groupsPicture(ten, ten.map((_r, i) => (first.members.indexOf(i) < 0 ? -1 : 0)), false);
  },
};

/** @type {Lesson} */
const mdavSteps = {
  id: "mdav",
  title: _("MDAV, step by step"),
  idea: _("MDAV begins with the records farthest from the mean, because these records are hardest to group."),
  can: _("Carry out MDAV by hand, group by group."),
  own: true,
  tells: [
    _("Nobody can try all ways to make groups. **MDAV** takes the record farthest from the mean of all that are left, with its k − 1 nearest; then the record farthest from that one, with its nearest; and again."),
    _("What is left at the end, fewer than k, joins the nearest group."),
  ],
  build: () => {
    const k = 6;
    const { steps } = mdav(scaledRows, k);
    const picture = plane({
      label: _("Records, and the groups that MDAV has formed so far"), rows, titles, nameOf: nameOfRecord,
    });
    const said = el("p", { class: "note", "aria-live": "polite" });
    const count = figure(_("Groups so far"));
    const last = 2 * steps.length;
    let at = 0;
    const tell = () => {
      const done = Math.ceil(at / 2);
      const labels = rows.map(() => -1);
      steps.slice(0, Math.floor(at / 2)).forEach((step, g) => step.members.forEach((i) => { labels[i] = g; }));
      const now = steps[done - 1];
      const choosing = at % 2 === 1;
      const free = rows.map((_r, i) => i).filter((i) => labels[i] < 0);
      const middle = [0, 1].map((j) => free.reduce((sum, i) => sum + rows[i][j], 0) / free.length);
      picture.draw({
        labels,
        centres: true,
        lit: choosing && now.seed >= 0 ? [now.seed] : [],
        crosses: choosing && done % 2 === 1 ? [middle] : [],
      });
      count.set(Math.floor(at / 2));
      if (at === 0) said.textContent = _("No group yet. Next: where is the mean, and who is farthest from it?");
      else if (at === last) said.textContent = _("Done: {count} groups of {k} or more.", { count: steps.length, k });
      else if (choosing && now.seed < 0) said.textContent = _("Fewer than 2k are left: they are a group.");
      else if (choosing && done % 2 === 1) said.textContent = _("The cross is the mean of all that are left. The large record is farthest from it.");
      else if (choosing) said.textContent = _("The large record is farthest from the one before.");
      else said.textContent = _("It takes its {count} nearest along: a group.", { count: k - 1 });
    };
    const move = (/** @type {number} */ by) => () => { at = Math.max(0, Math.min(last, at + by)); tell(); };
    tell();
    return el("div", {}, picture.node, said,
      el("div", { class: "row" },
        el("button", { type: "button", click: move(-1) }, _("Back")),
        el("button", { type: "button", class: "main", click: move(1) }, _("Next step")),
        el("button", { type: "button", click: move(-last) }, _("From the start"))),
      figures(count.node));
  },
  small: () => groupsPicture(rows, mdav(scaledRows, 6).labels, true),
};

/** Columns of ten values: what a fixed size costs, and what order costs. */
export const FIXED_COLUMNS = [
  [0, 1, 2, 3, 4, 100, 101, 102, 103, 104],
  [10, 11, 12, 50, 51, 52, 100, 101, 102, 103],
];

export const FIXED_SIZES = [[3, 3, 4], [3, 4, 3], [4, 3, 3], [5, 5], [4, 6], [6, 4]];

/** @param {number[]} sizes Labels of sorted values in runs of these sizes. */
export function labelsOfRuns(sizes) {
  /** @type {number[]} */
  const labels = [];
  sizes.forEach((size, g) => { for (let i = 0; i < size; i += 1) labels.push(g); });
  return labels;
}

/** @type {Lesson} */
const fixedSize = {
  id: "fixed-size",
  title: _("What a fixed size costs, and what order costs"),
  idea: _("Groups of exactly k records can cut a cluster in two. Groups of k to 2k − 1 records can follow clusters."),
  can: _("Tell what a fixed group size costs from what order costs."),
  tells: [
    _("Ten values on a line, k = 3. Groups of exactly 3 leave one over, so that sizes are 3, 3 and 4. The first column has **two clusters of five**: MDAV takes three at each end and loses 37.63 %, the best such order 24.84 %. Groups of 5 and 5 lose 0.08 %: that is **what the size costs**."),
    _("The second column has clusters of 3, 3 and 4. **The same three sizes**, in another order along the line, lose 12.60 % or 0.06 %: which records are the four matters, too."),
    _("Methods whose groups have **k to 2k − 1** records, such as V-MDAV, can follow the clusters: it finds the best groups of the second column."),
  ],
  build: () => {
    let which = 0;
    let sizes = 1;
    const slot = el("div");
    const lost = figure(_("Loss"));
    const least = figure(_("Loss of the best groups"));
    const tell = () => {
      const values = FIXED_COLUMNS[which];
      const points = values.map((v) => [v]);
      const labels = labelsOfRuns(FIXED_SIZES[sizes]);
      slot.textContent = "";
      slot.append(lineOf(_("Ten values, joined to the mean of their group"), values, labels));
      lost.set(sayPercent(lossOf(points, labels), 3));
      least.set(sayPercent(lossOf(points, bestRuns(values, 3)), 3));
    };
    tell();
    return el("div", {},
      choice(_("Column"), [_("Two clusters of 5"), _("Clusters of 3, 3 and 4")], 0, (i) => { which = i; tell(); }),
      choice(_("Sizes along the line"), FIXED_SIZES.map((one) => one.join(" + ")), 1, (i) => { sizes = i; tell(); }),
      slot, figures(lost.node, least.node));
  },
};

/** @type {Lesson} */
const variableSize = {
  id: "variable-size",
  title: _("V-MDAV: when a group may grow"),
  idea: _("A full group has k records. A record joins a full group if the record is much nearer to this group than to other records without a group."),
  can: _("Say by two distances whether V-MDAV lets a record join a group of k."),
  own: true,
  tells: [
    _("**V-MDAV** forms a group of k around the record farthest from the mean of all. Then it looks at the free record nearest to a member. It compares two distances: to that member, and to the nearest other free record."),
    _("If the first distance is less than **gamma** times the second, the record joins. A group stops at 2k − 1. What is left at the end, fewer than k, joins the nearest mean."),
    _("With gamma 0 no group grows. Move gamma: for scattered records about 0.2 is good, for clusters about 1.1. **More is not always better**: look at the loss."),
  ],
  build: () => {
    const k = 4;
    const picture = plane({ label: _("Groups of V-MDAV; records that joined a full group are marked"), rows, titles, nameOf: nameOfRecord });
    const lost = figure(_("Loss of V-MDAV"));
    const fixedLoss = figure(_("Loss of MDAV"));
    const grown = figure(_("Records that joined a full group"));
    const largest = figure(_("Largest group"));
    const said = el("p", { class: "note", "aria-live": "polite" });
    fixedLoss.set(sayPercent(lossOf(scaledRows, mdav(scaledRows, k).labels), 2));
    const tell = (/** @type {number} */ tenths) => {
      const { labels, joined } = vmdav(scaledRows, k, tenths / 10);
      picture.draw({ labels, centres: true, lit: joined.map((one) => one.record) });
      lost.set(sayPercent(lossOf(scaledRows, labels), 2));
      grown.set(share(joined.length, rows.length));
      largest.set(Math.max(...groupsOf(labels).map((members) => members.length)));
      const [first] = joined;
      said.textContent = !first ? _("No record joins: each distance to a member is too long.")
        : _("{record} joins: {inside} to a member is less than {gamma} times {outside} to the nearest other free record.", {
          record: nameOfRecord(first.record), inside: sayNumber(first.inside, 2), gamma: sayNumber(tenths / 10, 1), outside: first.outside < Infinity ? sayNumber(first.outside, 2) : "∞",
        });
    };
    tell(11);
    return el("div", {},
      slider(_("Value of gamma"), 0, 20, 11, tell, (tenths) => sayNumber(tenths / 10, 1)),
      picture.node, said, figures(lost.node, fixedLoss.node, grown.node, largest.node));
  },
};

/** @type {Lesson} */
const loss = {
  id: "loss",
  title: _("What loss means, and which records lose most"),
  idea: _("Loss measures how far records move to the mean of their group. A few records cause most of the loss."),
  can: _("Say what SSE, SST and loss are, and which records cause most of the loss."),
  own: true,
  tells: [
    _("**SSE** adds up the squared lengths of the lines, **SST** those to the mean of all. Information loss is IL = 100 SSE / SST: 0 % if nothing moves, 100 % if all that is left is one mean."),
    _("Move k, and see where records stand in what is released. The tenth with the longest lines is marked: those on the rim, who have few like them, **lose most**, and with them what one could learn of the rare."),
    _("Each k has groups of its **own**, not merged ones. **Mostly** a larger k loses more: MDAV does not promise the best groups, and may do better with a larger k."),
  ],
  build: () => {
    const picture = plane({
      label: _("Records joined to the mean of their group; the tenth that moves farthest is marked"),
      rows, titles, nameOf: nameOfRecord,
    });
    const lost = figure(_("Information loss"));
    const groups = figure(_("Groups"));
    const worst = figure(_("Share of the tenth of records that moves farthest"));
    let k = 3;
    let moved = false;
    const tell = () => {
      const { labels } = mdav(scaledRows, k);
      const centres = groupMeans(scaledRows, labels);
      const moves = scaledRows.map((row, i) => squaredDistance(row, centres[labels[i]]));
      const order = moves.map((_m, i) => i).sort((a, b) => moves[b] - moves[a]);
      const far = order.slice(0, Math.round(rows.length / 10));
      const all = moves.reduce((a, b) => a + b, 0);
      picture.draw({ labels, centres: true, lit: far, moved });
      lost.set(sayPercent(lossOf(scaledRows, labels), 2));
      groups.set(centres.length);
      worst.set(sayPercent((100 * far.reduce((sum, i) => sum + moves[i], 0)) / (all || 1), 0));
    };
    tell();
    return el("div", {},
      slider(_("k, records in a group at least"), 2, Math.min(20, Math.floor(rows.length / 2)), k, (now) => { k = now; tell(); }),
      tick(_("as released"), moved, (checked) => { moved = checked; tell(); }),
      picture.node, figures(lost.node, groups.node, worst.node));
  },
};

/** Of Tarragona with k = 3: what two methods were printed to lose, one on z-scores and one presumably not. */
export const PRINTED = {
  first: 16.9, first_name: "MDAV-1", second: 5.5, second_name: _("Pairwise systematic"), table: "Tarragona", k: 3, source: _("Kabir et al. 2010"),
};

/** How many times the first column counts where it has a weight. */
const WEIGHT = 3;

/** What a column loses of its own variation, in per cent. @param {number[][]} values @param {number[]} labels @param {number} j */
function columnLoss(values, labels, j) {
  return lossOf(values.map((row) => [row[j]]), labels);
}

/** @type {Lesson} */
const scaling = {
  id: "scaling",
  title: _("Scaling decides who is near"),
  idea: _("Without a common scale, the column with the largest numbers alone decides which records are near."),
  can: _("Choose a scale, and see which column decides without one."),
  own: true,
  tells: [
    _("Distance adds up columns. If one is counted in years and the other in cents, **the cents decide**, and groups are bands of one column."),
    _("Change the unit of the second column. Then give both the same weight: a **z-score** has mean 0 and standard deviation 1, whatever the unit was."),
    _("A paper printed **{second} %** for {second_name} beside **{first} %** for {first_name}. But the second is on z-scored values, where no grouping can lose as little as the first: that was presumably measured on values as they are.", PRINTED),
    _("Printed: {table}, k = {k}, {source}.", PRINTED),
  ],
  build: () => {
    const k = 5;
    let unit = 0;
    let common = 0;
    const picture = plane({ label: _("Records in groups, by distance on the chosen scale"), rows, titles, nameOf: nameOfRecord });
    const shares = titles.map((title) => figure(_("{column}: share of all variation", { column: title })));
    const lost = figure(_("Information loss, on this scale"));
    const even = figure(_("Information loss, on z-scores"));
    const said = el("div", { class: "note", "aria-live": "polite" });
    const weighted = scaledRows.map((row) => [WEIGHT * row[0], row[1]]);
    const lostOf = (/** @type {number[]} */ labels) => [0, 1].map((j) => columnLoss(rows, labels, j));
    const before = lostOf(mdav(scaledRows, k).labels);
    const tell = () => {
      const factor = [1, 1000, 0.01][unit];
      const raw = rows.map((row) => [row[0], row[1] * factor]);
      const used = [raw, scaledRows, weighted][common];
      const { labels } = mdav(used, k);
      const parts = [0, 1].map((j) => sstOf(used.map((row) => [row[j]])));
      picture.draw({ labels, centres: true });
      const portions = parts.map((part) => (100 * part) / (parts[0] + parts[1]));
      shares.forEach((one, j) => one.set(sayPercent(portions[j], 0)));
      lost.set(sayPercent(lossOf(used, labels), 2));
      even.set(sayPercent(lossOf(scaledRows, labels), 2));
      const now = lostOf(labels);
      const most = portions[0] > portions[1] ? 0 : 1;
      const paid = parts.map((part, j) => part * now[j]);
      const say = (/** @type {number} */ v) => sayPercent(v, 1);
      refill(said, common === 1
        ? prose("p", _("Z-scored, every column counts the same. The groups protect as before, and the loss is another number: compare on **one scaling only**."))
        : common === 0 && portions[most] > 75
          ? prose("p", _("As they are, the largest numbers decide: **{share}** of all variation and **{lost}** of the loss come from **{columns}** alone.", { share: say(portions[most]), lost: say((100 * paid[most]) / (paid[0] + paid[1] || 1)), columns: titles[most] }))
          : common === 2 && now[0] < before[0] && now[1] > before[1]
            ? prose("p", _("A **weight** says what matters: with {weight}, **{column}** loses {now} instead of {before}. Others pay for it: {other} loses {other_now} instead of {other_before}.", { weight: WEIGHT, column: titles[0], now: say(now[0]), before: say(before[0]), other: titles[1], other_now: say(now[1]), other_before: say(before[1]) }))
            : "");
    };
    tell();
    return el("div", {},
      choice(_("Unit of the second column"), [_("as it is"), _("a thousandth of it"), _("a hundred of it")], 0, (i) => { unit = i; tell(); }),
      choice(_("Scale"), [_("Values as they are"), _("z-scores"), _("Z-score, weighted")], 0, (i) => { common = i; tell(); }),
      picture.node, said, figures(shares[0].node, shares[1].node, lost.node, even.node));
  },
};

/** @type {Lesson} */
const bound = {
  id: "bound",
  title: _("The limit and the optimality gap"),
  idea: _("The lower bound is a limit of the loss: no groups lose less. To calculate this limit, Coterie need not know the best groups."),
  can: _("Read a lower bound and an optimality gap, and say what they prove."),
  own: true,
  tells: [
    _("Each record needs k − 1 others, so it is at least as far away as its k − 1 nearest: from that follows a **lower bound** that no groups can pass."),
    _("What is between a method and the bound is the **optimality gap**. For ten records the best can be found by trying all: it lies somewhere in the gap. For ten thousand, the gap is what one knows."),
  ],
  build: () => {
    const ten = tenRecords(2);
    const points = standardise(ten.map((i) => rows[i]));
    const slot = el("div");
    const gap = figure(_("Optimality gap: the share of MDAV's loss that might be avoided"));
    const tell = (/** @type {number} */ k) => {
      const sst = sstOf(points);
      const bars = [
        { name: _("MDAV"), value: lossOf(points, mdav(points, k).labels), kind: "" },
        { name: _("The best groups, found by trying all"), value: lossOf(points, bestPartition(points, k).labels), kind: "good" },
        { name: _("Lower bound: nothing can be below"), value: (100 * lowerBound(points, k)) / sst, kind: "limit" },
      ];
      slot.textContent = "";
      slot.append(barsOf(_("Loss of MDAV, of the best groups, and the lower bound"),
        bars.map((bar) => Object.assign({ text: sayPercent(bar.value, 2) }, bar)), 100));
      gap.set(sayPercent((100 * (bars[0].value - bars[2].value)) / bars[0].value, 1));
    };
    tell(3);
    return el("div", {}, slider(_("k, records in a group at least"), 2, 5, 3, tell), slot, figures(gap.node));
  },
};

export const groupLessons = [names, byHand, mdavSteps, fixedSize, variableSize, loss, scaling, bound];
