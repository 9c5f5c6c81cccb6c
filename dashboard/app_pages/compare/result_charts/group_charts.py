"""Charts of groups and group sizes on the Compare page."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial

import streamlit as st

from dashboard.app_pages.compare.result_charts.comparison_view import ComparisonView
from dashboard.app_pages.compare.result_charts.loss_charts import (
    lazy_result_figure,
    sort_by_method_loss,
)
from dashboard.app_pages.compare.tables import group_centre_table, group_size_table
from dashboard.charts.groupings.group_cells import CELL_MARK, draw_counted_cells
from dashboard.charts.groupings.groups import (
    draw_group_map,
    draw_group_maps,
    visible_window,
)
from dashboard.charts.groupings.hulls import are_hulls_tangled
from dashboard.charts.groupings.sizes import draw_group_sizes
from dashboard.charts.inputs import CountedCells, GroupView, ResultFigures, Window
from dashboard.charts.theme import MethodStyle
from dashboard.i18n import text_compare
from dashboard.i18n.language import _, current
from dashboard.results.figures import plan_label, series_id_of_plan
from dashboard.results.group_views import (
    bin_records_into_cells,
    make_group_view,
    records_in_window_mask,
    shrink_window_around,
)
from dashboard.state import session
from dashboard.state.caches.session_cache import cache_in_session
from dashboard.ui.browser_components import components
from dashboard.ui.browser_components.chart_tools import ClickedPoint
from dashboard.ui.browser_components.group_plane import (
    ask_to_hide_outliers,
    cached_group_costs,
    group_chart_plane,
    has_outliers,
    show_axis_inputs,
)
from dashboard.ui.runs import selection
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

MAX_PANEL_POINTS = 12_000
"""Records drawn in one panel at most."""

MAX_TOTAL_POINTS = 12_000
"""Records drawn in all small panels together at most: more would hide the groups."""


PANEL_HEIGHT_PX = 214
"""Height of the groups in the first view, in pixels."""


def show_group_sizes(comparison: ComparisonView) -> None:
    """Show a chart of group sizes at the view's k, or of all results if none has it."""
    at_k = _rows_at_k(comparison.rows, comparison.k)
    drawing = lazy_result_figure(
        draw_group_sizes, at_k, comparison.styles, f"k = {comparison.k}"
    )
    components.show_chart(
        "group-sizes",
        _("Group sizes"),
        f"{_(text_compare.SIZES_SHOW)} {_(text_compare.CLICK_SHOW)}",
        drawing,
        lambda: group_size_table(at_k),
        _("Numbers of groups by their size, a row for every method"),
        on_click=selection.select_clicked_group_size,
        subtitle=_("groups of each size"),
    )


def _rows_at_k(rows: Sequence[ResultFigures], k: int) -> list[ResultFigures]:
    """Return the results at `k`, least loss first; all where there are none."""
    return sort_by_method_loss([row for row in rows if row.k == k] or rows, k)


def show_groups_of_one_result(comparison: ComparisonView) -> None:
    """Show the groups of the selected result, or of the best one at the view's k."""
    outcome = _shown_outcome(comparison)
    if outcome.partition.n_records > MAX_PANEL_POINTS:
        _one_of_many(outcome, comparison.table, comparison.styles)
        return
    view = _view(outcome, comparison.table, MAX_PANEL_POINTS)
    middle, pointed = has_outliers([view]), selection.clicked_row_and_group(outcome)
    style = comparison.styles[series_id_of_plan(outcome.plan)]
    words = plan_label(outcome.plan)
    drawing = components.LazyFigure(
        partial(
            draw_group_map, view, style, middle, pointed, PANEL_HEIGHT_PX, note=words
        ),
        (_groups_key([view]), style, middle, pointed),
    )
    components.show_chart(
        "groups-of-one",
        _("Groups of one result"),
        f"{_(_caption([view], text_compare.ONE_SHOW))} {sampling_caption([view])}",
        drawing,
        lambda: group_centre_table([view]),
        _("Records and hulls of groups of one result, in a plane"),
        on_click=selection.select_clicked_record,
        show_options=lambda: show_axis_inputs(comparison.table),
    )


def _shown_outcome(now: ComparisonView) -> Outcome:
    """Return the selected result, or the one that loses least at k."""
    chosen = session.workspace().chosen
    results = [
        outcome for outcome in now.outcomes if outcome.plan.k == now.k
    ] or now.outcomes
    return next(
        (outcome for outcome in now.outcomes if outcome.plan == chosen),
        min(
            results,
            key=lambda outcome: (not outcome.k_verified, outcome.information_loss),
        ),
    )


_WINDOW_KEY = session.widget_key("groups", "window")


