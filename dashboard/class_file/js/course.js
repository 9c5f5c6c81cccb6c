// The course: its lessons with their exercises, and what is said about it at its top.

import { _, el, given, prose, tick } from "./dom.js";
import { minutesOf, sayMinutes } from "./cards.js";
import { exerciseNode } from "./exercise.js";
import { groupExercises } from "./exercises_groups.js";
import { riskExercises } from "./exercises_risk.js";
import { groupLessons } from "./lessons_groups.js";
import { limitLessons } from "./lessons_limits.js";
import { riskLessons } from "./lessons_risk.js";
import { studyLessons } from "./lessons_studies.js";
import { isKept, keepProgress, onProgress, progress } from "./progress.js";

export const lessons = [...groupLessons, ...limitLessons, ...riskLessons, ...studyLessons].filter((lesson) => (
  !given.lessons.length || given.lessons.indexOf(lesson.id) >= 0));
export const exercises = [...groupExercises, ...riskExercises].filter((exercise) => (
  lessons.some((lesson) => lesson.id === exercise.lesson)))
  .sort((a, b) => placeOf(a) - placeOf(b));

/** @param {import("./exercise.js").Exercise} exercise Where its lesson is. */
function placeOf(exercise) {
  return lessons.map((lesson) => lesson.id).indexOf(exercise.lesson);
}

/** What is right so far, and whether this browser keeps it. */
export function progressNode() {
  const bar = el("progress", { max: exercises.length, "aria-hidden": "true" });
  const done = el("p", { class: "done", role: "status" });
  const tell = () => {
    const right = exercises.filter((one) => (progress.answers[one.id] || {}).right).length;
    bar.value = right;
    done.textContent = _("Exercises right: {right} of {all}", { right, all: exercises.length });
  };
  onProgress(tell);
  tell();
  return el("div", { class: "row" }, bar, done,
    tick(_("Keep my progress in this browser"), isKept(), keepProgress));
}

/** Whose records pictures show: of the own table, if there is one. @param {string} shown Sentence about it. */
export function sourceNode(shown) {
  const { own } = given;
  if (!own) return el("p", { class: "note" }, _("All people in it are made up, by the number {number}.", { number: String(given.seed) }));
  return el("p", { class: "note" }, shown,
    own.sampled ? el("br", {}) : "",
    own.sampled ? _("{count} of its {all} records, drawn by lot.", { count: own.values.length, all: own.records }) : "");
}

/** @param {import("./lessons_groups.js").Lesson} lesson */
export function lessonNode(lesson) {
  const own = exercises.filter((one) => one.lesson === lesson.id);
  return el("section", { "data-lesson": lesson.id, id: lesson.id, "aria-labelledby": `title-${lesson.id}` },
    el("div", { class: "lesson" },
      el("div", { class: "words" },
        el("h2", { id: `title-${lesson.id}` }, el("span", { class: "badge" }, String(lessons.indexOf(lesson) + 1)), lesson.title),
        el("p", { class: "idea" }, lesson.idea),
        ...lesson.tells.map((text) => prose("p", text)),
        el("p", { class: "minutes" }, sayMinutes(minutesOf(1, own.length)))),
      el("div", { class: "figure-box" }, lesson.build())),
    ...own.map((one) => exerciseNode(one, exercises.indexOf(one) + 1)));
}
