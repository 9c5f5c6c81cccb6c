"""Choices that every method shares: k, and what most people leave as it is."""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages.protect import common_values, method_cards, strata
from dashboard.app_pages.protect.declared import show_declared
from dashboard.i18n import text, text_choices
from dashboard.i18n.language import _
from dashboard.state import session
from engine.data.table import Table
from engine.points.scaling import scalings

PRESETS = (3, 5, 10)


def choose_sizes() -> None:
    """Show the values of k: presets, and a field for another one."""
    line = st.container(horizontal=True, vertical_alignment="bottom", gap="large")
    line.pills(
        _("k, minimum group size"),
        sorted({*PRESETS, *session.workspace().sizes}),
        selection_mode="multi",
        help=_(text.K_HELP),
        **session.bound("sizes", read=lambda sizes: tuple(sorted(sizes))),
    )
    key = session.key("another k")
    line.number_input(
        _("Another k"),
        min_value=2,
        value=None,
        step=1,
        placeholder=_("Type, then Enter"),
        help=_(text.K_HELP),
        width=190,
        key=key,
        on_change=lambda: add_size(st.session_state[key]),
    )


def add_size(size: int | None) -> None:
    """Add a value of k to those that are chosen."""
    if size is not None:
        sizes = session.workspace().sizes
        session.update(sizes=tuple(sorted({*sizes, size})))


def more_choices(table: Table) -> None:
    """Show what most people leave as it is."""
    rules = session.workspace().choices.constraints
    with st.expander(_("More choices"), icon=":material/tune:"):
        first, second = st.columns(2, gap="large")
        with first:
            scaling_help = _(text_choices.SCALING_HELP)
            method_cards.choice(_("Scaling"), "scaling", scalings, scaling_help)
            common_values.choose_common_values(table)
        with second:
            strata.choose_strata(table)
            strata.choose_blocks(table)
            strata.choose_merging(table)
            show_declared(table)
        kept = "; ".join(f"`` {rule} ``" for rule in rules)
        words = (
            _("Rules that the release keeps: {rules}.").format(rules=kept)
            if rules
            else _("Rules that the release keeps: none.")
        )
        st.caption(f"{words} {_(text.RULES_WHERE)}")
    ws = session.workspace()
    st.caption(
        _("Scaling: {scaling}. Seed: {seed}.").format(
            scaling=_(scalings.info(ws.choices.scaling).title), seed=ws.choices.seed
        )
    )
