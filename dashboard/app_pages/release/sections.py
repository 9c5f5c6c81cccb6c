"""Sections of the Release page: writing options, checks, intruder, key numbers."""

from __future__ import annotations

import secrets

import streamlit as st

from dashboard.app_pages.release import ledger_panel
from dashboard.app_pages.release.delivery import CheckedRelease
from dashboard.i18n import text, text_measures
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.learn.glossary import glossary_tooltip
from dashboard.results.attack_verdicts import attack_sentence, attack_verdict_and_sign
from dashboard.results.digits import format_short
from dashboard.results.figures import loss_basis, result_figures
from dashboard.results.scores import measures_without_score, score_text
from dashboard.state import session
from dashboard.state.caches.session_cache import HASH_BY_COLUMNS, cache_in_session
from dashboard.state.results.requested import latest_attacks_and_knowledge
from dashboard.ui import measures as offered
from dashboard.ui.browser_components import components
from engine.analysis.attacks import attacks
from engine.analysis.verdict import Verdict
from engine.data.table import Table
from engine.files import formats
from engine.files.base import STATA_VERSIONS
from engine.measures import measures
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.release.formulas import count_formulas_by_column
from engine.release.writing import WritingOptions
from engine.report.command_line import command_line

SHOWN_MEASURES = (
    "record-linkage",
    "prosecutor-risk",
    "uniqueness",
    "attribute-disclosure",
)
"""Measures told here, where they are known; Inspect has the others."""


def ask_writing_options(outcome: Outcome, table: Table) -> WritingOptions:
    """Show inputs for how the release is written; return the chosen options."""
    own_format = table.origin.format
    usual = own_format if own_format and formats.info(own_format).writable else "csv"
    writable = [info.id for info in formats.infos() if info.writable]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        st.selectbox(
            _("Format"),
            writable,
            format_func=lambda choice: _(formats.info(choice).title),
            help=_(
                "The format of your own file keeps its types and value labels. The "
                "checks below are of the file in the format chosen here."
            ),
            width=200,
            **session.bind_widget(
                "release_format",
                to_widget=lambda choice: choice or usual,
                from_widget=lambda choice: "" if choice == usual else choice,
            ),
        )
        st.toggle(
            _("Shuffle the records"),
            help=_(
                "Puts the records in a random order, so that their places in the file "
                "tell nothing. The seed is drawn, and stands in the plan and in the "
                "report for yourself alone: with it the order can be undone."
            ),
            **session.bind_widget("shuffle"),
        )
        if session.workspace().shuffle:
            if session.workspace().shuffle_seed is None:
                # Not 0: a seed that everybody would try first hides nothing.
                session.update_workspace(shuffle_seed=secrets.randbelow(2**31))
            st.number_input(
                _("Seed of the order"),
                0,
                step=1,
                width=190,
                help=glossary_tooltip("seed"),
                **session.bind_widget("shuffle_seed"),
            )
        ws = session.workspace()
        format_id = ws.release_format or usual
        has_formulas = format_id == "csv" and bool(
            count_formula_cells_by_column(outcome, table)
        )
        if has_formulas:
            st.toggle(
                _("Neutralise formulas"),
                help=_(text_measures.NEUTRALISE_HELP),
                **session.bind_widget("neutralise"),
            )
            ws = session.workspace()
        if format_id == "stata":
            st.segmented_control(
                _("For Stata"),
                STATA_VERSIONS,
                help=_("The oldest version that is to read the file."),
                required=True,
                **session.bind_widget("stata_version"),
            )
    return WritingOptions(
        format="" if format_id == own_format else format_id,
        shuffle=ws.shuffle,
        seed=(ws.shuffle_seed or 0) if ws.shuffle else 0,
        neutralise=has_formulas and ws.neutralise,
        stata_version=ws.stata_version if format_id == "stata" else STATA_VERSIONS[-1],
    )


@cache_in_session(2)
def count_formula_cells_by_column(outcome: Outcome, table: Table) -> dict[str, int]:
    """Return how many cells could be run as formulas, by column that has any."""
    return count_formulas_by_column(outcome.release.frame)


def show_records_when_open(outcome: Outcome, table: Table) -> None:
    """Show original and protected records beside each other, folded."""
    records = st.expander(
        _("Original beside protected"),
        icon=":material/compare:",
        key=session.widget_key("original beside protected"),
        on_change="rerun",
    )
    if records.open:
        with records:
            components.show_original_and_protected(outcome, table)


def show_command_line(
    outcome: Outcome,
    table: Table,
    writing_options: WritingOptions,
    is_regrouped: bool,
) -> None:
    """Show the command line that repeats a run and its release.

    Parameters
    ----------
    is_regrouped : bool
        Whether the groups are those of an earlier release.
    """
    plan = outcome.repeatable_plan
    command = command_line_text(plan, table, writing_options)
    command += ledger_panel.ledger_command_options(is_regrouped)
    st.code(command, language="bash", wrap_lines=True)
    levels = _(text.COMMAND_LEVELS) if plan.hierarchies else ""
    st.caption(f"{_(text.COMMAND_SHOW)} {levels}".strip())


