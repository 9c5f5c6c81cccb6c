"""Page of published tables: printed losses compared with this program's."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.learn import classroom, reference_table
from dashboard.charts.published import (
    draw_differences,
    draw_distances_to_optimum,
    draw_our_losses_against_printed,
    draw_two_scalings,
)
from dashboard.i18n import text, text_learn, text_lessons
from dashboard.i18n.language import _
from dashboard.learn import published
from dashboard.state import session
from dashboard.ui.browser_components import components
from dashboard.ui.header import learn_links
from engine.analysis.published import reproduce
from engine.analysis.published.proven import max_proven_gap_percent, printed_excesses
from engine.data.table import Table


def show_published_comparison() -> None:
    """Show published losses, compared with this program's once these have run."""
    classroom.show_part_title(_(text_lessons.PUBLISHED_TITLE), learn_links.PUBLISHED)
    st.markdown(_(text_learn.PUBLISHED_INTRO))
    reference_table.show_reference_uploader()
    table = session.workspace().reference
    rows, pairs = (
        ((), ())
        if table is None
        else reference_table.show_run_and_return_comparisons(table)
    )
    if not rows and not pairs:
        with st.container(border=True):
            st.subheader(_("Printed values"), anchor=False)
            st.caption(_(text_learn.PRINTED_SHOW))
            reference_table.show_printed_losses(table)
        _show_distances()
        return
    if rows and table is not None:
        _show_cells(rows, table)
    if pairs:
        _show_scalings(pairs)
    _show_distances()


def _show_distances() -> None:
    """Show printed losses of all tables against the best groups."""
    cells = printed_excesses()
    components.show_chart(
        "distances-to-optimum",
        _("Printed losses against the best groups"),
        _(
            "How far each printed loss is above the least that is known for its table, "
            "k and terms, in per cent of that; 0 would be the best groups. Lower "
            "bounds prove what is known to within {gap} % on z-scores of all "
            "attributes, less closely on other terms. EIA: on the attributes to which "
            "each column is nearest; pairwise systematic: on raw values."
        ).format(gap=f"{max_proven_gap_percent():.1f}"),
        lambda: draw_distances_to_optimum(cells),
        lambda: published.printed_excess_table(cells),
        _(
            "A cell for each method, table and k, darker the farther the printed loss "
            "is above the best groups"
        ),
    )


def _show_cells(rows: tuple[reproduce.ComparisonRow, ...], table: Table) -> None:
    reference_table.show_verdict_counts(rows, table)
    left, right = st.columns(2)
    with left:
        components.show_chart(
            "printed-against-ours",
            _("Printed against ours"),
            _(
                "Each point is a published cell: one method and one k. On the dashed "
                "line printed and our loss are equal; below it ours is lower."
            ),
            lambda: draw_our_losses_against_printed(rows),
            lambda: published.comparison_table(rows),
            _("Points of printed and our information loss, with the line of equality"),
        )
    with right:
        components.show_chart(
            "differences",
            _("Differences"),
            _(
                "The same cells, looked at closely: how far ours is from the printed "
                "value, in per cent of it. Left of the dashed line ours is lower."
            ),
            lambda: draw_differences(rows),
            lambda: published.comparison_table(rows),
            _("Points of the difference from the printed value, a line per method"),
        )
    with st.container(border=True):
        st.subheader(_("Cell by cell"), anchor=False)
        st.caption(_(text_learn.CELLS_SHOW))
        if any(row.others for row in rows):
            st.markdown(_(text_learn.TWO_SETS))
        reference_table.show_printed_and_own_losses(rows)
        reference_table.show_methods_not_implemented(table)


def _show_scalings(pairs: tuple[reproduce.RawAndZscoreRow, ...]) -> None:
    st.subheader(_("One printed column on two scalings"), anchor=False)
    st.markdown(_(text_learn.SCALING_INTRO))
    left, right = st.columns([3, 2])
    with left:
        components.show_chart(
            "two-scalings",
            _("Pairwise systematic against k"),
            _(
                "Printed and our figures against k. No method can reach the grey area "
                "on z-scored values."
            ),
            lambda: draw_two_scalings(pairs),
            lambda: published.two_scalings_table(pairs),
            _(
                "Lines of printed, raw and z-scored information loss against k, with "
                "the lower bound on z-scored values as an area"
            ),
        )
    with right, st.container(border=True, height="stretch"):
        st.subheader(_("What the figures say"), anchor=False)
        st.markdown(
            "\n".join(
                f"- {sentence}"
                for sentence in published.scaling_finding_sentences(pairs)
            )
        )
    with st.container(border=True):
        st.subheader(_("Both scalings"), anchor=False)
        in_per_cent = _("Information loss in per cent.")
        st.caption(f"{in_per_cent} {_(text.LOWER)}")
        reference_table.show_two_scalings_table(pairs)
