"""Box with the verdict on a result: five lines, open ones with their remedy."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import replace
from typing import Any, Literal

import streamlit as st

from dashboard.app_pages.release import release_status
from dashboard.i18n import text_measures
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.ui.runs.remedies import next_larger_k, next_smaller_k
from dashboard.ui.verdict import about_line
from engine.analysis.protect.rare_values import leaves_though_varied
from engine.analysis.verdict import (
    Improvement,
    Verdict,
    VerdictLine,
    worst_colour,
)
from engine.data.kinds import Role
from engine.data.table import Table
from engine.methods.default import default_method
from engine.pipeline.outcome import Outcome

Kind = Literal["primary", "secondary"]
"""Kind of a button: coloured, or not."""

LEADING_TO_DATA = ("answer", "choose-columns")
"""Improvements that somebody makes on the Data page."""

DOTS = {"green": "green", "amber": "orange", "red": "red"}
"""Colours as the page's Markdown calls them."""

SIGNS = {
    "green": ":material/check_circle:",
    "amber": ":material/error:",
    "red": ":material/cancel:",
}
"""A shape beside each colour, for whoever does not tell these apart."""


def show_verdict_box(verdict: Verdict, outcome: Outcome, table: Table) -> None:
    """Show the verdict's headline and its five lines, with remedies of open ones."""
    open_lines = [entry for entry in verdict.lines if entry.is_open]
    worst = worst_colour(entry.colour for entry in open_lines)
    first = next((entry.id for entry in open_lines if entry.colour == worst), "")
    with st.container(border=True, key=session.widget_key("verdict")):
        sign = f":{DOTS[verdict.colour]}[{SIGNS[verdict.colour]}]"
        st.markdown(f"### {sign} {escape_text(_(verdict.headline))}")
        for line in verdict.lines:
            _line(line, line.id == first, outcome, table)


def show_lines_known_without_attacks(
    verdict: Verdict, awaiting_lines: Collection[str]
) -> None:
    """Show the lines that no attack changes, without buttons, if others wait for some.

    Parameters
    ----------
    verdict : Verdict
        As it is without attacks.
    awaiting_lines : collection of str
        Lines that are not known before attacks have been tried.
    """
    if not awaiting_lines:
        return
    waits = ":gray[:material/hourglass_top:]"
    with st.container(border=True):
        st.markdown(f"### {waits} {_('Attacks are being tried.')}")
        for line in verdict.lines:
            asks, says = escape_text(_(line.asks)), escape_text(_(line.says))
            known = f":{DOTS[line.colour]}[{SIGNS[line.colour]}] **{asks}** {says}"
            is_known = line.id not in awaiting_lines
            st.markdown(known if is_known else f"{waits} **{asks}**")


def _line(line: VerdictLine, is_first: bool, outcome: Outcome, table: Table) -> None:
    sign = f":{DOTS[line.colour]}[{SIGNS[line.colour]}]"
    words = f"{sign} **{escape_text(_(line.asks))}** {escape_text(_(line.says))}"
    if line.mend is None:
        st.markdown(words)
        return
    if line.reason:
        left_so = _("Left so: {reason}").format(reason=escape_text(line.reason))
        words += f" **{left_so}**"
    elif line.mend.id == "fewer-columns":
        words += f" {escape_text(_(line.mend.says))}"
    left, right = st.columns([2.4, 1], vertical_alignment="center")
    left.markdown(words)
    with right:
        if not line.reason:
            _answer(line, is_first, outcome, table)
        if line.colour == "amber":
            _leave(line, outcome)


def _answer(line: VerdictLine, is_first: bool, outcome: Outcome, table: Table) -> None:
    """Show the button that mends a line, or, once only such are left, keeps diagnoses.

    Protected, confidential values that hardly k records share would be others' values.
    What is left out because it costs too much stays out, unless somebody chooses.
    """
    mend = line.mend
    assert mend is not None
    if mend.id == "choose-columns":
        label, reason = _("Release without them"), _(text_measures.COSTLY_REASON)
        _keep_button(label, text_measures.LEAVE_HELP, reason, line, is_first, outcome)
        _mend(mend, False, outcome, table)
        return
    others = mend.columns
    if mend.id in ("protect-or-leave-out", "protect"):
        k = outcome.plan.k
        others = tuple(n for n in others if not leaves_though_varied(table, n, k))
    if mend.id == "protect" and not others:
        others = mend.columns  # what can be guessed does not leave so
    if others or not mend.columns:
        _mend(replace(mend, columns=others), is_first, outcome, table)
        return
    label = n_("Keep it as it is", "Keep them as they are", len(mend.columns))
    reason = _(
        "Confidential, and what the file is about: changed, it would be of no use."
    )
    _keep_button(label, text_measures.KEEP_HELP, reason, line, is_first, outcome)
    _mend(mend, False, outcome, table)


