"""Hierarchy editor: column, way to build, level table and picture."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dashboard.app_pages.data.hierarchy import hierarchies
from dashboard.app_pages.data.hierarchy.hierarchy_builder import (
    editor_widget_key,
    reset_hierarchy_editor_widgets,
    set_hierarchy,
    show_hierarchy_builder,
)
from dashboard.charts.theme import PLOTLY_CONFIG
from dashboard.charts.tree import draw_hierarchy, lowest_level_to_draw
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.state.caches.session_cache import HASH_BY_COLUMNS, cache_in_session
from dashboard.state.new_tables.hierarchies import describe_uncovered_values
from dashboard.ui.browser_components.plots import show_plot
from dashboard.ui.table import open_file
from engine.core.errors import EngineError
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.hierarchy import Hierarchy
from engine.report.command_line import hierarchy_file_names

MAX_VISIBLE_VALUES = 28
"""Values shown before the level table scrolls."""


def open_hierarchy_editor_at(column_name: str) -> None:
    """Unfold the hierarchy editor, with a column selected, at the page's next run."""
    st.session_state[_memory_key()] = column_name
    st.session_state[_is_open()] = True


def _memory_key() -> str:
    return session.widget_key("hierarchy", "chosen", open_file.table_reset_count())


def _is_open() -> str:
    return session.widget_key("hierarchy", "open", open_file.table_reset_count())


def show_hierarchy_editor(table: Table) -> None:
    """Show the hierarchy editor; each valid edit goes to the workspace at once."""
    names = _candidates(table)
    if not names:
        return
    # Once open it stays so: removing the last hierarchy must not shut it.
    is_open = _is_open()
    st.session_state[is_open] = st.session_state.get(
        is_open, False
    ) or hierarchies.has_or_needs_hierarchy(table)
    with st.expander(
        _("Hierarchies: what values may become"),
        icon=":material/account_tree:",
        expanded=st.session_state[is_open],
    ):
        st.caption(_(text.HIERARCHY_SHOW))
        left, right = st.columns([2, 3], gap="large")
        with left:
            name = _choose_column(table, names)
            tree = table.schema[name].hierarchy
            st.caption(_status_text(table, name, tree))
        with right:
            counts = _tally(table, name)
            show_hierarchy_builder(table, name, counts.index.to_series())
        if tree is not None:
            _show_hierarchy(table, name, tree, counts)


_candidates = cache_in_session(8, HASH_BY_COLUMNS)(hierarchies.columns_for_hierarchy)


@cache_in_session(8)
def _tally(table: Table, name: str) -> pd.Series:
    return hierarchies.count_records_per_value(table.frame[name])


def _choose_column(table: Table, names: tuple[str, ...]) -> str:
    """Show which column is looked at; at first one that has a hierarchy, if any."""
    # Not `persist_state`: until somebody chooses, the first one is to follow the roles.
    memory = _memory_key()
    name = st.session_state.get(memory)
    if name not in names:
        has = [name for name in names if table.schema[name].hierarchy is not None]
        name = (has or names)[0]
    key = editor_widget_key("column")
    st.session_state[key] = name

    def remember() -> None:
        st.session_state[memory] = st.session_state[key]

    return st.selectbox(
        _("Column"), names, help=_(text.HIERARCHY_SHOW), key=key, on_change=remember
    )


def _status_text(table: Table, name: str, tree: Hierarchy | None) -> str:
    """Say in a sentence what the column has, or lacks."""
    if tree is not None:
        hint = _(text.HIERARCHY_EDIT if tree.height > 1 else text.HIERARCHY_LOW)
        if hierarchies.is_ordinal_text(table, name):
            hint += f" {_(text.HIERARCHY_PLACES)}"
        shape = hierarchies.hierarchy_size_text(tree)
        return _("{shape}. {hint}").format(shape=shape, hint=hint)
    if hierarchies.is_ordinal_text(table, name):
        return _(
            "No hierarchy yet, so nothing says the order of these words: build one, "
            "and put its rows in order from low to high."
        )
    nominal = table.schema[name].kind is Kind.NOMINAL
    return _(text.HIERARCHY_NONE if nominal else text.HIERARCHY_MAY)


def _show_hierarchy(
    table: Table, name: str, tree: Hierarchy, counts: pd.Series
) -> None:
    """Show a hierarchy as a table to edit and as a picture, and what it lacks."""
    gone = tree.uncovered_values(counts.index.to_series())
    if gone:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.error(describe_uncovered_values(name, gone), icon=":material/error:")
            st.button(
                _("Add as rows"),
                key=editor_widget_key("add values", name),
                icon=":material/playlist_add:",
                on_click=set_hierarchy,
                args=(name, hierarchies.add_values_to_hierarchy(tree, gone)),
            )
    left, right = st.columns(2, gap="large")
    with left:
        _show_level_table(table, name, tree)
        _show_tools(table, name, tree)
    with right:
        show_plot(
            draw_hierarchy(tree, hierarchies.records_per_leaf(counts, tree)),
            editor_widget_key("tree", name),
            _(
                "The hierarchy of {name} as nested boxes; the table says the same"
            ).format(name=name),
            PLOTLY_CONFIG | {"displayModeBar": False},
        )
        if lowest_level_to_draw(tree):
            st.caption(_(text.TREE_CUT).format(count=f"{len(tree.leaves):,}"))


