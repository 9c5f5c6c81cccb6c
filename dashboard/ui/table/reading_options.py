"""Widgets that show and change the options with which the file was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.state import session
from dashboard.ui.browser_components.preview_rows import show_header_row_chooser
from dashboard.ui.table import open_file


def show_reading_options(fetch_first_rows: bool) -> None:
    """Show widgets for the reading options; a change reads the file again.

    Parameters
    ----------
    fetch_first_rows : bool
        Whether somebody sees it: only then are the first rows fetched.
    """
    ws = session.workspace()
    if ws.table is None:
        return
    options, format_ = ws.table.origin.options, ws.table.origin.format
    st.caption(_("Found in the file. Change what is wrong; roles stay."))
    if fetch_first_rows:
        show_header_row_chooser()
    _choose("delimiter", _("Between the fields"), text.DELIMITERS, options)
    _choose("decimal", _("Decimal sign"), text.DECIMALS, options)
    _choose("encoding", _("Encoding"), text.ENCODINGS, options)
    if "layout" in options:
        tied = _bind_option("layout", options["layout"])
        st.text_area(_("Layout"), help=_(text.LAYOUT_HELP), **tied)
    if "sql" in options:
        key = _widget_key("sql")
        st.session_state[key] = options["sql"] or ""
        st.text_area(
            _("Query"),
            key=key,
            help=_(
                "One SELECT of SQL, as DuckDB has it, whose answer is the table. "
                "Without one, a table of the file is read whole."
            ),
            on_change=_reread_by_query,
            args=(key,),
        )
    if "sheets" in options:
        sheets = {name: name for name in options["sheets"]}
        _choose("sheet", _(text.SHEETS.get(format_, "Sheet")), sheets, options)
    if "header" in options and "header_row" not in options:
        tied = _bind_option("header", options["header"])
        st.toggle(_("The first line holds the names"), **tied)


def _reread_by_query(key: str) -> None:
    query = st.session_state[key].strip()
    open_file.reread_upload(sql=query or None, sheet=None)


def _choose(
    name: str, label: str, names: Mapping[str, str], options: Mapping[str, Any]
) -> None:
    if name not in options:
        return
    choices: Sequence[str] = list(dict.fromkeys([*names, options[name]]))
    st.selectbox(
        label,
        choices,
        format_func=lambda value: (
            _("As the file says") if value is None else _(names.get(value, value))
        ),
        **_bind_option(name, options[name]),
    )


def _widget_key(name: str) -> str:
    return session.widget_key("reading", name, open_file.table_reset_count())


def _bind_option(name: str, value: object) -> dict[str, Any]:
    """Return the arguments of a widget that shows an option, and rereads with it."""
    key = _widget_key(name)
    st.session_state[key] = value
    return {
        "key": key,
        "on_change": lambda: open_file.reread_upload(**{name: st.session_state[key]}),
    }
