// Lessons on the best groups: of one column, and how much effort they take.

import { _, el, figure, figures, prose, refill, sayList, sayNumber, sayPercent, slider } from "./dom.js";
import { bestRuns, groupsOf, lossOf } from "./method.js";
import { barsOf, lineOf } from "./plane.js";

/** @typedef {import("./lessons_groups.js").Lesson} Lesson */

/** Of a printed figure, sorted; and where MDAV cuts them for k = 3. */
export const TWELVE = [2, 5, 6, 11, 22, 25, 26, 31, 42, 45, 46, 51];
export const MDAV_CUTS = [3, 6, 9];

/** @type {Lesson} */
const oneColumn = {
  id: "one-column",
  title: _("One column alone"),
  idea: _("In a sorted column, each group consists of neighbours. So Coterie finds the best groups at once."),
  can: _("Cut a sorted column so that no other groups lose less."),
  tells: [
    _("Twelve values of a printed figure, in groups of **at least three**. Each becomes its group's mean."),
    _("Touch the line between two values to cut the column there, or to join what it parts. MDAV's groups are cut already."),
  ],
  build: () => {
    const k = 3;
    const points = TWELVE.map((v) => [v]);
    const best = sayPercent(lossOf(points, bestRuns(TWELVE, k)), 2);
    let cuts = MDAV_CUTS;
    const slot = el("div");
    const said = prose("p", "", { class: "note", "aria-live": "polite" });
    const sizes = figure(_("Group sizes"));
    const lost = figure(_("Information loss"));
    const gaps = TWELVE.slice(1).map((value, i) => el("button", {
      type: "button",
      class: "gap",
      "aria-label": _("Cut between {low} and {high}", { low: TWELVE[i], high: value }),
      click: () => {
        cuts = cuts.indexOf(i + 1) < 0 ? [...cuts, i + 1] : cuts.filter((cut) => cut !== i + 1);
        tell();
      },
    }, "|"));
    const tell = () => {
      const labels = TWELVE.map((_value, i) => cuts.filter((cut) => cut <= i).length);
      const counts = groupsOf(labels).map((members) => members.length);
      const loss = sayPercent(lossOf(points, labels), 2);
      gaps.forEach((gap, i) => gap.setAttribute("aria-pressed", String(cuts.indexOf(i + 1) >= 0)));
      refill(slot, lineOf(_("Twelve values on a line, and the mean of each group above them"), TWELVE, labels, true));
      sizes.set(sayList(counts.map((count) => sayNumber(count))));
      lost.set(loss);
      refill(said, prose("span", Math.min(...counts) < k
        ? _("A group has fewer than {k} records: whoever is in it is not hidden.", { k })
        : loss === best
          ? _("Sorted and cut where it costs least: **6, 26 and 46**, as printed, and no groups lose less. With more than one column nobody knows such a short way.")
          : cuts === MDAV_CUTS
            ? _("Groups of **exactly** three, from the outside in: what is left in the middle has to share. Which groups would you make?")
            : _("Every group has at least {k} records. Can you lose less?", { k })));
    };
    tell();
    return el("div", {}, slot,
      el("div", { class: "cuts" }, ...TWELVE.map((value, i) => el("span", {}, sayNumber(value), ...gaps.slice(i, i + 1)))),
      said, figures(sizes.node, lost.node));
  },
};

/** Losses in per cent that efforts reach on eighty patients with k = 5, and bounds, as the engine finds them. */
export const EFFORT = {
  losses: [8.011835, 6.547979, 5.779254],
  bounds: [3.754958, 4.602953, 5.779254],
  steps: 500,
};

/** @type {Lesson} */
const effort = {
  id: "effort",
  title: _("How good is good enough"),
  idea: _("A longer search finds groups that lose less, but no groups lose less than the lower bound."),
  can: _("Say when more effort cannot gain anything, and why."),
  tells: [
    _("What {count} patients lose in groups of at least {k}, and three lower bounds, in orange. They are proven: **no groups at all** lose less than the highest.", { count: 80, k: 5 }),
    _("Put in more effort. What is left between the bar and the bound is the **optimality gap**."),
  ],
  build: () => {
    const names = [_("MDAV"), _("Polished"), _("{count} steps", { count: EFFORT.steps })];
    const bound = Math.max(...EFFORT.bounds);
    const slot = el("div");
    const lost = figure(_("Information loss"));
    const gap = figure(_("Optimality gap"));
    const said = prose("p", "", { class: "note", "aria-live": "polite" });
    const tell = (/** @type {number} */ at) => {
      const bars = [
        ...EFFORT.losses.slice(0, at + 1).map((value, i) => ({ name: names[i], value, kind: "" })),
        ...EFFORT.bounds.map((value, i) => ({ name: _("Lower bound {name}", { name: `LB${i}` }), value, kind: "limit" })),
      ];
      const isClosed = EFFORT.losses[at] - bound < 1e-6 * bound;
      refill(slot, barsOf(_("Bars of losses after some effort, and of the lower bounds"),
        bars.map((bar) => Object.assign({ text: sayPercent(bar.value, 2) }, bar)), 1.1 * EFFORT.losses[0]));
      lost.set(sayPercent(EFFORT.losses[at], 2));
      gap.set(sayPercent(isClosed ? 0 : (100 * (EFFORT.losses[at] - bound)) / EFFORT.losses[at], 1));
      refill(said, isClosed ? prose("span", _("The optimality gap is closed: it is **proven** that no groups lose less.")) : "");
    };
    tell(0);
    return el("div", {}, slider(_("Effort"), 0, 2, 0, tell, (at) => names[at]), slot, said, figures(lost.node, gap.node));
  },
};

export const limitLessons = [oneColumn, effort];
