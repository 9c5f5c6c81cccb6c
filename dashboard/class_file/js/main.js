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

function header() {
  const { own } = given;
  return el("header", {},
    el("h1", {}, _("Microaggregation: a class")),
    prose("p", _("How a table about people can be given away without giving people away, and what that costs. Touch everything; be wrong often. Nothing leaves this page.")),
    sourceNode(own ? _("The pictures show {columns} of a table that may be shown: {source}.", { columns: own.columns.join(", "), source: own.source }) : ""),
    progressNode(),
    cardsNode(lessons, exercises, (part) => `#${part}`));
}

restoreProgress();
document.body.append(
  header(),
  el("main", {}, ...(isTeachersView() ? [teacherNode(lessons, exercises)] : []),
    ...lessons.map(lessonNode), gameNode()),
  el("footer", {}, isTeachersView() ? link("?", _("Student's view")) : link("?teach", _("Teacher's view"))));
