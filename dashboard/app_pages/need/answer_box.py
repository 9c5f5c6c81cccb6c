"""Answer to a need: rules and targets as reached, next steps, and tables of models."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.app_pages.data.plan_file import copy_with_plan_and_notes
from dashboard.i18n import text_need
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.state.results.job_results import copy_with_results
from dashboard.ui.headings import show_table_with_tooltips
from engine.analysis.attacks import attacks
from engine.analysis.need import Need
from engine.analysis.need.answer import LEDGER_KIND, Alternative, RequirementCheck
from engine.analysis.need.keeps import KEEP_KINDS
from engine.analysis.need.rules import RULE_MEASURES
from engine.analysis.releases.ledger import OPENS_NOTHING_CHECK
from engine.measures.reidentification.sampling import Z_95_PERCENT
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan

_GREEN, _AMBER = "#009E73", "#E69F00"

_SIGNS = {
    "found": ":green[:material/check_circle:]",
    "nearest": ":orange[:material/error:]",
    "open": ":orange[:material/help:]",
    "impossible": ":red[:material/cancel:]",
}
"""A shape beside each colour."""

_GRID = "display:grid;grid-template-columns:1.1rem minmax(9rem,3fr) 2fr;gap:0 0.7rem"


def show_need_answer(answer: Need, is_current: bool) -> None:
    """Show the answer to a need, with a note if it answers an earlier question.

    Parameters
    ----------
    answer : Need
    is_current : bool
        Whether it is about what the sentences say now.
    """
    with st.container(border=True, gap="xsmall", key=session.widget_key("need", "box")):
        title = _(text_need.ANSWERS[answer.answer])
        st.markdown(f"### {_SIGNS[answer.answer]} {title}")
        st.markdown(escape_text(_(answer.sentence)))
        st.caption(
            n_(
                "{count} release tried in {seconds} s.",
                "{count} releases tried in {seconds} s.",
                len(answer.tried),
            ).format(count=f"{len(answer.tried):,}", seconds=f"{answer.seconds:.0f}")
        )
        if not is_current:
            st.info(_("This answers an earlier question."), icon=":material/history:")
        lines = [*answer.rules, *answer.keeps]
        st.html(_lines_html(lines, answer.second_outcome is not None))
        if answer.held_out:
            st.caption(_(text_need.HELD_OUT_SHOW))
            st.html(_lines_html([*answer.held_out], of_two=False))
        if answer.outcome is not None:
            _show_ways_on(answer, answer.outcome)
        if answer.together is not None:
            st.caption(escape_text(_(answer.together)))
        st.caption(escape_text(_(answer.overfitting)))


def _lines_html(lines: list[RequirementCheck], of_two: bool) -> str:
    rows = "".join(_line_html(line, of_two) for line in lines)
    title = escape(_("Rules and what must be kept"))
    return (
        f'<div role="table" aria-label="{title}" style="font-size:0.9rem">{rows}</div>'
    )


def is_higher_better(requirement_kind: str) -> bool:
    """Return whether a kind of requirement bounds its quantity from below."""
    quantity = RULE_MEASURES.get(requirement_kind) or KEEP_KINDS[requirement_kind]
    return quantity.relation == ">="


def requirement_title(requirement_kind: str) -> str:
    """Return a few words that name what a kind of rule or of keep measures."""
    if requirement_kind == LEDGER_KIND:
        return _("records that it would give back exactly")
    return _((RULE_MEASURES.get(requirement_kind) or KEEP_KINDS[requirement_kind]).says)


def _line_html(line: RequirementCheck, of_two: bool) -> str:
    colour, sign = (_GREEN, "✓") if line.held else (_AMBER, "▲")
    words = _("holds") if line.held else _("missed")
    about = requirement_title(line.kind)
    requirement = _(OPENS_NOTHING_CHECK) if line.kind == LEDGER_KIND else line.asked
    if of_two:
        about = f"{_(text_need.RELEASES[line.release])} · {about}"
    if line.kind == "attack" and line.weakest:
        about = f"{about}: {_(attacks.info(line.weakest).title)}"
    elif line.weakest:
        about = _("{about}; weakest: {name}").format(about=about, name=line.weakest)
    if line.reached is None:
        figure = _("nothing is told")
    else:
        figure = _("{reached} of {limit}").format(
            reached=f"{line.reached:.3g}", limit=f"{line.limit:.3g}"
        )
    return (
        f'<div role="row" style="{_GRID};align-items:center;padding:0.3rem 0;'
        f'border-top:1px solid rgba(128,128,128,0.2)">'
        f'<span role="cell" aria-label="{escape(words)}" '
        f'style="color:{colour};font-weight:700">{sign}</span>'
        f'<span role="rowheader">{escape(requirement)}<br>'
        f'<span style="opacity:0.75;font-size:0.86em">{escape(about)}</span></span>'
        f'<span role="cell">{_bar_html(line, colour)}'
        f'<span style="font-size:0.86em">{escape(figure)}</span></span></div>'
    )


def _bar_html(line: RequirementCheck, colour: str) -> str:
    """Return how far it is towards its limit, which is a tick."""
    if line.reached is None:
        return ""
    whole = 1.1 * max(line.reached, line.limit, 1e-12)
    width = max(0.0, min(1.0, line.reached / whole))
    tick = max(0.0, min(1.0, line.limit / whole))
    return (
        '<span aria-hidden="true" style="position:relative;display:block;'
        'height:0.5rem;background:rgba(128,128,128,0.15);border-radius:4px">'
        f'<span style="position:absolute;inset:0 auto 0 0;width:{width:.1%};'
        f'background:{colour};border-radius:4px"></span>'
        f'<span style="position:absolute;top:-3px;bottom:-3px;left:{tick:.1%};'
        'width:2px;background:currentColor"></span></span>'
    )


def _show_ways_on(answer: Need, outcome: Outcome) -> None:
    """Show the buttons that take the release, or ask for something else."""
    with st.container(horizontal=True, gap="small"):
        if st.button(
            _("Take this release"),
            type="primary",
            icon=":material/arrow_forward:",
            key=session.widget_key("need", "take"),
        ):
            _take(outcome.plan, outcome)
            st.switch_page("app_pages/release/view.py")
        second = answer.second_outcome
        if second is not None and st.button(
            _("Take the second release"), key=session.widget_key("need", "second")
        ):
            _take(second.plan, second)
            st.switch_page("app_pages/release/view.py")
        if answer.alternatives or answer.untried:
            with st.popover(
                _("Ask for something else"), key=session.widget_key("need", "others")
            ):
                for number, each in enumerate(answer.alternatives):
                    _offer_alternative(number, each)
                if answer.untried:
                    st.caption(escape_text(_(answer.about_alternatives)))
        if st.button(_("Open in Compare"), key=session.widget_key("need", "compare")):
            _take(outcome.plan, outcome)
            st.switch_page("app_pages/compare/view.py")


def _offer_alternative(number: int, alternative: Alternative) -> None:
    sign = ":green[✓]" if alternative.holds else "–"
    missed = [keep for keep in alternative.keeps if not keep.held]
    reached = ", ".join(
        f"{keep.asked}: {'–' if keep.reached is None else format(keep.reached, '.3g')}"
        for keep in missed or alternative.keeps
    )
    left, right = st.columns([4, 1.3], vertical_alignment="center")
    left.markdown(
        f"{sign} {escape_text(_(alternative.change))} :small[{escape_text(reached)}]"
    )
    if right.button(_("Run it"), key=session.widget_key("need", "other", number)):
        _take(alternative.plan)
        st.switch_page("app_pages/compare/view.py")


def _take(plan: Plan, outcome: Outcome | None = None) -> None:
    """Have the choices of a plan, and its result where there is one."""
    ws, _notes = copy_with_plan_and_notes(session.workspace(), plan)
    if outcome is not None and ws.table is not None:
        ws = copy_with_results(ws, ws.table, (plan,), {0: outcome})
    session.replace_workspace(ws)


def slope_table(answer: Need) -> pd.DataFrame:
    """Return a table of the models' slopes before and after, with their overlap."""
    rows = [
        (
            slope.name,
            f"{slope.before:.3g} ± {Z_95_PERCENT * slope.error_before:.2g}",
            f"{slope.after:.3g} ± {Z_95_PERCENT * slope.error_after:.2g}",
            f"{slope.overlap:.2f}",
        )
        for slope in answer.slopes
    ]
    return pd.DataFrame(
        rows,
        columns=[_("Coefficient"), _("Original"), _("Release"), _("Overlap")],
    )


