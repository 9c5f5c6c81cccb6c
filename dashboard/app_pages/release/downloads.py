"""Downloads on the Release page."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard.app_pages.release import delivery, ledger_panel
from dashboard.app_pages.release.delivery import CheckedRelease
from dashboard.i18n import text, text_attacks, text_measures
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.readers.readings import read_file_and_wait
from dashboard.readers.releases import make_outcome_input_writer
from dashboard.state import session
from dashboard.state.caches.fitted_models import fit_or_reuse_model
from dashboard.state.results.requested import (
    latest_attacks_and_knowledge,
    tabulation_column_or_empty,
)
from engine.analysis.need import ModelFormula
from engine.analysis.need.models.coverage import simulate_coverage
from engine.analysis.verdict import Verdict
from engine.certificate.certificate_conditions import reason_not_certifiable
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.release.formulas import formulas_message
from engine.release.verify import WrittenRelease
from engine.release.writing import WritingOptions
from engine.report import (
    Audience,
    ReleaseDescription,
    analysis_guide,
    describe_release,
    director_page,
    facts_to_file,
    report_facts,
    to_croissant_bytes,
    to_ddi_bytes,
    to_notebook,
    to_script,
)
from engine.report.intruder import run_report_attacks

MAX_CERTIFIED_RECORDS = 20_000
"""Records of which a certificate is made while somebody waits."""

MAX_PROOF_SECONDS = 20.0
"""Time to prove that nothing is left between loss and limit."""


def show_downloads(
    outcome: Outcome,
    table: Table,
    checked_release: CheckedRelease,
    writing_options: WritingOptions,
    is_blocked: bool,
    override_reason: str,
    verdict: Verdict,
) -> None:
    """Show the download buttons: files to hand out, and files to keep.

    Parameters
    ----------
    checked_release : CheckedRelease
    writing_options : WritingOptions
    is_blocked : bool
        Whether a check fails, or the verdict is red.
    override_reason : str
        Why such a release may leave all the same; empty if it may not.
    verdict : Verdict
        While a line of it is open, its mend is the one coloured button, and the
        download is not.
    """
    is_next_step = not any(line.is_open for line in verdict.lines)

    def offer_report(label: str, audience: Audience, suffix: str) -> None:
        _offer(
            label,
            f"report_{audience}{suffix}",
            lambda: write_report(
                outcome,
                table,
                checked_release,
                override_reason,
                audience,
                suffix,
                verdict,
            ),
        )

    handover_title, stays = _("To hand over"), _("To keep")
    st.markdown(f"**{handover_title}**", help=_(text_measures.HAND_OVER_SHOW))
    with st.container(gap="small"):
        if checked_release.written is not None and checked_release.written.formulas:
            note = formulas_message(
                checked_release.written.formulas, writing_options.neutralise
            )
            st.caption(escape_text(_(note)))
        if checked_release.content and (override_reason or not is_blocked):
            name = delivery.release_file_name(table, writing_options)
            st.download_button(
                _("Download {file}").format(file=escape_text(name)),
                checked_release.content,
                file_name=name,
                mime=delivery.media_type(writing_options.format or table.origin.format),
                type="primary" if is_next_step else "secondary",
                icon=":material/download:",
                on_click=ledger_panel.add_to_workspace_ledger,
                args=(outcome, table, checked_release.content),
                key=session.widget_key("download release"),
                width="stretch",
            )
        offer_report(_("Report for those who receive it"), "external", ".html")
        _offer(
            _("One page to sign"),
            "one_page.html",
            lambda: director_page(
                outcome,
                table,
                verdict,
                checked_release.all_checks,
                override_reason,
                _delivered_file(table, checked_release),
                writing_options.shuffle,
            ),
            _(text_measures.DIRECTOR_HELP),
        )
        with st.popover(
            _("Guide, descriptions"), icon=":material/folder_open:", width="stretch"
        ):
            _offer_guide(outcome, table)
            words = _("Report for those who receive it (JSON)")
            offer_report(words, "external", ".json")
            if checked_release.written is not None:
                _show_descriptions(
                    outcome, table, checked_release.written, writing_options
                )
    st.markdown(f"**{stays}**", help=_(text_measures.KEEP_SHOW))
    with st.container(gap="small"):
        offer_report(_("Report for yourself"), "internal", ".html")
        with st.popover(
            _("Plan, script, certificate"),
            icon=":material/folder_zip:",
            width="stretch",
        ):
            _show_record_downloads(outcome, table, writing_options)
            offer_report(_("Report for yourself (JSON)"), "internal", ".json")


def _offer_guide(outcome: Outcome, table: Table) -> None:
    """Offer the guide, with what to expect of the model that somebody names."""
    answer = session.workspace().need_answer
    formulas = () if answer is None else answer.request.models
    text = st.text_input(
        _("Model of those who receive it"),
        help=_(
            'A regression that they will fit, such as "logit y ~ a + b". The guide '
            "then says how often its intervals hold, which way its slopes err, and "
            "what not to run: by up to 200 simulated files, so that it takes some "
            "seconds, and tells rounded figures of the original."
        ),
        **session.bind_widget("need_said", "guide_model", default=[*formulas, ""][0]),
    )
    model, problem = None, ""
    if text.strip():
        try:
            model = ModelFormula.parse(text)
            model.columns(outcome.release.columns)
            fit_or_reuse_model(model, table)
        except EngineError as error:
            model, problem = None, escape_text(_(error.message))
    if problem:
        st.warning(problem, icon=":material/front_hand:")

    def make_guide() -> bytes:
        models = [] if model is None else [simulate_coverage(outcome, table, model)]
        return analysis_guide(outcome, models).encode()

    help_text = _(text_measures.GUIDE_HELP)
    title = _("Guide for analysts (Markdown)")
    _offer(title, "how_to_analyse.md", make_guide, help_text)


def write_report(
    outcome: Outcome,
    table: Table,
    checked_release: CheckedRelease,
    override_reason: str,
    audience: Audience,
    suffix: str,
    verdict: Verdict | None = None,
) -> bytes:
    """Return the bytes of a report on a release for an audience, in a file format."""
    latest_attacks = latest_attacks_and_knowledge(session.workspace(), outcome, table)
    attacked, knowledge = latest_attacks or run_report_attacks(outcome, table)
    facts = report_facts(
        outcome,
        table,
        checks=checked_release.all_checks,
        override=override_reason,
        audience=audience,
        attack_results=attacked,
        knowledge=knowledge,
        released=_delivered_file(table, checked_release),
        by=tabulation_column_or_empty(session.workspace(), outcome, table),
        verdict=verdict,
    )
    return facts_to_file(facts, suffix)


def _delivered_file(
    table: Table, delivered: CheckedRelease
) -> tuple[str, bytes] | None:
    """Return name and content of the file that a report is tied to, if it is there."""
    if delivered.written is None:
        return None
    written = WritingOptions(format=delivered.written.origin.format)
    return delivery.release_file_name(table, written), delivered.content


def _show_record_downloads(
    outcome: Outcome, table: Table, writing: WritingOptions
) -> None:
    """Offer what repeats the run, and who is grouped with whom."""
    order_seed = writing.seed if writing.shuffle else None
    plan, regroup = outcome.repeatable_plan, ledger_panel.regrouping_kind(outcome)
    if regroup:
        st.caption(_(text_attacks.REGROUPED_FILES))
    _offer(
        _("Plan (JSON)"),
        "plan.json",
        lambda: plan.replace(order_seed=order_seed).to_json().encode(),
        _(text.PLAN_HELP),
    )
    _offer(
        _("Groups (CSV)"),
        "groups.csv",
        lambda: outcome.groups_csv(table.n_records),
        _(
            "The group of every record, in the order of your file. Keep it: whoever "
            "has it and the release knows who is grouped with whom."
        ),
    )
    _show_certificate(outcome, table)
    levels = delivery.hierarchy_download(plan)
    if levels is not None:
        name, content = levels
        help_ = _(
            "The hierarchies that the command below names, as level files: put them "
            "into the folder of your file. The plan holds them too."
        )
        _offer(_("Hierarchies (CSV)"), name, lambda: content, help_)
    _offer(
        _("Script (Python)"),
        "protect.py",
        lambda: to_script(outcome, table, writing, regroup).encode(),
        _(text_measures.SCRIPT_HELP),
    )
    _offer(
        _("Notebook (Jupyter)"),
        "protect.ipynb",
        lambda: to_notebook(outcome, table, writing, regroup).encode(),
        _(text_measures.SCRIPT_HELP),
    )


def _show_certificate(outcome: Outcome, table: Table) -> None:
    """Offer what proves the loss, or say why there is nothing and what to do."""
    what = reason_not_certifiable(outcome.repeatable_plan, table)
    if what is not None:
        st.caption(_(text_measures.CERTIFICATE_NONE).format(what=_(what)))
        return
    if outcome.partition.n_records > MAX_CERTIFIED_RECORDS:
        many = f"{MAX_CERTIFIED_RECORDS:,}"
        st.caption(_(text_measures.CERTIFICATE_LARGE).format(count=many))
        return
    input_writer = make_outcome_input_writer(outcome, table, MAX_PROOF_SECONDS)
    _offer(
        _("Certificate (JSON)"),
        "certificate.json",
        lambda: read_file_and_wait("certificate", input_writer, "certificate.json"),
        _(
            "Proves the information loss and the limit that no groups can stay below: "
            "anybody who has your file can check it with `coterie certify`, or with "
            "one short program that does not trust this one. It holds original values."
        ),
    )


def _show_descriptions(
    outcome: Outcome, table: Table, written: WrittenRelease, writing: WritingOptions
) -> None:
    """Offer what archives and catalogues read of the release."""
    name = delivery.release_file_name(table, writing)

    def told() -> ReleaseDescription:
        return describe_release(outcome, table, written, name)

    _offer(
        _("Description for archives (DDI)"),
        "release_ddi.xml",
        lambda: to_ddi_bytes(told()),
        _(text_measures.DESCRIPTION_HELP),
    )
    _offer(
        _("Description for catalogues (Croissant)"),
        "croissant.json",
        lambda: to_croissant_bytes(told()),
        _(text_measures.DESCRIPTION_HELP),
    )


_FORMAT_ICONS = {
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
        mime=delivery.media_type(kind),
        icon=_FORMAT_ICONS[kind],
        help=help_,
        on_click="ignore",
        key=session.widget_key("download", name),
        width="stretch",
    )
