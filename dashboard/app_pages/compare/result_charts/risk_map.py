"""Risk-utility map on the Compare page, and its choice of measures and ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from dashboard.app_pages.compare.result_charts.comparison_view import ComparisonView
from dashboard.charts.comparisons.risk_utility import draw_risk_utility_map
from dashboard.charts.inputs import RiskUtilityPoint
from dashboard.i18n import text_measures
from dashboard.i18n.language import _, within_sentence
from dashboard.results import scores
from dashboard.state import session
from dashboard.ui import measures
from dashboard.ui.browser_components import components
from dashboard.ui.runs import selection
from engine.data.table import Table
from engine.measures import MeasureInfo
from engine.pipeline.outcome import Outcome


def show_risk_map(comparison: ComparisonView) -> None:
    """Show the chart of each result's risk and loss, or offer to measure them."""
    risks, losses = scores.measured_risk_and_loss_infos(comparison.outcomes)
    if not risks or not losses:
        with st.container(border=True, height="stretch"):
            components.show_heading(_("Risk and utility"), _(text_measures.MAP_SHOW))
            st.caption(_(text_measures.MAP_WAIT))
            measures.offer_measuring(
                comparison.outcomes, comparison.table, is_next_step=False
            )
        return
    risk, loss = _chosen_measures(risks, losses)
    ceiling = session.workspace().ceilings.get(risk.id)
    points = scores.risk_utility_points(comparison.outcomes, risk.id, loss.id)
    axes = (
        scores.measure_title_with_unit(risk),
        scores.measure_title_with_unit(loss),
        ceiling,
        comparison.ringed,
    )
    drawing = components.LazyFigure(
        partial(draw_risk_utility_map, points, comparison.styles, *axes),
        (tuple(points), tuple(comparison.styles.items()), axes),
    )
    components.show_chart(
        "risk-utility",
        _("Risk and utility"),
        _(text_measures.MAP_SHOW),
        drawing,
        lambda: scores.risk_utility_table(points, risk, loss),
        _("Points of {loss} against {risk}, the efficient ones joined").format(
            loss=_(loss.title), risk=_(risk.title)
        ),
        on_click=selection.toggle_clicked_result,
        subtitle=_("every method and k"),
    )


def _chosen_measures(
    risks: Sequence[MeasureInfo], losses: Sequence[MeasureInfo]
) -> tuple[MeasureInfo, MeasureInfo]:
    """Return the measures on the axes."""
    ws = session.workspace()
    return _measure_by_name(risks, ws.risk_axis), _measure_by_name(losses, ws.loss_axis)


def _measure_by_name(infos: Sequence[MeasureInfo], name: str) -> MeasureInfo:
    """Return a measure; the first one where it is not there any more."""
    return next((info for info in infos if info.id == name), infos[0])


def show_risk_map_axis_inputs(outcomes: Sequence[Outcome], table: Table) -> None:
    """Show inputs for the map's measures and risk ceiling, and the best within it.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Results on the map.
    """
    risks, losses = scores.measured_risk_and_loss_infos(outcomes)
    if not risks or not losses:
        return  # the map itself offers to measure
    measures.offer_measuring(outcomes, table, is_next_step=False)
    with st.container(border=True, height="stretch"):
        components.show_heading(_("What the map measures"), _(text_measures.MAP_SHOW))
        left, right = st.columns(2)
        with left:
            risk = _choose(_("Risk, across"), "risk_axis", risks)
        with right:
            loss = _choose(_("Loss, up"), "loss_axis", losses)
        ceiling = _choose_ceiling(risk)
        if ceiling is not None:
            points = scores.risk_utility_points(outcomes, risk.id, loss.id)
            st.markdown(risk_ceiling_sentence(points, risk, loss, ceiling))


def _choose(label: str, field: str, infos: Sequence[MeasureInfo]) -> MeasureInfo:
    """Ask for the measure on an axis; one that is not there any more gives way."""
    info_by_id = {info.id: info for info in infos}
    first = next(iter(info_by_id))
    name = st.selectbox(
        label,
        info_by_id,
        format_func=lambda axis: scores.measure_title_with_unit(info_by_id[axis]),
        help="  \n".join(f"**{_(axis.title)}**: {_(axis.summary)}" for axis in infos),
        **session.bind_widget(
            field, to_widget=lambda axis: axis if axis in info_by_id else first
        ),
    )
    return info_by_id[name]


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
        help=_(
            "The most risk that you accept: results to the right of the line are out."
        ),
        **session.bind_widget("ceilings", risk.id),
    )


def risk_ceiling_sentence(
    points: Sequence[RiskUtilityPoint],
    risk_measure: MeasureInfo,
    loss_measure: MeasureInfo,
    ceiling: float,
) -> str:
    """Return text on how many results keep k and a risk ceiling, and the best one."""
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
        ceiling=scores.score_text(risk_measure, ceiling),
        method=best.title,
        k=best.k,
        loss_measure=_(loss_measure.title),
        loss=scores.score_text(loss_measure, best.loss),
        risk_measure=within_sentence(_(risk_measure.title)),
        risk=scores.score_text(risk_measure, best.risk),
    )
