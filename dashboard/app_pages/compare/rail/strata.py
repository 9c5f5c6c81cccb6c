"""Inputs for strata, diversity and k-map limits, and attribute blocks."""

from __future__ import annotations

import string
from collections.abc import Sequence

import streamlit as st

from dashboard.app_pages.compare.rail.field_widgets import show_shared_choice_widget
from dashboard.i18n import text_choices
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import quote_name
from dashboard.state import session
from dashboard.state.shared_choices import SHARED_CHOICES
from dashboard.ui.table.table_health import join_quoted_names
from engine.core.text.csv_rows import column_names_to_csv_line
from engine.data.kinds import Role
from engine.data.table import Table


def show_strata_inputs(table: Table) -> None:
    """Show inputs for strata, whole households and, with either, small strata."""
    free = (Role.OTHER, Role.UNDECIDED)
    others = [column.name for column in table.schema.columns if column.role in free]
    # A plan may divide by a confidential column.
    now = session.workspace().shared_plan.strata_columns(table.schema.names)
    st.multiselect(
        _("Protect each value of a column on its own (strata)"),
        list(dict.fromkeys([*others, *now])),
        placeholder=_("All records together"),
        help=_(
            "Groups never cross the values of this column: each region, for instance, "
            "is protected on its own."
        ),
        **session.bind_widget(
            "strata", to_widget=lambda _chosen: list(now), from_widget=_join_columns
        ),
    )
    _choose_household(table)
    choices = session.workspace().shared_plan
    if choices.strata is not None or choices.household is not None:
        st.segmented_control(
            _("Values with fewer than k records"),
            list(text_choices.SMALL_STRATA),
            format_func=lambda way: _(text_choices.SMALL_STRATA[way]),
            required=True,
            help=_(
                "They cannot be protected alone. Together, each of them may share "
                "groups with the other small ones."
            ),
            **session.bind_widget("small_strata"),
        )


def _choose_household(table: Table) -> None:
    """Show which column says what is grouped whole: households, or persons."""
    schema, now = table.schema, session.workspace().shared_plan.household
    free = [
        column.name
        for column in schema.columns
        if column.name not in schema.quasi_identifiers
        and column.role is not Role.WEIGHT
    ]
    st.selectbox(
        _("Group households whole, by the column"),
        list(dict.fromkeys([*free, *filter(None, [now])])),
        placeholder=_("Every record on its own"),
        help=_(SHARED_CHOICES["household"].help),
        **session.bind_widget("household"),
    )


def _join_columns(names: Sequence[str]) -> str | None:
    """Return columns as a plan has them: by commas, quoted where they have one."""
    if not names:
        return None
    return names[0] if len(names) == 1 else column_names_to_csv_line(names)


def show_diversity_and_k_map_inputs(table: Table) -> None:
    """Show inputs for k-map limits and, where possible or chosen, diversity limits."""
    has_diversity_limit = session.workspace().shared_plan.enforces_diversity
    if table.schema.with_role(Role.CONFIDENTIAL) or has_diversity_limit:
        _choose_diversity()
    show_shared_choice_widget("k_map")
    show_shared_choice_widget("sampling_fraction")


def _choose_diversity() -> None:
    p, t = st.columns(2)
    p.number_input(
        _("p-sensitive: different confidential values in every group"),
        min_value=0,
        step=1,
        help=_(
            "Groups are merged until each confidential column has so many different "
            "values in every one: then finding somebody's group does not tell the "
            "value. 0 asks for nothing. It costs information; not for blocks of "
            "columns, nor for methods that promise no k."
        ),
        **session.bind_widget("p_sensitive"),
    )
    t.number_input(
        _("t-close: distance of every group from the whole table"),
        min_value=0.0,
        max_value=1.0,
        step=0.05,
        help=_(text_choices.T_CLOSE_HELP),
        **session.bind_widget("t_close"),
    )
    show_shared_choice_widget("entropy_l")
    c, l = st.columns(2)
    with c:
        show_shared_choice_widget("recursive_c")
    with l:
        show_shared_choice_widget("recursive_l")


def show_attribute_block_inputs(table: Table) -> None:
    """Show inputs for blocks of quasi-identifiers to be grouped apart, if two or more.

    What no block names stays in block A.
    """
    names = table.schema.quasi_identifiers
    blocks = session.workspace().column_choices.applicable_to(table).blocks
    if len(names) < 2:
        return
    with st.expander(
        n_(
            "Group blocks of columns apart · {count} block",
            "Group blocks of columns apart · {count} blocks",
            len(blocks) + 1,
        ).format(count=len(blocks) + 1)
        if blocks
        else _("Group blocks of columns apart"),
        expanded=bool(blocks),
        key=session.widget_key("blocks", "panel"),
        type="compact",
    ):
        st.caption(_(text_choices.BLOCKS_SHOW))
        block_columns = {name for block in blocks for name in block}
        rest = [name for name in names if name not in block_columns]
        columns = ", ".join(map(quote_name, rest)) if rest else _("no column")
        st.markdown(_("**Block A**: {columns}").format(columns=columns))
        for number in range(len(blocks) + bool(len(rest) > 1)):
            members = blocks[number] if number < len(blocks) else ()
            key = session.widget_key("blocks", number)
            st.session_state[key] = list(members)
            st.multiselect(
                _("Block {letter}").format(letter=string.ascii_uppercase[number + 1]),
                [name for name in names if name in members or name in rest],
                key=key,
                placeholder=_("Choose columns to group apart"),
                help=_(text_choices.BLOCKS_SHOW),
                on_change=_keep_block,
                args=(blocks, number, key),
            )
        if len(blocks) + bool(rest) > 1:
            st.warning(_what_it_does(rest, blocks), icon=":material/gpp_maybe:")


def _keep_block(blocks: tuple[tuple[str, ...], ...], number: int, key: str) -> None:
    now = list(blocks) + [()] * (number + 1 - len(blocks))
    now[number] = tuple(st.session_state[key])
    session.update_workspace(blocks=tuple(block for block in now if block))


def _what_it_does(rest: list[str], blocks: tuple[tuple[str, ...], ...]) -> str:
    """Say what these blocks do to k."""
    name, other = (rest or list(blocks[0]))[0], blocks[-1 if rest else 1][0]
    return _(
        "k then holds within each block, and no longer for whole records: whoever "
        "knows values of several blocks, such as {pair}, may single somebody out. "
        "After the run, k is counted on whole records; a release in which it is below "
        "the k asked for is not handed out."
    ).format(pair=join_quoted_names([name, other]))
