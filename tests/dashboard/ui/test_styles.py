"""Styles that a browser applies without looking at the whole page at each change."""

import re
from pathlib import Path

import pytest

import dashboard

ROOT = Path(dashboard.__file__).parent
STYLES = sorted([*ROOT.rglob("*.css"), ROOT / "ui" / "header" / "page_header.py"])

UNBOUND = re.compile(
    r"""(?<![\w\])&]):has\(                        # asked of every element
    | :not\(:has\(                               # or of those that lack something
    | :has\([^){]*(?:\*(?!=)|\bdiv\b)           # or of all that is within
    """,
    re.VERBOSE,
)


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_no_element_is_asked_what_it_holds_unless_it_is_known_by_a_name(
    path: Path,
) -> None:
    """Of ten seconds that *Compare* took to draw, six were for such rules."""
    rules = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert UNBOUND.findall(rules) == []


@pytest.mark.parametrize(
    "rule",
    [":has(> .a)", "p :has(.a)", "body:not(:has(.a)) b", ".a:has(> div > .b)"],
)
def test_such_rules_are_known(rule: str) -> None:
    assert UNBOUND.search(rule)
