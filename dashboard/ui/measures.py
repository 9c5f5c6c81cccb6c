"""Measures on screen: what was measured of a result, and the button for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from dashboard.i18n import text_measures
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import named
from dashboard.jobs import jobs
from dashboard.jobs.assessment import Assessment
from dashboard.jobs.jobs import JobView
from dashboard.results.answers import (
    LEADING,
    answers,
    leading,
    verdict_words,
)
from dashboard.results.scores import (
    FAMILIES,
    by_family,
    comparison_words,
    exact_words,
    formula_help,
    interval_words,
    score_table,
    unmeasured,
    value_words,
)
from dashboard.state import session
from dashboard.state.memo import key_of
from dashboard.ui import components, durations, run_panel
from dashboard.ui.headings import show_table
from engine.analysis import Analysis, models
from engine.data.kinds import Role
from engine.data.table import Table
from engine.measures import MeasureInfo, Score, measures
from engine.measures.judge import Sign
from engine.pipeline.cost import measuring_seconds
from engine.pipeline.outcome import Outcome

SECONDS = 10.0
"""Expected time up to which nobody is asked."""

ARROWS = {"lower is better": "↓", "higher is better": "↑"}


def section(outcome: Outcome, others: Sequence[Outcome], table: Table) -> None:
    """Show all figures of a result, in words first; what takes little time begins.

    Parameters
    ----------
    outcome : Outcome
    others : sequence of Outcome
        All results there are, which can be measured together.
    table : Table
    """
    begin([outcome], table)
    _in_words(outcome)
    offer([outcome], table, others)
    families = [_(name) for name in FAMILIES.values()]
    tabs = st.tabs([*families, _("A model fitted to it"), _("As a table")])
    for tab, family in zip(tabs, FAMILIES, strict=False):
        with tab:
            st.caption(_(text_measures.FAMILY_SHOWS[family]))
            found = by_family(outcome, family)
            if not found:
                st.info(_(text_measures.FAMILY_NONE), icon=":material/straighten:")
            for info, score in found:
                _figure(outcome, info, score)
    with tabs[-2]:
        _analysis(outcome, table)
    with tabs[-1]:
        frame = score_table(outcome)
        show_table(frame, session.key("scores"))
        components.download_table(frame, "measures")


SIGNS: dict[Sign, tuple[str, Any]] = {
    "good": (":material/check_circle:", "green"),
    "watch": (":material/visibility:", "orange"),
    "bad": (":material/warning:", "red"),
    "open": (":material/help:", "gray"),
}
"""Icon and colour of each verdict."""


def _in_words(outcome: Outcome) -> None:
    """Answer what people ask first, each answer with its sign; two of them largest."""
    first, rest = leading(outcome), answers(outcome)[LEADING:]
    icon, colour = SIGNS[first.sign]
    with st.container(border=True, gap="xsmall", key=session.key("answers")):
        st.markdown(f"### :{colour}[{icon}] {first.words}")
        for one in rest:
            icon, colour = SIGNS[one.sign]
            st.markdown(f":{colour}[{icon}] **{one.question}** {one.words}")


def _figure(outcome: Outcome, info: MeasureInfo, score: Score) -> None:
    """Show one figure: name and direction, value, what it means."""
    places = st.columns([5, 5, 10], gap="medium")
    name, value, meaning = (place.container(gap=None) for place in places)
    name.markdown(f"**{_(info.title)}**", help=formula_help(info))
    name.caption(f"{ARROWS[info.direction]} {_(info.direction)}")
    value.markdown(
        f"**{value_words(info, score.value)}**", help=exact_words(outcome, info, score)
    )
    words, sign = verdict_words(outcome, score)
    if words:
        value.badge(words, color=SIGNS[sign][1], icon=SIGNS[sign][0])
    interval = interval_words(info, score)
    if interval:
        value.caption(interval)
    meaning.markdown(_(info.summary))
    comparison = comparison_words(outcome, info, score)
    if comparison:
        meaning.caption(comparison)


def begin(outcomes: Sequence[Outcome], table: Table) -> None:
    """Measure by itself what takes little time.

    Parameters
    ----------
    outcomes : sequence of Outcome
    table : Table
    """
    ws = session.workspace()
    view = jobs.view(ws.job)
    if not ws.automatic or (view is not None and view.running):
        return
    soon = soon_measured(outcomes)
    left = [one for one in outcomes if not set(soon) <= set(one.scores)]
    if not left or (view is not None and _tried(left, soon, view)):
        return
    asked = Assessment(measures=soon, by_itself=True)
    session.update(job=jobs.measure(table, left, asked))


def soon_measured(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Return the measures that together take little time, the fastest ones first."""
    n, p = _size(outcomes)
    order = sorted(measures.infos(), key=lambda info: info.effort.expected(n, p))
    found: list[str] = []
    for info in order:
        if all(info.id in one.scores for one in outcomes):
            continue
        if _seconds(outcomes, [*found, info.id]) > SECONDS:
            break
        found.append(info.id)
    return tuple(found)


