"""What the Release page offers to download: to hand over, and to keep."""

from __future__ import annotations

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
from dashboard.state.tables_by import tables_by
from engine.certificate.certifiable import uncertifiable
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
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
from engine.report.intruder import tried

MOST_CERTIFIED = 20_000
"""Records of which a certificate is made while somebody waits."""

SECONDS = 20.0
"""Time to prove that nothing is left between loss and limit."""


def downloads(
    outcome: Outcome,
    table: Table,
    delivered: Delivery,
    writing: Writing,
    blocked: bool,
    reason: str,
) -> None:
    """Offer what may leave, and what stays.

    Parameters
    ----------
    outcome : Outcome
    table : Table
    delivered : Delivery
    writing : Writing
    blocked : bool
        Whether a check fails, or the verdict is red.
    reason : str
        Why such a release may leave all the same; empty if it may not.
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
        if delivered.content and (reason or not blocked):
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
        with st.popover(
            _("Guide, descriptions"), icon=":material/folder_open:", width="stretch"
        ):
            _offer(
                _("Guide for analysts (Markdown)"),
                "how_to_analyse.md",
                lambda: guide(outcome).encode(),
                _(text_measures.GUIDE_HELP),
            )
            words = _("Report for those who receive it (JSON)")
            offer_report(words, "external", ".json")
            if delivered.written is not None:
                _descriptions(outcome, table, delivered.written, writing)
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
    _certificate(outcome, table)
    levels = delivery.hierarchy_download(plan)
    if levels is not None:
        name, content = levels
        help_ = _(text.HIERARCHY_FILES_HELP)
        _offer(_("Hierarchies (CSV)"), name, lambda: content, help_)
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


def _certificate(outcome: Outcome, table: Table) -> None:
    """Offer what proves the loss, or say why there is nothing and what to do."""
    what = uncertifiable(outcome.repeatable_plan, table)
    if what is not None:
        st.caption(_(text_measures.CERTIFICATE_NONE).format(what=_(what)))
        return
    if outcome.partition.n_records > MOST_CERTIFIED:
        many = f"{MOST_CERTIFIED:,}"
        st.caption(_(text_measures.CERTIFICATE_LARGE).format(count=many))
        return
    asked = given(outcome, table, SECONDS)
    _offer(
        _("Certificate (JSON)"),
        "certificate.json",
        lambda: read_now("certificate", asked, "certificate.json"),
        _(text_measures.CERTIFICATE_HELP),
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
