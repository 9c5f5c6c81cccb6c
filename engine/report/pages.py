"""Render facts as offline HTML, Markdown or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from engine.core.arguments import check_arguments
from engine.core.errors import InputError
from engine.core.message import Message, join_messages
from engine.report.facts import FAMILY_TITLES

if TYPE_CHECKING:
    from jinja2 import Environment


def facts_to_json(facts: Mapping[str, Any]) -> str:
    """Return the facts as indented JSON."""
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"


def facts_to_html(facts: Mapping[str, Any]) -> str:
    """Return the facts as a self-contained HTML page."""
    return render_page("report.html", _displayed_facts(facts))


def render_page(template: str, facts: Mapping[str, Any]) -> str:
    """Return the HTML page of a template, with all values escaped."""
    return _template_environment(html=True).get_template(template).render(facts)


def facts_to_markdown(facts: Mapping[str, Any]) -> str:
    """Return the facts as Markdown."""
    return (
        _template_environment(html=False)
        .get_template("report.md")
        .render(_displayed_facts(facts))
    )


@check_arguments
def facts_to_file(facts: Mapping[str, Any], suffix: str) -> bytes:
    """Return the facts as the bytes of a file with the given suffix.

    Raises
    ------
    InputError
        If the suffix is none of .html, .md and .json.
    """
    makers = {".html": facts_to_html, ".md": facts_to_markdown, ".json": facts_to_json}
    if suffix.lower() not in makers:
        raise InputError(
            "There is no report that ends in {suffix!r}: name a file that ends in "
            "{suffixes}.",
            suffix=suffix,
            suffixes=list(makers),
        )
    # Names of files may hold bytes that are no text.
    return makers[suffix.lower()](facts).encode(errors="backslashreplace")


def _displayed_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    families = {
        title: [measure for measure in facts["measures"] if measure["family"] == family]
        for family, title in FAMILY_TITLES.items()
    }
    return {
        **facts,
        "families": {
            t: family_measures
            for t, family_measures in families.items()
            if family_measures
        },
    }


_SINGULAR_UNITS = {"records": "record", "values": "value"}
"""Units of a single one."""


def format_figure(measure: Mapping[str, Any]) -> str:
    """Return a measure's figure with unit and interval, for display."""
    if measure["value"] is None:
        return "does not apply"
    text = str(format_number(measure["value"], measure["unit"]))
    if measure["interval"] is not None:
        low, high = (format_number(end, measure["unit"]) for end in measure["interval"])
        text += f" ({low} to {high})"
    return text


def format_number(value: float | None, unit: str = "") -> Message:
    """Return a message of a number and unit, rounded for display; a dash for None."""
    if value is None:
        return Message("–")
    if float(value).is_integer():
        text = f"{int(value):,}"
    elif abs(value) < 0.001:
        text = Message("less than 0.001") if value > 0 else Message("above -0.001")
    else:
        text = f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.1f}"
    return join_messages(
        [text, _SINGULAR_UNITS.get(unit, unit) if value == 1 else unit]
    )


def markdown_cell(text: object) -> Markup:
    """Return text escaped for a cell of a Markdown table."""
    return Markup(str(escape_markdown(str(text))).replace("|", "\\|"))


def markdown_code(text: str) -> Markup:
    """Return text as inline code of Markdown."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if "`" in text else ""
    return Markup(f"{fence}{pad}{_join_lines(text)}{pad}{fence}")


def escape_markdown(value: object) -> object:
    """Return text as one line, escaped for Markdown; Markup and non-text unchanged."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return re.sub(r"([\\`<\[])", r"\\\1", _join_lines(value))


def _join_lines(text: str) -> str:
    return " ".join(text.splitlines())


@cache
def _template_environment(html: bool) -> Environment:
    # Loaded with the first page: most runs write none.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # Column names and titles come from files: in HTML they are escaped.
    # In Markdown, each value is made plain as it is put in.
    environment = Environment(
        finalize=None if html else escape_markdown,
        loader=PackageLoader("engine.report"),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "figure": format_figure,
        "number": format_number,
        "cell": markdown_cell,
        "code": markdown_code,
    }
    return environment
