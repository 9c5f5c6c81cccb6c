// A part of the class in the dashboard: the cards, a lesson, the game, the teacher's view.

import { cardsNode } from "./cards.js";
import { exercises, lessonNode, lessons, progressNode, sourceNode } from "./course.js";
import { _, el, given, host, refill, sayList } from "./dom.js";
import { gameNode } from "./game.js";
import { remember, restoreProgress } from "./progress.js";
import { teacherNode } from "./teacher.js";

const place = host.parentElement.querySelector(".class");

/** @param {string} part */
function addressOf(part) {
  return `?show=class-${part}`;
}

/** Ask for another part, and begin to look at it from its top. @param {string} part @param {Event} event */
function open(part, event) {
  const { ctrlKey, metaKey, shiftKey } = /** @type {MouseEvent} */ (event);
  if (ctrlKey || metaKey || shiftKey) return; // to be opened beside this one
  event.preventDefault();
  place.tell("part", part);
  for (let node = place; node; node = node.parentNode || node.host) node.scrollTop = 0;
}

/** The cards; their figures come one after the other, so that the page can be used at once. */
function cards() {
  const made = cardsNode(lessons, exercises, addressOf, open);
  const left = [...lessons, null];
  const next = () => {
    made.fill(left.shift());
    if (left.length) setTimeout(next);
  };
  next();
  return made.node;
}

/** @type {Object<string, () => Node[]>} */
const parts = {
  "": () => [
    progressNode(),
    cards(),
    el("p", {}, el("a", { href: addressOf("teach"), click: (/** @type {Event} */ event) => open("teach", event) }, _("Teacher's view"))),
  ],
  game: () => [gameNode()],
  teach: () => [teacherNode(lessons, exercises)],
};
lessons.forEach((lesson) => {
  const hasOwn = given.own && (lesson.own || exercises.some((one) => one.lesson === lesson.id && one.own));
  parts[lesson.id] = () => [
    progressNode(),
    ...(hasOwn || !given.own ? [sourceNode(hasOwn ? _("On your own table: {columns}.", { columns: sayList(given.own.columns) }) : "")] : []),
    remember(`${lesson.id} ${given.language} ${JSON.stringify(given.own)}`, () => lessonNode(lesson)),
  ];
});

restoreProgress();
refill(place, ...parts[given.part]());
