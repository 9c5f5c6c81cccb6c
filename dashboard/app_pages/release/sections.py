"""Sections of the Release page: options of writing, checks, an override, downloads."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import streamlit as st

from dashboard.app_pages.release import delivery, ledger_panel
from dashboard.app_pages.release.delivery import Delivery
from dashboard.i18n import text, text_attacks, text_measures
from dashboard.i18n.language import _
from dashboard.i18n.markdown import plain
from dashboard.readers.readings import read_now
from dashboard.readers.releases import given
from dashboard.state import session
from dashboard.state.attacked import latest_attacks
from dashboard.state.session_cache import BY_COLUMNS, per_session
from dashboard.state.tables_by import tables_by
from engine.certificate.certifiable import uncertifiable
from engine.data.table import Table
from engine.files import formats
from engine.files.base import STATA
from engine.pipeline.outcome import Outcome
from engine.pipeline.resolved import ResolvedPlan
from engine.release.verify import Written
from engine.release.writing import Writing
from engine.report import (
    Audience,
    Description,
    described,
    guide,
    notebook,
    page,
    report_facts,
    script,
    to_croissant,
    to_ddi,
)
from engine.report.command_line import command_line
from engine.report.intruder import tried

MOST_CERTIFIED = 20_000
"""Records of which a certificate is made while somebody waits."""

SECONDS = 20.0
"""Time to prove that nothing is left between loss and limit."""


def choose_writing(table: Table) -> Writing:
    """Show how the release can be written; return what was chosen."""
    own = table.origin.format
    usual = own if own and formats.info(own).writable else "csv"
    writable = [info.id for info in formats.infos() if info.writable]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        st.selectbox(
            _("Format"),
            writable,
            format_func=lambda one: _(formats.info(one).title),
            help=_(text_measures.FORMAT_HELP),
            width=200,
            **session.bound(
                "release_format",
                show=lambda one: one or usual,
                read=lambda one: "" if one == usual else one,
            ),
        )
        st.toggle(
            _("Shuffle the records"),
            help=_(text_measures.SHUFFLE_HELP),
            **session.bound("shuffle"),
        )
        if session.workspace().shuffle:
            if session.workspace().shuffle_seed is None:
                # Not 0: a seed that everybody would try first hides nothing.
                session.update(shuffle_seed=secrets.randbelow(2**31))
            st.number_input(
                _("Seed of the order"),
                0,
                step=1,
                width=190,
                **session.bound("shuffle_seed"),
            )
        st.toggle(
            _("Neutralise formulas"),
            help=_(text_measures.NEUTRALISE_HELP),
            **session.bound("neutralise"),
        )
        ws = session.workspace()
        wanted = ws.release_format or usual
        if wanted == "stata":
            st.segmented_control(
                _("For Stata"),
                STATA,
                help=_(text_measures.STATA_HELP),
                required=True,
                **session.bound("stata_version"),
            )
    return Writing(
        format="" if wanted == own else wanted,
        shuffle=ws.shuffle,
        seed=(ws.shuffle_seed or 0) if ws.shuffle else 0,
        neutralise=ws.neutralise,
        stata_version=ws.stata_version if wanted == "stata" else STATA[-1],
    )


def command(plan: ResolvedPlan, table: Table, writing: Writing) -> str:
    """Return the command line that repeats a run; worked out once per session."""
    return _command(plan, plan.digest(), table, repr(table.origin), writing)


@per_session(4, BY_COLUMNS)
def _command(
    _plan: ResolvedPlan, digest: str, table: Table, origin: str, writing: Writing
) -> str:
    # Looks at all values: what the command would find out by itself is not said.
    return command_line(_plan, table, writing)


def checks(delivered: Delivery) -> None:
    """Show every check of the file as written, with what was found; folded."""
    if not delivered.checks:  # the badge says why
        return
    held = sum(check.passed for check in delivered.checks)
    title = _("Checks of the file: {count} of {all} hold").format(
        count=held, all=len(delivered.checks)
    )
    with st.expander(title, icon=":material/fact_check:"):
        for check in delivered.checks:
            sign = (
                ":green[:material/check_circle:]"
                if check.passed
                else ":red[:material/cancel:]"
            )
            words = _("**{title}.** {detail}").format(
                title=_(check.title), detail=plain(_(check.detail))
            )
            st.markdown(f"{sign} {words}")


def override(outcome: Outcome, delivered: Delivery) -> str:
    """Ask why a release that fails is to leave all the same; return the reason.

    Empty unless there is a reason and it was confirmed. What was said is for this
    result and these failed checks: others need another word.
    """
    if not delivered.wrong or not delivered.content:
        return ""
    failed = [check.id for check in delivered.checks if not check.passed]
    about = ":".join([outcome.plan.digest(), *failed])
    with st.expander(_("Release it all the same"), icon=":material/gavel:"):
        st.caption(_(text_measures.OVERRIDE_SHOW))
        reason = st.text_area(
            _("Reason"),
            placeholder=_("Who answers for it, and why it is acceptable"),
            **session.bound("overrides", about, default=""),
        )
        confirmed = st.checkbox(
            _(text_measures.OVERRIDE_CONFIRM),
            disabled=not reason.strip(),
            **session.bound("accepted", about, default=False),
        )
    return reason.strip() if confirmed else ""


def downloads(
    outcome: Outcome, table: Table, delivered: Delivery, writing: Writing, reason: str
) -> None:
    """Offer what may leave, and what stays.

    Parameters
    ----------
    outcome : Outcome
    table : Table
    delivered : Delivery
    writing : Writing
    reason : str
        Why a release that fails a check may leave all the same; empty if it may not.
    """

    def offer_report(label: str, audience: Audience, suffix: str) -> None:
        _offer(
            label,
            f"report_{audience}{suffix}",
            lambda: report(outcome, table, delivered, reason, audience, suffix),
        )

    away, stays = _("To hand over"), _("To keep")
    st.markdown(f"**{away}**", help=_(text_measures.HAND_OVER_SHOW))
    with st.container(gap="small"):
        if delivered.content and (reason or not delivered.wrong):
            name = delivery.file_name(table, writing)
            st.download_button(
                _("Download {file}").format(file=plain(name)),
                delivered.content,
                file_name=name,
                mime=delivery.mime(writing.format or table.origin.format),
                type="primary",
                icon=":material/download:",
                on_click=ledger_panel.enter,
                args=(outcome, table, delivered.content),
                key=session.key("download release"),
                width="stretch",
            )
        offer_report(_("Report for those who receive it"), "external", ".html")
    st.markdown(f"**{stays}**", help=_(text_measures.KEEP_SHOW))
    with st.container(gap="small"):
        offer_report(_("Report for yourself"), "internal", ".html")
        with st.popover(
            _("Plan, script, certificate"),
            icon=":material/folder_zip:",
            width="stretch",
        ):
            _records(outcome, table, writing)
            offer_report(_("Report for yourself (JSON)"), "internal", ".json")
            words = _("Report for those who receive it (JSON)")
            offer_report(words, "external", ".json")
            if delivered.written is not None:
                _descriptions(outcome, table, delivered.written, writing)


def report(
    outcome: Outcome,
    table: Table,
    delivered: Delivery,
    reason: str,
    audience: Audience,
    suffix: str,
) -> bytes:
    """Return a report on the file as written; parameters as in :func:`downloads`."""
    known = latest_attacks(session.workspace(), outcome, table)
    attacked, knowledge = known or tried(outcome, table)
    facts = report_facts(
        outcome,
        table,
        checks=delivered.checks,
        override=reason,
        audience=audience,
        attacked=attacked,
        knowledge=knowledge,
        released=_file(table, delivered),
        by=tables_by(session.workspace(), outcome, table),
    )
    return page(facts, suffix)


def _file(table: Table, delivered: Delivery) -> tuple[str, bytes] | None:
    """Return name and content of the file that a report is tied to, if it is there."""
    if delivered.written is None:
        return None
    written = Writing(format=delivered.written.origin.format)
    return delivery.file_name(table, written), delivered.content


def _records(outcome: Outcome, table: Table, writing: Writing) -> None:
    """Offer what repeats the run, and who is grouped with whom."""
    plan, regroup = outcome.repeatable_plan, ledger_panel.way_of(outcome)
    if regroup:
        st.caption(_(text_attacks.REGROUPED_FILES))
    _offer(
        _("Plan (JSON)"),
        "plan.json",
        lambda: plan.to_json().encode(),
        _(text.PLAN_HELP),
    )
    _offer(
        _("Groups (CSV)"),
        "groups.csv",
        lambda: outcome.groups_csv(table.n_records),
        _(text.GROUPS_HELP),
    )
    if outcome.partition.n_records <= MOST_CERTIFIED and not uncertifiable(plan, table):
        asked = given(outcome, table, SECONDS)
        _offer(
            _("Certificate (JSON)"),
            "certificate.json",
            lambda: read_now("certificate", asked, "certificate.json"),
            _(text_measures.CERTIFICATE_HELP),
        )
    levels = delivery.hierarchy_download(plan)
    if levels is not None:
        name, content = levels
        help_ = _(text.HIERARCHY_FILES_HELP)
        _offer(_("Hierarchies (CSV)"), name, lambda: content, help_)
    _offer(
        _("Guide for analysts (Markdown)"),
        "how_to_analyse.md",
        lambda: guide(outcome).encode(),
        _(text_measures.GUIDE_HELP),
    )
    _offer(
        _("Script (Python)"),
        "protect.py",
        lambda: script(outcome, table, writing, regroup).encode(),
        _(text_measures.SCRIPT_HELP),
    )
    _offer(
        _("Notebook (Jupyter)"),
        "protect.ipynb",
        lambda: notebook(outcome, table, writing, regroup).encode(),
        _(text_measures.SCRIPT_HELP),
    )


def _descriptions(
    outcome: Outcome, table: Table, written: Written, writing: Writing
) -> None:
    """Offer what archives and catalogues read of the release."""
    name = delivery.file_name(table, writing)

    def told() -> Description:
        return described(outcome, table, written, name)

    _offer(
        _("Description for archives (DDI)"),
        "release_ddi.xml",
        lambda: to_ddi(told()),
        _(text_measures.DESCRIPTION_HELP),
    )
    _offer(
        _("Description for catalogues (Croissant)"),
        "croissant.json",
        lambda: to_croissant(told()),
        _(text_measures.DESCRIPTION_HELP),
    )


_ICONS = {
    "html": ":material/article:",
    "json": ":material/data_object:",
    "csv": ":material/group_work:",
    "xml": ":material/inventory_2:",
    "zip": ":material/account_tree:",
    "md": ":material/menu_book:",
    "py": ":material/code:",
    "ipynb": ":material/book:",
}


def _offer(
    label: str, name: str, make: Callable[[], bytes], help_: str | None = None
) -> None:
    """Offer a file that is made when it is asked for."""
    kind = name.rsplit(".", 1)[-1]
    st.download_button(
        label,
        make,
        file_name=name,
        mime=delivery.mime(kind),
        icon=_ICONS[kind],
        help=help_,
        on_click="ignore",
        key=session.key("download", name),
        width="stretch",
    )
