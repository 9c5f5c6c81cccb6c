// The teacher's view: key, errors, minutes, league table, a sheet to print, slides.

import { pointsOf, readCode } from "./codes.js";
import { districtOf, illnessOf, people } from "./data.js";
import { minutesOf } from "./cards.js";
import { _, el, given, host, n_, newId, prose, refill, sayListOfPhrases, table, tick } from "./dom.js";
import { askedBy, rightOf } from "./exercise.js";
import { minutesSpent, onProgress, progress } from "./progress.js";

/** @typedef {import("./exercise.js").Exercise} Exercise */
/** @typedef {import("./lessons_groups.js").Lesson} Lesson */

/** Lessons that an hour has room for, and that need none of the others. */
const HOUR = ["names", "groups-by-hand", "loss", "homogeneous", "two-releases", "attack"];

export function isTeachersView() {
  return /[?&#]teach\b/.test(window.location.search + window.location.hash);
}

/** @param {Exercise[]} exercises */
function keyNode(exercises) {
  return table(_("Key"), [_("Exercise"), _("Right answer"), _("Right reason")],
    exercises.map(askedBy).map((one, i) => [`${i + 1}. ${one.title}`, rightOf(one.options).text, rightOf(one.reasons).text]));
}

/** @param {Exercise[]} exercises */
function errorsNode(exercises) {
  return el("div", {}, ...exercises.map(askedBy).map((one, i) => el("details", {},
    el("summary", {}, `${i + 1}. ${one.title}`),
    el("ul", {}, ...[...one.options, ...one.reasons].filter((option) => !option.right)
      .map((option) => prose("li", `**${option.text}** ${option.belief}`))))));
}

/** @param {Exercise[]} exercises */
function answersNode(exercises) {
  const slot = el("div");
  const tell = () => {
    refill(slot, table(n_("Answers on this device, {count} minute", "Answers on this device, {count} minutes", Math.round(minutesSpent())),
      [_("Exercise"), _("Tries"), _("Right")],
      exercises.map((one, i) => {
        const answers = progress.answers[one.id];
        return [`${i + 1}. ${askedBy(one).title}`, answers ? answers.tries : 0, answers && answers.right ? "✓" : ""];
      })));
  };
  onProgress(tell);
  tell();
  return slot;
}

function leagueNode() {
  /** @type {{code: string, result: import("./codes.js").Result}[]} */
  const results = [];
  const slot = el("div");
  const said = el("p", { class: "note", role: "status" });
  const id = newId("code");
  const input = el("input", { id, type: "text", autocomplete: "off", spellcheck: "false", size: 8 });
  const tell = () => {
    const sides = [_("Protectors"), _("Intruders")];
    const lines = results.slice().sort((a, b) => pointsOf(b.result) - pointsOf(a.result));
    const sums = [0, 1].map((side) => results.filter((one) => one.result.side === side)
      .reduce((sum, one) => sum + pointsOf(one.result), 0));
    refill(slot, table(_("League table: protectors {first}, intruders {second}", { first: sums[0], second: sums[1] }),
      [_("Place"), _("Code"), _("Side"), _("Found"), _("Kept"), _("Points")],
      lines.map(({ code, result }, i) => [i + 1, code, sides[result.side], result.found, result.kept, pointsOf(result)])));
  };
  const add = (/** @type {Event} */ event) => {
    event.preventDefault();
    const code = input.value.trim().toUpperCase();
    const result = readCode(code);
    if (!result) said.textContent = _("{code} is no code: its check character does not fit. Have it read out again.", { code });
    else if (result.seed !== given.seed % 31) said.textContent = _("{code} is from a class with another table.", { code });
    else {
      results.push({ code, result });
      said.textContent = _("{code} counts.", { code });
      input.value = "";
      tell();
    }
    input.focus();
  };
  tell();
  return el("div", {}, el("form", { class: "row", submit: add },
    el("label", { for: id }, _("Code that was read out")), input, el("button", { type: "submit", class: "main" }, _("Add"))), said, slot);
}

/** The sheet on paper. @param {Exercise[]} exercises */
function sheetNode(exercises) {
  const lines = people.map((person, i) => [i + 1, person.age, districtOf(i), person.pay, illnessOf(i)]);
  const heads = [_("Row"), _("Age"), _("District"), _("Pay"), _("Illness")];
  const half = Math.ceil(lines.length / 2);
  return el("div", { class: "sheet", id: "sheet" },
    el("h1", {}, _("Microaggregation: a class")),
    el("p", {}, _("Name: ____________________    Class made with the number {number}", { number: String(given.seed) })),
    el("div", { class: "halves" }, table(_("The table"), heads, lines.slice(0, half)), table(_("The table, continued"), heads, lines.slice(half))),
    ...exercises.map(askedBy).map((one, i) => el("div", { class: "task" },
      el("h2", {}, `${i + 1}. ${one.title}`), prose("p", one.asks),
      ...(one.picture ? [one.picture()] : []),
      el("div", { class: "halves" },
        el("ul", {}, ...one.options.slice().sort((a, b) => (a.text < b.text ? -1 : 1)).map((option) => el("li", {}, `☐ ${option.text}`))),
        el("ul", {}, ...one.reasons.slice().sort((a, b) => (a.text < b.text ? -1 : 1)).map((option) => el("li", {}, `☐ ${option.text}`)))))),
    el("div", { class: "key" }, keyNode(exercises)));
}

const MIN_SLIDE_TYPE_PX = 16;

/** Large type, one lesson or exercise at a time, by arrow keys. */
function makeSlides() {
  const page = document.documentElement;
  const slides = () => Array.from(document.querySelectorAll("[data-lesson] > *, [data-game]"));
  let at = 0;
  const show = () => {
    document.querySelectorAll("main .shown").forEach((node) => node.classList.remove("shown"));
    const slide = slides()[at];
    [slide, slide.closest("section")].forEach((node) => node.classList.add("shown"));
    fit();
    window.scrollTo({ top: 0, behavior: "instant" });
  };
  // As large as the stylesheet wants it, or as large as the slide has room for.
  const fit = () => {
    page.style.fontSize = "";
    for (let size = parseFloat(getComputedStyle(page).fontSize); size > MIN_SLIDE_TYPE_PX; size -= 1) {
      if (page.scrollHeight <= window.innerHeight) return;
      page.style.fontSize = `${size - 1}px`;
    }
  };
  const toggle = (/** @type {boolean} */ on) => {
    page.classList.toggle("slides", on);
    if (on) show();
    else page.style.fontSize = "";
  };
  document.addEventListener("keydown", (event) => {
    if (!page.classList.contains("slides")) return;
    const target = /** @type {Element} */ (event.target);
    if (event.key === "Escape") toggle(false);
    const isPageKey = /^Page/.test(event.key);
    const usesArrows = target.matches("select, input:not([type=checkbox])");
    if (usesArrows && !(isPageKey && target.matches("[type=radio]"))) return;
    const by = ({ ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 })[event.key];
    if (!by) return;
    event.preventDefault();
    at = Math.max(0, Math.min(slides().length - 1, at + by));
    show();
  });
  window.addEventListener("resize", () => { if (page.classList.contains("slides")) fit(); });
  return toggle;
}

/** What takes the whole page: slides, and the sheet. */
function showingNode() {
  const toggle = makeSlides();
  return el("div", { class: "row" },
    el("button", { type: "button", class: "main", click: () => toggle(true) }, _("Slides: arrow keys turn, Escape ends")),
    el("button", { type: "button", click: () => window.print() }, _("Print the sheet (A4)")),
    tick(_("with the key"), false, (checked) => document.body.classList.toggle("with-key", checked)));
}

/** @param {Lesson[]} lessons @param {Exercise[]} exercises */
export function teacherNode(lessons, exercises) {
  return el("section", { id: "teacher", "aria-labelledby": "title-teacher" },
    el("h2", { id: "title-teacher" }, _("Teacher's view")),
    host ? "" : el("p", {}, _("No secret: whoever adds ?teach to the address sees this, too. Answers are seen on this device only; nothing is sent anywhere.")),
    el("p", {}, _("All of it takes some {minutes} minutes: {lesson} for a lesson, {exercise} for an exercise.", { minutes: minutesOf(lessons.length, exercises.length), lesson: minutesOf(1, 0), exercise: minutesOf(0, 1) })),
    ...(lessons.length > HOUR.length ? [prose("p", _("**For one hour:** {lessons}, each with its exercises, and the game.", { lessons: sayListOfPhrases(HOUR.map((name) => lessons.map((one) => one.id).indexOf(name)).filter((place) => place >= 0).map((place) => `${place + 1}. ${lessons[place].title}`)) }))] : []),
    host ? el("p", {}, _("Slides and the sheet to print are in the class file: Learn's first page downloads it, with your own table if that may be shown."))
      : prose("p", _("With two columns of your own table, if it may be shown: `coterie class --out FILE --table FILE --public SOURCE`, or Learn in the dashboard, writes such a file.")),
    ...(host ? [] : [showingNode()]),
    el("h3", {}, _("League table of the game")), leagueNode(),
    el("h3", {}, _("Answers")), answersNode(exercises),
    el("h3", {}, _("Key")), keyNode(exercises),
    el("h3", {}, _("Common errors, and what they come from")), errorsNode(exercises),
    ...(host ? [] : [sheetNode(exercises)]));
}
