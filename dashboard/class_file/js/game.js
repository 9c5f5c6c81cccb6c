// The game: protectors against intruders, two teams or one student against the file.

import { pointsOf, writeCode } from "./codes.js";
import { illnessOf, people, peopleRows, peopleTitles, share } from "./data.js";
import { _, chance, choice, drawInteger, el, figure, figures, given, n_, prose, refill, sayNumber, sayPercent, shuffled, slider, table } from "./dom.js";
import { correlation, sayTally, tally } from "./lessons_risk.js";
import { column, groupMeans, groupsOf, lossOf, mdav, squaredDistance, standardise } from "./method.js";
import { plane } from "./plane.js";
import { noteProgress, progress } from "./progress.js";

const BUDGET_PERCENT = 20;
const N_TARGETS = 5;
const scaled = standardise(peopleRows);

/** What the protectors hand over. @param {number} k @param {number} weight Of age, 0 to 2. */
export function releaseOf(k, weight) {
  const factors = [[2, 1], [1, 1], [1, 2]][weight];
  const { labels } = mdav(scaled.map((row) => row.map((v, j) => v * factors[j])), k);
  const centres = groupMeans(peopleRows, labels);
  const released = labels.map((g) => centres[g]);
  const [before, after] = [peopleRows, released].map((rows) => correlation(column(rows, 0), column(rows, 1)));
  const loss = lossOf(scaled, labels);
  const kept = Math.max(0, Math.round(100 - loss - 100 * Math.abs(after - before)));
  return { labels, centres, groups: groupsOf(labels), loss, kept };
}

/** @param {number} turn People to be found, the same for the same class and turn. */
export function drawTargets(turn) {
  return shuffled(chance(given.seed + 7000 + turn), people.map((_p, i) => i)).slice(0, N_TARGETS);
}

/** @typedef {{group: number, illness: string}} Claim Of an intruder, about one person. */

/** What the file claims: nearest mean, most frequent illness. @param {ReturnType<typeof releaseOf>} release @param {number[]} targets */
export function findByFile(release, targets) {
  const centres = groupMeans(scaled, release.labels);
  return targets.map((i) => {
    const away = centres.map((centre) => squaredDistance(centre, scaled[i]));
    const group = away.indexOf(Math.min(...away));
    return { group, illness: tally(release.groups[group].map(illnessOf))[0].item };
  });
}

/**
 * How many are found: the group and the illness are right.
 * @param {ReturnType<typeof releaseOf>} release @param {number[]} targets @param {Claim[]} claims
 */
function countFound(release, targets, claims) {
  return claims.filter((claim, i) => isFound(release, targets[i], claim)).length;
}

/** @param {ReturnType<typeof releaseOf>} release @param {number} target @param {Claim} claim */
function isFound(release, target, claim) {
  return release.labels[target] === claim.group && claim.illness === illnessOf(target);
}