def command_line_text(
    plan: ResolvedPlan, table: Table, writing_options: WritingOptions
) -> str:
    """Return the command line that repeats a run; cached in the session."""
    return _cached_command(
        plan, plan.digest(), table, repr(table.origin), writing_options
    )


@cache_in_session(4, HASH_BY_COLUMNS)
def _cached_command(
    _plan: ResolvedPlan, digest: str, table: Table, origin: str, writing: WritingOptions
) -> str:
    # Looks at all values: what the command would find out by itself is not said.
    return command_line(_plan, table, writing)


def show_file_checks(checked_release: CheckedRelease) -> None:
    """Show every check of the written file with its finding, folded, if any."""
    if not checked_release.all_checks:  # the badge says why
        return
    n_passed = sum(check.passed for check in checked_release.all_checks)
    title = _("Checks of the file: {count} of {all} hold").format(
        count=n_passed, all=len(checked_release.all_checks)
    )
    with st.expander(title, icon=":material/fact_check:"):
        for check in checked_release.all_checks:
            sign = (
                ":green[:material/check_circle:]"
                if check.passed
                else ":red[:material/cancel:]"
            )
            words = _("**{title}.** {detail}").format(
                title=_(check.title), detail=escape_text(_(check.detail))
            )
            st.markdown(f"{sign} {words}")


def ask_override_reason(
    outcome: Outcome, checked_release: CheckedRelease, verdict: Verdict
) -> str:
    """Ask why to release despite failed checks; return the confirmed reason, or "".

    Empty unless there is a reason and it was confirmed. What was said is for this
    result, these failed checks and red lines: others need another word.
    """
    if not checked_release.content:
        return ""
    failed = [check.id for check in checked_release.all_checks if not check.passed]
    failed += [line.id for line in verdict.lines if line.colour == "red"]
    about = ":".join([outcome.plan.digest(), *failed])
    with st.expander(_("Release it all the same"), icon=":material/gavel:"):
        st.caption(_(text_measures.OVERRIDE_SHOW))
        reason = st.text_area(
            _("Reason"),
            placeholder=_("Who answers for it, and why it is acceptable"),
            **session.bind_widget("overrides", about, default=""),
        )
        confirmed = st.checkbox(
            _("I have read what failed, and release the file all the same"),
            disabled=not reason.strip(),
            **session.bind_widget("accepted", about, default=False),
        )
    return reason.strip() if confirmed else ""


def show_attack_verdicts_or_risks(outcome: Outcome, table: Table) -> None:
    """Show the verdicts of attacks run before, else risk measures; link to attacks."""
    latest_attacks = latest_attacks_and_knowledge(session.workspace(), outcome, table)
    if latest_attacks is not None:
        for attack in sorted(latest_attacks[0], key=lambda each: -each.gain):
            if attack.attempts:
                verdict = attack_verdict_and_sign(attack, outcome.plan.k)[0]
                rates = escape_text(attack_sentence(attack, outcome.plan.k))
                does = escape_text(_(attacks.info(attack.attack).does))
                st.markdown(f"{does}: **{verdict}**", help=rates)
    else:
        _show_measured(outcome, table)
    label = _("How this was tried") if latest_attacks else _("Try attacks on it")
    if st.button(label, icon=":material/target:", key=session.widget_key("to attacks")):
        session.update_workspace(part="Attack", chosen=outcome.plan)
        st.switch_page("app_pages/inspect/view.py")


def _show_measured(outcome: Outcome, table: Table) -> None:
    for name in SHOWN_MEASURES:
        score = outcome.scores.get(name)
        if score is None:
            continue
        info = measures.info(name)
        words = f"{_(info.title)}: **{score_text(info, score.value)}**"
        if score.baseline is not None:
            before = score_text(info, score.baseline)
            words += " " + _("(to compare with: {value})").format(value=before)
        st.markdown(words, help=f"{_(info.summary)} {_(info.baseline)}".strip())
    if measures_without_score(outcome):
        words = _(
            "Risk has not been measured for this result, so the reports say what was "
            "lost and nothing of risk."
        )
        offered.offer_measuring([outcome], table, caption=words, is_next_step=False)


def show_release_key_numbers(outcome: Outcome) -> None:
    """Show a result's key numbers, one a line, with significant digits."""
    row = result_figures(outcome)
    low, high = min(row.sizes), max(row.sizes)
    span = _("{low} to {high}").format(low=low, high=high)
    bound = _("Lower bound"), f"{format_short(row.bound)} %", "lower-bound"
    if row.drawn is not None:
        share = f"{100 * row.drawn.share_below:.1f} %"
        bound = _("Below {k}").format(k=row.k), share, "below-k"
    lines = (
        (_("Records"), f"{row.n_records:,}", "record"),
        (_("Groups"), f"{row.n_groups:,}", "group"),
        (_("Group size"), f"{low}" if low == high else span, "group-size"),
        (_("Information loss"), f"{format_short(row.loss)} %", "information-loss"),
        bound,
        (_("Certainty penalty"), f"{format_short(row.penalty)} %", "certainty-penalty"),
    )
    for label, value, entry in lines:
        st.markdown(f"{label}: **{value}**", help=glossary_tooltip(entry))
    measured_on = _("Information loss is measured {basis}.").format(
        basis=loss_basis(outcome)
    )
    st.caption(f"{_(text.LOWER)} {measured_on}")
