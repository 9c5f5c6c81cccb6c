"""Marked parts of texts are whole, whatever the language writes at their ends."""

import re

import pytest

from dashboard.class_file.bundle import read_javascript_modules
from tests.dashboard.class_file.scripts import run_script

DOCUMENT = """
const document = {
  getElementById: () => ({ textContent: '{"language": "en"}' }),
  createElement: (tag) => ({ tag, append(...parts) { this.parts = parts; } }),
};
"""


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a **b c** d", ["a ", ("strong", "b c"), " d"]),
        ("**一小时的安排：**各带练习", [("strong", "一小时的安排："), "各带练习"]),
        ("**über Größe** %", [("strong", "über Größe"), " %"]),
        ("at **≥ 5 %**", ["at ", ("strong", "≥ 5 %")]),
        ("**2 * 3**, **4**", [("strong", "2 * 3"), ", ", ("strong", "4")]),
        ("`coterie --out -`.", [("code", "coterie --out -"), "."]),
        ("nothing", ["nothing"]),
    ],
)
def test_marked_parts_are_shown_as_they_are_written(
    text: str, parts: list[str | tuple[str, str]]
) -> None:
    modules = read_javascript_modules()
    script = "\n".join(modules[name] for name in ("method.js", "dom.js"))
    script = re.sub(r"^import .*\n", "", script, flags=re.M)
    script = DOCUMENT + re.sub(r"^export ", "", script, flags=re.M)
    script += 'console.log(JSON.stringify(prose("p", input).parts));'
    prose_parts = [
        part if isinstance(part, str) else (part["tag"], *part["parts"])
        for part in run_script(script, text)
        if part
    ]
    assert prose_parts == parts