def _one_of_many(
    outcome: Outcome, table: Table, styles: Mapping[str, MethodStyle]
) -> None:
    """Show marks for records that lie close together; a click looks into them.

    Where what is in view is little enough, it shows the records themselves.
    """
    sample = _view(outcome, table, MAX_PANEL_POINTS)
    place = group_chart_plane(outcome.plan, table)
    whole = visible_window([sample], has_outliers([sample]))
    where = (table.fingerprint, sample.titles)
    words = plan_label(outcome.plan)
    before, window = st.session_state.get(_WINDOW_KEY, (where, whole))
    if before != where:
        window = whole
    n_in_view = int(records_in_window_mask(place, window).sum())
    if n_in_view <= MAX_PANEL_POINTS:
        view = make_group_view(
            outcome, place, cached_group_costs(outcome, table), window=window
        )
        style = styles[series_id_of_plan(outcome.plan)]
        pointed = selection.clicked_row_and_group(outcome)
        drawing = components.LazyFigure(
            partial(
                draw_group_map,
                view,
                style,
                False,
                pointed,
                PANEL_HEIGHT_PX,
                window,
                words,
            ),
            (_groups_key([view]), style, pointed, window),
        )
        shows = _caption([view], text_compare.ONE_SHOW)
    else:
        cells = _cached_cells(outcome, table, window, sample.titles)
        drawing = components.LazyFigure(
            partial(draw_counted_cells, cells, PANEL_HEIGHT_PX, words),
            (cells.digest, cells.key, words, sample.titles, window),
        )
        shows = text_compare.CELLS_SHOW
    count = f"{outcome.partition.n_records:,}"
    count_text = _(text_compare.IN_VIEW).format(there=f"{n_in_view:,}", all=count)
    components.show_chart(
        "groups-of-one",
        _("Groups of one result"),
        f"{_(shows)} {count_text}",
        drawing,
        lambda: group_centre_table([sample]),
        _("Records and hulls of groups of one result, in a plane"),
        on_click=partial(_look_closer, where, window),
        show_options=lambda: show_axis_inputs(table),
    )
    if window != whole:
        st.button(
            _("All {count} records").format(count=count),
            key=session.widget_key("groups", "whole"),
            type="tertiary",
            icon=":material/zoom_out_map:",
            on_click=lambda: st.session_state.pop(_WINDOW_KEY, None),
        )


def _look_closer(where: Hashable, window: Window, picked: ClickedPoint) -> None:
    """Look into a mark that was clicked, or select a record."""
    kind, *place = picked.get("rest", (None,))
    if kind == CELL_MARK:
        x, y = map(float, place[:2])
        st.session_state[_WINDOW_KEY] = (where, shrink_window_around(window, x, y))
    else:
        selection.select_clicked_record(picked)


@cache_in_session(16)
def _cached_cells(
    outcome: Outcome, table: Table, window: Window, titles: tuple[str, str]
) -> CountedCells:
    """Return the marks of a result; worked out once. `titles` tell the plane."""
    place = group_chart_plane(outcome.plan, table)
    costs = cached_group_costs(outcome, table)
    return bin_records_into_cells(outcome, place, costs, window)


def show_groups_of_all_results(comparison: ComparisonView) -> None:
    """Show the groups of all results in a view side by side; sample many records."""
    views = make_group_views(comparison.outcomes, comparison.table)
    middle = ask_to_hide_outliers(has_outliers(views))
    components.show_chart(
        "groups",
        _("The groups"),
        f"{_(_caption(views, text_compare.GROUPS_SHOW))} {sampling_caption(views)} "
        f"{_(text_compare.CLICK_SHOW)}",
        components.LazyFigure(
            partial(draw_group_maps, views, comparison.styles, middle),
            (_groups_key(views), tuple(comparison.styles.items()), middle),
        ),
        lambda: group_centre_table(views),
        _("Records and hulls of groups in a plane, for every method and k"),
        on_click=selection.select_clicked_record,
    )


def _groups_key(views: Sequence[GroupView]) -> Hashable:
    """Return what tells groups apart; results of other tables have the same keys."""
    return tuple((view.key, view.title, view.titles, view.digest) for view in views)


def _caption(views: Sequence[GroupView], hulls: str) -> str:
    """Return what a picture shows: hulls, or records where those are a tangle."""
    return text_compare.MARKS_SHOW if are_hulls_tangled(views) else hulls


def make_group_views(outcomes: Sequence[Outcome], table: Table) -> list[GroupView]:
    """Return each result's records and groups in a plane; of many records, a sample."""
    limit = min(MAX_PANEL_POINTS, MAX_TOTAL_POINTS // max(1, len(outcomes)))
    return [_view(outcome, table, limit) for outcome in outcomes]


def _view(outcome: Outcome, table: Table, limit: int) -> GroupView:
    ws = session.workspace()
    return _cached_view(outcome, table, limit, (ws.across, ws.up), current())


@cache_in_session(32)
def _cached_view(
    outcome: Outcome, table: Table, limit: int, axes: tuple[str, str], language: str
) -> GroupView:
    """Return the groups in the plane that is chosen; worked out once per session.

    `axes` and `language` are those in use, on which the plane depends.
    """
    place = group_chart_plane(outcome.plan, table)
    return make_group_view(outcome, place, cached_group_costs(outcome, table), limit)


def sampling_caption(views: Sequence[GroupView]) -> str:
    """Return a sentence on the size of the drawn sample, or "" if all are drawn."""
    if not any(view.is_sampled for view in views):
        return ""
    n_drawn_records = max(view.labels.size for view in views)
    return _(
        "About {most} of {all} records are drawn per panel: whole groups, chosen at "
        "random."
    ).format(most=f"{n_drawn_records:,}", all=f"{views[0].n_records:,}")
