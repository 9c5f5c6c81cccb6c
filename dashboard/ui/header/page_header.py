"""Header of every page but lessons: the toolbar and a status line.

The first line holds what every page offers, beside the navigation; the second says
which file is open, what becomes of its columns, which result is looked at, and the one
next step.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import streamlit as st

from dashboard.i18n.language import ENGLISH, _, current, n_
from dashboard.i18n.markdown import escape_text
from dashboard.results.figures import (
    figures_with_best_bounds,
    loss_text,
    optimality_text_or_none,
    plan_label,
)
from dashboard.state import session
from dashboard.state.new_tables.matching_records import count_matching_records
from dashboard.ui.browser_components.components import make_row
from dashboard.ui.header import learn_links, open_project
from dashboard.ui.header.toolbar import show_toolbar
from dashboard.ui.runs import pinning
from dashboard.ui.table import missing_values, open_file
from dashboard.ui.table.no_table import title_or_file_name
from dashboard.ui.table.open_questions import list_open_questions
from dashboard.ui.table.reading_options import show_reading_options
from engine.core.errors import EngineError
from engine.data.kinds import Role
from engine.data.table import Table
from engine.pipeline.outcome import Outcome

LOGO_PATH = str(Path(__file__).parents[2] / "logo.svg")
"""A file: Streamlit would fetch an icon's picture from a server elsewhere."""

# Streamlit has the word of this one button in English alone.
_UPLOAD_STYLE = """<style>
section:has(> [type="file"]) p {{ font-size: 0; }}
section:has(> [type="file"]) p::after {{
  content: {word};
  font-size: 0.875rem;
}}
</style>"""

_LOGO_URL = (
    "data:image/svg+xml;base64," + b64encode(Path(LOGO_PATH).read_bytes()).decode()
)

_NO_RAIL = f"""@media (min-width: 769px) {{
  [aria-label="Sidebar"] {{ display: none; }}
  .stAppToolbar > div > :first-child:empty::before {{
    content: "";
    display: block;
    width: 28px;
    height: 28px;
    margin-left: 14px;
    background: url("{_LOGO_URL}") center / contain no-repeat;
  }}
}}"""
"""Gone at once with the page that has it, so that the next one is drawn as wide as it
stays. Streamlit may still hold the rail, and the logo in it: the header then draws it.
"""

HEADER_RISK_MEASURE = "record-linkage"
"""The measure of risk that stands in the second line, where it is known."""


_RAIL = """@media screen and (min-width: 769px) {
  [aria-label="Sidebar"] {
    position: absolute !important;
    inset: 0 auto 0 0;
    width: 262px !important;
  }
  .stAppViewContainer > div:not([aria-label="Sidebar"][data-collapsed="true"] ~ div) {
    flex: 0 0 calc(100% - 262px);
    width: calc(100% - 262px);
    transform: translateX(262px);
  }
}"""
"""The page makes room for the rail before that is drawn: it moves once, as a whole, and
nothing in it is moved by what comes. A rail that somebody has folded takes no room.
"""


def show_header(page_name: str) -> None:
    """Show the toolbar and status line, or on a lesson nothing; make room for the rail.

    Parameters
    ----------
    page_name : str
        Name of the page in the address.
    """
    ws = session.workspace()
    paired = ws.side_by_side and pinning.pinned_pair() is not None
    has_rail = page_name == "compare" and ws.table is not None and not paired
    beside = _RAIL if has_rail and not ws.is_set_aside else _NO_RAIL
    st.html(f"<style>{beside}</style>")
    if current() != ENGLISH:
        st.html(_UPLOAD_STYLE.format(word=json.dumps(_("Upload"), ensure_ascii=False)))
    if learn_links.is_lesson_page(page_name):
        return
    show_toolbar(page_name)
    with make_row(key=session.widget_key("chrome", "line"), wrap=False, gap="small"):
        st.markdown(_status_text(ws, page_name), width="stretch")
        if page_name == "data" and ws.upload is not None and not ws.is_set_aside:
            place = st.popover(
                _("Not right?"), key=session.widget_key("not right"), on_change="rerun"
            )
            with place:
                show_reading_options(fetch_first_rows=bool(place.open))
        _show_next_step(ws, page_name)
    open_project.show_project_messages(page_name)