export function gameNode() {
  const stage = el("div", { class: "figure-box" });
  const begin = () => ({ phase: "choose", mode: 0, k: 3, weight: 1, claims: [], bought: 0, turn: 0 });
  let state = progress.game || begin();

  const go = (/** @type {Object<string, any>} */ change) => {
    state = Object.assign({}, state, change);
    progress.game = state.phase === "choose" ? null : state;
    noteProgress();
    show();
  };
  const button = (/** @type {string} */ text, /** @type {() => void} */ click) => (
    el("button", { type: "button", class: "main", click }, text));

  const choose = () => {
    let mode = state.mode;
    return [
      prose("p", _("**Protectors** choose k and what counts more, and may lose {budget} % at most. **Intruders** look for {count} people in what is released, and claim their illnesses.", { budget: BUDGET_PERCENT, count: N_TARGETS })),
      prose("p", _("Protectors score what analysis keeps, less 10 for each person found. Intruders score 20 for each, less 5 for each fact bought.")),
      choice(_("Who plays"), [_("I protect, the file intrudes"), _("I intrude, the file protects"), _("Two teams")], mode, (i) => { mode = i; }),
      button(_("Begin"), () => {
        const k = drawInteger(chance(given.seed + 900 + state.turn), 3, 6);
        go(mode === 1 ? { mode, k, weight: 1, phase: "attack" } : { mode, phase: "protect" });
      }),
    ];
  };

  const protect = () => {
    const picture = plane({ label: _("People in the groups that you would release"), rows: peopleRows, titles: peopleTitles, nameOf: (i) => people[i].name });
    const lost = figure(_("Loss, at most {budget} %", { budget: BUDGET_PERCENT }));
    const kept = figure(_("Analysis kept"));
    const release = button(_("Release it"), () => {
      if (state.mode === 0) go({ phase: "done", claims: findByFile(releaseOf(state.k, state.weight), drawTargets(state.turn)) });
      else go({ phase: "pass" });
    });
    const tell = () => {
      const now = releaseOf(state.k, state.weight);
      picture.draw({ labels: now.labels, centres: true });
      lost.set(sayPercent(now.loss, 1));
      kept.set(now.kept);
      release.disabled = now.loss > BUDGET_PERCENT;
    };
    tell();
    return [
      slider(_("k, records in a group at least"), 2, 15, state.k, (k) => { state.k = k; tell(); }),
      choice(_("What counts more"), [_("Age"), _("Both alike"), _("Pay")], state.weight, (i) => { state.weight = i; tell(); }),
      picture.node, figures(lost.node, kept.node), release,
    ];
  };

  const attack = () => {
    const release = releaseOf(state.k, state.weight);
    const target = drawTargets(state.turn)[state.claims.length];
    const person = people[target];
    let payKnown = false;
    const said = el("p", { class: "note", "aria-live": "polite" });
    const claims = el("div", { class: "choice", role: "group", "aria-label": _("Illness to claim") });
    const facts = el("p", {});
    const tell = () => {
      facts.textContent = payKnown
        ? _("{name} is {age} years old, is in the file, and earns {pay}.", { name: person.name, age: person.age, pay: person.pay })
        : _("{name} is {age} years old and is in the file.", { name: person.name, age: person.age });
    };
    const picture = plane({
      label: _("Group means of age and pay, as released"),
      rows: release.centres, titles: peopleTitles,
      nameOf: (g) => _("{count} people, mean age {age}, mean pay {pay}", { count: release.groups[g].length, age: sayNumber(release.centres[g][0], 1), pay: sayNumber(release.centres[g][1], 1) }),
      pick: (g) => {
        const illnesses = release.groups[g].map(illnessOf);
        picture.draw({ lit: [g] });
        said.textContent = _("{count} people. Their illnesses: {illnesses}.", { count: illnesses.length, illnesses: sayTally(illnesses) });
        refill(claims, ...tally(illnesses).map((one) => el("button", {
          type: "button",
          click: () => go({
            claims: state.claims.concat({ group: g, illness: one.item }),
            phase: state.claims.length + 1 === N_TARGETS ? "done" : "attack",
          }),
        }, _("{name} has {illness}", { name: person.name, illness: one.item }))));
      },
    });
    picture.draw({});
    tell();
    const buy = el("button", {
      type: "button",
      click: () => { payKnown = true; state.bought += 1; buy.disabled = true; noteProgress(); tell(); },
    }, _("Buy the pay, for 5 points"));
    return [
      prose("p", _("**Person {number}.** Touch the group that you think is theirs, and claim an illness.", { number: share(state.claims.length + 1, N_TARGETS) })),
      facts, buy, picture.node, said, claims,
    ];
  };

  const done = () => {
    const release = releaseOf(state.k, state.weight);
    const targets = drawTargets(state.turn);
    const found = countFound(release, targets, state.claims);
    const sides = state.mode === 2 ? [0, 1] : [state.mode];
    const names = [_("Protectors"), _("Intruders")];
    return [
      el("h3", {}, _("{count} of {total} found, {kept} of 100 kept", { count: found, total: N_TARGETS, kept: release.kept })),
      ...sides.map((side) => {
        const result = { side, found, kept: release.kept, bought: state.bought, seed: given.seed };
        return prose("p", n_("{side}: {count} point. Code to read out: **{code}**", "{side}: {count} points. Code to read out: **{code}**", pointsOf(result), { side: names[side], code: writeCode(result) }));
      }),
      table(_("Found is whose group and illness were both claimed rightly"),
        [_("Person"), _("Claimed"), _("In truth"), _("Group"), _("Found")],
        state.claims.map((/** @type {Claim} */ claim, /** @type {number} */ i) => [
          people[targets[i]].name, claim.illness, illnessOf(targets[i]),
          release.labels[targets[i]] === claim.group ? _("right") : _("another"),
          isFound(release, targets[i], claim) ? "✓" : "",
        ])),
      el("p", {}, found === 0
        ? _("Nobody was found. Could less have been lost?")
        : _("Were they found by the file, or would a guess have been as good?")),
      button(_("Play again, with others to be found"), () => go(Object.assign(begin(), { turn: state.turn + 1 }))),
    ];
  };

  /** @type {Object<string, () => any[]>} */
  const phases = {
    choose,
    protect,
    pass: () => [prose("p", _("**Hand it over.** The intruders may look now; the protectors may not say who is where.")), button(_("We are the intruders"), () => go({ phase: "attack" }))],
    attack,
    done,
  };
  const show = () => {
    const give = el("button", { type: "button", click: () => go(Object.assign(begin(), { turn: state.turn })) }, _("Give up"));
    const going = state.phase !== "choose" && state.phase !== "done";
    refill(stage, ...phases[state.phase](), ...(going ? [el("p", {}, give)] : []));
  };
  if (!phases[state.phase] || !Array.isArray(state.claims)) state = begin(); // not what this page kept
  show();
  return el("section", { id: "game", "data-game": "", "aria-labelledby": "title-game" },
    el("h2", { id: "title-game" }, _("The game: protectors against intruders")), stage);
}
