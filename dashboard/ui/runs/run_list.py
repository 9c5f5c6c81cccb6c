"""Dialog with the finished runs: rename, restore, compare, delete."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pandas as pd
import streamlit as st

from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text
from dashboard.results.figures import plan_title
from dashboard.state import session
from dashboard.state.results import run_log, runs
from dashboard.state.results.runs import FinishedRun
from dashboard.state.snapshots.restore import copy_with_snapshot
from dashboard.state.workspace import Workspace
from dashboard.ui.headings import show_table_with_tooltips
from dashboard.ui.table import open_file


def open_run_list_dialog() -> None:
    """Show a dialog with the finished runs: rename, restore, compare, delete."""
    st.dialog(_("Runs of this session"), width="medium", icon=":material/history:")(
        _show_runs
    )()


def _show_runs() -> None:
    ws = session.workspace()
    if not ws.runs:
        st.info(_("No run is listed any more."))
    for run in reversed(ws.runs):
        with st.container(border=True):
            _show_run(ws, run)


def _show_run(ws: Workspace, run: FinishedRun) -> None:
    """Show one run: its name to edit, what came of it, what can be done with it."""
    key = session.widget_key("run", run.number, "name")
    st.session_state[key] = runs.run_title(run)
    st.text_input(
        _("Name of run {number}").format(number=run.number),
        key=key,
        label_visibility="collapsed",
        on_change=_rename,
        args=(run.number, key),
    )
    st.caption(escape_text(" · ".join(_run_facts(ws, run))))
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            _("Go back to it"),
            key=session.widget_key("run", run.number, "return"),
            icon=":material/settings_backup_restore:",
            help=_("Restores its choices; its results appear again without a run."),
            on_click=_return,
            args=(run,),
        ):
            st.rerun()  # all of the page, and not the dialog alone
        compared = st.toggle(
            _("Beside the current results"),
            key=session.widget_key("run", run.number, "compare"),
            persist_state="session",
        )
        st.button(
            _("Delete"),
            key=session.widget_key("run", run.number, "delete"),
            icon=":material/delete:",
            type="tertiary",
            on_click=_delete,
            args=(run.number,),
        )
    if compared:
        frame = run_vs_current_loss_table(ws, run)
        show_table_with_tooltips(frame, session.widget_key("run", run.number, "table"))


def _run_facts(ws: Workspace, run: FinishedRun) -> list[str]:
    """Return what stands below a run's name."""
    parts = [runs.describe_run(run)] if run.name else []
    source = run.snapshot.source
    if source is not None:
        words = n_("{count} record", "{count} records", source.n_records)
        parts.append(words.format(count=f"{source.n_records:,}"))
    parts.append(to_local_time(run.ended).strftime("%H:%M"))
    count = len(run.figures)
    words = n_("{count} result", "{count} results", count).format(count=count)
    parts.append(words if run.whole else _("stopped after {what}").format(what=words))
    best = runs.best_plan_and_summary_of_run(run)
    if best is not None:
        plan, figure = best
        parts.append(
            _("best: {method}, k = {k} with {loss}").format(
                method=plan_title(plan), k=plan.k, loss=figure.loss_text
            )
        )
    gone = count - sum(key in ws.memo for key in run.figures)
    if gone:
        words = n_("{count} has to run again", "{count} have to run again", gone)
        parts.append(words.format(count=gone))
    return parts


def to_local_time(time: datetime) -> datetime:
    """Return a time in the browser's time zone, or the server's if that is unknown."""
    zone: ZoneInfo | None = None
    # A browser may send any text: no zone, no name of a file, or that of a folder.
    with suppress(ZoneInfoNotFoundError, ValueError, OSError):
        zone = ZoneInfo(st.context.timezone or "")
    return time.astimezone(zone)


def run_vs_current_loss_table(ws: Workspace, run: FinishedRun) -> pd.DataFrame:
    """Return a table of a finished run's losses, the current losses and differences."""
    then = {
        (plan_title(plan), plan.k): figure for plan, figure in run.results_with_figures
    }
    now = {
        (plan_title(outcome.plan), outcome.plan.k): runs.summarise_outcome(outcome)
        for outcome in session.requested_outcomes(ws)
    }
    return pd.DataFrame(
        [
            {
                _("Method"): method,
                "k": k,
                _("Lost in this run (%)"): then[pair].lost if pair in then else None,
                _("Lost now (%)"): now[pair].lost if pair in now else None,
                _("Difference"): now[pair].lost - then[pair].lost
                if pair in then and pair in now
                else None,
            }
            for pair in sorted(dict.fromkeys((*then, *now)), key=lambda pair: pair[1])
            for method, k in (pair,)
        ]
    )


def _rename(number: int, key: str) -> None:
    _change(
        lambda ws: run_log.copy_with_renamed_run(
            ws, number, str(st.session_state[key] or "")
        )
    )


def _delete(number: int) -> None:
    _change(lambda ws: run_log.copy_without_run(ws, number))


def _return(run: FinishedRun) -> None:
    _change(lambda ws: copy_with_snapshot(ws, run.snapshot))
    open_file.reset_table_widgets()


def _change(change: Callable[[Workspace], Workspace]) -> None:
    session.replace_workspace(change(session.workspace()))
