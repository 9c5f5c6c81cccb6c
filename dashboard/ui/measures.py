"""Measures of a result on a page, and buttons that compute missing ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from dashboard.i18n import text_measures
from dashboard.i18n.language import _, capitalize_first, n_
from dashboard.i18n.markdown import quote_name
from dashboard.jobs import jobs
from dashboard.jobs.assessment import AssessmentRequest
from dashboard.jobs.job_view import JobView
from dashboard.results.answers import (
    JUDGING_LINES,
    ResultAnswer,
    list_result_answers,
    score_verdict_and_sign,
)
from dashboard.results.scores import (
    FAMILY_NAMES,
    exact_score_text,
    interval_text,
    measure_formula_tooltip,
    measures_without_score,
    score_comparison_text,
    score_table,
    score_text,
    scores_of_family,
)
from dashboard.state import session
from dashboard.state.caches.memo import memo_key
from dashboard.ui.browser_components import components
from dashboard.ui.headings import show_table_with_tooltips
from dashboard.ui.runs import durations, run_panel
from dashboard.ui.verdict import cached_verdict, verdict_and_lines_awaiting_attacks
from engine.analysis import ModelScores, models
from engine.analysis.verdict import Verdict
from engine.data.kinds import Role
from engine.data.table import Table
from engine.measures import MeasureInfo, Score, measures
from engine.measures.judge import Sign
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.cost import expected_measuring_seconds

MAX_AUTOSTART_SECONDS = 10.0
"""Expected time up to which nobody is asked."""

DIRECTION_ARROWS = {"lower is better": "↓", "higher is better": "↑"}


def show_measures(
    outcome: Outcome, other_outcomes: Sequence[Outcome], table: Table
) -> None:
    """Show a result's answers and measures; start computing the missing quick ones.

    Parameters
    ----------
    other_outcomes : sequence of Outcome
        All results there are, which can be measured together.
    """
    autostart_quick_measures([outcome], table)
    is_shuffled = session.workspace().shuffle
    verdict, waiting = verdict_and_lines_awaiting_attacks(outcome, table, is_shuffled)
    answers = st.empty()
    badges: list[tuple[st.delta_generator.DeltaGenerator, Score]] = []
    with answers.container():
        _show_answers(list_result_answers(outcome, verdict, waiting))
    offer_measuring([outcome], table, other_outcomes)
    families = [_(name) for name in FAMILY_NAMES.values()]
    tabs = st.tabs([*families, _("A model fitted to it"), _("As a table")])
    for tab, family in zip(tabs, FAMILY_NAMES, strict=False):
        with tab:
            st.caption(_(text_measures.FAMILY_SHOWS[family]))
            scores = scores_of_family(outcome, family)
            if not scores:
                st.info(_(text_measures.FAMILY_NONE), icon=":material/straighten:")
            for info, score in scores:
                badge = _show_score(outcome, info, score)
                if JUDGING_LINES.get(score.measure) in waiting:
                    badges.append((badge, score))
                else:
                    _show_score_badge(badge, outcome, score, verdict)
    with tabs[-2]:
        _show_analysis(outcome, table)
    with tabs[-1]:
        frame = score_table(outcome)
        show_table_with_tooltips(frame, session.widget_key("scores"))
        components.show_table_download(frame, "measures")
    if waiting:  # for attacks, which all that stands above does not need
        verdict = cached_verdict(outcome, table, is_shuffled)
        with answers.container():
            _show_answers(list_result_answers(outcome, verdict))
        for badge, score in badges:
            _show_score_badge(badge, outcome, score, verdict)


SIGN_STYLES: dict[Sign, tuple[str, Any]] = {
    "good": (":material/check_circle:", "green"),
    "watch": (":material/visibility:", "orange"),
    "bad": (":material/warning:", "red"),
    "open": (":material/help:", "gray"),
}
"""Icon and colour of each verdict."""


def _show_answers(answers: Sequence[ResultAnswer]) -> None:
    """Answer what people ask first, each answer with its sign; the first largest."""
    first, *rest = answers
    icon, colour = SIGN_STYLES[first.sign]
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"### :{colour}[{icon}] {first.words}")
        for answer in rest:
            icon, colour = SIGN_STYLES[answer.sign]
            st.markdown(f":{colour}[{icon}] **{answer.question}** {answer.words}")


def _show_score(
    outcome: Outcome, info: MeasureInfo, score: Score
) -> st.delta_generator.DeltaGenerator:
    """Show one figure: name and direction, value, meaning; return its badge's place."""
    places = st.columns([5, 5, 10], gap="medium")
    name, value, meaning = (place.container(gap=None) for place in places)
    name.markdown(f"**{_(info.title)}**", help=measure_formula_tooltip(info))
    name.caption(f"{DIRECTION_ARROWS[info.direction]} {_(info.direction)}")
    value.markdown(
        f"**{score_text(info, score.value)}**",
        help=exact_score_text(outcome, info, score),
    )
    badge: st.delta_generator.DeltaGenerator = value.empty()
    interval = interval_text(info, score)
    if interval:
        value.caption(interval)
    meaning.markdown(_(info.summary))
    comparison = score_comparison_text(outcome, info, score)
    if comparison:
        meaning.caption(comparison)
    return badge


