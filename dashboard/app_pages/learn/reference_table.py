"""Reference table on Learn: upload it, run it, compare it with printed losses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from dashboard.charts.verdicts import dataset_title, verdict_label
from dashboard.i18n import text_learn
from dashboard.i18n.language import _, capitalize_first, join_names
from dashboard.i18n.markdown import escape_text
from dashboard.i18n.text_learn import VERDICTS
from dashboard.jobs import jobs
from dashboard.learn import published
from dashboard.readers.readings import read_file_and_wait
from dashboard.results.figures import outcomes_and_failures
from dashboard.state import session
from dashboard.ui.browser_components import components
from dashboard.ui.headings import heading_tooltips_config
from dashboard.ui.runs import durations, run_panel
from dashboard.ui.table import open_file
from engine.analysis.published import literature, reproduce
from engine.analysis.published.proven import has_published_values
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.compare import Result
from engine.pipeline.plan import Plan

_PROBLEM_KEY = session.widget_key("reference", "problem")
_ROUND_KEY = session.widget_key("reference", "round")


def show_reference_uploader() -> None:
    """Show the uploader that sets the reference table, its title and any refusal."""
    ws = session.workspace()
    view = jobs.view_job(ws.job)
    left, right = st.columns(2, gap="large", vertical_alignment="center")
    file = left.file_uploader(
        _("Your copy of census.csv, tarragona.csv or eia.csv"),
        open_file.accepted_suffixes(),
        help=_(
            "CSV, Excel (.xlsx) or Parquet, told apart by their size. The CASC project "
            "published the tables; they do not come with Coterie. The file stays on "
            "the machine that runs Coterie."
        ),
        # While its cells run; what else runs need not be waited for.
        disabled=view is not None and view.is_running and ws.job == ws.reference_job,
        key=session.widget_key("reference", st.session_state.get(_ROUND_KEY, 0)),
    )
    if file is not None:
        st.session_state[_PROBLEM_KEY] = _adopt_reference(file)
        st.session_state[_ROUND_KEY] = st.session_state.get(_ROUND_KEY, 0) + 1
        st.rerun()
    with right:
        if ws.reference is None:
            st.markdown(_(text_learn.REFERENCE_WANTED))
        else:
            st.markdown(
                _(text_learn.REFERENCE_IS).format(
                    title=dataset_title(
                        reproduce.recognise_dataset(ws.reference) or ""
                    ),
                    count=f"{ws.reference.n_records:,}",
                    file=escape_text(ws.reference.origin.name),
                )
            )
            st.caption(_(text_learn.REFERENCE_OPEN))
    if st.session_state.get(_PROBLEM_KEY):
        st.error(st.session_state[_PROBLEM_KEY], icon=":material/error:")


def _adopt_reference(file: open_file.UploadedFile) -> str:
    """Keep an uploaded reference table; return why not, if it is none."""
    file_name = open_file.name_of_upload(file)
    try:
        table: Table = read_file_and_wait("table", file.getvalue(), file_name).table
    except EngineError as error:
        return escape_text(_(error.message))
    name = reproduce.recognise_dataset(table)
    if name is None:
        return _not_recognised_text(file_name, table)
    for column, values in table.frame.items():
        if values.dtype.kind not in "iuf" or values.isna().any():
            return _(
                "{file} is as large as {table}.csv, but column {column} does not hold "
                "a number in every record: upload a copy of the original."
            ).format(
                file=escape_text(file_name),
                table=name,
                column=escape_text(repr(column)),
            )
    session.update_workspace(reference=table)
    return ""


def _not_recognised_text(file_name: str, table: Table) -> str:
    rows, columns = table.frame.shape
    shape_texts = [
        _("{name}.csv {rows} and {columns}").format(name=name, rows=f"{n:,}", columns=p)
        for name, (n, p) in literature.DATASET_SHAPES.items()
    ]
    return _(
        "{file} has {rows} records and {columns} columns, but {known}: upload a copy "
        "of one of these."
    ).format(
        file=escape_text(file_name),
        rows=f"{rows:,}",
        columns=f"{columns:,}",
        known=join_names(shape_texts),
    )


def show_run_and_return_comparisons(
    table: Table,
) -> tuple[tuple[reproduce.ComparisonRow, ...], tuple[reproduce.RawAndZscoreRow, ...]]:
    """Show the run's button or progress; return comparison and scaling rows so far."""
    results = _run(table)
    failures = outcomes_and_failures(results)[1]
    components.show_sentence_or_list(
        list(dict.fromkeys(failure.message for failure in failures)),
        st.warning,
        ":material/error:",
        _("Some runs gave no result:"),
    )
    name = reproduce.recognise_dataset(table) or ""
    is_known = has_published_values(name, table)
    if not is_known:
        st.warning(_(text_learn.VALUES_UNKNOWN), icon=":material/warning:")
    return reproduce.comparison_and_scaling_rows(
        name, reproduce.outcomes_by_choices(tuple(results)), is_known=is_known
    )


