// Groups drawn by hand: records are touched one by one, and what that loses is told.

import { _, choice, el, figure, figures, n_, sayNumber, sayPercent, tick } from "./dom.js";
import { bestPartition, groupsOf, lossOf, mdav, sseOf, standardise } from "./method.js";
import { plane } from "./plane.js";

const N_PENS = 4;

/**
 * A picture in which groups can be drawn.
 * @param {{label: string, rows: number[][], titles: string[], nameOf: (i: number) => string, k: number, compare: boolean}} options
 */
export function groupDrawing(options) {
  const { k } = options;
  const scaled = standardise(options.rows);
  const labels = options.rows.map(() => -1);
  let pen = 0;
  let released = false;
  const own = figure(options.compare ? _("Your SSE") : _("Your loss"));
  const method = figure(_("SSE of MDAV"));
  const best = figure(_("SSE of the best"));
  const note = el("p", { class: "note", "aria-live": "polite" });
  const picture = plane({
    label: options.label,
    rows: options.rows,
    titles: options.titles,
    nameOf: options.nameOf,
    pick: (i) => {
      labels[i] = labels[i] === pen ? -1 : pen;
      tell();
    },
    paint: (i) => {
      labels[i] = pen;
      tell();
    },
  });
  const tell = () => {
    const numbers = labels.filter((g) => g >= 0).filter((g, at, all) => all.indexOf(g) === at).sort();
    const dense = labels.map((g) => numbers.indexOf(g));
    const left = labels.filter((g) => g < 0).length;
    const small = groupsOf(dense).filter((members) => members.length < k).length;
    const whole = left === 0 && small === 0;
    const moved = whole && released;
    picture.draw({ labels, centres: moved, moved });
    show.hidden = !whole;
    if (!whole) [own, method, best].forEach((one, i) => one.set(i ? "?" : "–"));
    else if (!options.compare) own.set(sayPercent(lossOf(scaled, dense), 2));
    else {
      [dense, mdav(scaled, k).labels, bestPartition(scaled, k).labels].forEach((groups, i) => (
        [own, method, best][i].set(sayNumber(sseOf(scaled, groups), 3))));
    }
    if (left) note.textContent = n_("{count} record is in no group yet.", "{count} records are in no group yet.", left);
    else if (small) note.textContent = _("A group has fewer than {k} records: whoever is in it is not hidden.", { k });
    else note.textContent = _("Every group has at least {k} records. Can you lose less?", { k });
  };
  const show = tick(_("as released"), released, (checked) => { released = checked; tell(); });
  tell();
  const pens = [];
  for (let g = 0; g < N_PENS; g += 1) pens.push(_("Group {group}", { group: g + 1 }));
  const clear = el("button", { type: "button", click: () => { labels.fill(-1); tell(); } }, _("Begin anew"));
  const shown = options.compare ? figures(own.node, method.node, best.node) : figures(own.node);
  return el("div", {},
    el("div", { class: "row pens" }, choice(_("Group to draw"), pens, 0, (g) => { pen = g; }), clear),
    picture.node, note, show, shown);
}
