"""Missing values in quasi-identifiers: counts, and choice of treatment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import streamlit as st

from dashboard.i18n import text_choices
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import escape_text, quote_name
from dashboard.state import session
from dashboard.state.new_tables.feasibility import reason_for_infeasible_k
from dashboard.state.workspace import counted_person_columns, resolve_plans
from dashboard.ui.table import table_health
from dashboard.ui.table.table_health import TableHealth
from engine.core.errors import EngineError
from engine.core.typing import Integers
from engine.data.kinds import Kind
from engine.data.missing_values.gaps import (
    MissingPolicyEffect,
    SharedGapConditions,
    effects_by_policy,
)
from engine.data.persons import code_persons
from engine.data.table import Table
from engine.pipeline.grouping.strata import missing_pattern_conditions
from engine.pipeline.planning.record_condition import select_row_numbers_and_messages

KEEP_OR_FILL_POLICY = "keep-or-fill"
"""The way that one button takes."""

SAME_FOR_ALL = "as above"
"""Stands for the choice that is made for all columns."""


def ask_missing_value_treatment(
    table: Table, health: TableHealth, is_next_step: bool = True
) -> None:
    """Show which quasi-identifiers have missing values, and ask for a treatment."""
    if not health.missing:
        return
    where = ", ".join(
        _("{name} ({count}, first in record {first})").format(
            name=quote_name(name), count=f"{count:,}", first=f"{first:,}"
        )
        for name, (count, first) in health.missing.items()
    )
    ws = session.workspace()
    sign = "help" if columns_without_policy(ws, health) else "check_circle"
    summary = n_(
        "**{count} record lacks a value** in quasi-identifiers: {where}.",
        "**{count} records lack a value** in quasi-identifiers: {where}.",
        health.n_affected,
    ).format(count=f"{health.n_affected:,}", where=where)
    effects = effects_of_policies(ws, health)
    with st.container(border=True):
        st.markdown(f":material/{sign}: {summary}")
        wrong = cannot_keep_reason(ws, health)
        if wrong:
            st.warning(wrong, icon=":material/front_hand:")
        whole = are_whole_households_grouped(ws) and _would_some_stay(ws, health)
        offered = bool(columns_without_policy(ws, health) or wrong) and not whole
        if offered:
            _offer_keep_or_fill(effects[KEEP_OR_FILL_POLICY], is_next_step)
        st.segmented_control(
            _("Or another way")
            if offered
            else _("What should happen to these records?"),
            _offered_policies(ws, offered, whole),
            format_func=lambda name: policy_text(name, effects, table.record_rows.size),
            help=_(
                "Kept missing values stay empty in the release. Such a record shares a "
                "group only with records that lack the same, so that nothing is made "
                "up; this needs at least k records with each combination of gaps."
            ),
            **session.bind_widget(
                "missing",
                to_widget=lambda name: (
                    name if name in text_choices.MISSING_NAMES else None
                ),
                from_widget=lambda name: name or "refuse",
            ),
        )
        done = text_choices.MISSING_DONE.get(
            ws.shared_plan.missing, text_choices.MISSING_OPEN
        )
        st.caption(_(done))
        if len(health.missing) > 1 or ws.shared_plan.missing_columns:
            _show_column_choices(table, health)


def _offered_policies(ws: session.Workspace, offered: bool, whole: bool) -> list[str]:
    """Return the ways to choose from, the one that is chosen among them.

    Not the one that a button offers, and none by which gaps stay in whole households.
    """
    out = (
        {KEEP_OR_FILL_POLICY}
        if offered
        else {KEEP_OR_FILL_POLICY, "keep"}
        if whole
        else set()
    )
    return [
        name
        for name in text_choices.MISSING_NAMES
        if name not in out or name == ws.shared_plan.missing
    ]


def effects_of_policies(
    ws: session.Workspace, health: TableHealth
) -> Mapping[str, MissingPolicyEffect]:
    """Return, by treatment, gaps filled and left, and how many records remain."""
    names, k = list(health.missing), max(ws.sizes, default=3)
    persons = codes = None
    counts = list(health.patterns.values())
    lines = [[name in lacking for name in names] for lacking in health.patterns]
    holes = np.repeat(np.array(lines, dtype=np.bool_), counts, axis=0)
    who = counted_person_columns(ws)
    if ws.table is not None and (who or ws.shared_plan.strata):
        rows = select_row_numbers_and_messages(ws.shared_plan.only, ws.table)[0]
        read = table_health.inspect_table(ws.table)
        each = [read.column_meaning(ws.table, name).missing for name in names]
        holes = np.column_stack([mask[rows] for mask in each if mask is not None])
        codes = _stratum_codes(ws, k, rows)
        if who:
            persons = code_persons(ws.table.frame[list(who)].iloc[rows], who)
    places = [
        tuple(names.index(name) for name in names if name in block)
        for block in _column_blocks(ws)
    ]
    blocks = tuple(filter(None, places))
    sharing = SharedGapConditions(
        k,
        blocks,
        lambda rows: np.zeros_like(rows) if codes is None else codes[rows],
        lambda rows: None if persons is None else persons[rows],
        ws.shared_plan.intruder_knows == "all",
    )
    return {str(name): way for name, way in effects_by_policy(holes, sharing).items()}


def _stratum_codes(ws: session.Workspace, k: int, rows: Integers) -> Integers | None:
    """Return the stratum of each record; None where there are none or too small ones.

    `rows` are those of the table that count, shape (n_records,).
    """
    assert ws.table is not None
    try:
        plan = next((plan for plan in resolve_plans(ws) if plan.k == k), None)
        return (
            None
            if plan is None
            else missing_pattern_conditions(plan, ws.table).strata(rows)
        )
    except EngineError:  # said as an obstacle of its own
        return None


def policy_text(
    policy: str, effects_by_policy: Mapping[str, MissingPolicyEffect], n_records: int
) -> str:
    """Return a treatment's title and its effect on the table, as text."""
    way = effects_by_policy[policy]
    title = _(text_choices.MISSING_NAMES[policy])
    if policy == "drop":
        counts = _("{count} of {all} remain").format(
            count=f"{way.records:,}", all=f"{n_records:,}"
        )
    elif not way.possible:
        counts = _("too few lack the same")
    elif way.kept and way.filled:
        counts = _("{kept} stay, {filled} filled").format(
            kept=f"{way.kept:,}", filled=f"{way.filled:,}"
        )
    elif way.kept:
        counts = _("{kept} stay").format(kept=f"{way.kept:,}")
    else:
        counts = _("{filled} filled").format(filled=f"{way.filled:,}")
    return f"{title} ({counts})"