def _run(table: Table) -> list[Result]:
    plans = _plans_to_run(table)
    ws = session.workspace()
    view = jobs.view_job(ws.job)
    if view is not None:
        ws = session.merge_job_results(view)
    results = session.results_for_plans(ws, table, plans)
    if view is not None and view.is_running:
        with st.container(border=True):
            if ws.job != ws.reference_job:
                st.caption(_(text_learn.OWN_RUNS))
            run_panel.show_run_progress()
    elif len(results) < len(plans):
        with st.container(border=True):
            if view is not None and ws.job == ws.reference_job:
                run_panel.show_run_end(view)
            _offer(table, [plan for plan in plans if plan not in results], len(results))
    return list(results.values())


def _offer(table: Table, todo: Sequence[Plan], done: int) -> None:
    count = len(literature.runnable_cells(reproduce.recognise_dataset(table) or ""))
    time = durations.duration_text(durations.expected_run_seconds(todo, table))
    note = _("{count} are done already.").format(count=done) if done else ""
    words = _("**{cells} published cells need {runs} runs**, {time}.")
    words = words.format(cells=count, runs=len(todo) + done, time=time) + f" {note}"
    key = session.widget_key("run cells")
    if run_panel.ask_to_start_run(words, _("Run the published cells"), key):
        plans = _plans_to_run(table)
        results = session.results_for_plans(session.workspace(), table, plans)
        job = jobs.start_run(table, plans, known_results=results)
        session.update_workspace(job=job, reference_job=job)
        st.rerun()


def _plans_to_run(table: Table) -> tuple[Plan, ...]:
    return reproduce.plans_to_reproduce(reproduce.recognise_dataset(table) or "", table)


def show_verdict_counts(
    comparisons: Sequence[reproduce.ComparisonRow], table: Table
) -> None:
    """Show for each verdict how many of the compared cells have it."""
    all_cells = literature.runnable_cells(reproduce.recognise_dataset(table) or "")
    count = sum(cell.method != literature.RAW_VALUES_METHOD for cell in all_cells)
    if len(comparisons) < count:
        st.caption(
            _("So far {done} of {all} cells have run.").format(
                done=len(comparisons), all=count
            )
        )
    kinds = [verdict_label(row) for row in comparisons]
    columns = st.columns(len(VERDICTS))
    for column, kind in zip(columns, VERDICTS.values(), strict=True):
        column.metric(
            capitalize_first(_(kind)),
            _("{count} of {all}").format(count=kinds.count(kind), all=len(kinds)),
            border=True,
            help=_(
                "Each published cell that has run is compared with the printed figure, "
                "with as many digits as were printed."
            ),
        )


def show_methods_not_implemented(table: Table) -> None:
    """Show which methods with losses printed for a table are not in this program."""
    names = published.unavailable_methods(reproduce.recognise_dataset(table) or "")
    if names:
        st.caption(
            _("Printed, but not among the methods here: {names}.").format(
                names=", ".join(names)
            )
        )


def show_printed_losses(table: Table | None) -> None:
    """Show a table of printed losses only, of one reference table or of all."""
    names = (
        literature.DATASET_SHAPES
        if table is None
        else [reproduce.recognise_dataset(table)]
    )
    printed = [cell for cell in literature.printed_cells() if cell.dataset in names]
    numbers = published.printed_loss_table(printed)
    _show(numbers, published.printed_loss_text_table(printed), "printed-cells")


def show_printed_and_own_losses(comparisons: Sequence[reproduce.ComparisonRow]) -> None:
    """Show a table of printed and our losses, rounded as they were printed."""
    numbers = published.comparison_table(comparisons)
    _show(numbers, published.comparison_text_table(comparisons), "published-cells")


def show_two_scalings_table(scaling_rows: Sequence[reproduce.RawAndZscoreRow]) -> None:
    """Show printed losses and ours on raw and on z-scored values, as a table."""
    numbers = published.two_scalings_table(scaling_rows)
    _show(numbers, published.two_scalings_text_table(scaling_rows), "both-scalings")


def _show(numbers: pd.DataFrame, texts: pd.DataFrame, name: str) -> None:
    """Show texts that sort as the numbers behind them."""
    styled = numbers.style
    for column in numbers.columns[(numbers.dtypes != texts.dtypes).to_numpy()]:
        for line, cell_text in texts[column].items():
            styled.format(partial(_cell_text, cell_text), subset=([line], [column]))
    st.dataframe(
        styled,
        hide_index=True,
        key=session.widget_key("table", name),
        column_config=heading_tooltips_config(numbers),
    )
    components.show_table_download(texts, name)


def _cell_text(shown: str, value: float) -> str:
    return shown
