"""What is grouped apart: records by the values of a column, and blocks of columns."""

from __future__ import annotations

import string

import streamlit as st

from dashboard import state, text_choices
from dashboard.inspection import listed
from engine.table import Role, Table

SMALL_STRATA = {"refuse": "Stop and say which", "merge": "Protect them together"}


def choose_strata(table: Table) -> None:
    """Show by which column records are divided before they are grouped."""
    others = table.schema.with_role(Role.OTHER)
    # A plan may divide by a confidential column.
    now = state.workspace().strata or ""
    st.selectbox(
        "Protect each value of a column on its own (strata)",
        list(dict.fromkeys(["", *others, now])),
        format_func=lambda name: name or "All records together",
        help=text_choices.STRATA_HELP,
        **state.bound(
            "strata",
            show=lambda name: name or "",
            read=lambda name: name or None,
        ),
    )
    if state.workspace().strata is not None:
        st.segmented_control(
            "Values with fewer than k records",
            list(SMALL_STRATA),
            format_func=lambda way: SMALL_STRATA[way],
            required=True,
            help=text_choices.SMALL_STRATA_HELP,
            **state.bound("small_strata"),
        )


def choose_merging(table: Table) -> None:
    """Show until when groups are merged for the sake of confidential columns."""
    ws = state.workspace()
    asked = ws.p_sensitive or ws.t_close
    if not table.schema.with_role(Role.CONFIDENTIAL) and not asked:
        return
    p, t = st.columns(2)
    p.number_input(
        "p-sensitive: different confidential values in every group",
        min_value=0,
        step=1,
        help=text_choices.P_SENSITIVE_HELP,
        **state.bound("p_sensitive"),
    )
    t.number_input(
        "t-close: distance of every group from the whole table",
        min_value=0.0,
        max_value=1.0,
        step=0.05,
        help=text_choices.T_CLOSE_HELP,
        **state.bound("t_close"),
    )


def choose_blocks(table: Table) -> None:
    """Show which quasi-identifiers are grouped apart from the others, block by block.

    What no block names stays in block A.
    """
    names = table.schema.quasi_identifiers
    blocks = state.workspace().by_column.applying(table).blocks
    if len(names) < 2:
        return
    with st.expander(
        "Group blocks of columns apart"
        + (f" · {len(blocks) + 1} blocks" if blocks else ""),
        expanded=bool(blocks),
        key=state.key("blocks", "panel"),
        type="compact",
    ):
        st.caption(text_choices.BLOCKS_SHOW)
        taken = {name for block in blocks for name in block}
        rest = [name for name in names if name not in taken]
        st.markdown(f"**Block A**: {', '.join(rest) if rest else 'no column'}")
        for number in range(len(blocks) + bool(len(rest) > 1)):
            own = blocks[number] if number < len(blocks) else ()
            key = state.key("blocks", number)
            st.session_state[key] = list(own)
            st.multiselect(
                f"Block {string.ascii_uppercase[number + 1]}",
                [name for name in names if name in own or name in rest],
                key=key,
                placeholder="Choose columns to group apart",
                on_change=_keep_block,
                args=(blocks, number, key),
            )
        if len(blocks) + bool(rest) > 1:
            st.warning(_what_it_does(rest, blocks), icon=":material/gpp_maybe:")


def _keep_block(blocks: tuple[tuple[str, ...], ...], number: int, key: str) -> None:
    now = list(blocks) + [()] * (number + 1 - len(blocks))
    now[number] = tuple(st.session_state[key])
    state.update(blocks=tuple(block for block in now if block))


def _what_it_does(rest: list[str], blocks: tuple[tuple[str, ...], ...]) -> str:
    """Say what these blocks do to k."""
    one, other = (rest or list(blocks[0]))[0], blocks[-1 if rest else 1][0]
    return text_choices.BLOCKS_WARNING.format(pair=listed([one, other]))