def _keep_button(
    label: str,
    help_text: str,
    reason: str,
    line: VerdictLine,
    is_first: bool,
    outcome: Outcome,
) -> None:
    """Show a button that leaves a line so, for a reason that is usual for it."""
    st.button(
        label,
        type="primary" if is_first else "secondary",
        help=_(help_text),
        key=session.widget_key("keep", line.id),
        on_click=_keep,
        args=(line, outcome, reason),
        width="stretch",
    )


def _keep(line: VerdictLine, outcome: Outcome, reason: str) -> None:
    overrides = session.workspace().overrides
    session.update_workspace(overrides={**overrides, about_line(outcome, line): reason})


def _leave(line: VerdictLine, outcome: Outcome) -> None:
    """Let somebody leave an amber line so, and say why."""
    with st.popover(_("Leave it so"), type="tertiary", width="stretch"):
        st.text_area(
            _("Why it is left so"),
            placeholder=_("Who answers for it, and why it is acceptable"),
            help=_(text_measures.LEAVE_HELP),
            **session.bind_widget("overrides", about_line(outcome, line), default=""),
        )


def _mend(mend: Improvement, is_first: bool, outcome: Outcome, table: Table) -> None:
    """Show the button that mends a line, coloured where it is the first to press."""
    kind: Kind = "primary" if is_first else "secondary"
    if mend.id == "protect-or-leave-out":
        release_status.show_role_remedies(outcome, table, mend.columns, is_first)
    elif mend.id in ("leave-out", "protect", "fewer-columns") and mend.columns:
        role = Role.QUASI_IDENTIFIER if mend.id == "protect" else Role.IDENTIFIER
        count = len(mend.columns)
        st.button(
            n_("Protect it too", "Protect them too", count)
            if mend.id == "protect"
            else n_("Leave it out", "Leave them out", count),
            type=kind,
            help=escape_text(_(mend.says)),
            key=session.widget_key("mend line", mend.id),
            on_click=release_status.assign_roles_and_start_quick_run,
            args=(table, dict.fromkeys(mend.columns, role), mend.id == "fewer-columns"),
            width="stretch",
        )
    elif mend.id == "shuffle":
        st.button(
            _("Shuffle the records"),
            type=kind,
            help=escape_text(_(mend.says)),
            key=session.widget_key("mend line", mend.id),
            on_click=_shuffle,
            width="stretch",
        )
    else:
        _lead_to_choice(mend, kind, outcome)


def _lead_to_choice(mend: Improvement, kind: Kind, outcome: Outcome) -> None:
    """Show a button that changes k or the method, or leads to where people answer.

    There is none where no other k could be taken.
    """
    label, changes = escape_text(_(mend.says)), dict[str, Any]()
    if mend.id == "larger-k" and not outcome.k_verified:
        # Where k does not hold, another method keeps it, and no larger k does.
        method = default_method(outcome.partition.n_records)
        methods = session.workspace().methods
        changes = {"methods": tuple(dict.fromkeys((*methods, method))), "chosen": None}
    elif mend.id not in LEADING_TO_DATA:
        is_larger = mend.id == "larger-k"
        k = next_larger_k(outcome) if is_larger else next_smaller_k(outcome)
        if k is None:
            return
        sizes = tuple(sorted({*session.workspace().sizes, k}))
        changes = {"sizes": sizes, "focus": k, "chosen": None}
        if not is_larger:
            label = _("Take a smaller k: {k}").format(k=k)
    if not st.button(
        label, type=kind, key=session.widget_key("mend line", mend.id), width="stretch"
    ):
        return
    if changes:
        session.update_workspace(**changes)
    page = "data" if mend.id in LEADING_TO_DATA else "compare"
    st.switch_page(f"app_pages/{page}/view.py")


def _shuffle() -> None:
    # Not 0: a seed that everybody would try first hides nothing.
    session.update_workspace(shuffle=True, shuffle_seed=secrets.randbelow(2**31))
