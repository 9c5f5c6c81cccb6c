// Codes of the league table: short, to be read out, with a check character.

/** Without letters that are heard or read as others: a prime number of signs. */
const SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXZ";

/**
 * @typedef {object} Result Of one game.
 * @property {number} side 0 protected, 1 intruded.
 * @property {number} found People found, 0 to 5.
 * @property {number} kept Analysis kept, 0 to 100.
 * @property {number} bought Facts bought, 0 to 5.
 * @property {number} seed Of the class, of which the code has the remainder by 31.
 */

/** Weights are 6 to 1: one wrong sign, or two exchanged, change the sum. @param {number[]} digits */
function weighted(digits) {
  return digits.reduce((sum, digit, i) => sum + (6 - i) * digit, 0) % SIGNS.length;
}

/** @param {Result} result */
export function writeCode(result) {
  const digits = [
    result.side * 6 + result.found, Math.floor(result.kept / 31), result.kept % 31, result.bought, result.seed % 31,
  ];
  digits.push((SIGNS.length - weighted(digits)) % SIGNS.length);
  return digits.map((digit) => SIGNS[digit]).join("");
}

/** @param {string} text @returns {Result | null} Nothing if it was mistyped. */
export function readCode(text) {
  const signs = text.trim().toUpperCase().split("");
  const digits = signs.map((sign) => SIGNS.indexOf(sign));
  if (digits.length !== 6 || digits.indexOf(-1) >= 0 || weighted(digits) !== 0) return null;
  const [both, high, low, bought, seed] = digits;
  const kept = 31 * high + low;
  if (both > 11 || kept > 100 || bought > 5) return null;
  return { side: both > 5 ? 1 : 0, found: both % 6, kept, bought, seed };
}

/** Points of one side. @param {Result} result */
export function pointsOf(result) {
  return result.side ? 20 * result.found - 5 * result.bought : result.kept - 10 * result.found;
}
