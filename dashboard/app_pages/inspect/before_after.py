"""Before and after: summaries of numbers and counts of values, by those of a column."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.i18n.markdown import plain
from dashboard.results.digits import rounded
from dashboard.state import session
from dashboard.state.session_cache import per_session
from dashboard.state.tables_by import tables_by
from dashboard.ui import components
from dashboard.ui.headings import show_table
from engine.analysis.before_after import (
    ALL,
    Counts,
    Summary,
    columns_for,
    counted,
    summaries,
)
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.outcome import Outcome


@per_session(8)
def _found(
    outcome: Outcome, table: Table, by: str
) -> tuple[tuple[Summary, ...], tuple[Counts, ...]]:
    found = summaries(outcome, table, by)
    return found, counted(outcome, table, by) if by else ()


def show_before_after(outcome: Outcome, table: Table) -> None:
    """Show protected numbers before and after, and counts where a column is chosen."""
    by = tables_by(session.workspace(), outcome, table)
    st.selectbox(
        _("By the values of"),
        ["", *columns_for(outcome, table)],
        format_func=lambda one: plain(one) if one else _("all records together"),
        help=_(text.TABLES_BY_HELP),
        width=260,
        **session.bound("tables_by", show=lambda _kept: by),
    )
    try:
        found, together = _found(outcome, table, by)
    except EngineError as error:
        st.info(plain(_(error.message)), icon=":material/info:")
        return
    if found:
        st.caption(_(text.BEFORE_AFTER_SHOW))
        frame = summaries_table(found, by)
        show_table(rounded(frame), session.key("before and after", by))
        components.download_table(frame, "before-and-after")
    else:
        st.info(_(text.NO_NUMBERS_BEFORE_AFTER), icon=":material/info:")
    for one in together:
        st.markdown(
            _("**{column} by {by}**: records before → after").format(
                column=plain(one.column), by=plain(by)
            )
        )
        show_table(counts_table(one), session.key("counts", one.column, by))


def summaries_table(found: tuple[Summary, ...], by: str) -> pd.DataFrame:
    """Return summaries as a table: a line before and one after."""
    lines = []
    for one in found:
        level = _("all records") if one.level == ALL else _level(one.level)
        for when, figures in ((_("before"), one.before), (_("after"), one.after)):
            line: dict[str, object] = {_("Column"): one.column}
            if by:
                line[by if by != _("Column") else f"{by}'"] = level
            line[_("Records are")] = when
            line |= {
                _(title): getattr(figures, name)
                for name, title in text.FIGURES_BEFORE_AFTER.items()
            }
            lines.append(line)
    return pd.DataFrame(lines)


def counts_table(one: Counts) -> pd.DataFrame:
    """Return counts as a table: a line for each level, ``before → after`` in cells."""
    lines = []
    for level, before, after in zip(one.levels, one.before, one.after, strict=True):
        pairs = zip(one.values, before, after, strict=True)
        lines.append(
            {one.by: _level(level)}
            | {f"{_level(value)} ": f"{a:,} → {b:,}" for value, a, b in pairs}
        )
    return pd.DataFrame(lines)


def _level(level: str) -> str:
    return level or _("missing")
