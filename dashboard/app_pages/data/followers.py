"""Panel on columns that say the same: one is protected, and the others follow it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dashboard.i18n.language import _
from dashboard.i18n.markdown import quote_name
from dashboard.state import session
from engine.data.table import Table


def show_follower_panel(table: Table) -> None:
    """Show which columns are made anew from another one; each can be undone."""
    followers = table.schema.followers
    if not followers or session.workspace().shared_plan.follows:
        return
    st.subheader(_("Columns that say the same"), anchor=False)
    with st.container(key=session.widget_key("follower panel"), gap="small"):
        for name, leading in followers.items():
            _show_follower(name, leading)


def _show_follower(name: str, leading: str) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", gap="xsmall", wrap=False
    ):
        words = _("{name} is made anew from {leading}, so that they never contradict.")
        st.markdown(words.format(name=quote_name(name), leading=quote_name(leading)))
        st.button(
            _("Undo it"),
            key=session.widget_key("follower", name),
            type="tertiary",
            help=_("Protect both, each with common values of its own."),
            on_click=_protect_apart,
            args=(name,),
        )


def _protect_apart(name: str) -> None:
    """Let a column follow none from now on."""
    table = session.workspace().table
    if table is None:
        return
    schema = table.schema
    columns = tuple(
        replace(column, follows=() if column.name == name else column.follows)
        for column in schema.columns
    )
    session.update_workspace(
        table=replace(table, schema=replace(schema, columns=columns))
    )
