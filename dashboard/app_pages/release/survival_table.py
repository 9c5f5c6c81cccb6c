"""Table of what survived of each column: a strip of shares, and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from dashboard.i18n import text_measures
from dashboard.i18n.language import _, n_, within_sentence
from dashboard.i18n.markdown import escape_text
from dashboard.ui.browser_components.components import show_sentence_or_list
from engine.aggregate import aggregations
from engine.core.message import Topic
from engine.data.kinds import Kind
from engine.pipeline.column_survival import SURVIVAL_SHARES, ColumnSurvival
from engine.pipeline.outcome import Outcome
from engine.report.survival import column_survival_message, format_per_cent

COLOURS = {
    "kept": "#0072B2",
    "changed": "#7FB6D6",
    "generalised": "#E9C46A",
    "gone": "#B9BEC5",
}

MAX_VISIBLE_ROWS = 12
"""Columns shown at once; more are reached by scrolling."""

_GRID = "display:grid;grid-template-columns:minmax(6rem,1.2fr) 6.5rem 8.5rem 2fr 1.9fr"

# Long names often differ at their end only.
_TWO_LINES = (
    "display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;"
    "overflow:hidden;overflow-wrap:anywhere"
)


@dataclass(frozen=True)
class SurvivalLine:
    """One column's texts and shares on what survived protection.

    Attributes
    ----------
    name, still, common, words : str
        The column, what its values are, what a group's values became, what changed.
    shares : tuple of (str, float)
        What is there of :data:`SURVIVAL_SHARES`, in their order.
    lost : bool
        Whether it says nothing in most of the records any more.
    """

    name: str
    still: str
    common: str
    words: str
    shares: tuple[tuple[str, float], ...]
    lost: bool


def make_survival_lines(outcome: Outcome) -> list[SurvivalLine]:
    """Return a line on each released column, the protected ones first."""
    plan = outcome.plan
    names = sorted(
        outcome.survived, key=lambda name: name not in plan.quasi_identifiers
    )
    lines = []
    for name in names:
        fate = outcome.survived[name]
        common, still = _("as it is"), _(text_measures.STILL_A[fate.after])
        category = plan.kinds.get(name) is Kind.NOMINAL
        if name in plan.quasi_identifiers:
            common = _aggregation_text(plan.aggregations[name], fate, category)
            still = _("category") if category else still
        words = _(column_survival_message(name, fate, name in plan.quasi_identifiers))
        if name in plan.confidential:
            words = _("confidential, untouched")
        shares = tuple(
            (kind, fate.shares[kind]) for kind in SURVIVAL_SHARES if fate.shares[kind]
        )
        lines.append(SurvivalLine(name, still, common, words, shares, fate.is_lost))
    return lines


def _aggregation_text(rule: str, survival: ColumnSurvival, category: bool) -> str:
    """Return what a group's values became, and how that was rounded."""
    title = within_sentence(_(aggregations.info(rule).title))
    count = survival.decimals_after
    if count is None or count < 0 or category:
        return title
    if count == 0:
        return _("{value}, whole").format(value=title)
    words = n_("{value}, {count} decimal", "{value}, {count} decimals", count)
    return words.format(value=title, count=count)


def show_survival_table(outcome: Outcome) -> None:
    """Show what survived of each column, if counted; warn of those that say little."""
    lines = make_survival_lines(outcome)
    if not lines:
        return  # a result of an earlier version, that did not count this
    sentences = [
        escape_text(_(warning))
        for warning in outcome.warnings
        if warning.topic is Topic.LOST
    ]
    show_sentence_or_list(
        sentences, st.warning, ":material/trending_down:", _(text_measures.LOST)
    )
    height = 420 if len(lines) > MAX_VISIBLE_ROWS else "content"
    with st.container(height=height, border=False):  # type: ignore[arg-type]
        st.html(survival_table_html(lines))


def survival_table_html(table_lines: Sequence[SurvivalLine]) -> str:
    """Return the table of what survived as HTML, with columns' names escaped."""
    keys = "".join(
        f'<span style="margin-left:0.8em"><span aria-hidden="true" style="color:'
        f'{COLOURS[share_name]}">&#9632;</span> <span style="opacity:0.75">'
        f"{escape(_(text_measures.SHARES[share_name]))}</span></span>"
        for share_name in SURVIVAL_SHARES
    )
    head = "".join(
        f'<span role="columnheader">{escape(title)}</span>'
        for title in (
            _("Column"),
            _("Still a"),
            _("Common value"),
            _("What survived"),
            _("Change"),
        )
    )
    rows = "".join(map(_line_html, table_lines))
    return (
        '<div class="survived" style="font-size:0.92rem">'
        '<div style="margin-bottom:0.2rem"><b>'
        f"{escape(_('What survived'))}</b>"
        f'<span style="font-size:0.88em">{keys}</span></div>'
        f'<div role="table" aria-label="{escape(_("What survived"))}">'
        f'<div role="row" style="{_GRID};gap:0 0.8rem;opacity:0.75;font-size:0.85em">'
        f"{head}</div>{rows}</div></div>"
    )


def _line_html(line: SurvivalLine) -> str:
    bars = "".join(
        f'<span style="width:{100 * share:.2f}%;background:{COLOURS[name]}"></span>'
        for name, share in line.shares
    )
    bar_label = ", ".join(
        f"{_(text_measures.SHARES[name])} {_(format_per_cent(share))} %"
        for name, share in line.shares
    )
    mark = "font-weight:600" if line.lost else "opacity:0.8"
    cut = "overflow:hidden;text-overflow:ellipsis;white-space:nowrap"
    return (
        f'<div role="row" style="{_GRID};gap:0 0.8rem;align-items:center;'
        f'padding:0.3rem 0;border-top:1px solid rgba(128,128,128,0.2)">'
        f'<span role="rowheader" style="font-weight:600;{_TWO_LINES}" '
        f'title="{escape(line.name)}">{escape(line.name)}</span>'
        f'<span role="cell" style="opacity:0.8">{escape(line.still)}</span>'
        f'<span role="cell" style="opacity:0.8;{cut}" title="{escape(line.common)}">'
        f"{escape(line.common)}</span>"
        f'<span role="cell" title="{escape(bar_label)}"><span role="img" '
        f'aria-label="{escape(bar_label)}" style="display:flex;gap:1px;height:0.75rem">'
        f"{bars}</span></span>"
        f'<span role="cell" style="{mark};{cut}" title="{escape(line.words)}">'
        f"{escape(line.words)}</span></div>"
    )
