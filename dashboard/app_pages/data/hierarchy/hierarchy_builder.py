"""Widgets that build a column's hierarchy from a recipe or read it from a file."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.app_pages.data.hierarchy import hierarchy_recipes
from dashboard.app_pages.data.hierarchy.hierarchy_recipes import (
    RECIPE_KINDS,
    HierarchyRecipe,
)
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.readers.readings import read_file_and_wait
from dashboard.state import session
from dashboard.ui.table import open_file
from engine.core.errors import EngineError
from engine.data.table import Table
from engine.hierarchy import DATE_LEVELS, Hierarchy

_ROUND_KEY = session.widget_key("hierarchy", "round")
_PROBLEM_KEY = session.widget_key("hierarchy", "trouble")


def show_hierarchy_builder(table: Table, column_name: str, values: pd.Series) -> None:
    """Show ways to build a column's hierarchy, the chosen one's inputs, an example."""
    proposed = hierarchy_recipes.propose_hierarchy_recipe(values)
    way = st.segmented_control(
        _("Build it from"),
        RECIPE_KINDS,
        format_func=lambda way: _(text.HIERARCHY_WAYS[way]),
        default=proposed.way,
        required=True,
        help=_(text.HIERARCHY_WAYS_HELP),
        key=editor_widget_key("way", column_name),
        persist_state="session",
    )
    if way == "file":
        _show_level_file(column_name)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        recipe, trouble = _choose_recipe(column_name, way or proposed.way, proposed)
        example = ""
        if not trouble:
            example, trouble = hierarchy_recipes.recipe_example_and_error(
                values, recipe
            )
        late = st.session_state.pop(_PROBLEM_KEY, "")
        st.button(
            _("Build")
            if table.schema[column_name].hierarchy is None
            else _("Build anew"),
            key=editor_widget_key("build", column_name),
            icon=":material/construction:",
            disabled=bool(trouble),
            on_click=_store_built,
            args=(column_name, values, recipe),
        )
        _undo(column_name)
    if trouble or late:
        st.error(trouble or late, icon=":material/error:")
    elif example:
        st.caption(example)


def _choose_recipe(
    name: str, way: str, proposed: HierarchyRecipe
) -> tuple[HierarchyRecipe, str]:
    """Show what the way needs; return the recipe, and what is wrong with it."""
    if way == "prefixes":
        step = st.number_input(
            _("Characters left out at each level"),
            1,
            20,
            1,
            key=editor_widget_key("step", name),
            width=240,
        )
        return HierarchyRecipe(way, step=int(step)), ""
    if way == "intervals":
        return _choose_interval_recipe(name, proposed)
    if way == "dates":
        chosen = st.pills(
            _("Periods"),
            list(DATE_LEVELS),
            selection_mode="multi",
            format_func=lambda period: _(text.DATE_PERIODS[period]),
            default=proposed.periods,
            key=editor_widget_key("periods", name),
        )
        periods = tuple(period for period in DATE_LEVELS if period in chosen)
        return HierarchyRecipe(way, periods=periods), "" if periods else _(
            "Choose at least one period."
        )
    if way == "hand":
        levels = st.number_input(
            _("Levels between the values and the root"),
            1,
            6,
            1,
            key=editor_widget_key("levels", name),
            width=280,
        )
        return HierarchyRecipe(way, levels=int(levels)), ""
    return HierarchyRecipe(way), ""


def _choose_interval_recipe(
    name: str, proposed: HierarchyRecipe
) -> tuple[HierarchyRecipe, str]:
    kind = st.selectbox(
        _("Intervals"),
        text.INTERVAL_WAYS,
        format_func=_,
        help=_(text.WIDTHS_HELP) + "  \n" + _(text.CUTS_HELP),
        key=editor_widget_key("intervals", name),
        width=150,
    )
    if kind == "Cut points":
        cuts = st.text_input(
            _("New intervals begin at"),
            placeholder="18, 65",
            help=_(text.CUTS_HELP),
            key=editor_widget_key("cuts", name),
            width=200,
        )
        missing = "" if cuts.strip() else _(text.CUTS_NONE)
        return HierarchyRecipe("intervals", cuts=cuts), missing
    widths = st.text_input(
        _("Widths, narrow to wide"),
        proposed.widths or "1, 2, 4",
        help=_(text.WIDTHS_HELP),
        key=editor_widget_key("widths", name),
        width=200,
    )
    origin = st.number_input(
        _("One begins at"),
        value=0.0,
        format="%g",
        help=_("Where one of the intervals begins; the others follow from it."),
        key=editor_widget_key("origin", name),
        width=120,
    )
    return HierarchyRecipe("intervals", widths=widths, origin=float(origin)), ""


def _show_level_file(name: str) -> None:
    file = st.file_uploader(
        _("CSV level file"),
        ["csv", "txt", "tsv"],
        help=_(text.LEVEL_FILE_HELP),
        key=editor_widget_key("file", name),
    )
    if file is None:
        return
    try:
        tree = read_file_and_wait("hierarchy", file.getvalue(), file.name)
    except EngineError as error:
        st.error(escape_text(_(error.message)), icon=":material/error:")
    else:
        set_hierarchy(name, tree)
        st.rerun()


def _store_built(name: str, values: pd.Series, recipe: HierarchyRecipe) -> None:
    try:
        tree = hierarchy_recipes.build_hierarchy_from_recipe(values, recipe)
    except EngineError as error:  # of values too many to be tried while typing
        st.session_state[_PROBLEM_KEY] = escape_text(_(error.message))
    else:
        set_hierarchy(name, tree)


def _undo(name: str) -> None:
    """Offer to go back to what the column had before the last change as a whole."""
    earlier = _earlier_hierarchies()
    if name in earlier:
        st.button(
            _("Undo"),
            key=editor_widget_key("back", name),
            icon=":material/undo:",
            type="tertiary",
            help=_("Go back to what this column had before. Undo again to return."),
            on_click=set_hierarchy,
            args=(name, earlier[name]),
        )


def _earlier_hierarchies() -> dict[str, Hierarchy | None]:
    """Return what columns had before, for this table only."""
    key = session.widget_key("hierarchy", "earlier", open_file.table_reset_count())
    earlier_trees: dict[str, Hierarchy | None] = st.session_state.setdefault(key, {})
    return earlier_trees


def set_hierarchy(column_name: str, hierarchy: Hierarchy | None) -> None:
    """Set or remove a column's hierarchy in the open table; keep the old for undo."""
    # The table as it is now: edits may have come since the button was drawn.
    table = session.workspace().table
    assert table is not None
    _earlier_hierarchies()[column_name] = table.schema[column_name].hierarchy
    session.update_workspace(table=table.assign(hierarchies={column_name: hierarchy}))
    reset_hierarchy_editor_widgets()


def reset_hierarchy_editor_widgets() -> None:
    """Change the keys of the level table and the uploader, which empties them."""
    st.session_state[_ROUND_KEY] = int(st.session_state.get(_ROUND_KEY, 0)) + 1


def editor_widget_key(widget_name: str, *key_parts: object) -> str:
    """Return the key of one of the hierarchy editor's widgets."""
    rounds: tuple[int, ...] = (open_file.table_reset_count(),)
    if widget_name in ("levels table", "file"):
        rounds = (*rounds, int(st.session_state.get(_ROUND_KEY, 0)))
    return session.widget_key("hierarchy", widget_name, *map(str, key_parts), *rounds)
