"""Overview of all results: best per k, methods drawn, table of all figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard.app_pages.compare import tables
from dashboard.charts.inputs import Facts
from dashboard.charts.theme import DRAWN
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.learn.glossary import help_of
from dashboard.results.facts import plan_label
from dashboard.results.scores import titled
from dashboard.state import session
from dashboard.ui import learn_links, selection
from dashboard.ui.components import download_table, sentences
from dashboard.ui.headings import show_table
from engine.measures import measures
from engine.pipeline.outcome import Outcome


def headline(rows: Sequence[Facts]) -> None:
    """Say per k which result loses least, and how far it is from the bound."""
    sizes = sorted({row.k for row in rows})
    for column, k in zip(st.columns(max(4, len(sizes))), sizes, strict=False):
        of_k = sorted(
            (row for row in rows if row.k == k),
            key=lambda row: (not row.keeps_k, row.lost),
        )
        best = of_k[0]
        if not best.has_numbers:
            label, value = _("Least penalty for k = {k}"), best.penalty
            note, help_ = None, help_of("certainty-penalty")
        else:
            label, value = _("Least loss for k = {k}"), best.loss
            note, help_ = _avoidable(best)
            help_ += f" {_others(of_k)}  \n{help_of('information-loss')}"
        column.metric(
            label.format(k=k),
            f"{value:.2f} %",
            delta=best.title,
            delta_color="off",
            delta_arrow="off",
            delta_description=note,
            border=True,
            height="stretch",
            help=help_,
        )
    st.caption(_(text.LOWER))


def _avoidable(best: Facts) -> tuple[str, str]:
    """Say how much of a loss can be avoided at most, in short and in a sentence."""
    if best.drawn is not None:
        return _("probabilistic"), _(text.PROBABILISTIC)
    gap = f"{best.gap:.0f}"
    sentence = _(
        "No grouping can lose less than {bound} %, so at most {gap} % of this loss is "
        "avoidable."
    ).format(bound=f"{best.bound:.2f}", gap=gap)
    return _("at most {gap} % avoidable").format(gap=gap), sentence


def weak_results(outcomes: Sequence[Outcome]) -> None:
    """Name the results that do not keep k: their losses buy less."""
    weak = [
        f"{plan_label(outcome.plan)}: {_weakness(outcome)}"
        for outcome in outcomes
        if not outcome.k_verified
    ]
    sentences(weak, st.warning, ":material/gpp_maybe:", _(text.WEAK))


def _weakness(outcome: Outcome) -> str:
    drawn = outcome.probabilistic
    if drawn is None:
        return _("the release has k = {k}.").format(k=outcome.k_released)
    return f"{_(drawn.words)}. {_(drawn.sizes_in_words)}"


def _others(rows: Sequence[Facts]) -> str:
    """Say how much more the other methods lose, where there are any."""
    more = max(row.lost for row in rows) - rows[0].lost
    if len(rows) == 1:
        return ""
    return _("The other methods lose up to {more} percentage points more.").format(
        more=f"{more:.2f}"
    )


def drawn_methods(rows: Sequence[Facts]) -> list[str]:
    """Return the methods to draw: all, or those chosen where they are many."""
    by_loss = sorted(rows, key=lambda row: (not row.keeps_k, row.k, row.lost))
    titles = list(dict.fromkeys(row.title for row in by_loss))
    if len(titles) <= DRAWN:
        return titles
    chosen = st.pills(
        _("Methods drawn, of {count}: those that lose least come first").format(
            count=len(titles)
        ),
        titles,
        selection_mode="multi",
        default=titles[:DRAWN],
        # While results arrive the best six change; for one set of methods they stay.
        key=session.key("drawn", *sorted(titles)),
        persist_state="session",
        help=_("The table at the end has all of them."),
    )
    return chosen or titles[:1]


def methods_in(rows: Sequence[Facts]) -> None:
    """Show a link to the description of each method among some results."""
    names = dict.fromkeys(row.method.partition(",")[0] for row in rows)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for name in names:
            learn_links.method_link(name)


def figures(
    rows: Sequence[Facts], measured_too: Mapping[str, Mapping[str, float]]
) -> None:
    """Show all figures: a table that sorts, whose rows can be selected, and as CSV.

    Parameters
    ----------
    rows : sequence of Facts
    measured_too : mapping of str to mapping of str to float
        More columns by title: figures by the rows' keys.
    """
    number = st.column_config.NumberColumn
    on_request = {
        titled(info): number(format="%.4g")
        for info in measures.infos()
        if info.on_demand
    }
    frame = tables.comparison_table(rows, measured_too)
    keys = [row.key for row in tables.ordered(rows)]
    widget = session.key("table", "comparison")
    chosen = session.workspace().chosen
    digest = "" if chosen is None else chosen.digest()
    session.mark_rows(widget, [at for at, key in enumerate(keys) if key == digest])
    formats = {
        _("IL (%)"): number(format="%.3f"),
        _("Lower bound (%)"): number(format="%.3f"),
        _("Gap (%)"): number(format="%.1f"),
        _("Bound"): st.column_config.TextColumn(width=110),
        _("NCP (%)"): number(format="%.3f"),
        _("Mean size"): number(format="%.2f"),
        _("Expected size"): number(format="%.2f"),
        _("Below k (%)"): number(format="%.1f"),
        "C_avg": number(format="%.3f"),
        "DM": number(format="localized"),
        _("Seconds"): number(format="%.3f"),
        **on_request,
    }
    show_table(
        frame,
        widget,
        on_select=lambda: selection.pick_row(keys, st.session_state[widget]),
        selection_mode="single-row",
        alt=_("All figures of all results; select a row to select a result"),
        column_config=formats,
    )
    methods_in(rows)
    download_table(frame, "comparison")
