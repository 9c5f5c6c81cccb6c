// The records of this class: made-up people, or two columns of a table that was brought.

import { _, chance, given, shuffled } from "./dom.js";
import { bestPartition, mdav, sseOf, standardise } from "./method.js";

export const people = given.people;

/** @param {number} i */
export function illnessOf(i) {
  return illnessName(people[i].illness);
}

/** @param {number} illness */
export function illnessName(illness) {
  return [_("asthma"), _("diabetes"), _("migraine"), _("anaemia"), _("back pain")][illness];
}

/** @param {number} i */
export function districtOf(i) {
  return given.districts[people[i].district];
}

/** @param {number} i */
export function nameOfPerson(i) {
  const { name, age, pay } = people[i];
  return _("{name}, {age} years, pay {pay}", { name, age, pay });
}

export const peopleRows = people.map((person) => [person.age, person.pay]);
export const peopleTitles = [_("Age (years)"), _("Pay (thousands a year)")];

export const rows = given.own ? given.own.values : peopleRows;
export const titles = given.own ? given.own.columns : peopleTitles;
export const scaledRows = standardise(rows);

/** @param {number} i */
export function nameOfRecord(i) {
  return given.own
    ? _("record {number}: {first}; {second}", { number: i + 1, first: rows[i][0], second: rows[i][1] })
    : nameOfPerson(i);
}

/** @type {Object<number, number[]>} */
const drawnTens = {};

/**
 * Ten records that MDAV does not group best with k = 3, if there are such.
 * @param {number} salt So that several parts of the page have different ones.
 */
export function tenRecords(salt) {
  if (drawnTens[salt]) return drawnTens[salt];
  const random = chance(given.seed + 1000 * salt);
  /** @type {number[]} */
  let ten = [];
  for (let turn = 0; turn < 25; turn += 1) {
    ten = shuffled(random, rows.map((_row, i) => i)).slice(0, 10).sort((a, b) => a - b);
    const points = standardise(ten.map((i) => rows[i]));
    const loss = sseOf(points, mdav(points, 3).labels);
    if (loss > 1.03 * bestPartition(points, 3).sse) break;
  }
  drawnTens[salt] = ten;
  return ten;
}

/** @param {number} count @param {number} total */
export function share(count, total) {
  return _("{count} of {total}", { count, total });
}
