// The first rows of a file: a click says in which of them the names stand.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const { texts } = data;
  const choose = (row) => setTriggerValue("chosen", row);
  const line = (cells, at) => {
    const row = at + 1;
    const named = data.header.includes(row);
    const radio = element("input", {
      type: "radio",
      name: "names",
      "aria-label": texts.row.replace("{row}", row),
    });
    radio.checked = named;
    radio.addEventListener("change", () => choose(row));
    const kind = named
      ? "names"
      : row < data.first || data.left[row]
        ? "left"
        : undefined;
    const said = named ? texts.names : (data.left[row] ?? "");
    const made = element(
      "tr",
      { class: kind },
      element("td", {}, radio),
      element("td", { class: "number" }, String(row)),
      element("td", { class: "said" }, said),
      ...cells.map((cell) => element("td", { title: cell || undefined }, cell)),
    );
    made.addEventListener("click", (event) => {
      if (event.target !== radio && !named) choose(row);
    });
    return made;
  };
  const none = element("input", { type: "radio", name: "names" });
  none.checked = !data.header.length;
  none.addEventListener("change", () => choose(0));
  parentElement
    .querySelector(".preview")
    .replaceChildren(
      element("div", { class: "ask" }, texts.ask),
      element(
        "div",
        { class: "rows", tabindex: "0", role: "region", "aria-label": texts.ask },
        element("table", {}, element("tbody", {}, ...data.rows.map(line))),
      ),
      element("label", {}, none, ` ${texts.none}`),
    );
}
