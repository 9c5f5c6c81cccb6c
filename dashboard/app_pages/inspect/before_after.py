"""Tables before and after protection, by the values of a column if wanted."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.results.digits import round_frame
from dashboard.state import session
from dashboard.state.caches.session_cache import cache_in_session
from dashboard.state.results.requested import tabulation_column_or_empty
from dashboard.ui.browser_components import components
from dashboard.ui.headings import show_table_with_tooltips
from engine.analysis.before_after import (
    ALL_RECORDS_LEVEL,
    CrossTabulation,
    NumberComparison,
    columns_with_few_values,
    compare_numeric_summaries,
    cross_tabulate_categories,
)
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.outcome import Outcome


@cache_in_session(8)
def _cached_tables(
    outcome: Outcome, table: Table, by: str
) -> tuple[tuple[NumberComparison, ...], tuple[CrossTabulation, ...]]:
    comparisons = compare_numeric_summaries(outcome, table, by)
    return comparisons, cross_tabulate_categories(outcome, table, by) if by else ()


def show_before_and_after(outcome: Outcome, table: Table) -> None:
    """Show figures before and after protection, by values of a chosen column if any."""
    by = tabulation_column_or_empty(session.workspace(), outcome, table)
    st.selectbox(
        _("By the values of"),
        ["", *columns_with_few_values(outcome, table)],
        format_func=lambda one: escape_text(one) if one else _("all records together"),
        help=_(
            "Tables are made for each value of this column, too: that of the original "
            "before, that of the release after. The report for the house has these "
            "tables, too, without what shows values of single records."
        ),
        width=260,
        **session.bind_widget("tables_by", to_widget=lambda _kept: by),
    )
    try:
        comparisons, cross_tables = _cached_tables(outcome, table, by)
    except EngineError as error:
        st.info(escape_text(_(error.message)), icon=":material/info:")
        return
    if comparisons:
        st.caption(_(text.BEFORE_AFTER_SHOW))
        frame = number_comparison_table(comparisons, by)
        show_table_with_tooltips(
            round_frame(frame), session.widget_key("before and after", by)
        )
        components.show_table_download(frame, "before-and-after")
    else:
        st.info(_(text.NO_NUMBERS_BEFORE_AFTER), icon=":material/info:")
    for one in cross_tables:
        st.markdown(
            _("**{column} by {by}**: records before → after").format(
                column=escape_text(one.column), by=escape_text(by)
            )
        )
        show_table_with_tooltips(
            cross_tabulation_table(one), session.widget_key("counts", one.column, by)
        )


def number_comparison_table(
    comparisons: tuple[NumberComparison, ...], breakdown_column: str
) -> pd.DataFrame:
    """Return a table of numeric columns' statistics, a line before and one after."""
    lines = []
    for pair in comparisons:
        level = (
            _("all records")
            if pair.level == ALL_RECORDS_LEVEL
            else _level_label(pair.level)
        )
        for when, figures in ((_("before"), pair.before), (_("after"), pair.after)):
            line: dict[str, object] = {_("Column"): pair.column}
            if breakdown_column:
                line[
                    breakdown_column
                    if breakdown_column != _("Column")
                    else f"{breakdown_column}'"
                ] = level
            line[_("Records are")] = when
            line |= {
                _(title): getattr(figures, name)
                for name, title in text.FIGURES_BEFORE_AFTER.items()
            }
            lines.append(line)
    return pd.DataFrame(lines)


def cross_tabulation_table(cross_tabulation: CrossTabulation) -> pd.DataFrame:
    """Return a table of counts: a line per level, cells ``before → after``."""
    lines = []
    for level, before, after in zip(
        cross_tabulation.levels,
        cross_tabulation.before,
        cross_tabulation.after,
        strict=True,
    ):
        pairs = zip(cross_tabulation.values, before, after, strict=True)
        lines.append(
            {cross_tabulation.by: _level_label(level)}
            | {f"{_level_label(value)} ": f"{a:,} → {b:,}" for value, a, b in pairs}
        )
    return pd.DataFrame(lines)


def _level_label(level: str) -> str:
    return level or _("missing")
