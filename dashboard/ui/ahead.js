// What a page becomes where a choice leads: told before anybody makes it.
//
// Figures go to the charts that they belong to. A choice is told to all charts as soon
// as it is made; the server hears of it at the same time and says the rest.

const AHEAD = "coterie-ahead";
const MOVED = "coterie-moved";
const LIKELY = "coterie-likely";
const PATIENCE = 3000; // milliseconds after which an answer is not waited for

const NOTHING = { here: "", controls: [] };
let told = NOTHING;
let left = { here: null, until: 0 }; // what is told leads on from a place left already

// A button among several, or a checkbox, whose label alone is told of a click.
const MAKES = "button, label:has(input[type=checkbox]), input[type=checkbox]";
const ASKS = "[aria-label^=Help]"; // what a choice is for, beside its name

function controlAt(target) {
  const found = target.closest?.(ASKS) ? null : target.closest?.(MAKES);
  if (!found) return null;
  return told.controls.find(
    ({ within, words }) =>
      found.closest(`.${CSS.escape(within)}`) &&
      (!words || found.textContent.trim() === words),
  );
}

// What is pointed at, or can be pressed, is likely to be chosen next.
let [pointed, likely] = [null, undefined];

function near({ target }) {
  pointed = target;
  const place = controlAt(target)?.place;
  if (place === likely) return;
  likely = place;
  const places = place ? [place] : [];
  window.dispatchEvent(new CustomEvent(LIKELY, { detail: { by: "controls", places } }));
}

document.addEventListener("pointerover", near, true);
document.addEventListener("focusin", near, true);

function made({ target }) {
  const control = controlAt(target);
  const now = performance.now();
  if (!control || (left.here === told.here && now < left.until)) return;
  left = { here: told.here, until: now + PATIENCE };
  window.dispatchEvent(new CustomEvent(MOVED, { detail: control.place }));
}

document.addEventListener("change", made, true);
document.addEventListener("click", made, true);

function send(chart, figures) {
  window.dispatchEvent(new CustomEvent(AHEAD, { detail: { chart, figures } }));
}

export default function ({ data }) {
  const { chart, figures, places, ...choices } = JSON.parse(data);
  if (!chart) {
    told = choices;
    if (pointed?.isConnected) near({ target: pointed });
    return () => (told = NOTHING); // another page has others
  }
  const by = Object.entries(places).map(([place, one]) => [place, figures[one]]);
  send(chart, Object.fromEntries(by));
  return () => send(chart, {});
}
