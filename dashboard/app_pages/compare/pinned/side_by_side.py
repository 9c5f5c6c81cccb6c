"""Side-by-side view of two pinned results on the Compare page."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard.app_pages.compare import tables
from dashboard.app_pages.compare.pinned import two_figures, two_results
from dashboard.charts.comparisons import pairs
from dashboard.charts.inputs import AttributeDistribution
from dashboard.i18n import text_compare
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.results.figures import plan_label, result_figures
from dashboard.state import session
from dashboard.state.caches.session_cache import cache_in_session
from dashboard.ui import measures
from dashboard.ui.browser_components import components
from dashboard.ui.headings import show_table_with_tooltips
from dashboard.ui.runs import pinning
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

MAX_DRAWN_ATTRIBUTES = 16
"""Attributes drawn without asking which."""

_compare = cache_in_session(4)(two_results.compare_two_outcomes)


def show_pinned_pair(outcomes: tuple[Outcome, Outcome], table: Table) -> None:
    """Show two results of one table side by side; may start measures they lack."""
    outcome, other = outcomes
    names = f"A · {plan_label(outcome.plan)}", f"B · {plan_label(other.plan)}"
    _show_pair_header(outcomes, names)
    measures.autostart_quick_measures(outcomes, table)
    measures.offer_measuring(outcomes, table)
    comparison = _compare(outcome, other, table)
    _show_companions(comparison)
    _show_figures(two_figures.compare_shared_measures(outcome, other), names, outcomes)
    picked = _choose_attributes(comparison.spreads)
    components.show_chart(
        "pair-spreads",
        _("Distributions"),
        _(text_compare.SPREADS_SHOW),
        lambda: pairs.draw_distributions(picked, names),
        lambda: tables.distribution_table(picked, names),
        _("Distribution of each attribute: original and both releases"),
    )
    if len(comparison.correlations.names) > 1:
        words = _(
            "How far each correlation moved; an empty cell is no change. Both pictures "
            "have the same colours, which end at −0.25 and +0.25 whatever the data."
        )
        if two_results.has_nominal_attributes(comparison.spreads, outcome.plan):
            words += f" {_(text_compare.NUMBERS_ONLY)}"
        components.show_chart(
            "pair-correlations",
            _("Change of correlations"),
            words,
            lambda: pairs.draw_correlation_changes(comparison.correlations, names),
            lambda: tables.correlation_change_table(comparison.correlations, names),
            _("Change of every correlation in both releases"),
        )
    sizes = result_figures(outcome).sizes, result_figures(other).sizes
    components.show_chart(
        "pair-sizes",
        _("Group sizes"),
        _("How many groups of each size the two results have."),
        lambda: pairs.draw_size_pairs(sizes, names),
        lambda: tables.pinned_group_size_table(sizes, names),
        _("Number of groups by their size, in both results"),
    )


def _show_pair_header(both: tuple[Outcome, Outcome], names: tuple[str, str]) -> None:
    """Show what the two are, in what else they differ, and where each leads."""
    differences = two_figures.list_differing_choices(both[0].plan, both[1].plan)
    for place, (column, outcome) in enumerate(zip(st.columns(2), both, strict=True)):
        with column.container(border=True, height="stretch"):
            colour = ("blue", "orange")[place]
            st.markdown(f"### :{colour}[{names[place]}]")
            if differences:
                st.caption(" · ".join(escape_text(pair[place]) for pair in differences))
            with st.container(horizontal=True):
                for title, page, icon in (
                    (_("Inspect"), "inspect", ":material/search:"),
                    (_("Release"), "release", ":material/download:"),
                ):
                    key = session.widget_key("pinned", place, page)
                    if st.button(title, icon=icon, key=key):
                        session.update_workspace(chosen=outcome.plan, pointed="")
                        st.switch_page(f"app_pages/{page}/view.py")
                st.button(
                    _("Unpin"),
                    icon=":material/keep_off:",
                    key=session.widget_key("unpin", place),
                    on_click=pinning.unpin_result,
                    args=(outcome.plan,),
                )


def _show_companions(comparison: two_results.ResultComparison) -> None:
    alike = comparison.companions
    if not alike.records:
        return
    pairs_help = _(
        "Of all pairs of records that the one result puts into a group together, those "
        "that the other one keeps together."
    )
    metrics = (
        (
            _("Records in the same group in both"),
            _("{count} of {all}").format(
                count=f"{alike.same:,}", all=f"{alike.records:,}"
            ),
            _("Records whose group has exactly the same members in both results."),
        ),
        (_("Pairs of A together in B"), _share(alike.kept[0]), pairs_help),
        (_("Pairs of B together in A"), _share(alike.kept[1]), pairs_help),
    )
    for column, (label, value, help_) in zip(st.columns(3), metrics, strict=True):
        column.metric(label, value, help=help_, border=True)


def _share(share: float) -> str:
    return "–" if share != share else f"{100.0 * share:.1f} %"


def _show_figures(
    rows: Sequence[two_figures.MeasureComparison],
    names: tuple[str, str],
    both: tuple[Outcome, Outcome],
) -> None:
    with st.container(border=True):
        st.subheader(_("Figures"), anchor=False)
        words = _(text_compare.BESIDE_FIGURES)
        if not two_figures.have_equal_distances_and_weights(both[0].plan, both[1].plan):
            words += f" {_(text_compare.BESIDE_SCALES)}"
        st.caption(words)
        frame = tables.pinned_measures_table(rows, names)
        show_table_with_tooltips(frame, session.widget_key("table", "pair-figures"))
        components.show_table_download(frame, "pair-figures")


def _choose_attributes(
    distributions: Sequence[AttributeDistribution],
) -> Sequence[AttributeDistribution]:
    """Let somebody choose attributes where there are many."""
    if len(distributions) <= MAX_DRAWN_ATTRIBUTES:
        return distributions
    every = [distribution.name for distribution in distributions]
    names = st.multiselect(
        _("Attributes drawn, of {count}").format(count=len(every)),
        every,
        default=every[:MAX_DRAWN_ATTRIBUTES],
        key=session.widget_key("spreads", *every),
        persist_state="session",
    )
    return [
        distribution for distribution in distributions if distribution.name in names
    ] or distributions[:1]
