// The page: lessons with their exercises, one below the other, and what leads there.

import { cardsNode } from "./cards.js";
import { exercises, lessonNode, lessons, progressNode, sourceNode } from "./course.js";
import { _, el, given, prose } from "./dom.js";
import { gameNode } from "./game.js";
import { restoreProgress } from "./progress.js";
import { isTeachersView, teacherNode } from "./teacher.js";

/** @param {string} href @param {string} text */
function link(href, text) {
  return el("a", { href }, text);
}

/** @param {Node} cards */
function header(cards) {
  const { own } = given;
  return el("header", {},
    el("h1", {}, _("Microaggregation: a class")),
    prose("p", _("How a table about people can be given away without giving people away, and what that costs. Touch everything; be wrong often. Nothing leaves this page.")),
    sourceNode(own ? _("The pictures show {columns} of a table that may be shown: {source}.", { columns: own.columns.join(", "), source: own.source }) : ""),
    progressNode(),
    cards);
}

restoreProgress();
const cards = cardsNode(lessons, exercises, (part) => `#${part}`);
const main = el("main", {});
document.body.append(header(cards.node), main);

/** Parts of the page that are still to be built. @type {(() => void)[]} */
const steps = [
  ...(isTeachersView() ? [() => main.append(teacherNode(lessons, exercises))] : []),
  ...lessons.map((lesson) => () => {
    const section = lessonNode(lesson);
    main.append(section);
    cards.fill(lesson, section.querySelector(".figure-box"));
  }),
  () => {
    main.append(gameNode());
    cards.fill(null);
  },
  () => document.body.append(el("footer", {},
    isTeachersView() ? link("?", _("Student's view")) : link("?teach", _("Teacher's view")))),
];

// Called by scripts that follow one another, so that a browser can paint between them.
window.buildNext = () => {
  const step = steps.shift();
  if (step) step();
};
window.buildNext(); // the first picture comes with the first words
