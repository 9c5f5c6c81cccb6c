"""The reference table on the Learn page: opened, run, and shown cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from dashboard.charts.verdicts import sentence, verdict_kind
from dashboard.i18n import text_learn
from dashboard.i18n.language import _, listed
from dashboard.i18n.markdown import plain
from dashboard.i18n.text_learn import VERDICTS
from dashboard.jobs import jobs
from dashboard.learn import published
from dashboard.readers.readings import read_now
from dashboard.results.facts import split
from dashboard.state import session
from dashboard.ui import components, durations, open_file, run_panel
from dashboard.ui.headings import described
from engine.analysis import literature, reproduce
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.pipeline.compare import Result
from engine.pipeline.plan import Plan

_PROBLEM = session.key("reference", "problem")
_ROUND = session.key("reference", "round")


def open_reference() -> None:
    """Show the uploader, which table is open, and why a file was not taken."""
    ws = session.workspace()
    view = jobs.view(ws.job)
    left, right = st.columns(2, gap="large", vertical_alignment="center")
    file = left.file_uploader(
        _("Your copy of census.csv, tarragona.csv or eia.csv"),
        open_file.suffixes(),
        help=_(text_learn.REFERENCE_HELP),
        # While its cells run; what else runs need not be waited for.
        disabled=view is not None and view.running and ws.job == ws.reference_job,
        key=session.key("reference", st.session_state.get(_ROUND, 0)),
    )
    if file is not None:
        st.session_state[_PROBLEM] = _taken(file)
        st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
        st.rerun()
    with right:
        if ws.reference is None:
            st.markdown(_(text_learn.REFERENCE_WANTED))
        else:
            st.markdown(
                _(text_learn.REFERENCE_IS).format(
                    title=_title(ws.reference),
                    count=f"{ws.reference.n_records:,}",
                    file=plain(ws.reference.origin.name),
                )
            )
            st.caption(_(text_learn.REFERENCE_OPEN))
    if st.session_state.get(_PROBLEM):
        st.error(st.session_state[_PROBLEM], icon=":material/error:")


def _taken(file: open_file.File) -> str:
    """Keep an uploaded reference table; return why not, if it is none."""
    try:
        table: Table = read_now("table", file.getvalue(), file.name).table
    except EngineError as error:
        return plain(_(error.message))
    name = reproduce.recognise(table)
    if name is None:
        return _not_recognised(file.name, table)
    for column, values in table.frame.items():
        if values.dtype.kind not in "iuf" or values.isna().any():
            return _(text_learn.REFERENCE_NO_NUMBERS).format(
                file=plain(file.name), table=name, column=plain(repr(column))
            )
    session.update(reference=table)
    return ""


def _not_recognised(file_name: str, table: Table) -> str:
    rows, columns = table.frame.shape
    known = [
        _("{name}.csv {rows} and {columns}").format(name=name, rows=f"{n:,}", columns=p)
        for name, (n, p) in literature.SIZES.items()
    ]
    return _(text_learn.REFERENCE_UNKNOWN).format(
        file=plain(file_name),
        rows=f"{rows:,}",
        columns=f"{columns:,}",
        known=listed(known),
    )


def _title(table: Table) -> str:
    return published.table_title(reproduce.recognise(table) or "")


def cells(
    table: Table,
) -> tuple[tuple[reproduce.Row, ...], tuple[reproduce.ScalingRow, ...]]:
    """Show the button or how far the run is; return the cells that have run."""
    results = _run(table)
    failures = split(results)[1]
    components.sentences(
        list(dict.fromkeys(failure.message for failure in failures)),
        st.warning,
        ":material/error:",
        _("Some runs gave no result:"),
    )
    name = reproduce.recognise(table) or ""
    return reproduce.rows(name, reproduce.by_choice(tuple(results)))


def _run(table: Table) -> list[Result]:
    asked = _plans(table)
    ws = session.workspace()
    view = jobs.view(ws.job)
    if view is not None:
        ws = session.collect(view)
    known = session.results_of(ws, table, asked)
    if view is not None and view.running:
        with st.container(border=True):
            if ws.job != ws.reference_job:
                st.caption(_(text_learn.OWN_RUNS))
            run_panel.follow()
    elif len(known) < len(asked):
        with st.container(border=True):
            if view is not None and ws.job == ws.reference_job:
                run_panel.show_end(view)
            _offer(table, [plan for plan in asked if plan not in known], len(known))
    return list(known.values())


def _offer(table: Table, todo: Sequence[Plan], done: int) -> None:
    left, right = st.columns([3, 1], vertical_alignment="center")
    count = len(literature.cells(reproduce.recognise(table) or ""))
    words = durations.duration_words(durations.expected(todo, table))
    kept = _("{count} are done already.").format(count=done) if done else ""
    left.markdown(
        _("**{cells} published cells need {runs} runs**, {time}.").format(
            cells=count, runs=len(todo) + done, time=words
        )
        + f" {kept}"
    )
    if right.button(
        _("Run the published cells"),
        type="primary",
        icon=":material/play_arrow:",
        width="stretch",
        key=session.key("run cells"),
    ):
        asked = _plans(table)
        known = session.results_of(session.workspace(), table, asked)
        job = jobs.start(table, asked, known=known)
        session.update(job=job, reference_job=job)
        st.rerun()


def _plans(table: Table) -> tuple[Plan, ...]:
    return reproduce.plans(reproduce.recognise(table) or "", table)


def verdicts(rows: Sequence[reproduce.Row], table: Table) -> None:
    """Count the verdicts in a line."""
    all_cells = literature.cells(reproduce.recognise(table) or "")
    count = sum(cell.method != literature.RAW for cell in all_cells)
    if len(rows) < count:
        st.caption(
            _("So far {done} of {all} cells have run.").format(
                done=len(rows), all=count
            )
        )
    kinds = [verdict_kind(row) for row in rows]
    columns = st.columns(len(VERDICTS))
    for column, kind in zip(columns, VERDICTS, strict=True):
        column.metric(
            sentence(_(kind)),
            _("{count} of {all}").format(count=kinds.count(kind), all=len(kinds)),
            border=True,
            help=_(text_learn.VERDICT_HELP),
        )


def missing_methods(table: Table) -> None:
    """Name the methods with printed figures that could not be run."""
    names = published.not_run(reproduce.recognise(table) or "")
    if names:
        st.caption(
            _("Printed, but not among the methods here: {names}.").format(
                names=", ".join(names)
            )
        )


def printed_alone(table: Table | None) -> None:
    """Show printed cells without ours: of one table, or of all."""
    names = literature.SIZES if table is None else [reproduce.recognise(table)]
    printed = [cell for cell in literature.published() if cell.dataset in names]
    numbers, texts = published.printed_table(printed), published.printed_texts(printed)
    _show(numbers, texts, "printed-cells")


def cell_table(rows: Sequence[reproduce.Row]) -> None:
    """Show printed and our figures with as many digits as were printed."""
    _show(published.row_table(rows), published.row_texts(rows), "published-cells")


def scaling_table(pairs: Sequence[reproduce.ScalingRow]) -> None:
    """Show the pairwise systematic column on both scalings."""
    numbers, texts = published.scaling_table(pairs), published.scaling_texts(pairs)
    _show(numbers, texts, "both-scalings")


def _show(numbers: pd.DataFrame, texts: pd.DataFrame, name: str) -> None:
    """Show texts that sort as the numbers behind them."""
    styled = numbers.style
    for column in numbers.columns[(numbers.dtypes != texts.dtypes).to_numpy()]:
        for line, shown in texts[column].items():
            styled.format(partial(_text, shown), subset=([line], [column]))
    st.dataframe(
        styled,
        hide_index=True,
        key=session.key("table", name),
        column_config=described(numbers),
    )
    components.download_table(texts, name)


def _text(shown: str, value: float) -> str:
    return shown
