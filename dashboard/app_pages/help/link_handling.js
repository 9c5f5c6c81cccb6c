// Links of the manual stay in this tab, and the heading that is asked for comes into
// view.

const PATIENCE = 6000; // milliseconds after which a heading is not waited for
const REST = 2000; // milliseconds without a movement after which it has come to rest
const COVERED = "5rem"; // by the navigation, at the top
const TAKES_OVER = ["wheel", "touchstart", "pointerdown", "keydown"];

// The chapter comes in parts, and pictures later: the heading is followed until it rests,
// or until somebody scrolls.
class Bringing {
  constructor({ at, section }) {
    this.at = at;
    this.section = section;
    this.top = null;
    this.start = this.moved = performance.now();
    this.stop = () => this.end();
    for (const one of TAKES_OVER) window.addEventListener(one, this.stop, true);
    this.step();
  }

  step() {
    const now = performance.now();
    /** @type {HTMLElement | null} */
    const found = document.querySelector(`.${CSS.escape(this.section)}`);
    if (found && this.at) {
      found.style.scrollMarginTop = COVERED;
      found.scrollIntoView();
    } else if (found) {
      document.querySelector("main").scrollTo(0, 0);
    }
    const top = found?.getBoundingClientRect().top ?? null;
    if (top === null || top !== this.top) this.moved = now;
    this.top = top;
    if (now - this.moved > REST || now - this.start > PATIENCE) this.end();
    else this.frame = requestAnimationFrame(() => this.step());
  }

  end() {
    cancelAnimationFrame(this.frame);
    for (const one of TAKES_OVER) window.removeEventListener(one, this.stop, true);
  }
}

function same(one, other) {
  return one.chapter === other.chapter && (one.at ?? "") === (other.at ?? "");
}

function left(element) {
  return element.getBoundingClientRect().left;
}

class Follower {
  constructor() {
    this.shown = null;
    this.onClick = (event) => this.clicked(event);
    document.addEventListener("click", this.onClick, true);
  }

  update(data, tell) {
    this.tell = tell;
    if (this.shown === null ? data.at : !same(this.shown, data)) this.bring(data);
    this.shown = data;
    // On a phone chapters stand in a line: the one that is shown comes into view.
    const line = document.querySelector(".st-key-widget-chapters");
    const name = line?.querySelector("strong");
    // A little beyond it: where scrolling is rounded, its edge would be cut off.
    if (name) line.scrollLeft += left(name) - left(line) - 8;
  }

  bring(place) {
    this.bringing?.end();
    this.bringing = new Bringing(place);
  }

  clicked(event) {
    const link = event.target.closest?.("a[href*='chapter=']");
    const keys = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!link || event.button !== 0 || keys) return;
    const asked = Object.fromEntries(new URL(link.href).searchParams);
    if (same(this.shown, asked)) this.bring(this.shown);
    if (link.target !== "_blank") return; // Streamlit's own, which stay in this tab
    event.preventDefault();
    event.stopPropagation();
    this.tell("followed", asked);
  }

  stop() {
    this.bringing?.end();
    document.removeEventListener("click", this.onClick, true);
  }
}

const all = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  let follower = all.get(parentElement);
  if (!follower) all.set(parentElement, (follower = new Follower()));
  follower.update(data, setTriggerValue);
  return () => {
    follower.stop();
    all.delete(parentElement);
  };
}
