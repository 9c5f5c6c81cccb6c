"""The toolbar above every page's title: undo, redo, runs, project, language."""

from __future__ import annotations

import streamlit as st

from dashboard.i18n.language import _
from dashboard.i18n.markdown import plain
from dashboard.state import session
from dashboard.state.changes import describe_changes
from dashboard.state.restore import take_snapshot
from dashboard.ui import open_file
from dashboard.ui.language_menu import choose_language
from dashboard.ui.open_project import show_messages
from dashboard.ui.project_menu import project_menu
from dashboard.ui.run_list import run_list

# Streamlit's shortcuts act while somebody types, where Ctrl+Z takes a letter back.
_typing = st.components.v2.component(
    "coterie.typing",
    js="""
    const kinds = ["button", "checkbox", "color", "file", "radio", "range"]
    const takesText = (node) =>
        node.isContentEditable || node.tagName === "TEXTAREA" ||
        (node.tagName === "INPUT" && !kinds.includes(node.type) &&
            node.getAttribute("role") !== "combobox")
    export default function () {
        if (window.coterieTyping) return
        window.coterieTyping = true
        window.addEventListener("keydown", (event) => {
            const undo = (event.ctrlKey || event.metaKey) &&
                event.key.toLowerCase() === "z"
            if (undo && event.composedPath().some(takesText))
                event.stopImmediatePropagation()
        }, true)
    }
    """,
)


def toolbar() -> None:
    """Show the buttons, each saying what it would do."""
    ws = session.workspace()
    past, future = ws.history.past, ws.history.future
    now = take_snapshot(ws)
    with st.container(
        horizontal=True,
        horizontal_alignment="right",
        vertical_alignment="center",
        gap="small",
    ):
        _typing(key=session.key("typing"), height=1)
        undo = (
            _("Undo: {change}").format(change=describe_changes(past[-1], now))
            if past
            else ""
        )
        redo = (
            _("Redo: {change}").format(change=describe_changes(now, future[-1]))
            if future
            else ""
        )
        st.button(
            _("Undo"),
            key=session.key("undo"),
            type="tertiary",
            icon=":material/undo:",
            help=plain(undo) or _("No change to take back."),
            disabled=not past,
            shortcut="Ctrl+Z",
            on_click=_undo,
        )
        st.button(
            _("Redo"),
            key=session.key("redo"),
            type="tertiary",
            icon=":material/redo:",
            help=plain(redo) or _("No undone change to make again."),
            disabled=not future,
            shortcut="Ctrl+Shift+Z",
            on_click=_redo,
        )
        if ws.runs and st.button(
            _("Runs"),
            key=session.key("show", "runs"),
            type="tertiary",
            icon=":material/history:",
            help=_("The runs of this session, to go back to."),
        ):
            run_list()
        if st.button(
            _("Project"),
            key=session.key("show", "project"),
            type="tertiary",
            icon=":material/folder:",
            help=_("Save this work as a file, or go on with a saved one."),
        ):
            project_menu()
        choose_language()
    show_messages()


def _undo() -> None:
    session.undo()
    open_file.next_round()


def _redo() -> None:
    session.redo()
    open_file.next_round()
