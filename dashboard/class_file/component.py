"""Script and style that show a part of the class file in a dashboard page.

The same modules and the same rules: only what stands around them differs.
"""

from __future__ import annotations

import re

from dashboard.class_file.bundle import bundle_modules, read_javascript_modules
from dashboard.class_file.page import LESSONS, STYLE

PARTS = ("", *LESSONS, "game", "teach")
"""What a component can show: the cards, a lesson, the game, the teacher's view."""

_COMPONENT = """\
export default function (component) {
  const place = component.parentElement.querySelector(".class");
  place.tell = component.setTriggerValue;
  if (place.given === component.data) return; // what is half answered stays
  place.given = component.data;
  (function () {
{script}
  }());
}
"""

_COLOURS = re.compile(r":root \{(.*?)\}", re.DOTALL)
_COLOUR = re.compile(r"(--[\w-]+): ([^;]+);")
_DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{.*?\}\s*\}", re.DOTALL)


def component_script() -> str:
    """Return the ES module that draws a part of the class file into ``.class``."""
    return bundle_modules(read_javascript_modules(), "dashboard.js", _COMPONENT)


def component_style() -> str:
    """Return the class file's CSS for a dashboard page, in the page's colour scheme."""
    text = STYLE.read_text(encoding="utf-8")
    light, dark = (dict(_COLOUR.findall(part)) for part in _COLOURS.findall(text)[:2])
    colours = "".join(
        f"{name}: light-dark({light[name]}, {dark[name]}); " for name in light
    )
    rules = _COLOURS.sub("", _DARK.sub("", text), count=1).replace("body {", ".class {")
    page_css = ".class { background: none; font-family: var(--st-font); }"
    # Words grow with the window, so that the last row of a room can read them.
    page_css += " .words { font-size: clamp(1.0625rem, min(2.4vh, 1.45vw), 1.6rem); }"
    page_css += " .words .idea { font-size: 1.1em; }"
    page_css += " .lesson .picture { max-width: none; max-height: 64vh; }"
    # A class file's type grows by its root, which here is the dashboard's.
    page_css += " @media (min-width: 100rem) { .class { zoom: 1.25; } }"
    return f":host {{ {colours}}} {rules} {page_css}"
