// Cards that lead to the lessons: a figure in small, minutes, and what one can do after it.

import { _, el } from "./dom.js";
import { onProgress, progress } from "./progress.js";
import { peopleRows, peopleTitles, people } from "./data.js";
import { releaseOf } from "./game.js";
import { plane } from "./plane.js";

/** @typedef {import("./lessons_groups.js").Lesson} Lesson */
/** @typedef {import("./exercise.js").Exercise} Exercise */

const LESSON_MINUTES = 3;
const EXERCISE_MINUTES = 4;

/** @param {number} lessons @param {number} exercises How many there are. */
export function minutesOf(lessons, exercises) {
  return LESSON_MINUTES * lessons + EXERCISE_MINUTES * exercises;
}

/** @param {number} count */
export function sayMinutes(count) {
  return _("{count} min", { count });
}

/** A lesson's picture, or else its table, to be looked at only. @param {any} built */
function smallCopy(built) {
  const figure = (built.querySelector(".picture") || built.querySelector("table")).cloneNode(true);
  [figure, ...figure.querySelectorAll("[tabindex]")].forEach((node) => {
    ["tabindex", "role", "aria-label"].forEach((name) => node.removeAttribute(name));
  });
  if (figure.querySelector(".axes")) figure.setAttribute("viewBox", "40 8 350 246"); // without room for words
  return figure;
}

function gameFigure() {
  const { labels } = releaseOf(4, 1);
  const picture = plane({ label: "", rows: peopleRows, titles: peopleTitles, nameOf: (i) => people[i].name });
  picture.draw({ labels, centres: true });
  return el("div", {}, picture.node);
}

/**
 * Cards without their figures, which come as lessons are built.
 * @param {Lesson[]} lessons @param {Exercise[]} exercises
 * @param {(part: string) => string} addressOf A lesson, or the game.
 * @param {(part: string, event: Event) => void} [open]
 * @returns {{node: any, fill: (lesson: Lesson | null, built?: any) => void}} `fill` draws
 *   the figure of a lesson, or of the game.
 */
export function cardsNode(lessons, exercises, addressOf, open) {
  /** @type {Object<string, any>} */
  const slots = {};
  /** @param {string} part @param {string} title @param {string} can @param {Node[]} below */
  const card = (part, title, can, ...below) => el("li", {}, el("a", {
    class: "card", href: addressOf(part), "data-card": part,
    click: open ? (/** @type {Event} */ event) => open(part, event) : null,
  }, slots[part] = el("span", { class: "small-figure", "aria-hidden": "true" }), el("span", { class: "card-title" }, title), el("span", { class: "can" }, can), ...below));

  const cards = lessons.map((lesson, i) => {
    const own = exercises.filter((one) => one.lesson === lesson.id);
    const done = el("span", { class: "done" });
    const tell = () => {
      const right = own.filter((one) => (progress.answers[one.id] || {}).right).length;
      done.textContent = own.length ? _("Exercises right: {right} of {all}", { right, all: own.length }) : "";
      done.classList.toggle("all", own.length > 0 && right === own.length);
    };
    onProgress(tell);
    tell();
    return card(lesson.id, `${i + 1}. ${lesson.title}`, lesson.can,
      el("span", { class: "card-foot" }, el("span", {}, sayMinutes(minutesOf(1, own.length))), done));
  });
  const node = el("nav", { "aria-label": _("Lessons") }, el("ol", { class: "cards" }, ...cards,
    card("game", _("The game: protectors against intruders"), _("Choose protection that an intruder does not pay for, and say what it costs."))));
  return {
    node,
    fill: (lesson, built) => {
      if (!lesson) slots.game.append(smallCopy(gameFigure()));
      else slots[lesson.id].append(smallCopy(lesson.small ? lesson.small() : built || lesson.build()));
    },
  };
}