def _status_text(ws: session.Workspace, page: str) -> str:
    """Return what the second line says; in grey, what gives way on narrow screens."""
    table = ws.table
    if table is None:
        return _("No table is open")
    title = f"**{escape_text(title_or_file_name(table))}**"
    if ws.is_set_aside:
        return _("{former} is set aside").format(former=title)
    count = _record_count_text(table, ws.shared_plan.only)
    if page == "data":
        described = (
            ()
            if ws.sample
            else map(escape_text, open_file.texts_on_how_upload_was_read())
        )
        return title + _in_grey(count, *described)
    n_columns = len(table.schema.quasi_identifiers)
    protected = n_(
        "{count} column protected", "{count} columns protected", n_columns
    ).format(count=f"{n_columns:,}")
    words = title + _in_grey(count, protected)
    chosen = session.selected_or_recommended_outcome(ws)
    if chosen is not None:
        label, loss = escape_text(plan_label(chosen.plan)), loss_text(chosen)
        words += f" · **{label}** · {loss}{_in_grey(*_beside_loss(chosen))}"
    return words


def _in_grey(*words: str) -> str:
    return f":gray[{''.join(f' · {word}' for word in words)}]" if words else ""


def _record_count_text(table: Table, only: str | None) -> str:
    """Return how many records take part, and of how many where that is not all."""
    all_ = f"{table.n_records:,}"
    try:
        count = count_matching_records(table, only)
    except EngineError:  # said where the condition is
        count = table.n_records
    if count == table.n_records:
        return n_("{count} record", "{count} records", count).format(count=all_)
    words = n_("{count} of {all} records", "{count} of {all} records", count)
    return words.format(count=f"{count:,}", all=all_)


def _beside_loss(outcome: Outcome) -> Iterator[str]:
    """Yield how far a result's loss is from the bound, and its risk, if known."""
    row = figures_with_best_bounds(
        [*session.requested_outcomes(session.workspace()), outcome]
    )[-1]
    if (bound := optimality_text_or_none(row)) is not None:
        yield bound
    if HEADER_RISK_MEASURE in outcome.scores:
        yield _("risk {risk:.1f} %").format(
            risk=outcome.scores[HEADER_RISK_MEASURE].value
        )


def _show_next_step(ws: session.Workspace, page: str) -> None:
    """Show the button that leads on; grey while something must be settled here."""
    if ws.table is None:
        return
    if ws.is_set_aside:
        st.button(
            _("Bring it back"),
            key=session.widget_key("bring back"),
            type="primary",
            icon=":material/undo:",
            on_click=open_file.restore_set_aside_table,
        )
    elif page == "data":
        questions = list_open_questions(ws)
        count = len(questions)
        if count:
            words = n_("{count} question is open", "{count} questions are open", count)
            with st.container(
                width="content", key=session.widget_key("chrome", "needs")
            ):
                st.caption(words.format(count=f"{count:,}"), width="content")
        schema = ws.table.schema
        undecided = schema.with_role(Role.UNDECIDED)
        grey = bool(undecided) or not schema.quasi_identifiers
        words, settles = _("Choose protection"), None
        if not grey and missing_values.can_keep_or_fill_all(ws):
            words = _("Keep gaps, choose protection")
            settles = missing_values.set_keep_or_fill_everywhere
        # Who records are about and what is surely missing is said first: there the one
        # coloured button is.
        is_next = not (
            questions.asks_person or questions.asks_first_of_sure_codes(ws.table)
        )
        _show_step_button(words, "compare", grey, settles, is_next)
    elif page in ("compare", "inspect") and session.requested_outcomes(ws):
        _show_step_button(_("Choose a release"), "release")


def _show_step_button(
    label: str,
    page: str,
    disabled: bool = False,
    settles: Callable[[], None] | None = None,
    is_coloured: bool = True,
) -> None:
    """Show the button of the next step, which may settle what is open before."""
    if st.button(
        label,
        key=session.widget_key("to", page),
        type="primary" if is_coloured else "secondary",
        icon=":material/arrow_forward:",
        icon_position="right",
        disabled=disabled,
        on_click=settles,
    ):
        st.switch_page(f"app_pages/{page}/view.py")
