// Two files that are given or chosen are checked here: none that is chosen leaves the
// browser. `certify` stands before this text, see check_certificate.py.

// A figure with the digits that people read, to the side on which it stays true.
const short = (figure, side) => String(side(figure * 1e4) / 1e4);

// What people meet who have the wrong file at hand; all else only forgers do.
const KNOWN = {
  "this is no certificate, or it was changed since": "torn",
  "the file is not the one of the certificate": "unlike",
  "this browser cannot unpack the archive": "packed",
  moved: "moved",
};

// Of another k, or of a loss that no rounding explains.
const differs = (found, data) =>
  data.k !== undefined &&
  (found.k !== data.k || Math.abs(found.loss - data.loss) > 1e-6 * data.loss);

// Called again whenever the page is drawn anew: what was chosen and found stays.
export default function ({ data, parentElement }) {
  const place = parentElement.querySelector(".check");
  place.draw ??= data.given ? given(place) : asked(place);
  place.draw(data);
}

function line(place) {
  const said = document.createElement("p");
  said.setAttribute("role", "status");
  place.append(said);
  return said;
}

function given(place) {
  const said = line(place);
  return async (data) => {
    const [certificate, table] = data.given.map((text) => new TextEncoder().encode(text));
    say(said, await certify(certificate, table), data);
  };
}

function asked(place) {
  let words, found, turn = 0;
  const fields = ["certificate", "file", "allowed"].map((name) => {
    const row = document.createElement("label");
    const title = document.createElement("span");
    const input = document.createElement("input");
    input.addEventListener("change", check);
    if (name === "allowed") input.value = "0";
    else {
      input.type = "file";
      // The same file chosen again is a change, too: it may have been mended meanwhile.
      input.addEventListener("click", () => (input.value = ""));
    }
    row.append(title, input);
    place.append(row);
    return { name, title, input };
  });
  const allowed = fields.at(-1).input;
  const said = line(place);

  async function check() {
    const files = fields.slice(0, 2).map(({ input }) => input.files[0]);
    const mine = ++turn;
    found = undefined;
    said.textContent = said.className = "";
    if (!files.every(Boolean)) return;
    said.textContent = words.checking;
    const read = await Promise.all(files.map((one) => one.arrayBuffer())).catch(() => []);
    const [certificate, table] = read.map((one) => new Uint8Array(one));
    const answer = read.length
      ? await certify(certificate, table, allowed.value.trim())
      : { holds: false, why: "moved" };
    if (mine !== turn) return;
    found = answer;
    say(said, found, words);
  }

  return (data) => {
    words = data;
    for (const { name, title } of fields) title.textContent = words[name];
    if (found) say(said, found, words);
  };
}

function say(said, found, data) {
  const words = !found.holds ? data.wrong : found.best ? data.best : data.right;
  const lines = [words];
  if (found.impossible) lines[0] = data.impossible;
  if (found.holds && differs(found, data)) lines.push(data.other);
  if (found.holds) lines.unshift(data.covers);
  if (found.packed?.length) lines.push(data.unpacked);
  if (found.left) lines.push(data.left);
  if (found.reasons?.length) lines.push(data.reasons);
  if (found.beside) lines.push(data.beside);
  if (found.lines) lines.push(data.lines);
  if (found.strata?.length) lines.push(data.strata);
  if (found.persons?.length) lines.push(data.persons);
  if (found.histories) lines.push(data.histories);
  if (found.counts) lines.push(data.counts);
  if (found.weights) lines.push(data.weights);
  if (found.taken?.length) lines.push(data.taken);
  if (found.hierarchies?.length) lines.push(data.hierarchies);
  if (found.unseen) lines.push(data.unseen);
  if (found.holds && !found.excused) lines.push(data.uncovered);
  const names = {};
  const lists = ["taken", "hierarchies", "strata", "persons", "wide", "reasons", "packed"];
  for (const several of lists) {
    names[several] = found[several]?.join(", ");
  }
  for (const way of ["stay", "median", "mode"]) {
    const some = (found.gaps ?? []).filter((one) => one[way] > 0);
    names[way] = some.map((one) => `${one.column} (${one[way]})`).join(", ");
    if (some.length) lines.push(data[way]);
  }
  const values = { ...found, ...names, why: data[KNOWN[found.why]] ?? found.why };
  if (found.holds) {
    values.loss = short(found.loss, Math.ceil);
    values.bound = short(found.bound, Math.floor);
    values.covered = found.all - found.uncovered;
  }
  said.className = !found.holds ? "wrong" : found.excused ? "right" : "partly";
  said.textContent = lines
    .join(" ")
    .replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
