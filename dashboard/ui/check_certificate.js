// Two files that are given or chosen are checked here: none that is chosen leaves the
// browser. `certify` stands before this text, see check_certificate.py.

// A figure with the digits that people read, to the side on which it stays true.
const short = (figure, side) => String(side(figure * 1e4) / 1e4);

export default function ({ data, parentElement }) {
  const place = parentElement.querySelector(".check");
  place.replaceChildren();
  const said = document.createElement("p");
  said.setAttribute("role", "status");
  if (data.given) {
    place.append(said);
    say(data.given.map((text) => new TextEncoder().encode(text)));
    return;
  }
  const chosen = [data.certificate, data.file].map((label) => {
    const row = document.createElement("label");
    const input = document.createElement("input");
    input.type = "file";
    input.addEventListener("change", check);
    row.append(label, input);
    place.append(row);
    return input;
  });
  place.append(said);

  async function check() {
    const files = chosen.map((input) => input.files[0]);
    said.textContent = "";
    if (!files.every(Boolean)) return;
    said.textContent = data.checking;
    const read = await Promise.all(files.map((one) => one.arrayBuffer()));
    say(read.map((one) => new Uint8Array(one)));
  }

  function say([certificate, file]) {
    const found = certify(certificate, file);
    const words = !found.holds ? data.wrong : found.best ? data.best : data.right;
    const lines = [words];
    if (found.left) lines.push(data.left);
    if (found.lost) lines.push(data.lost);
    if (found.strata?.length) lines.push(data.strata);
    if (found.weights) lines.push(data.weights);
    if (found.taken?.length) lines.push(data.taken);
    if (found.hierarchies?.length) lines.push(data.hierarchies);
    if (found.unseen) lines.push(data.unseen);
    const names = {};
    for (const several of ["taken", "hierarchies", "strata"]) {
      names[several] = found[several]?.join(", ");
    }
    for (const way of ["stay", "median", "mode"]) {
      const some = (found.gaps ?? []).filter((one) => one[way] > 0);
      names[way] = some.map((one) => `${one.column} (${one[way]})`).join(", ");
      if (some.length) lines.push(data[way]);
    }
    const values = { ...found, ...names };
    if (found.holds) {
      values.loss = short(found.loss, Math.ceil);
      values.bound = short(found.bound, Math.floor);
    }
    said.className = found.holds ? "right" : "wrong";
    said.textContent = lines
      .join(" ")
      .replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  }
}
