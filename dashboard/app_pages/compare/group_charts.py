"""Charts of groups and group sizes, for every method and k."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial

import streamlit as st

from dashboard.app_pages.compare.loss_charts import in_order, of_rows
from dashboard.app_pages.compare.shown import Shown
from dashboard.app_pages.compare.tables import group_table, size_table
from dashboard.charts.group_cells import CELL, group_cells
from dashboard.charts.groups import group_map, group_maps, in_view, tangled
from dashboard.charts.inputs import Facts, GroupCells, GroupView, Window
from dashboard.charts.sizes import size_strip
from dashboard.charts.theme import Style
from dashboard.i18n import text_compare
from dashboard.i18n.language import _, current
from dashboard.results.facts import plan_label, series
from dashboard.results.group_views import closer, group_view, inside
from dashboard.results.group_views import group_cells as cells_of
from dashboard.state import session
from dashboard.state.session_cache import per_session
from dashboard.ui import components, selection
from dashboard.ui.chart_tools import Picked
from dashboard.ui.group_plane import (
    ask_for_middle,
    choose_plane,
    costs,
    has_outliers,
    plane,
)
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

POINTS = 12_000
"""Records drawn in one panel at most."""

ALL_POINTS = 12_000
"""Records drawn in all small panels together at most: more would hide the groups."""


PANEL = 214
"""Height of the groups in the first view, in pixels."""


def sizes(now: Shown) -> None:
    """Show how many groups of each size every method makes."""
    drawing = sizes_of(now)
    components.chart(
        "group-sizes",
        _("Group sizes"),
        f"{_(text_compare.SIZES_SHOW)} {_(text_compare.CLICK_SHOW)}",
        drawing,
        lambda: size_table(_at(now.rows, now.k)),
        _("Numbers of groups by their size, a row for every method"),
        pick=selection.pick_size,
        aside=_("groups of each size"),
        place=now.place,
    )


def sizes_of(now: Shown) -> components.Drawing:
    """Return how group sizes are drawn."""
    at_k = _at(now.rows, now.k)
    return components.Drawing(
        partial(size_strip, at_k, now.styles, f"k = {now.k}"),
        of_rows(at_k, now.styles, now.k),
    )


def _at(rows: Sequence[Facts], k: int) -> list[Facts]:
    """Return the results at `k`, least loss first; all where there are none."""
    return in_order([row for row in rows if row.k == k] or rows, k)


def one(now: Shown) -> None:
    """Show the groups of the selected result, or of the one that loses least at k."""
    drawing = one_of(now)
    if drawing is None:
        _one_of_many(_result(now), now.table, now.styles)
        return
    view = _view(_result(now), now.table, POINTS)
    components.chart(
        "groups-of-one",
        _("Groups of one result"),
        f"{_(_shows([view], text_compare.ONE_SHOW))} {drawn_words([view])}",
        drawing,
        lambda: group_table([view]),
        _("Records and hulls of groups of one result, in a plane"),
        pick=selection.pick_record,
        place=now.place,
        choices=lambda: choose_plane(now.table),
    )


def one_of(now: Shown) -> components.Drawing | None:
    """Return how the groups of one result are drawn; None where records are many."""
    outcome = _result(now)
    if outcome.partition.n_records > POINTS:
        return None
    view = _view(outcome, now.table, POINTS)
    middle, pointed = has_outliers([view]), selection.pointed(outcome)
    style, words = now.styles[series(outcome.plan)], plan_label(outcome.plan)
    return components.Drawing(
        partial(group_map, view, style, middle, pointed, PANEL, words=words),
        (_told([view]), style, middle, pointed),
    )


def _result(now: Shown) -> Outcome:
    """Return the selected result, or the one that loses least at k."""
    chosen = session.workspace().chosen
    there = [one for one in now.outcomes if one.plan.k == now.k] or now.outcomes
    return next(
        (one for one in now.outcomes if one.plan == chosen),
        min(there, key=lambda one: (not one.k_verified, one.information_loss)),
    )


_WINDOW = session.key("groups", "window")


def _one_of_many(outcome: Outcome, table: Table, styles: Mapping[str, Style]) -> None:
    """Show marks for records that lie close together; a click looks into them.

    Where what is in view is little enough, it shows the records themselves.
    """
    sample, place = _view(outcome, table, POINTS), plane(outcome.plan, table)
    whole = in_view([sample], has_outliers([sample]))
    where = (table.fingerprint, sample.titles)
    words = plan_label(outcome.plan)
    before, window = st.session_state.get(_WINDOW, (where, whole))
    if before != where:
        window = whole
    there = int(inside(place, window).sum())
    if there <= POINTS:
        view = group_view(outcome, place, costs(outcome, table), window=window)
        style, pointed = styles[series(outcome.plan)], selection.pointed(outcome)
        drawing = components.Drawing(
            partial(group_map, view, style, False, pointed, PANEL, window, words),
            (_told([view]), style, pointed, window),
        )
        shows = _shows([view], text_compare.ONE_SHOW)
    else:
        cells = _cells(outcome, table, window, sample.titles)
        drawing = components.Drawing(
            partial(group_cells, cells, PANEL, words),
            (cells.digest, cells.key, words, sample.titles, window),
        )
        shows = text_compare.CELLS_SHOW
    count = f"{outcome.partition.n_records:,}"
    seen = _(text_compare.IN_VIEW).format(there=f"{there:,}", all=count)
    components.chart(
        "groups-of-one",
        _("Groups of one result"),
        f"{_(shows)} {seen}",
        drawing,
        lambda: group_table([sample]),
        _("Records and hulls of groups of one result, in a plane"),
        pick=partial(_look_closer, where, window),
        choices=lambda: choose_plane(table),
    )
    if window != whole:
        st.button(
            _("All {count} records").format(count=count),
            key=session.key("groups", "whole"),
            type="tertiary",
            icon=":material/zoom_out_map:",
            on_click=lambda: st.session_state.pop(_WINDOW, None),
        )


def _look_closer(where: Hashable, window: Window, picked: Picked) -> None:
    """Look into a mark that was clicked, or select a record."""
    kind, *place = picked.get("rest", (None,))
    if kind == CELL:
        x, y = map(float, place[:2])
        st.session_state[_WINDOW] = (where, closer(window, x, y))
    else:
        selection.pick_record(picked)


@per_session(16)
def _cells(
    outcome: Outcome, table: Table, window: Window, titles: tuple[str, str]
) -> GroupCells:
    """Return the marks of a result; worked out once. `titles` tell the plane."""
    place = plane(outcome.plan, table)
    return cells_of(outcome, place, costs(outcome, table), window)


def groups(now: Shown) -> None:
    """Show the groups of every method and k."""
    found = views(now.outcomes, now.table)
    middle = ask_for_middle(has_outliers(found))
    components.chart(
        "groups",
        _("The groups"),
        f"{_(_shows(found, text_compare.GROUPS_SHOW))} {drawn_words(found)} "
        f"{_(text_compare.CLICK_SHOW)}",
        components.Drawing(
            partial(group_maps, found, now.styles, middle),
            (_told(found), tuple(now.styles.items()), middle),
        ),
        lambda: group_table(found),
        _("Records and hulls of groups in a plane, for every method and k"),
        pick=selection.pick_record,
    )


def _told(shown: Sequence[GroupView]) -> Hashable:
    """Return what tells groups apart; results of other tables have the same keys."""
    return tuple((view.key, view.title, view.titles, view.digest) for view in shown)


def _shows(shown: Sequence[GroupView], hulls: str) -> str:
    """Return what a picture shows: hulls, or records where those are a tangle."""
    return text_compare.MARKS_SHOW if tangled(shown) else hulls


def views(outcomes: Sequence[Outcome], table: Table) -> list[GroupView]:
    """Return the groups of results in one plane, sampled where there are many."""
    limit = min(POINTS, ALL_POINTS // max(1, len(outcomes)))
    return [_view(outcome, table, limit) for outcome in outcomes]


def _view(outcome: Outcome, table: Table, limit: int) -> GroupView:
    ws = session.workspace()
    return _placed(outcome, table, limit, (ws.across, ws.up), current())


@per_session(32)
def _placed(
    outcome: Outcome, table: Table, limit: int, axes: tuple[str, str], language: str
) -> GroupView:
    """Return the groups in the plane that is chosen; worked out once per session.

    `axes` and `language` are those in use, on which the plane depends.
    """
    place = plane(outcome.plan, table)
    return group_view(outcome, place, costs(outcome, table), limit)


def drawn_words(shown: Sequence[GroupView]) -> str:
    """Say how much of the data is drawn; nothing where it is all."""
    if not any(view.sampled for view in shown):
        return ""
    most = max(view.labels.size for view in shown)
    return _(text_compare.SAMPLED).format(
        most=f"{most:,}", all=f"{shown[0].n_records:,}"
    )
