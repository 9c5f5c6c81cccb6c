"""The next choices of a comparison: their charts are on the page before they are made.

Where all that a choice asks for is known, its figures are sent ahead: another k that is
looked at, a method more or less, a value of k more or less, polish.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import streamlit as st

from dashboard.app_pages.compare import group_charts, loss_charts, risk_map
from dashboard.app_pages.compare.shown import Shown, all_shown
from dashboard.charts.theme import DRAWN
from dashboard.state import session
from dashboard.state.carry_over import FIRST, recommended_methods
from dashboard.state.workspace import Workspace, carried_over, changed
from dashboard.ui import ahead
from dashboard.ui.ahead import Control
from dashboard.ui.components import Drawing, figure
from engine.core.errors import EngineError

DRAWINGS = {
    "information-loss": loss_charts.dots_of,
    "risk-utility": risk_map.map_of,
    "group-sizes": group_charts.sizes_of,
    "groups-of-one": group_charts.one_of,
    "loss-against-k": loss_charts.lines_of,
}
"""How the charts are drawn that follow a choice at once, those seen first before."""

PENALTIES = {"certainty-penalty": loss_charts.penalties_of}
"""The same where values are generalised."""

LETTERS = 2**20
"""Of a chart's figures that are sent ahead; the one that passes it is the last."""


def places(now: Shown) -> dict[int, str]:
    """Return what the page is called where another k is looked at."""
    return {k: now.at(k).place for k in session.workspace().sizes}


def send(now: Shown) -> None:
    """Send what is shown at the next choices; at the end of the page.

    Parameters
    ----------
    now : Shown
        What is shown.
    """
    ws = session.workspace()
    here, controls = now.place, []
    found = {place: now.at(k) for k, place in places(now).items() if place != here}
    if len({row.title for row in now.rows}) < DRAWN:  # one more is drawn too
        for key, words, other in _choices(ws):
            then = _shown(ws, other)
            if then is not None:
                found[then.place] = then
                controls.append(Control(key, then.place, words))
    with st.container(key=session.key("ahead")):
        generalised = any(row.generalised for row in now.rows)
        for name, draw in (DRAWINGS | (PENALTIES if generalised else {})).items():
            ahead.send_figures(name, _figures(name, draw, found))
        ahead.send_controls(here, controls)


def _figures(
    name: str, draw: Callable[[Shown], Drawing | None], found: Mapping[str, Shown]
) -> dict[str, str]:
    """Return a chart's figures by place, the first ones where they are large."""
    figures: dict[str, str] = {}
    letters = 0
    for place, then in found.items():
        drawing = draw(then)
        if drawing is None or letters > LETTERS:
            break
        written = figure(name, drawing)
        letters += len(written) if written not in figures.values() else 0
        figures[place] = written
    return figures


def _choices(ws: Workspace) -> Iterator[tuple[str, str, Workspace]]:
    """Yield widgets by key and words on them, and the workspace that each leads to."""
    for name in dict.fromkeys((*ws.methods, *recommended_methods(ws.table))):
        methods = tuple(one for one in ws.methods if one != name)
        if name not in ws.methods:
            methods = (*ws.methods, name)
        yield session.key("method", name), "", replace(ws, methods=methods)
    for k in sorted({*FIRST, *ws.sizes}):
        sizes = tuple(sorted({*ws.sizes} ^ {k}))
        yield session.key("sizes"), str(k), replace(ws, sizes=sizes)
    yield session.key("polish"), "", changed(ws, polish=not ws.choices.polish)


def _shown(ws: Workspace, other: Workspace) -> Shown | None:
    """Return what a workspace shows; None where not all of it is known."""
    other = carried_over(ws, other)
    try:
        asked = session.plans(other)
    except EngineError:
        return None
    outcomes = session.outcomes(other)
    if not asked or len(outcomes) < len(asked) or other.table is None:
        return None
    then = all_shown(outcomes, other.table, other.looked_at)
    return then if len({row.title for row in then.rows}) <= DRAWN else None
