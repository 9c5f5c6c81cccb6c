"""Toolbar on every page but lessons: undo, redo, runs, project, language, help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import streamlit as st

from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.manual.chapters import AT, CHAPTER
from dashboard.state import session
from dashboard.state.snapshots.changes import describe_changes
from dashboard.state.snapshots.restore import take_snapshot
from dashboard.ui.browser_components.components import make_row
from dashboard.ui.header.language_menu import show_language_menu
from dashboard.ui.header.project_menu import open_project_dialog
from dashboard.ui.runs.run_list import open_run_list_dialog
from dashboard.ui.table import open_file

# Streamlit's shortcuts act while somebody types, where Ctrl+Z takes a letter back; and
# on a phone its drawer stays open before the page that was chosen in it.
_habits = st.components.v2.component(
    "coterie.habits",
    js="""
    const page = "[aria-label=Sidebar] nav a"
    const close = "[aria-label='Collapse sidebar']"
    const drawer = window.matchMedia("(max-width: 768px)")
    const kinds = ["button", "checkbox", "color", "file", "radio", "range"]
    const takesText = (node) =>
        node.isContentEditable || node.tagName === "TEXTAREA" ||
        (node.tagName === "INPUT" && !kinds.includes(node.type) &&
            node.getAttribute("role") !== "combobox")
    export default function () {
        if (window.coterieHabits) return
        window.coterieHabits = true
        window.addEventListener("keydown", (event) => {
            const undo = (event.ctrlKey || event.metaKey) &&
                event.key.toLowerCase() === "z"
            if (undo && event.composedPath().some(takesText))
                event.stopImmediatePropagation()
        }, true)
        window.addEventListener("click", ({ target }) => {
            if (drawer.matches && target.closest?.(page))
                document.querySelector(close)?.click()
        })
    }
    """,
)


def show_toolbar(page_name: str) -> None:
    """Show the buttons for undo, redo, runs, project, language and help.

    Parameters
    ----------
    page_name : str
        Name of the page in the address.
    """
    ws = session.workspace()
    past, future = ws.history.past, ws.history.future
    now = take_snapshot(ws)
    with make_row(
        horizontal_alignment="right",
        gap="xxsmall",
        wrap=False,
        key=session.widget_key("chrome", "tools"),
    ):
        _habits(key=session.widget_key("habits"), height=1)
        undo, redo = _("No change to take back."), _("No undone change to make again.")
        if past:
            change = describe_changes(past[-1], now)
            undo = escape_text(_("Undo: {change}").format(change=change))
        if future:
            change = describe_changes(now, future[-1])
            redo = escape_text(_("Redo: {change}").format(change=change))
        for name, label, help_, snapshots, shortcut, step in (
            ("undo", _("Undo"), undo, past, "Ctrl+Z", session.undo_last_change),
            ("redo", _("Redo"), redo, future, "Ctrl+Shift+Z", session.redo_last_undo),
        ):
            st.button(
                label,
                key=session.widget_key(name),
                type="tertiary",
                icon=f":material/{name}:",
                help=help_,
                disabled=not snapshots,
                shortcut=shortcut,
                on_click=_go,
                args=(step,),
            )
        if ws.runs and st.button(
            _("Runs"),
            key=session.widget_key("show", "runs"),
            type="tertiary",
            icon=":material/history:",
            help=_("The runs of this session, to go back to."),
        ):
            open_run_list_dialog()
        if st.button(
            _("Project"),
            key=session.widget_key("show", "project"),
            type="tertiary",
            icon=":material/folder:",
            help=_("Save this work as a file, or go on with a saved one."),
        ):
            open_project_dialog()
        show_language_menu()
        show_manual_link_for_page(page_name)


def _go(step: Callable[[], object]) -> None:
    step()
    open_file.reset_table_widgets()


HELP_PAGE = "app_pages/help/view.py"

HOW_TO_BY_PAGE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "data": ("choose-columns", ""),
        "need": ("need", ""),
        "compare": ("choose-method", ""),
        "inspect": ("pages", "inspect"),
        "release": ("evidence", ""),
        "learn": ("class", ""),
    }
)
"""By a page's name in the address, the chapter and heading that help on it."""


def show_manual_link_for_page(page_name: str) -> None:
    """Show a link to the manual's chapter about a page, if it has one.

    Parameters
    ----------
    page_name : str
        Name of the page in the address; one without a chapter has no link.
    """
    if page_name not in HOW_TO_BY_PAGE:
        return
    chapter, anchor = HOW_TO_BY_PAGE[page_name]
    label = _("How-to for this page")
    with st.container(key=session.widget_key("how to"), width="content"):
        st.page_link(
            HELP_PAGE,
            label=label,
            icon=":material/help:",
            help=label,
            query_params={CHAPTER: chapter} | ({AT: anchor} if anchor else {}),
        )
