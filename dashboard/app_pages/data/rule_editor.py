"""Editor of rules that released values must keep; checks each on the data at once."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import streamlit as st

from dashboard.app_pages.data import rules
from dashboard.i18n import text
from dashboard.i18n.language import _
from dashboard.i18n.markdown import escape_text
from dashboard.state import session
from dashboard.state.caches.session_cache import HASH_BY_COLUMNS, cache_in_session
from dashboard.ui.table import open_file
from dashboard.ui.table.table_health import inspect_table
from engine.core.errors import EngineError
from engine.data.conversion.attributes import AttributeInfo
from engine.data.table import Table

MAX_VISIBLE_RECORDS = 10
"""Offenders shown before their table scrolls."""

MAX_PILLS = 40
"""Columns up to which each has a pill of its own."""

_OPEN_KEY = session.widget_key("rules", "open")


def show_rule_and_rounding_editor(table: Table) -> None:
    """Show the editor of rules and rounding for protected numbers, and store edits."""
    if not _number_columns(table):
        return
    texts = session.workspace().shared_plan.constraints
    known_rules = [
        rule
        for rule in table.schema.constraints
        if rule not in texts and rules.is_rule_applicable(table, rule)
    ]
    # Once open it stays so: removing the last rule must not shut it.
    st.session_state[_OPEN_KEY] = st.session_state.get(_OPEN_KEY) or bool(texts)
    with st.expander(
        _("Rules that must still hold: {count}").format(count=len(texts))
        if texts
        else _("Rules that must still hold: none"),
        icon=":material/rule:",
        expanded=st.session_state[_OPEN_KEY],
        key=session.widget_key("rules", "panel"),
    ):
        st.caption(_(text.RULES_SHOW))
        _show_new_rule(table)
        _offer_known_rules(known_rules)
        if texts:
            _list(table, texts)
        _show_floor_choice(table)
        _show_rounding()


def _show_new_rule(table: Table) -> None:
    """Show the field for a new rule, and why what stands in it is none."""
    key = session.widget_key("rules", "new", open_file.table_reset_count())
    st.text_input(
        _("New rule"),
        placeholder=_(
            "net + tax = gross, 0 <= age <= 120, or net <= gross; then Enter"
        ),
        help=_(text.RULE_HELP),
        key=key,
        on_change=_take,
        args=(table, key),
    )
    typed = str(st.session_state.get(key) or "").strip()
    if typed:  # the callback empties the field when a rule is taken
        try:
            rules.add_rule(table, session.workspace().shared_plan.constraints, typed)
        except EngineError as error:
            st.error(escape_text(_(error.message)), icon=":material/error:")


def _take(table: Table, key: str) -> None:
    typed = str(st.session_state.get(key) or "")
    if not typed.strip():
        return
    try:
        texts = rules.add_rule(
            table, session.workspace().shared_plan.constraints, typed
        )
    except EngineError:
        return  # said below the field, which still holds it
    session.update_workspace(constraints=texts)
    st.session_state[key] = ""


def _offer_known_rules(known_rules: list[str]) -> None:
    """Offer the rules that came with the table."""
    for rule in known_rules:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                _("The table's description says {rule}").format(rule=_code(rule)),
                width="content",
            )
            st.button(
                _("Keep this rule"),
                key=session.widget_key("rules", "known", rule),
                icon=":material/add:",
                on_click=_keep,
                args=(rule,),
            )


def _list(table: Table, texts: tuple[str, ...]) -> None:
    """Show each rule with how the records stand to it, and the worst offenders."""
    report = examine(table, texts, session.workspace().shared_plan.rounding)
    with st.container(border=True, gap="xsmall"):
        for rule in report.rules:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(_rule_line(rule, report.n_records), width="stretch")
                st.button(
                    _("Remove"),
                    key=session.widget_key("rules", "remove", rule.text),
                    icon=":material/delete:",
                    type="tertiary",
                    on_click=_remove,
                    args=(rule.text,),
                )
    if report.problem:
        st.error(report.problem, icon=":material/error:")
    worst = rules.violation_table(report)
    if len(worst):
        st.caption(_(text.OFFENDERS_SHOW))
        st.dataframe(
            worst,
            hide_index=True,
            key=session.widget_key("rules", "offenders"),
            height=37 + 35 * min(len(worst), MAX_VISIBLE_RECORDS),
            column_config={
                "Rule": st.column_config.TextColumn(_("Rule")),
                "Record": st.column_config.NumberColumn(
                    _("Record"), format="%d", width=110, help=_(text.RECORD_HELP)
                ),
                "Off by": st.column_config.NumberColumn(
                    _("Off by"), format="%.6g", width=130, help=_(text.OFF_BY_HELP)
                ),
            },
            alt=_("Records that break rules most"),
        )


def _rule_line(rule: rules.CheckedRule, n_records: int) -> str:
    if rule.breach is None:
        return f":red[:material/error:] {_code(rule.text)}: {rule.problem}"
    sign = (
        ":orange[:material/rule:]"
        if rule.breach.records
        else ":green[:material/check_circle:]"
    )
    return f"{sign} {_code(rule.text)}: {rules.rule_status_text(rule, n_records)}"


def _code(rule: str) -> str:
    """Return a rule as code: also where names stand between backquotes."""
    runs = re.findall("`+", rule)
    fence = "`" * (1 + max(map(len, runs), default=0))
    return f"{fence} {rule} {fence}" if runs else f"{fence}{rule}{fence}"


def _keep(rule: str) -> None:
    session.update_workspace(
        constraints=(*session.workspace().shared_plan.constraints, rule)
    )


def _remove(rule: str) -> None:
    texts = session.workspace().shared_plan.constraints
    session.update_workspace(constraints=tuple(line for line in texts if line != rule))


def _show_floor_choice(table: Table) -> None:
    """Show the choice of columns that must not become negative."""
    texts = session.workspace().shared_plan.constraints
    key = session.widget_key("rules", "floors")
    names = rules.non_negative_candidates(_number_columns(table))
    st.session_state[key] = [
        name for name in names if rules.non_negative_rule(name) in texts
    ]
    pills = partial(st.pills, selection_mode="multi")
    show: Any = pills if len(names) <= MAX_PILLS else st.multiselect
    show(
        _("No negative values in"),
        names,
        format_func=escape_text if show is pills else str,
        key=key,
        help=_("Adds a rule such as `age >= 0` for each column that you choose."),
        on_change=_keep_floors,
        args=(table, key),
    )


def _keep_floors(table: Table, key: str) -> None:
    texts = session.workspace().shared_plan.constraints
    names = st.session_state[key]
    possible = rules.non_negative_candidates(_number_columns(table))
    session.update_workspace(
        constraints=rules.replace_non_negative_rules(possible, texts, names)
    )


def _number_columns(table: Table) -> tuple[AttributeInfo, ...]:
    return rules.numeric_quasi_identifiers(table, inspect_table(table))


def _show_rounding() -> None:
    """Show which released numbers are rounded, and what that means for rules."""
    st.segmented_control(
        _("Round released numbers"),
        list(text.ROUNDING_NAMES),
        format_func=lambda name: _(text.ROUNDING_NAMES[name]),
        required=True,
        help=_(
            "Groups' means have many decimals. What the file says after rounding is "
            "checked against the rules again."
        ),
        **session.bind_widget("rounding"),
    )
    st.caption(_(text.ROUNDING_SHOW[session.workspace().shared_plan.rounding]))


examine = cache_in_session(16, HASH_BY_COLUMNS)(rules.make_rule_report)
"""How the records stand to each rule; worked out once for each choice."""
