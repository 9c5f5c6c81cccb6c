"""Chart of the releases tried for a need, and table of other ways to protect."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.app_pages.need.answer_box import is_higher_better, requirement_title
from dashboard.charts.need_map import ReleasePoint, draw_need_map
from dashboard.i18n import text_need
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.ui.browser_components import components
from dashboard.ui.headings import show_table_with_tooltips
from engine.analysis.need import Need
from engine.analysis.need.answer import MAX_CHARTED_TRIALS
from engine.analysis.need.plan_search.trials import Trial


def list_tried_release_points(answer: Need) -> list[ReleasePoint]:
    """Return points (risk, first keep) of releases tried and of references."""
    ranked = sorted(answer.tried, key=lambda trial: trial.rank)[:MAX_CHARTED_TRIALS]
    chosen = None if answer.outcome is None else ranked[0] if ranked else None
    if chosen is not None and answer.plan is not None:
        chosen = next((t for t in ranked if t.plan == answer.plan), None)
    points = []
    for trial in (*ranked, *answer.other_sizes):
        if not trial.is_feasible or not trial.reached or trial.smallest < 1:
            continue
        keep_value = trial.reached[0].value
        if keep_value == keep_value:  # a release that tells nothing has no place
            words = _describe_trial(trial)
            points.append(
                ReleasePoint(1.0 / trial.smallest, keep_value, words, trial is chosen)
            )
    return points + _list_reference_points(answer)


def _list_reference_points(answer: Need) -> list[ReleasePoint]:
    """Return other ways to protect the columns; the first reference is the answer."""
    points = []
    for each in answer.references[1:]:
        keep_value = each.keeps[0].reached if each.keeps else None
        if keep_value is not None:
            title = _(each.title)
            words = _("{title}: {kept}, own risk {risk}").format(
                title=title, kept=f"{keep_value:.3g}", risk=f"{each.risk:.3g}"
            )
            short = _short_title(title)
            points.append(ReleasePoint(each.risk, keep_value, words, reference=short))
    return points


def _short_title(title: str) -> str:
    return title.partition(":")[0].partition(" (")[0]


def reference_points_table(answer: Need) -> pd.DataFrame:
    """Return a table with a line per way to protect: first keep, risks, records."""
    rows = []
    for each in answer.references:
        keep_value = each.keeps[0].reached if each.keeps else None
        rows.append(
            (
                _short_title(_(each.title)),
                "–" if keep_value is None else f"{keep_value:.2f}",
                f"{100.0 * each.risk:.1f}",
                "–" if each.linkage is None else f"{100.0 * each.linkage:.1f}",
                f"{100.0 * each.repeated_uniques:.1f}",
                f"{each.n_records:,}",
            )
        )
    columns = [_("Way"), _("Kept"), _("Own risk, %"), _("Found by distance, %")]
    return pd.DataFrame(
        rows, columns=[*columns, _("Unique keys again, %"), _("Records")]
    )


def show_reference_points(answer: Need) -> None:
    """Show a table of the answer and other ways to protect its columns, if computed."""
    if not answer.references:
        return
    st.subheader(
        _("Other ways to protect these columns"),
        anchor=False,
        help=_(
            "None of these is a release. Risk is 1 / smallest group; of synthetic data "
            "the share of unique keys that are in it again, of noise that of records "
            "found by distance."
        ),
    )
    show_table_with_tooltips(
        reference_points_table(answer),
        session.widget_key("need", "references"),
        alt=_("What other ways to protect the same columns keep, and their risks"),
    )
    st.caption(escape_text(_(answer.about_references)))


def _describe_trial(trial: Trial) -> str:
    return _("{method}, k = {k}: {kept}, loss {loss} %").format(
        method=trial.plan.name,
        k=trial.plan.k,
        kept=f"{trial.reached[0].value:.3g}",
        loss=f"{trial.loss or 0.0:.2f}",
    )


def highest_allowed_risk(answer: Need) -> float | None:
    """Return the least risk ceiling of the k, cells and prosecutor rules, or None."""
    ceilings = [
        rule.limit if rule.kind == "prosecutor" else 1.0 / rule.limit
        for rule in answer.rules
        if rule.kind in ("prosecutor", "k", "cells")
    ]
    return min(ceilings, default=None)


def show_tried_releases_chart(answer: Need) -> None:
    """Show a chart of tried and reference releases: risk against the first keep."""
    points = list_tried_release_points(answer)
    if not points or not answer.keeps:
        return
    first = answer.keeps[0]
    components.show_chart(
        "need-tried",
        _("What was tried"),
        _(text_need.MAP_SHOWS),
        lambda: draw_need_map(
            points,
            highest_allowed_risk(answer),
            first.limit,
            requirement_title(first.kind),
            is_higher_better(first.kind),
        ),
        lambda: release_points_table(points),
        _("Points of the releases tried: risk across, what is kept up"),
    )


def release_points_table(points: Sequence[ReleasePoint]) -> pd.DataFrame:
    """Return a table with a line per point: the release, its risk and what it keeps."""
    return pd.DataFrame(
        [(each.words, each.risk, each.kept) for each in points],
        columns=[_("Release"), _("Risk"), _("Kept")],
    )
