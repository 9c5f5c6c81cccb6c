"""The risk-utility map on the Compare page, and the result that it chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard import components, delivery, measuring, state, text_measures
from dashboard.charts.risk_utility import risk_utility
from dashboard.charts.theme import Style
from dashboard.measured import (
    MapPoint,
    axes,
    map_points,
    map_table,
    titled,
    value_words,
)
from engine.measures import MeasureInfo
from engine.outcome import Outcome
from engine.table import Table


def shown(
    drawn: Sequence[Outcome],
    outcomes: Sequence[Outcome],
    table: Table,
    styles: Mapping[str, Style],
) -> None:
    """Show each result by its risk and its loss, and offer to measure what is left.

    Parameters
    ----------
    drawn : sequence of Outcome
        Results on the map.
    outcomes : sequence of Outcome
        All results, which are measured together.
    table : Table
    styles : mapping of str to Style
        By method.
    """
    risks, losses = axes(drawn)
    if not risks or not losses:
        with st.container(border=True):
            st.subheader("Risk-utility map", anchor=False)
            st.caption(text_measures.MAP_WAIT)
            measuring.offer(outcomes, table)
        return
    measuring.offer(outcomes, table)
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    with left:
        risk = _choose("Risk, across", "risk_axis", risks)
    with middle:
        loss = _choose("Loss, up", "loss_axis", losses)
    with right:
        ceiling = _choose_ceiling(risk)
    points = map_points(drawn, risk.id, loss.id)
    chosen = _chosen(drawn)
    components.chart(
        "risk-utility",
        "Risk-utility map",
        text_measures.MAP_SHOW,
        lambda: risk_utility(
            points,
            styles,
            titled(risk),
            titled(loss),
            ceiling,
            "" if chosen is None else chosen.plan.digest(),
        ),
        lambda: map_table(points, risk, loss),
        f"Points of {loss.title} against {risk.title}, the efficient ones joined",
        pick=lambda digest: _open(drawn, digest),
    )
    _what_now(points, risk, loss, ceiling, chosen)


def _choose(label: str, field: str, infos: Sequence[MeasureInfo]) -> MeasureInfo:
    """Ask for the measure on an axis; one that is not there any more gives way."""
    found = {info.id: info for info in infos}
    first = next(iter(found))
    name = st.selectbox(
        label,
        found,
        format_func=lambda one: titled(found[one]),
        help="  \n".join(f"**{info.title}**: {info.summary}" for info in infos),
        **state.bound(field, show=lambda one: one if one in found else first),
    )
    return found[name]


def _choose_ceiling(risk: MeasureInfo) -> float | None:
    return st.number_input(
        f"Your ceiling for risk ({risk.unit})"
        if risk.unit
        else "Your ceiling for risk",
        min_value=0.0,
        max_value=None if risk.limits[1] == float("inf") else risk.limits[1],
        value=None,
        step=risk.limits[1] / 100 if risk.limits[1] != float("inf") else 0.1,
        placeholder="No ceiling",
        help=text_measures.CEILING_HELP,
        **state.bound("ceilings", risk.id),
    )


def _chosen(drawn: Sequence[Outcome]) -> Outcome | None:
    plan = state.workspace().chosen
    return next((outcome for outcome in drawn if outcome.plan == plan), None)


def _open(drawn: Sequence[Outcome], digest: str) -> None:
    for outcome in drawn:
        if outcome.plan.digest() == digest:
            state.update(chosen=outcome.plan)


def _what_now(
    points: Sequence[MapPoint],
    risk: MeasureInfo,
    loss: MeasureInfo,
    ceiling: float | None,
    chosen: Outcome | None,
) -> None:
    """Say what the ceiling leaves, and lead to the chosen result."""
    if ceiling is not None:
        st.markdown(verdict(points, risk, loss, ceiling))
    if chosen is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        label = delivery.result_label(chosen)
        st.markdown(f"Chosen: **{label}**", width="content")
        for title, page, icon in (
            ("Inspect it", "inspect", ":material/search:"),
            ("Release it", "release", ":material/download:"),
        ):
            if st.button(title, icon=icon, key=state.key("map to", page)):
                st.switch_page(f"app_pages/{page}.py")


def verdict(
    points: Sequence[MapPoint], risk: MeasureInfo, loss: MeasureInfo, ceiling: float
) -> str:
    """Return which results a ceiling leaves, and the most useful of them."""
    under = [point for point in points if point.risk <= ceiling and point.keeps_k]
    if not under:
        return text_measures.UNDER_NONE
    best = min(under, key=lambda point: (point.loss, point.risk))
    return (
        f"{len(under)} of {len(points)} results keep k and stay within "
        f"{value_words(risk, ceiling)}. The most useful of them is **{best.title}, "
        f"k = {best.k}** with {loss.title} {value_words(loss, best.loss)} at "
        f"{risk.title.lower()} {value_words(risk, best.risk)}."
    )
