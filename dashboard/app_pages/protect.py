"""Protect: choose k and methods, see what will run, run it."""

import streamlit as st

from dashboard import components, running, state, text, widgets
from engine.aggregate import aggregations
from engine.encode import scalings
from engine.methods import FAMILIES, methods
from engine.table import Role

PRESETS = (3, 5, 10)


def choose_sizes() -> None:
    """Show the values of k: presets, and a field for another one."""
    line = st.container(horizontal=True, vertical_alignment="bottom", gap="large")
    line.pills(
        "k, minimum group size",
        sorted({*PRESETS, *state.workspace().sizes}),
        selection_mode="multi",
        help=text.K_HELP,
        **state.bound("sizes", read=lambda sizes: tuple(sorted(sizes))),
    )
    key = state.key("another k")
    line.number_input(
        "Another k",
        min_value=2,
        value=None,
        step=1,
        placeholder="Type, then Enter",
        width=190,
        key=key,
        on_change=lambda: add_size(st.session_state[key]),
    )


def add_size(size: int | None) -> None:
    """Add a value of k to those that are chosen."""
    if size is not None:
        sizes = state.workspace().sizes
        state.update(sizes=tuple(sorted({*sizes, size})))


def choose_methods() -> None:
    """Show all methods as cards, family by family."""
    chosen = state.workspace().methods
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader("Methods", anchor=False, width="content")
        widgets.quick_choices(methods.infos())
    for family, meaning in FAMILIES.items():
        infos = [info for info in methods.infos() if info.family == family]
        if not infos:
            continue
        count = sum(info.id in chosen for info in infos)
        with st.expander(
            f"**{family.capitalize()}**: {meaning[0].lower()}{meaning[1:]}"
            f" · {count} of {len(infos)} chosen",
            expanded=bool(count),
            key=state.key("family", family),
        ):
            for start in range(0, len(infos), 3):
                for column, info in zip(
                    st.columns(3), infos[start : start + 3], strict=False
                ):
                    with column:
                        seconds, wrong = running.prospect(info, state.workspace())
                        widgets.method_card(info, running.in_words(seconds), wrong)


def more_choices() -> None:
    """Show what most people leave as it is."""
    table = state.workspace().table
    assert table is not None
    with st.expander("More choices", icon=":material/tune:"):
        first, second = st.columns(2, gap="large")
        with first:
            widgets.choice("Scaling", "scaling", scalings, text.SCALING_HELP)
            widgets.choice(
                "Common value", "aggregation", aggregations, text.AGGREGATION_HELP
            )
        with second:
            st.selectbox(
                "Protect each value of a column on its own (strata)",
                [None, *table.schema.with_role(Role.OTHER)],
                format_func=lambda name: name or "All records together",
                help=text.STRATA_HELP,
                **state.bound("strata"),
            )
            st.number_input(
                "Seed", 0, step=1, help=text.SEED_HELP, **state.bound("seed")
            )
        st.multiselect(
            "Rules that the release keeps",
            list(dict.fromkeys((*table.schema.constraints, *ws.constraints))),
            accept_new_options=True,
            help=text.CONSTRAINT_HELP,
            placeholder="None; sums of group means add up by themselves",
            **state.bound("constraints"),
        )


components.page_header("Protect", text.PROTECT_INTRO)
ws = state.workspace()
if not components.has_table(ws):
    st.stop()
running.run_panel()
choose_sizes()
choose_methods()
more_choices()
