"""Prefetch: charts of the next choices are sent before they are made.

Where all that a choice asks for is known, its figures are sent ahead: another k that is
looked at, a method more or less, a value of k more or less, polish.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import streamlit as st

from dashboard.app_pages.compare import group_charts, loss_charts, risk_map
from dashboard.app_pages.compare.shown import ComparisonView, comparison_view_of_all
from dashboard.charts.theme import MAX_DRAWN_METHODS
from dashboard.state import session
from dashboard.state.carry_over import USUAL_SIZES, recommended_methods
from dashboard.state.workspace import Workspace, change_workspace, reuse_plans
from dashboard.ui import ahead
from dashboard.ui.ahead import PrefetchedControl
from dashboard.ui.components import FigureDrawing, cached_figure
from engine.core.errors import EngineError

CHART_DRAWINGS = {
    "information-loss": loss_charts.loss_dots_drawing,
    "risk-utility": risk_map.risk_map_drawing,
    "group-sizes": group_charts.size_drawing,
    "groups-of-one": group_charts.single_group_drawing,
    "loss-against-k": loss_charts.loss_lines_drawing,
}
"""How the charts are drawn that follow a choice at once, those seen first before."""

PENALTY_DRAWINGS = {"certainty-penalty": loss_charts.penalties_drawing}
"""The same where values are generalised."""

MAX_PREFETCHED_CHARS = 2**20
"""Of a chart's figures that are sent ahead; the one that passes it is the last."""


def places_by_k(now: ComparisonView) -> dict[int, str]:
    """Return what the page is called where another k is looked at."""
    return {k: now.at_k(k).place_name for k in session.workspace().sizes}


def send_next_choices(now: ComparisonView) -> None:
    """Send what is shown at the next choices; at the end of the page.

    Parameters
    ----------
    now : ComparisonView
        What is shown.
    """
    ws = session.workspace()
    here, controls = now.place_name, []
    found = {
        place: now.at_k(k) for k, place in places_by_k(now).items() if place != here
    }
    if (
        len({row.title for row in now.rows}) < MAX_DRAWN_METHODS
    ):  # one more is drawn too
        for key, words, other in _next_workspaces(ws):
            then = _comparison_view(ws, other)
            if then is not None:
                found[then.place_name] = then
                controls.append(PrefetchedControl(key, then.place_name, words))
    with st.container(key=session.widget_key("ahead")):
        generalised = any(row.generalised for row in now.rows)
        for name, draw in (
            CHART_DRAWINGS | (PENALTY_DRAWINGS if generalised else {})
        ).items():
            ahead.send_figures(name, _chart_figures(name, draw, found))
        ahead.send_controls(here, controls)


def _chart_figures(
    name: str,
    draw: Callable[[ComparisonView], FigureDrawing | None],
    views: Mapping[str, ComparisonView],
) -> dict[str, str]:
    """Return a chart's figures by place, the first ones where they are large."""
    figures: dict[str, str] = {}
    letters = 0
    for place, then in views.items():
        drawing = draw(then)
        if drawing is None or letters > MAX_PREFETCHED_CHARS:
            break
        written = cached_figure(name, drawing)
        letters += len(written) if written not in figures.values() else 0
        figures[place] = written
    return figures


def _next_workspaces(ws: Workspace) -> Iterator[tuple[str, str, Workspace]]:
    """Yield widgets by key and words on them, and the workspace that each leads to."""
    for name in dict.fromkeys((*ws.methods, *recommended_methods(ws.table))):
        methods = tuple(one for one in ws.methods if one != name)
        if name not in ws.methods:
            methods = (*ws.methods, name)
        yield session.widget_key("method", name), "", replace(ws, methods=methods)
    for k in sorted({*USUAL_SIZES, *ws.sizes}):
        sizes = tuple(sorted({*ws.sizes} ^ {k}))
        yield session.widget_key("sizes"), str(k), replace(ws, sizes=sizes)
    yield (
        session.widget_key("polish"),
        "",
        change_workspace(ws, polish=not ws.shared_plan.polish),
    )


def _comparison_view(ws: Workspace, chosen: Workspace) -> ComparisonView | None:
    """Return what a workspace shows; None where not all of it is known."""
    chosen = reuse_plans(ws, chosen)
    try:
        asked = session.resolve_plans(chosen)
    except EngineError:
        return None
    outcomes = session.current_outcomes(chosen)
    if not asked or len(outcomes) < len(asked) or chosen.table is None:
        return None
    then = comparison_view_of_all(outcomes, chosen.table, chosen.selected_k)
    return then if len({row.title for row in then.rows}) <= MAX_DRAWN_METHODS else None