def _tried(left: Sequence[Outcome], soon: Sequence[str], view: JobView) -> bool:
    """Return whether that has been begun, or somebody stopped what was before it."""
    if view.state != "done":
        return True
    asked = view.asked
    known = asked.measures if isinstance(asked, Assessment) else ()
    return set(soon) <= set(known) and {one.plan for one in left} <= set(view.plans)


def _seconds(outcomes: Sequence[Outcome], names: Sequence[str]) -> float:
    """Return the seconds until these measures are there, the process included."""
    n, p = _size(outcomes)
    each = (
        measuring_seconds([name for name in names if name not in one.scores], n, p)
        for one in outcomes
    )
    return durations.OVERHEAD + sum(each)


def _size(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    records = max(one.partition.n_records for one in outcomes)
    return records, max(len(one.plan.quasi_identifiers) for one in outcomes)


def offer(
    outcomes: Sequence[Outcome],
    table: Table,
    others: Sequence[Outcome] = (),
    aside: str = "",
    main: bool = True,
) -> None:
    """Show the button that measures results, or how far that is.

    Parameters
    ----------
    outcomes : sequence of Outcome
        What the button measures.
    table : Table
    others : sequence of Outcome
        If there are more, a second button measures all of these.
    aside : str
        What to say where something else is the page's main thing.
    main : bool
        Whether measuring is the page's next step.
    """
    if _busy(main):
        return
    missing = [one for one in outcomes if unmeasured(one)]
    if not missing:
        return
    more = [one for one in others if unmeasured(one)]
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        most = max((unmeasured(one) for one in missing), key=len)
        words = _(text_measures.OFFER).format(
            count=len(most),
            all=len(measures),
            time=durations.duration_words(_seconds(missing, most)),
        )
        names = ", ".join(_(measures.info(name).title) for name in most)
        st.markdown(aside or words, width="stretch", help=names)
        wanted: Sequence[Outcome] = ()
        if len(more) > len(missing) and st.button(
            _("All {count} results").format(count=len(more)),
            key=session.key("measure all"),
        ):
            wanted = more
        if st.button(
            _("Measure risk and utility"),
            type="primary" if main and not aside else "secondary",
            icon=":material/straighten:",
            key=session.key("measure"),
        ):
            wanted = missing
    if wanted:
        asked = Assessment(measures=tuple(measures))
        session.update(job=jobs.measure(table, wanted, asked))
        st.rerun()


def _busy(main: bool) -> bool:
    """Show what is being worked out, or how that ended; return whether it goes on.

    Where measuring is not the page's main thing, the page shows a run's progress above.
    """
    ws = session.workspace()
    view = jobs.view(ws.job)
    if view is None:
        return False
    asked = view.asked
    mine = isinstance(asked, Assessment) and bool(asked.measures or asked.target)
    if not view.running:
        if mine:
            run_panel.show_end(view)
        return False
    if not mine and not main:
        st.info(_(text_measures.WAIT), icon=":material/hourglass_top:")
    elif main or not run_panel.unfinished(ws):
        with st.container(border=True):
            run_panel.follow(by_figures=main)
    return True


def _analysis(outcome: Outcome, table: Table) -> None:
    """Let somebody choose a column and a model, and show what came of it."""
    st.caption(_(text_measures.ANALYSIS_SHOW))
    targets = _targets(outcome, table)
    if not targets:
        st.info(_(text_measures.ANALYSIS_NONE), icon=":material/info:")
        return
    one, other, button = st.columns([2, 2, 1], vertical_alignment="bottom")
    target = one.selectbox(
        _("Column to predict"),
        targets,
        help=_(text_measures.ANALYSIS_SHOW),
        key=session.key("analysis target"),
        persist_state="session",
    )
    model = other.selectbox(
        _("Model"),
        list(models),
        format_func=lambda name: _(models.info(name).title),
        key=session.key("analysis model"),
        persist_state="session",
        help="  \n".join(f"**{_(i.title)}**: {_(i.summary)}" for i in models.infos()),
    )
    ws = session.workspace()
    found = ws.analyses.get((key_of(table, outcome.plan), target, model))
    view = jobs.view(ws.job)
    if found is not None:
        _fitted(found)
    elif button.button(
        _("Fit and compare"),
        icon=":material/model_training:",
        width="stretch",
        disabled=view is not None and view.busy,
        key=session.key("analyse"),
    ):
        asked = Assessment(target=target, model=model)
        session.update(job=jobs.measure(table, [outcome], asked))
        st.rerun()


def _targets(outcome: Outcome, table: Table) -> list[str]:
    """Return the columns that a model may predict, confidential ones first."""
    roles = [Role.CONFIDENTIAL, Role.OTHER, Role.QUASI_IDENTIFIER]
    names = [
        column.name
        for column in table.schema.columns
        if column.role in roles and column.name in outcome.release.frame
    ]
    quasi = outcome.plan.quasi_identifiers
    if len(quasi) == 1:  # nothing would be left to predict it by
        names = [name for name in names if name not in quasi]
    return sorted(names, key=lambda name: roles.index(table.schema[name].role))


def _fitted(found: Analysis) -> None:
    """Show how much worse a model of the release is."""
    scale, unit = (100.0, " %") if found.measure == "accuracy" else (1.0, "")
    digits = 1 if unit else 3
    scores = {
        _("Fitted to the original"): found.original,
        _("Fitted to the release"): found.protected,
        _("Without a model"): found.baseline,
    }
    columns = st.columns(3)
    for column, (label, each) in zip(columns, scores.items(), strict=True):
        column.metric(
            label,
            f"{scale * float(np.mean(each)):.{digits}f}{unit}",
            border=True,
            help=_("{measure}. Higher is better.").format(
                measure=_(found.measure).capitalize()
            ),
        )
    low, high = (scale * end for end in found.interval)
    words = _(
        "Lost by the protection: **{lost}** of {measure} (95 %: {low} to {high})."
    ).format(
        lost=f"{scale * found.lost:.{digits}f}{unit}",
        measure=_(found.measure),
        low=f"{low:.{digits}f}",
        high=f"{high:.{digits}f}",
    )
    if not np.isnan(found.kept):
        kept = _("The release keeps {share} % of what the model knows.")
        words += " " + kept.format(share=f"{found.kept:.0f}")
    st.markdown(words)
    basis = n_(
        "{target} predicted by {columns}; {count} record.",
        "{target} predicted by {columns}; {count} records.",
        found.n_records,
    ).format(
        target=named(found.target),
        columns=", ".join(map(named, found.features)),
        count=f"{found.n_records:,}",
    )
    st.caption(f"{basis} {_(found.note)}".strip())
