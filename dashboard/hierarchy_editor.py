"""The editor of hierarchies: a column, a way to build, its level table and its tree."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import hierarchies, opening, state, text
from dashboard.charts.theme import CONFIG
from dashboard.charts.tree import hierarchy_tree, lowest_drawn
from dashboard.hierarchies import Recipe
from engine.command_line import hierarchy_name
from engine.errors import EngineError
from engine.hierarchy import DATE_LEVELS, Hierarchy, read_hierarchy
from engine.table import Kind, Table

LINES = 28
"""Values shown before the level table scrolls."""

_OPEN = state.key("hierarchy", "open")
_ROUND = state.key("hierarchy", "round")


def hierarchy_editor(table: Table) -> None:
    """Show the editor; whatever is built or edited is kept in the workspace at once."""
    names = hierarchies.candidates(table)
    if not names:
        return
    # Once open it stays so: removing the last hierarchy must not shut it.
    st.session_state[_OPEN] = st.session_state.get(_OPEN) or hierarchies.wanted(table)
    with st.expander(
        "Hierarchies: what values may become",
        icon=":material/account_tree:",
        expanded=st.session_state[_OPEN],
    ):
        st.caption(text.HIERARCHY_SHOW)
        left, right = st.columns([2, 3], gap="large")
        with left:
            name = st.selectbox(
                "Column",
                names,
                key=state.key("hierarchy of", opening.round_number()),
                persist_state="session",
            )
            # A choice that the new roles have taken out of the list.
            name = name if name in names else names[0]
            tree = table.schema[name].hierarchy
            st.caption(_standing(table, name, tree))
        with right:
            _builder(table, name)
        if tree is not None:
            _shown(table, name, tree)


def _standing(table: Table, name: str, tree: Hierarchy | None) -> str:
    """Say in a sentence what the column has, or lacks."""
    if tree is not None:
        return f"{hierarchies.shape(tree)}."
    if hierarchies.ordered_words(table, name):
        return text.HIERARCHY_ORDER
    nominal = table.schema[name].kind is Kind.NOMINAL
    return text.HIERARCHY_NONE if nominal else text.HIERARCHY_MAY


def _builder(table: Table, name: str) -> None:
    """Show the ways to build a hierarchy, what the chosen one needs, and its result."""
    proposed = hierarchies.proposal(table.frame[name])
    way = st.segmented_control(
        "Build it from",
        list(hierarchies.WAYS),
        format_func=lambda way: hierarchies.WAYS[way],
        default=proposed.way,
        required=True,
        help=text.HIERARCHY_WAYS_HELP,
        key=_key("way", name),
        persist_state="session",
    )
    if way == "file":
        _level_file(table, name)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        recipe, trouble = _recipe(name, way or proposed.way, proposed)
        example = ""
        if not trouble:
            example, trouble = hierarchies.example(table.frame[name], recipe)
        st.button(
            "Build" if table.schema[name].hierarchy is None else "Build anew",
            key=_key("build", name),
            icon=":material/construction:",
            type="primary",
            disabled=bool(trouble),
            on_click=_built,
            args=(table, name, recipe),
        )
    if trouble:
        st.error(trouble, icon=":material/error:")
    elif example:
        st.caption(example)


def _recipe(name: str, way: str, proposed: Recipe) -> tuple[Recipe, str]:
    """Show what the way needs; return the recipe, and what is wrong with it."""
    if way == "prefixes":
        step = st.number_input(
            "Characters left out at each level",
            1,
            20,
            1,
            key=_key("step", name),
            width=240,
        )
        return Recipe(way, step=int(step)), ""
    if way == "intervals":
        return _interval_recipe(name, proposed)
    if way == "dates":
        chosen = st.pills(
            "Periods",
            list(DATE_LEVELS),
            selection_mode="multi",
            format_func=str.capitalize,
            default=proposed.periods,
            key=_key("periods", name),
        )
        periods = tuple(period for period in DATE_LEVELS if period in chosen)
        return Recipe(way, periods=periods), "" if periods else text.PERIODS_NONE
    if way == "hand":
        levels = st.number_input(
            "Levels between the values and the root",
            1,
            6,
            1,
            key=_key("levels", name),
            width=280,
        )
        return Recipe(way, levels=int(levels)), ""
    return Recipe(way), ""


def _interval_recipe(name: str, proposed: Recipe) -> tuple[Recipe, str]:
    kind = st.selectbox(
        "Intervals",
        ["Equal widths", "Cut points"],
        key=_key("intervals", name),
        width=150,
    )
    if kind == "Cut points":
        cuts = st.text_input(
            "New intervals begin at",
            placeholder="18, 65",
            help=text.CUTS_HELP,
            key=_key("cuts", name),
            width=200,
        )
        return Recipe("intervals", cuts=cuts), "" if cuts.strip() else text.CUTS_NONE
    widths = st.text_input(
        "Widths, narrow to wide",
        proposed.widths or "1, 2, 4",
        help=text.WIDTHS_HELP,
        key=_key("widths", name),
        width=200,
    )
    origin = st.number_input(
        "One begins at", value=0.0, format="%g", key=_key("origin", name), width=120
    )
    return Recipe("intervals", widths=widths, origin=float(origin)), ""


def _level_file(table: Table, name: str) -> None:
    file = st.file_uploader(
        "CSV level file",
        ["csv", "txt", "tsv"],
        help=text.LEVEL_FILE_HELP,
        key=_key("file", name),
    )
    if file is None:
        return
    try:
        tree = read_hierarchy(file.getvalue())
    except EngineError as error:
        st.error(str(error), icon=":material/error:")
    else:
        _keep(table, name, tree)
        st.rerun()


def _shown(table: Table, name: str, tree: Hierarchy) -> None:
    """Show a hierarchy as a table to edit and as a picture, and what it lacks."""
    gone = tree.uncovered(table.frame[name])
    if gone:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.error(hierarchies.lacking(name, gone), icon=":material/error:")
            st.button(
                "Add as rows",
                key=_key("add values", name),
                icon=":material/playlist_add:",
                on_click=_keep,
                args=(table, name, hierarchies.with_values(tree, gone)),
            )
    left, right = st.columns(2, gap="large")
    with left:
        _level_table(table, name, tree)
        _tools(table, name, tree)
    with right:
        st.plotly_chart(
            hierarchy_tree(tree, hierarchies.leaf_records(table, name, tree)),
            config=CONFIG | {"displayModeBar": False},
            key=_key("tree", name),
            alt=f"The hierarchy of {name} as nested boxes; the table says the same",
        )
        if lowest_drawn(tree):
            st.caption(text.TREE_CUT.format(count=f"{len(tree.leaves):,}"))


def _level_table(table: Table, name: str, tree: Hierarchy) -> None:
    """Show one row per value; each edit is kept at once if it leaves a tree."""
    base = hierarchies.level_table(tree, hierarchies.ordered_words(table, name))
    height = 37 + 35 * min(len(base), LINES)
    alt = f"Level table of {name}: one row per value, general to the right"
    if len(base) > hierarchies.EDITABLE:
        st.dataframe(base, hide_index=True, height=height, alt=alt)
        st.caption(text.LEVELS_TOO_MANY)
        return
    key = _key("levels table", name)
    st.data_editor(
        base,
        key=key,
        on_change=_take_over,
        args=(name, key),
        hide_index=True,
        height=height,
        disabled=[hierarchies.VALUE, base.columns[-1]],
        column_config=_config(tree),
        alt=alt,
    )
    try:
        kept = hierarchies.edited(tree, _edits(key)) == tree
    except EngineError as error:
        st.error(str(error), icon=":material/error:")
        st.button(
            "Undo these edits",
            key=_key("undo", name),
            icon=":material/undo:",
            on_click=_next_round,
        )
    else:
        if not kept:  # an edit that came without a call
            _take_over(name, key)
            st.rerun()


def _config(tree: Hierarchy) -> dict[str, Any]:
    column = st.column_config
    names = hierarchies.headings(tree)
    return {
        hierarchies.PLACE: column.NumberColumn(
            width=60, min_value=1, max_value=len(tree.leaves), help=text.PLACE_HELP
        ),
        **{name: column.TextColumn(required=True) for name in names},
    }


def _tools(table: Table, name: str, tree: Hierarchy) -> None:
    """Show what can be done with the hierarchy as a whole."""
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Level file",
            tree.to_csv().encode(),
            file_name=hierarchy_name(name),
            mime="text/csv",
            icon=":material/download:",
            key=_key("download", name),
            on_click="ignore",
            help=text.LEVEL_FILE_HELP,
        )
        with st.popover("Levels", icon=":material/stairs:"):
            st.button(
                "Add a level below the root",
                key=_key("add level", name),
                icon=":material/add:",
                disabled=tree.height >= hierarchies.HIGHEST,
                on_click=_keep,
                args=(table, name, hierarchies.with_level(tree)),
            )
            for level in range(1, tree.height):
                st.button(
                    f"Remove level {level}",
                    key=_key("remove level", level, name),
                    icon=":material/remove:",
                    on_click=_keep,
                    args=(table, name, hierarchies.without_level(tree, level)),
                )
        st.button(
            "Remove",
            key=_key("remove", name),
            icon=":material/delete:",
            type="tertiary",
            help="Let the column have no hierarchy.",
            on_click=_keep,
            args=(table, name, None),
        )


def _built(table: Table, name: str, recipe: Recipe) -> None:
    _keep(table, name, hierarchies.build(table.frame[name], recipe))


def _take_over(name: str, key: str) -> None:
    """Keep edits before the page is drawn again, if they leave a tree."""
    table = state.workspace().table
    assert table is not None
    tree = table.schema[name].hierarchy
    assert tree is not None
    edits = _edits(key)
    try:
        changed = hierarchies.edited(tree, edits)
    except EngineError:
        return  # said below the table, which still holds the edits
    state.update(table=table.assign(hierarchies={name: changed}))
    if any(hierarchies.PLACE in cells for cells in edits.values()):
        _next_round()  # the lines that the editor remembers are others now


def _keep(table: Table, name: str, tree: Hierarchy | None) -> None:
    state.update(table=table.assign(hierarchies={name: tree}))
    _next_round()


def _edits(key: str) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = st.session_state[key]["edited_rows"]
    return found


def _next_round() -> None:
    """Forget what the level table and the uploader hold: the workspace has it."""
    st.session_state[_ROUND] = int(st.session_state.get(_ROUND, 0)) + 1


def _key(what: str, *of: object) -> str:
    """Return the key of a widget; those that hold edits or files have rounds."""
    rounds: tuple[int, ...] = (opening.round_number(),)
    if what in ("levels table", "file"):
        rounds = (*rounds, int(st.session_state.get(_ROUND, 0)))
    return state.key("hierarchy", what, *map(str, of), *rounds)