def _show_score_badge(
    place: st.delta_generator.DeltaGenerator,
    outcome: Outcome,
    score: Score,
    verdict: Verdict,
) -> None:
    """Show what a figure is worth beside what it is compared with, if anything."""
    words, sign = score_verdict_and_sign(outcome, score, verdict)
    if words:
        place.badge(words, color=SIGN_STYLES[sign][1], icon=SIGN_STYLES[sign][0])


def autostart_quick_measures(outcomes: Sequence[Outcome], table: Table) -> None:
    """Start computing results' quick missing measures, unless off or a run goes on."""
    ws = session.workspace()
    view = jobs.view_job(ws.job)
    if not ws.automatic or (view is not None and view.is_running):
        return
    soon = find_quick_missing_measures(outcomes)
    targets = [outcome for outcome in outcomes if not set(soon) <= set(outcome.scores)]
    if not targets or (view is not None and _is_already_tried(targets, soon, view)):
        return
    request = AssessmentRequest(measures=soon, by_itself=True)
    session.update_workspace(job=jobs.start_assessment(table, targets, request))


def find_quick_missing_measures(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Return the ids of missing measures that can be computed together quickly."""
    n, p = _table_shape(outcomes)
    order = sorted(
        measures.infos(), key=lambda info: info.effort.expected_seconds(n, p)
    )
    measure_ids: list[str] = []
    for info in order:
        if all(info.id in outcome.scores for outcome in outcomes):
            continue
        if _expected_seconds(outcomes, [*measure_ids, info.id]) > MAX_AUTOSTART_SECONDS:
            break
        measure_ids.append(info.id)
    return tuple(measure_ids)


def _is_already_tried(
    outcomes: Sequence[Outcome], soon: Sequence[str], view: JobView
) -> bool:
    """Return whether that has been begun, or somebody stopped what was before it."""
    if view.state != "done":
        return True
    request = view.asked
    names = request.measures if isinstance(request, AssessmentRequest) else ()
    return set(soon) <= set(names) and {entry.plan for entry in outcomes} <= set(
        view.plans
    )


def _expected_seconds(outcomes: Sequence[Outcome], names: Sequence[str]) -> float:
    """Return the seconds until these measures are there, the process included."""
    n, p = _table_shape(outcomes)
    each = (
        expected_measuring_seconds(
            [name for name in names if name not in outcome.scores], n, p
        )
        for outcome in outcomes
    )
    return durations.OVERHEAD + sum(each)


def _table_shape(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    records = max(outcome.partition.n_records for outcome in outcomes)
    return records, max(len(outcome.plan.quasi_identifiers) for outcome in outcomes)


def offer_measuring(
    outcomes: Sequence[Outcome],
    table: Table,
    all_outcomes: Sequence[Outcome] = (),
    caption: str = "",
    is_next_step: bool = True,
) -> None:
    """Show buttons that measure some results or all; or the progress of measuring.

    Parameters
    ----------
    outcomes : sequence of Outcome
        What the button measures.
    all_outcomes : sequence of Outcome
        If there are more, a second button measures all of these.
    caption : str
        What to say where something else is the page's main thing.
    is_next_step : bool
        Whether measuring is the page's next step.
    """
    if _show_progress(is_next_step):
        return
    missing = [outcome for outcome in outcomes if measures_without_score(outcome)]
    if not missing:
        return
    more = [outcome for outcome in all_outcomes if measures_without_score(outcome)]
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        ids = max((measures_without_score(outcome) for outcome in missing), key=len)
        words = _(
            "Not measured yet: {count} of {all} measures, {time}. You can go on "
            "working meanwhile, and cancel it."
        ).format(
            count=len(ids),
            all=len(measures),
            time=durations.duration_text(_expected_seconds(missing, ids)),
        )
        names = ", ".join(_(measures.info(name).title) for name in ids)
        st.markdown(caption or words, width="stretch", help=names)
        targets: Sequence[Outcome] = ()
        if len(more) > len(missing) and st.button(
            _("All {count} results").format(count=len(more)),
            key=session.widget_key("measure all"),
        ):
            targets = more
        if st.button(
            _("Measure risk and utility"),
            type="primary" if is_next_step and not caption else "secondary",
            icon=":material/straighten:",
            key=session.widget_key("measure"),
        ):
            targets = missing
    if targets:
        request = AssessmentRequest(measures=tuple(measures))
        session.update_workspace(job=jobs.start_assessment(table, targets, request))
        st.rerun()


def _show_progress(main: bool) -> bool:
    """Show what is being worked out, or how that ended; return whether it goes on.

    Where measuring is not the page's main thing, the page shows a run's progress above.
    """
    ws = session.workspace()
    view = jobs.view_job(ws.job)
    if view is None:
        return False
    request = view.asked
    is_measuring = isinstance(request, AssessmentRequest) and bool(
        request.measures or request.target
    )
    if not view.is_running:
        if is_measuring:
            run_panel.show_run_end(view)
        return False
    if not is_measuring and not main:
        st.info(_(text_measures.WAIT), icon=":material/hourglass_top:")
    elif main or not run_panel.are_results_incomplete(ws):
        with run_panel.make_progress_container():
            run_panel.show_run_progress(rerun_on_new_figures=main)
    return True


def _show_analysis(outcome: Outcome, table: Table) -> None:
    """Let somebody choose a column and a model, and show what came of it."""
    st.caption(_(text_measures.ANALYSIS_SHOW))
    targets = _target_columns(outcome, table)
    if not targets:
        st.info(_(text_measures.ANALYSIS_NONE), icon=":material/info:")
        return
    place, other, button = st.columns([2, 2, 1], vertical_alignment="bottom")
    target = place.selectbox(
        _("Column to predict"),
        targets,
        help=_(text_measures.ANALYSIS_SHOW),
        key=session.widget_key("analysis target"),
        persist_state="session",
    )
    model = other.selectbox(
        _("Model"),
        list(models),
        format_func=lambda name: _(models.info(name).title),
        key=session.widget_key("analysis model"),
        persist_state="session",
        help="  \n".join(f"**{_(i.title)}**: {_(i.summary)}" for i in models.infos()),
    )
    ws = session.workspace()
    analysis = ws.analyses.get((memo_key(table, outcome.plan), target, model))
    view = jobs.view_job(ws.job)
    if analysis is not None:
        _show_model_loss(analysis)
    elif button.button(
        _("Fit and compare"),
        icon=":material/model_training:",
        width="stretch",
        disabled=view is not None and view.is_busy,
        key=session.widget_key("analyse"),
    ):
        request = AssessmentRequest(target=target, model=model)
        session.update_workspace(job=jobs.start_assessment(table, [outcome], request))
        st.rerun()


def _target_columns(outcome: Outcome, table: Table) -> list[str]:
    """Return the columns that a model may predict, confidential ones first."""
    roles = [Role.CONFIDENTIAL, Role.OTHER, Role.QUASI_IDENTIFIER]
    names = [
        column.name
        for column in table.schema.columns
        if column.role in roles and column.name in outcome.release.columns
    ]
    quasi = outcome.plan.quasi_identifiers
    if len(quasi) == 1:  # nothing would be left to predict it by
        names = [name for name in names if name not in quasi]
    return sorted(names, key=lambda name: roles.index(table.schema[name].role))


def _show_model_loss(analysis: ModelScores) -> None:
    """Show how much worse a model of the release is."""
    scale, unit = (100.0, " %") if analysis.measure == "accuracy" else (1.0, "")
    digits = 1 if unit else 3
    measure = _(analysis.measure)
    scores = {
        _("Fitted to the original"): analysis.original,
        _("Fitted to the release"): analysis.protected,
        _("Without a model"): analysis.baseline,
    }
    columns = st.columns(3)
    for column, (label, each) in zip(columns, scores.items(), strict=True):
        column.metric(
            label,
            f"{scale * float(np.mean(each)):.{digits}f}{unit}",
            border=True,
            help=_("{measure}. Higher is better.").format(
                measure=capitalize_first(measure)
            ),
        )
    low, high = (scale * end for end in analysis.interval)
    words = _(
        "Lost by the protection: **{lost}** of {measure} (95 %: {low} to {high})."
    ).format(
        lost=f"{scale * analysis.score_loss:.{digits}f}{unit}",
        measure=_(analysis.measure),
        low=f"{low:.{digits}f}",
        high=f"{high:.{digits}f}",
    )
    if not np.isnan(analysis.kept_share):
        template = _("The release keeps {share} % of what the model knows.")
        words += " " + template.format(share=f"{analysis.kept_share:.0f}")
    if analysis.sign_changes:
        turned = n_(
            "{count} of {all} slopes changes its sign: {names}.",
            "{count} of {all} slopes change their sign: {names}.",
            len(analysis.sign_changes),
        )
        words += " " + turned.format(
            count=len(analysis.sign_changes),
            all=analysis.n_slopes,
            names=", ".join(map(quote_name, analysis.sign_changes)),
        )
    elif analysis.n_slopes:
        words += " " + _("No slope changes its sign.")
    st.markdown(words)
    basis = n_(
        "{target} predicted by {columns}; {count} record.",
        "{target} predicted by {columns}; {count} records.",
        analysis.n_records,
    ).format(
        target=quote_name(analysis.target),
        columns=", ".join(map(quote_name, analysis.features)),
        count=f"{analysis.n_records:,}",
    )
    st.caption(f"{basis} {_(analysis.note)}".strip())