def _offer_keep_or_fill(way: MissingPolicyEffect, is_next_step: bool) -> None:
    """Show the button that settles all gaps, coloured as the next step."""
    st.button(
        policy_text(KEEP_OR_FILL_POLICY, {KEEP_OR_FILL_POLICY: way}, way.records),
        type="primary" if is_next_step else "secondary",
        icon=":material/done_all:",
        help=_(text_choices.MISSING_DONE[KEEP_OR_FILL_POLICY]),
        key=session.widget_key("keep or fill"),
        on_click=set_keep_or_fill_everywhere,
    )


def can_keep_or_fill_all(ws: session.Workspace) -> bool:
    """Return whether gaps lack a treatment, and keep-or-fill could treat them all."""
    if ws.table is None:
        return False
    health = table_health.cached_table_health(ws.table)
    if not columns_without_policy(ws, health):
        return False
    if are_whole_households_grouped(ws) and _would_some_stay(ws, health):
        return False
    return effects_of_policies(ws, health)[KEEP_OR_FILL_POLICY].possible


def set_keep_or_fill_everywhere() -> None:
    """Set the treatment "keep-or-fill" of missing values in all columns."""
    session.update_workspace(missing=KEEP_OR_FILL_POLICY, missing_columns={})


def _show_column_choices(table: Table, health: TableHealth) -> None:
    """Show the choice of another way for each column that lacks values."""
    chosen = session.workspace().shared_plan.missing_columns
    others = sum(name in chosen for name in health.missing)
    with st.expander(
        _("Another way for single columns · {count} chosen").format(count=others)
        if others
        else _("Another way for single columns"),
        expanded=bool(others),
        key=session.widget_key("missing", "single"),
        type="compact",
    ):
        for name in health.missing:
            nominal = table.schema[name].kind is Kind.NOMINAL
            ways = [
                way
                for way in text_choices.MISSING_NAMES
                if way != "median" or not nominal
            ]
            st.selectbox(
                escape_text(name),
                [SAME_FOR_ALL, *ways],
                format_func=_policy_name,
                **session.bind_widget(
                    "missing_columns",
                    name,
                    default=SAME_FOR_ALL,
                    from_widget=lambda way: None if way == SAME_FOR_ALL else way,
                ),
            )


def _policy_name(way: str) -> str:
    return _("As above") if way == SAME_FOR_ALL else _(text_choices.MISSING_NAMES[way])


def policy_by_column(ws: session.Workspace, health: TableHealth) -> dict[str, str]:
    """Return the chosen treatment of each column with missing values."""
    return {
        name: ws.shared_plan.missing_columns.get(name, ws.shared_plan.missing)
        for name in health.missing
    }


def columns_without_policy(ws: session.Workspace, health: TableHealth) -> list[str]:
    """Return the columns with missing values for which no treatment is chosen."""
    return [
        name for name, way in policy_by_column(ws, health).items() if way == "refuse"
    ]


def are_whole_households_grouped(ws: session.Workspace) -> bool:
    """Return whether whole households are grouped, so missing values cannot be kept."""
    assert ws.table is not None
    return ws.shared_plan.household in ws.table.schema.names


def _would_some_stay(ws: session.Workspace, health: TableHealth) -> bool:
    """Return whether the least k leaves a gap where the few others are filled."""
    least_k_ws = replace(ws, sizes=(min(ws.sizes, default=3),))
    return effects_of_policies(least_k_ws, health)[KEEP_OR_FILL_POLICY].kept > 0


def cannot_keep_reason(ws: session.Workspace, health: TableHealth) -> str:
    """Return why missing values cannot be kept as chosen; empty without a reason."""
    chosen = policy_by_column(ws, health).values()
    keeps = KEEP_OR_FILL_POLICY in chosen and _would_some_stay(ws, health)
    if are_whole_households_grouped(ws) and ("keep" in chosen or keeps):
        return _(
            "Households are grouped whole, which does not go together with missing "
            "values that are kept: fill them or drop them."
        )
    if "keep" not in chosen or not ws.sizes:
        return ""
    return reason_for_infeasible_k(ws, min(ws.sizes), bool(health.missing))


def _column_blocks(ws: session.Workspace) -> list[set[str]]:
    """Return the columns that are grouped together, block by block."""
    assert ws.table is not None
    blocks = [set(block) for block in ws.column_choices.applicable_to(ws.table).blocks]
    rest = set(ws.table.schema.quasi_identifiers).difference(*blocks)
    return [*blocks, *([rest] if rest else [])]
