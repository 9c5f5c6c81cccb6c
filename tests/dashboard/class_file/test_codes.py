"""Codes of the league table: what was read out wrongly is refused."""

from dashboard.class_file.bundle import read_javascript_modules
from tests.dashboard.class_file.scripts import run_script

CHECK = """
const results = [];
for (let side = 0; side < 2; side += 1) {
  for (let found = 0; found <= 5; found += 1) {
    for (let kept = 0; kept <= 100; kept += 1) {
      for (let bought = 0; bought <= 5; bought += 5) {
        results.push({ side, found, kept, bought, seed: (kept * 7 + found) % 31 });
      }
    }
  }
}
const signs = SIGNS.split("");
let wrong = 0;
let tried = 0;
const codes = results.map(writeCode);
codes.forEach((code, at) => {
  const read = JSON.stringify(readCode(code.toLowerCase()));
  if (read !== JSON.stringify(results[at])) wrong += 1;
  for (let i = 0; i < code.length; i += 1) {
    signs.concat(["O", "10", "-"]).forEach((sign) => {
      if (sign === code[i]) return;
      tried += 1;
      if (readCode(code.slice(0, i) + sign + code.slice(i + 1)) !== null) wrong += 1;
    });
    if (i > 0 && code[i] !== code[i - 1]) {
      const swapped = code.slice(0, i - 1) + code[i] + code[i - 1] + code.slice(i + 1);
      tried += 1;
      if (readCode(swapped) !== null) wrong += 1;
    }
  }
});
const different = new Set(codes).size;
const said = { wrong, tried, codes: different, results: results.length };
console.log(JSON.stringify(said));
"""


def test_one_wrong_sign_or_two_exchanged_are_noticed() -> None:
    script = read_javascript_modules()["codes.js"].replace("\nexport ", "\n")
    counts = run_script(script + CHECK)
    assert counts["wrong"] == 0
    assert counts["tried"] > 100_000
    assert counts["codes"] == counts["results"]