def _show_level_table(table: Table, name: str, tree: Hierarchy) -> None:
    """Show one row per value; each edit is kept at once if it leaves a tree."""
    base = hierarchies.level_table(tree, hierarchies.is_ordinal_text(table, name))
    height = 37 + 35 * min(len(base), MAX_VISIBLE_VALUES)
    alt = _("Level table of {name}: one row per value, general to the right")
    alt = alt.format(name=name)
    config = _column_config(tree)
    if len(base) > hierarchies.MAX_EDITABLE_VALUES:
        st.dataframe(
            base, hide_index=True, height=height, column_config=config, alt=alt
        )
        st.caption(_(text.LEVELS_TOO_MANY))
        return
    key = editor_widget_key("levels table", name)
    st.data_editor(
        base,
        key=key,
        on_change=_take_over,
        args=(name, key),
        hide_index=True,
        height=height,
        disabled=[hierarchies.VALUE_HEADING, base.columns[-1]],
        column_config=config,
        alt=alt,
    )
    try:
        is_applied = hierarchies.apply_level_edits(tree, _pending_edits(key)) == tree
    except EngineError as error:
        st.error(escape_text(_(error.message)), icon=":material/error:")
        st.button(
            _("Undo these edits"),
            key=editor_widget_key("undo", name),
            icon=":material/undo:",
            on_click=reset_hierarchy_editor_widgets,
        )
    else:
        if not is_applied:  # an edit that came without a call
            _take_over(name, key)
            st.rerun()


def _column_config(tree: Hierarchy) -> dict[str, Any]:
    column = st.column_config
    value, *levels, root = hierarchies.level_headings(tree)
    titles = {value: _("Value"), root: _("Root")}
    for number, level in enumerate(levels, start=1):
        titles[level] = _("Level {number}").format(number=number)
    return {
        hierarchies.POSITION_HEADING: column.NumberColumn(
            _("Place"),
            width=60,
            min_value=1,
            max_value=len(tree.leaves),
            help=_(text.PLACE_HELP),
        ),
        **{
            name: column.TextColumn(title, required=True)
            for name, title in titles.items()
        },
    }


def _show_tools(table: Table, name: str, tree: Hierarchy) -> None:
    """Show what can be done with the hierarchy as a whole."""
    columns = [
        column.name
        for column in table.schema.columns
        if column.hierarchy or column.name == name
    ]
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            _("Download level file"),
            tree.to_csv().encode(),
            file_name=hierarchy_file_names(columns)[name],
            mime="text/csv",
            icon=":material/download:",
            key=editor_widget_key("download", name),
            on_click="ignore",
            help=_(text.LEVEL_FILE_HELP),
        )
        with st.popover(_("Levels"), icon=":material/stairs:"):
            st.button(
                _("Add a level below the root"),
                key=editor_widget_key("add level", name),
                icon=":material/add:",
                disabled=tree.height >= hierarchies.MAX_LEVELS,
                on_click=set_hierarchy,
                args=(name, hierarchies.add_level(tree)),
            )
            for level in range(1, tree.height):
                st.button(
                    _("Remove level {number}").format(number=level),
                    key=editor_widget_key("remove level", level, name),
                    icon=":material/remove:",
                    on_click=set_hierarchy,
                    args=(name, hierarchies.remove_level(tree, level)),
                )
        st.button(
            _("Remove"),
            key=editor_widget_key("remove", name),
            icon=":material/delete:",
            type="tertiary",
            help=_("Let the column have no hierarchy."),
            on_click=set_hierarchy,
            args=(name, None),
        )


def _take_over(name: str, key: str) -> None:
    """Keep edits before the page is drawn again, if they leave a tree."""
    table = session.workspace().table
    assert table is not None
    tree = table.schema[name].hierarchy
    # A button pressed at the same moment may have replaced what was edited.
    if tree is None or key != editor_widget_key("levels table", name):
        return
    edits = _pending_edits(key)
    try:
        changed = hierarchies.apply_level_edits(tree, edits)
    except EngineError:
        return  # said below the table, which still holds the edits
    session.update_workspace(table=table.assign(hierarchies={name: changed}))
    if any(hierarchies.POSITION_HEADING in cells for cells in edits.values()):
        reset_hierarchy_editor_widgets()  # it remembers other lines


def _pending_edits(key: str) -> dict[int, dict[str, Any]]:
    edits: dict[int, dict[str, Any]] = st.session_state[key]["edited_rows"]
    return edits
