// An exercise: an answer and a reason, what a wrong one comes from, what a right one asks next.

import { _, chance, el, given, newId, prose, refill, shuffled } from "./dom.js";
import { noteAnswer } from "./progress.js";

/**
 * @typedef {object} Option
 * @property {string} text
 * @property {boolean} [right]
 * @property {string} [belief] Of a wrong one: what it comes from.
 */

/**
 * @typedef {object} Exercise
 * @property {string} id
 * @property {string} lesson Below which it stands.
 * @property {boolean} [own] Whether it is about the own table, if there is one.
 * @property {() => Asked} make
 * @property {Asked} [made]
 */

/**
 * @typedef {object} Asked What an exercise asks.
 * @property {string} title
 * @property {string} asks
 * @property {() => Node} [picture]
 * @property {Option[]} options
 * @property {Option[]} reasons
 * @property {string} next The question that a right answer leads to.
 * @property {() => Node} [reveal] Shown with a right answer.
 */

/** What an exercise asks, made up when it is first shown. @param {Exercise} exercise */
export function askedBy(exercise) {
  if (!exercise.made) exercise.made = exercise.make();
  return exercise.made;
}

/** @param {Option[]} options */
export function rightOf(options) {
  return options.filter((option) => option.right)[0];
}

/**
 * Radio buttons of which one can be chosen.
 * @param {string} legend @param {Option[]} options @param {string} kind @param {() => void} changed
 */
function optionList(legend, options, kind, changed) {
  const name = newId(kind);
  const inputs = options.map((option, i) => el("input", {
    type: "radio", name, value: i, [`data-${kind}`]: "", change: changed,
  }));
  const node = el("fieldset", { class: "options" }, el("legend", {}, legend),
    ...options.map((option, i) => el("label", {}, inputs[i], el("span", {}, option.text))));
  return { node, chosen: () => options.filter((_option, i) => inputs[i].checked)[0] };
}

/** @param {Exercise} exercise @param {number} number */
export function exerciseNode(exercise, number) {
  const random = chance(given.seed * 31 + number);
  const asked = askedBy(exercise);
  const feedback = el("div", { "data-feedback": "", role: "status", class: "feedback" });
  const changed = () => { refill(feedback); feedback.removeAttribute("data-result"); };
  const answers = optionList(_("Your answer"), shuffled(random, asked.options), "answer", changed);
  const reasons = optionList(_("Because"), shuffled(random, asked.reasons), "reason", changed);

  const say = (/** @type {string} */ result, /** @type {Node[]} */ ...parts) => {
    feedback.setAttribute("data-result", result);
    refill(feedback, ...parts);
  };
  const check = (/** @type {Event} */ event) => {
    event.preventDefault();
    const answer = answers.chosen();
    const reason = reasons.chosen();
    if (!answer || !reason) {
      say("open", el("p", {}, _("Choose an answer and a reason: an answer without one is a guess, and does not count.")));
      return;
    }
    const wrong = !answer.right ? answer : reason.right ? null : reason;
    noteAnswer(exercise.id, !wrong, wrong ? wrong.belief : "");
    if (!wrong) {
      say("right", prose("p", _("**Right, and for the right reason.**")),
        prose("p", _("Next question: {question}", { question: asked.next })),
        ...(asked.reveal ? [asked.reveal()] : []));
      return;
    }
    say("wrong",
      prose("p", answer.right ? _("**The answer is right, the reason is not.**") : _("**Not so.**")),
      prose("p", _("This comes from a belief: {belief}", { belief: wrong.belief })));
  };
  return el("form", {
    "data-exercise": exercise.id, class: "exercise", id: `exercise-${exercise.id}`, submit: check, "aria-label": asked.title,
  },
  el("div", { class: "question" },
    el("h3", {}, el("span", { class: "badge" }, _("Exercise {number}", { number })), asked.title),
    prose("p", asked.asks),
    ...(asked.picture ? [asked.picture()] : [])),
  el("div", {}, answers.node, reasons.node,
    el("button", { type: "submit", class: "main", "data-check": "" }, _("Check")),
    feedback));
}
