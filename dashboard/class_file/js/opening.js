// The opening: the whole idea in one picture, before any word of method.

import { nameOfRecord, rows, scaledRows, titles } from "./data.js";
import { _, el, figure, figures, sayPercent, slider, tick } from "./dom.js";
import { lossOf, mdav } from "./method.js";
import { plane } from "./plane.js";

/** Records that step into their groups, and out again. */
export function openingNode() {
  let k = 5;
  let moved = false;
  const picture = plane({ label: _("All records; as released, each stands at the mean of its group"), rows, titles, nameOf: nameOfRecord });
  const places = figure(_("Different points"));
  const lost = figure(_("Information lost"));
  const tell = () => {
    const { labels, steps } = mdav(scaledRows, k);
    picture.draw(moved ? { labels, centres: true, moved } : {});
    places.set(moved ? steps.length : rows.length);
    lost.set(sayPercent(moved ? lossOf(scaledRows, labels) : 0, 1));
  };
  tell();
  return el("div", { class: "figure-box" },
    el("div", { class: "row" },
      tick(_("as released"), moved, (checked) => { moved = checked; tell(); }),
      slider(_("k, records in a group at least"), 2, Math.min(15, Math.floor(rows.length / 2)), k, (now) => { k = now; tell(); })),
    picture.node, figures(places.node, lost.node));
}
