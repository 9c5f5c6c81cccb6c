"""Slider that reports its position while it is being dragged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dashboard.state import session
from dashboard.ui.browser_components.component_values import read_component_value

_SLIDER_STYLE = """
.live { display: flex; align-items: center; gap: 0.5rem; }
output {
  font: 600 0.9rem var(--st-heading-font); color: var(--st-text-color);
  white-space: nowrap; min-width: 2ch;
}
input {
  appearance: none; flex: 1; min-width: 4rem; height: 1.6rem; margin: 0;
  background: transparent; cursor: pointer;
}
input:focus-visible {
  outline: 2px solid var(--st-primary-color); outline-offset: 2px;
  border-radius: 1rem;
}
input::-webkit-slider-runnable-track {
  height: 6px; border-radius: 3px; background: var(--st-border-color);
}
input::-moz-range-track {
  height: 6px; border-radius: 3px; background: var(--st-border-color);
}
input::-webkit-slider-thumb {
  appearance: none; width: 1.5rem; height: 1.5rem; margin-top: -9px;
  border-radius: 50%; border: 0; background: var(--st-primary-color);
}
input::-moz-range-thumb {
  width: 1.5rem; height: 1.5rem; border-radius: 50%; border: 0;
  background: var(--st-primary-color);
}
"""

_SLIDER_SCRIPT = """
// One place is told at a time: the next one goes when the page has drawn the last, or
// drawing would be interrupted by every movement and never end.
const PATIENCE = 3000; // milliseconds after which an answer is not waited for

export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".live");
  let [input, output] = [root.querySelector("input"), root.querySelector("output")];
  if (!input) {
    input = document.createElement("input");
    input.type = "range";
    output = document.createElement("output");
    output.setAttribute("aria-hidden", "true"); // the slider says its value itself
    root.append(input, output);
    input.waiting = null;
  }
  const tell = () => {
    input.waiting = Number(input.value);
    clearTimeout(input.patience);
    input.patience = setTimeout(() => { input.waiting = null; move(); }, PATIENCE);
    setTriggerValue("moved", input.waiting);
  };
  const show = () => {
    output.textContent = data.labels[input.value];
    input.setAttribute("aria-valuetext", data.labels[input.value]);
  };
  const move = () => {
    show();
    if (input.waiting === null && Number(input.value) !== input.shown) tell();
  };
  input.min = 0;
  input.max = data.labels.length - 1;
  input.step = 1;
  input.setAttribute("aria-label", data.name);
  input.shown = data.place;
  if (input.waiting === null) input.value = data.place;
  if (input.waiting === data.place) {
    input.waiting = null;
    clearTimeout(input.patience);
    if (Number(input.value) !== data.place) tell();
  }
  input.oninput = move;
  show();
}
"""

_slider = st.components.v2.component(
    "coterie.live_slider",
    html='<div class="live"></div>',
    css=_SLIDER_STYLE,
    js=_SLIDER_SCRIPT,
)


def show_live_slider(
    slider_name: str,
    label: str,
    position_labels: Sequence[str],
    position: int,
    report_position: Callable[[int], object],
) -> None:
    """Show a slider that calls a function with new positions while dragged.

    It waits for the page to have drawn one place before it tells the next: call this
    after all that depends on the place.

    Parameters
    ----------
    slider_name : str
        Unique on the page.
    label : str
        What the slider sets, for those who do not see it.
    position_labels : sequence of str
        What each place is called.
    position : int
        Where the slider is.
    report_position : callable
        Told each new place.
    """
    key = session.widget_key("live slider", slider_name)

    def on_move() -> None:
        new_position = read_component_value(key, "moved", int)
        if new_position is not None and 0 <= new_position < len(position_labels):
            report_position(new_position)

    _slider(
        key=key,
        data={"name": label, "labels": list(position_labels), "place": position},
        height="content",
        on_moved_change=on_move,
    )
