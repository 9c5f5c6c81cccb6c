"""The risk-utility map on the Compare page, and the result that it chooses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from dashboard.app_pages.compare.shown import Shown
from dashboard.charts.inputs import MapPoint
from dashboard.charts.risk_utility import risk_utility
from dashboard.i18n import text_measures
from dashboard.i18n.language import _
from dashboard.results.scores import axes, map_points, map_table, titled, value_words
from dashboard.state import session
from dashboard.ui import components, measures, selection
from engine.data.table import Table
from engine.measures import MeasureInfo
from engine.pipeline.outcome import Outcome


def show(now: Shown) -> None:
    """Show each result by its risk and its loss."""
    risks, losses = axes(now.outcomes)
    if not risks or not losses:
        with st.container(border=True, height="stretch"):
            components.heading(_("Risk and utility"), _(text_measures.MAP_SHOW))
            st.caption(_(text_measures.MAP_WAIT))
            measures.offer(now.outcomes, now.table, main=False)
        return
    risk, loss = _chosen(risks, losses)
    drawing = _drawing(now, risk, loss)
    components.chart(
        "risk-utility",
        _("Risk and utility"),
        _(text_measures.MAP_SHOW),
        drawing,
        lambda: map_table(map_points(now.outcomes, risk.id, loss.id), risk, loss),
        _("Points of {loss} against {risk}, the efficient ones joined").format(
            loss=_(loss.title), risk=_(risk.title)
        ),
        pick=selection.pick,
        aside=_("every method and k"),
        place=now.place,
    )


def map_of(now: Shown) -> components.Drawing | None:
    """Return how the map is drawn; None where nothing is measured."""
    risks, losses = axes(now.outcomes)
    if not risks or not losses:
        return None
    return _drawing(now, *_chosen(risks, losses))


def _drawing(now: Shown, risk: MeasureInfo, loss: MeasureInfo) -> components.Drawing:
    ceiling = session.workspace().ceilings.get(risk.id)
    points = map_points(now.outcomes, risk.id, loss.id)
    told = titled(risk), titled(loss), ceiling, now.ringed
    return components.Drawing(
        partial(risk_utility, points, now.styles, *told),
        (tuple(points), tuple(now.styles.items()), told),
    )


def _chosen(
    risks: Sequence[MeasureInfo], losses: Sequence[MeasureInfo]
) -> tuple[MeasureInfo, MeasureInfo]:
    """Return the measures on the axes."""
    ws = session.workspace()
    return _named(risks, ws.risk_axis), _named(losses, ws.loss_axis)


def _named(infos: Sequence[MeasureInfo], name: str) -> MeasureInfo:
    """Return a measure; the first one where it is not there any more."""
    return next((info for info in infos if info.id == name), infos[0])


def axes_of_map(drawn: Sequence[Outcome], table: Table) -> None:
    """Show what the axes measure, the ceiling for risk, and what it leaves.

    Parameters
    ----------
    drawn : sequence of Outcome
        Results on the map.
    table : Table
    """
    risks, losses = axes(drawn)
    if not risks or not losses:
        return  # the map itself offers to measure
    measures.offer(drawn, table, main=False)
    with st.container(border=True, height="stretch"):
        components.heading(_("What the map measures"), _(text_measures.MAP_SHOW))
        left, right = st.columns(2)
        with left:
            risk = _choose(_("Risk, across"), "risk_axis", risks)
        with right:
            loss = _choose(_("Loss, up"), "loss_axis", losses)
        ceiling = _choose_ceiling(risk)
        if ceiling is not None:
            points = map_points(drawn, risk.id, loss.id)
            st.markdown(verdict(points, risk, loss, ceiling))


def _choose(label: str, field: str, infos: Sequence[MeasureInfo]) -> MeasureInfo:
    """Ask for the measure on an axis; one that is not there any more gives way."""
    found = {info.id: info for info in infos}
    first = next(iter(found))
    name = st.selectbox(
        label,
        found,
        format_func=lambda one: titled(found[one]),
        help="  \n".join(f"**{_(one.title)}**: {_(one.summary)}" for one in infos),
        **session.bound(field, show=lambda one: one if one in found else first),
    )
    return found[name]


def _choose_ceiling(risk: MeasureInfo) -> float | None:
    return st.number_input(
        _("Your ceiling for risk ({unit})").format(unit=_(risk.unit))
        if risk.unit
        else _("Your ceiling for risk"),
        min_value=0.0,
        max_value=None if risk.limits[1] == float("inf") else risk.limits[1],
        value=None,
        step=risk.limits[1] / 100 if risk.limits[1] != float("inf") else 0.1,
        placeholder=_("No ceiling"),
        help=_(text_measures.CEILING_HELP),
        **session.bound("ceilings", risk.id),
    )


def verdict(
    points: Sequence[MapPoint], risk: MeasureInfo, loss: MeasureInfo, ceiling: float
) -> str:
    """Return which results a ceiling leaves, and the most useful of them."""
    under = [point for point in points if point.risk <= ceiling and point.keeps_k]
    if not under:
        return _(text_measures.UNDER_NONE)
    best = min(under, key=lambda point: (point.loss, point.risk))
    return _(
        "{count} of {all} results keep k and stay within {ceiling}. The most useful of "
        "them is **{method}, k = {k}** with {loss_measure} {loss} at {risk_measure} "
        "{risk}."
    ).format(
        count=len(under),
        all=len(points),
        ceiling=value_words(risk, ceiling),
        method=best.title,
        k=best.k,
        loss_measure=_(loss.title),
        loss=value_words(loss, best.loss),
        risk_measure=_(risk.title).lower(),
        risk=value_words(risk, best.risk),
    )
