"""The two pinned results side by side: figures, distributions, correlations, groups."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.app_pages.compare.tables import (
    correlation_table,
    figure_table,
    pair_size_table,
    spread_table,
)
from dashboard.app_pages.compare.two_figures import (
    Figure,
    differing_choices,
    figures,
    have_same_scale,
)
from dashboard.app_pages.compare.two_results import (
    TwoResults,
    compare_two,
    has_categories,
)
from dashboard.charts.inputs import Spread
from dashboard.charts.pairs import correlation_changes, pair_sizes, spreads
from dashboard.i18n import text_compare
from dashboard.i18n.language import _
from dashboard.results.facts import facts, plan_label
from dashboard.state import session
from dashboard.state.session_cache import per_session
from dashboard.ui import components, measures, pinning
from dashboard.ui.headings import show_table
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

DRAWN = 16
"""Attributes drawn without asking which."""

_compare = per_session(4)(compare_two)


def show(both: tuple[Outcome, Outcome], table: Table) -> None:
    """Show two results of one table side by side."""
    one, other = both
    names = f"A · {plan_label(one.plan)}", f"B · {plan_label(other.plan)}"
    _heads(both, names)
    measures.begin(both, table)
    measures.offer(both, table)
    found = _compare(one, other, table)
    _companions(found)
    _figures(figures(one, other), names, both)
    picked = _picked(found.spreads)
    components.chart(
        "pair-spreads",
        _("Distributions"),
        _(text_compare.SPREADS_SHOW),
        lambda: spreads(picked, names),
        lambda: spread_table(picked, names),
        _("Distribution of each attribute: original and both releases"),
    )
    if len(found.correlations.names) > 1:
        words = _(text_compare.CORRELATIONS_SHOW)
        if has_categories(found.spreads, one.plan):
            words += f" {_(text_compare.NUMBERS_ONLY)}"
        components.chart(
            "pair-correlations",
            _("Change of correlations"),
            words,
            lambda: correlation_changes(found.correlations, names),
            lambda: correlation_table(found.correlations, names),
            _("Change of every correlation in both releases"),
        )
    sizes = facts(one).sizes, facts(other).sizes
    components.chart(
        "pair-sizes",
        _("Group sizes"),
        _(text_compare.PAIR_SIZES_SHOW),
        lambda: pair_sizes(sizes, names),
        lambda: pair_size_table(sizes, names),
        _("Number of groups by their size, in both results"),
    )


def _heads(both: tuple[Outcome, Outcome], names: tuple[str, str]) -> None:
    """Show what the two are, in what else they differ, and where each leads."""
    differences = differing_choices(both[0].plan, both[1].plan)
    for place, (column, outcome) in enumerate(zip(st.columns(2), both, strict=True)):
        with column.container(border=True, height="stretch"):
            colour = ("blue", "orange")[place]
            st.markdown(f"### :{colour}[{names[place]}]")
            if differences:
                st.caption(" · ".join(pair[place] for pair in differences))
            with st.container(horizontal=True):
                for title, page, icon in (
                    (_("Inspect"), "inspect", ":material/search:"),
                    (_("Release"), "release", ":material/download:"),
                ):
                    key = session.key("pinned", place, page)
                    if st.button(title, icon=icon, key=key):
                        session.update(chosen=outcome.plan, pointed="")
                        st.switch_page(f"app_pages/{page}/view.py")
                st.button(
                    _("Unpin"),
                    icon=":material/keep_off:",
                    key=session.key("unpin", place),
                    on_click=pinning.unpin,
                    args=(outcome.plan,),
                )


def _companions(found: TwoResults) -> None:
    alike = found.companions
    if not alike.records:
        return
    kept = _(text_compare.KEPT_HELP)
    here = (
        (
            _("Records in the same group in both"),
            _("{count} of {all}").format(
                count=f"{alike.same:,}", all=f"{alike.records:,}"
            ),
            _(text_compare.SAME_HELP),
        ),
        (_("Pairs of A together in B"), _share(alike.kept[0]), kept),
        (_("Pairs of B together in A"), _share(alike.kept[1]), kept),
    )
    for column, (label, value, help_) in zip(st.columns(3), here, strict=True):
        column.metric(label, value, help=help_, border=True)


def _share(share: float) -> str:
    return "–" if share != share else f"{100.0 * share:.1f} %"


def _figures(
    rows: Sequence[Figure], names: tuple[str, str], both: tuple[Outcome, Outcome]
) -> None:
    with st.container(border=True):
        st.subheader(_("Figures"), anchor=False)
        words = _(text_compare.BESIDE_FIGURES)
        if not have_same_scale(both[0].plan, both[1].plan):
            words += f" {_(text_compare.BESIDE_SCALES)}"
        st.caption(words)
        frame = figure_table(rows, names)
        show_table(frame, session.key("table", "pair-figures"))
        components.download_table(frame, "pair-figures")


def _picked(found: Sequence[Spread]) -> Sequence[Spread]:
    """Let somebody choose attributes where there are many."""
    if len(found) <= DRAWN:
        return found
    every = [one.name for one in found]
    names = st.multiselect(
        _(text_compare.SPREADS_MANY).format(count=len(every)),
        every,
        default=every[:DRAWN],
        key=session.key("spreads", *every),
        persist_state="session",
    )
    return [one for one in found if one.name in names] or found[:1]
