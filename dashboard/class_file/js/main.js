// The page: lessons with their exercises, one below the other, and what leads there.

import { cardsNode } from "./cards.js";
import { exercises, lessonNode, lessons, progressNode, sourceNode } from "./course.js";
import { _, el, given, prose, sayList } from "./dom.js";
import { gameNode } from "./game.js";
import { openingNode } from "./opening.js";
import { restoreProgress } from "./progress.js";
import { isTeachersView, teacherNode } from "./teacher.js";

/** @param {string} href @param {string} text */
function link(href, text) {
  return el("a", { href }, text);
}

/** What is seen first: one picture that holds the whole idea. */
function header() {
  return el("header", {},
    el("div", { class: "lesson" },
      el("div", { class: "words" },
        el("h1", {}, _("Microaggregation: a class")),
        prose("p", _("How a table about people can be given away without giving people away, and what that costs. Touch everything; be wrong often. Nothing leaves this page.")),
        prose("p", _("Each dot stands for somebody. **Tick “as released”**: all step to the mean of their group, and nobody can be told from the others in it. What has been lost on the way?"), { class: "idea" })),
      openingNode()));
}

/** What is done so far, and the way to every lesson. */
function contents() {
  const { own } = given;
  restoreProgress();
  cards = cardsNode(lessons, exercises, (part) => `#${part}`);
  document.querySelector("header").append(
    sourceNode(own ? _("The pictures show {columns} of a table that may be shown: {source}.", { columns: sayList(own.columns), source: own.source }) : ""),
    progressNode(),
    isTeachersView() ? link("#teacher", _("Teacher's view")) : "",
    cards.node);
}

/** @type {ReturnType<typeof cardsNode>} */
let cards;
const main = el("main", {});
document.body.append(header(), main);

/** Parts of the page that are still to be built. @type {(() => void)[]} */
const steps = [
  contents,
  ...lessons.map((lesson) => () => {
    const section = lessonNode(lesson);
    main.append(section);
    cards.fill(lesson, section.querySelector(".figure-box"));
  }),
  () => {
    main.append(gameNode());
    cards.fill(null);
  },
  () => { if (isTeachersView()) main.insertBefore(teacherNode(lessons, exercises), main.firstChild); },
  () => document.body.append(el("footer", {},
    isTeachersView() ? link("?", _("Student's view")) : link("?teach", _("Teacher's view")))),
];

// Called by scripts that follow one another, so that a browser can paint between them.
window.buildNext = () => {
  const step = steps.shift();
  if (step) step();
};
