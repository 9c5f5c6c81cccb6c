// The page: lessons with their exercises, one below the other, and what leads there.

import { _, el, given, prose } from "./dom.js";
import { exerciseNode } from "./exercise.js";
import { groupExercises } from "./exercises_groups.js";
import { riskExercises } from "./exercises_risk.js";
import { gameNode } from "./game.js";
import { groupLessons } from "./lessons_groups.js";
import { riskLessons } from "./lessons_risk.js";
import { isKept, keepProgress, onProgress, progress, restoreProgress } from "./progress.js";
import { isTeachersView, teacherNode } from "./teacher.js";

const asked = [...groupLessons, ...riskLessons].filter((lesson) => (
  !given.lessons.length || given.lessons.indexOf(lesson.id) >= 0));
const exercises = [...groupExercises(), ...riskExercises()].filter((exercise) => (
  asked.some((lesson) => lesson.id === exercise.lesson)));

/** @param {string} href @param {string} text */
function link(href, text) {
  return el("a", { href }, text);
}

function header() {
  const done = el("p", { class: "done", role: "status" });
  const tell = () => {
    const right = exercises.filter((one) => (progress.answers[one.id] || {}).right).length;
    done.textContent = _("{right} of {all} exercises right", { right, all: exercises.length });
  };
  onProgress(tell);
  tell();
  const keep = el("input", {
    type: "checkbox", checked: isKept(), change: () => keepProgress(keep.checked),
  });
  const source = given.own ? [el("p", { class: "note" },
    _("The pictures show {columns} of a table that may be shown: {source}.", { columns: given.own.columns.join(", "), source: given.own.source }),
    given.own.sampled ? el("br", {}) : "",
    given.own.sampled ? _("{count} of its {all} records, drawn by lot.", { count: given.own.values.length, all: given.own.records }) : "")]
    : [el("p", { class: "note" }, _("All people in it are made up, by the number {number}.", { number: given.seed }))];
  return el("header", {},
    el("h1", {}, _("Microaggregation: a class")),
    prose("p", _("How a table about people can be given away without giving people away, and what that costs. Touch everything; be wrong often. Nothing leaves this page.")),
    ...source,
    el("div", { class: "row" }, done,
      el("label", { class: "tick" }, keep, _("Keep my progress in this browser"))),
    el("nav", { "aria-label": _("Lessons") }, el("ol", {},
      ...asked.map((lesson) => el("li", {}, link(`#${lesson.id}`, lesson.title))),
      el("li", {}, link("#game", _("The game: protectors against intruders"))))));
}

/** @param {import("./lessons_groups.js").Lesson} lesson @param {number} number */
function lessonNode(lesson, number) {
  return el("section", { "data-lesson": lesson.id, id: lesson.id, "aria-labelledby": `title-${lesson.id}` },
    el("div", { class: "lesson" },
      el("div", { class: "words" },
        el("h2", { id: `title-${lesson.id}` }, el("span", { class: "badge" }, String(number)), lesson.title),
        el("p", { class: "idea" }, lesson.idea),
        ...lesson.tells.map((text) => prose("p", text)),
        el("p", { class: "minutes" }, _("3 minutes"))),
      el("div", { class: "figure-box" }, lesson.build())),
    ...exercises.filter((one) => one.lesson === lesson.id)
      .map((one) => exerciseNode(one, exercises.indexOf(one) + 1)));
}

restoreProgress();
document.body.append(
  header(),
  el("main", {}, ...(isTeachersView() ? [teacherNode(asked, exercises)] : []),
    ...asked.map((lesson, i) => lessonNode(lesson, i + 1)), gameNode()),
  el("footer", {}, isTeachersView() ? link("?", _("Student's view")) : link("?teach", _("Teacher's view"))));