def subgroup_table(answer: Need) -> pd.DataFrame:
    """Return a table with a line per subgroup: mean loss in per cent, and records.

    With those asked for stands the value that loses most of each other column.
    """
    rows = [
        (
            f"{row['column']} = {row['value']}",
            "–" if row["loss"] is None else f"{row['loss']:.1f}",
            f"{row['n_records']:,}",
        )
        for row in (*answer.subgroups, *answer.largest_losses)
    ]
    return pd.DataFrame(rows, columns=[_("Subgroup"), _("Lost, %"), _("Records")])


def show_answer_tables(answer: Need) -> None:
    """Show tables of the models before and after, and of subgroups' losses, if any."""
    if answer.slopes:
        st.subheader(
            _("The model before and after"), anchor=False, help=_(text_need.SLOPES_SHOW)
        )
        show_table_with_tooltips(
            slope_table(answer),
            session.widget_key("need", "slopes"),
            alt=_("Slopes of the models in the original and in the release"),
        )
    if answer.subgroups or answer.largest_losses:
        st.subheader(_("Who pays"), anchor=False, help=_(text_need.LOST_SHOWS))
        show_table_with_tooltips(
            subgroup_table(answer),
            session.widget_key("need", "subgroups"),
            alt=_("Information loss of each subgroup"),
        )
        if answer.largest_losses:
            st.caption(
                _("Only the value that loses most is shown of {columns}.").format(
                    columns=escape_text(
                        ", ".join(row["column"] for row in answer.largest_losses)
                    )
                )
            )
        for row in answer.subgroups:
            if row["unasked"]:
                st.caption(escape_text(_unasked_sentence(row)))


def _unasked_sentence(subgroup: Mapping[str, Any]) -> str:
    return _("Not asked within {subgroup}, for too few records: {asked}.").format(
        subgroup=f"{subgroup['column']} = {subgroup['value']}",
        asked=", ".join(subgroup["unasked"]),
    )
