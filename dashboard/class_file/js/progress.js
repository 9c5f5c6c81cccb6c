// What a student has answered: in memory, and in this browser only if they want it.

import { given, host } from "./dom.js";

/**
 * @typedef {object} Answers Of one exercise.
 * @property {number} tries
 * @property {boolean} right
 * @property {string[]} beliefs What wrong answers came from.
 */

const KEY = `coterie-class-${given.seed}`;

/**
 * The dashboard shows one part after another, all with the same progress.
 * @type {any}
 */
const memory = host ? window : {};
if (!memory[KEY]) memory[KEY] = { progress: { answers: {}, minutes: 0, game: null }, started: Date.now(), made: {}, listeners: [] };
const { started, made } = memory[KEY];

/** @type {{answers: Object<string, Answers>, minutes: number, game: any}} */
export const progress = memory[KEY].progress;

let kept = false;
/** @type {(() => void)[]} */
const listeners = memory[KEY].listeners;

/** What is made once, and is as it was left when somebody comes back. @param {string} name @param {() => any} make */
export function remember(name, make) {
  if (!made[name]) made[name] = make();
  return made[name];
}

function stored() {
  try {
    return window.localStorage.getItem(KEY);
  } catch (error) {
    return null; // the browser keeps nothing for files
  }
}

/** Take up what was kept, if anything was. */
export function restoreProgress() {
  const text = stored();
  if (!text) return;
  try {
    Object.assign(progress, JSON.parse(text));
    kept = true;
  } catch (error) {
    kept = false; // not what this page wrote: begin anew
  }
}

export function isKept() {
  return kept;
}

/** @param {boolean} keep */
export function keepProgress(keep) {
  kept = keep;
  try {
    if (!keep) window.localStorage.removeItem(KEY);
  } catch (error) {
    kept = false;
  }
  noteProgress();
}

/** @param {() => void} listener Called after every answer. */
export function onProgress(listener) {
  listeners.push(listener);
}

export function minutesSpent() {
  return progress.minutes + (Date.now() - started) / 60000;
}

/** Keep what is new, where it is wanted, and tell those who show it. */
export function noteProgress() {
  if (kept) {
    try {
      window.localStorage.setItem(KEY, JSON.stringify(
        Object.assign({}, progress, { minutes: minutesSpent() })));
    } catch (error) {
      kept = false;
    }
  }
  listeners.forEach((listener) => listener());
}

/** @param {string} id @param {boolean} right @param {string} belief */
export function noteAnswer(id, right, belief) {
  const answers = progress.answers[id] || { tries: 0, right: false, beliefs: [] };
  answers.tries += 1;
  answers.right = answers.right || right;
  if (belief) answers.beliefs.push(belief);
  progress.answers[id] = answers;
  noteProgress();
}
