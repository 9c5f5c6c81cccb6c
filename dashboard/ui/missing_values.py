"""Missing values in quasi-identifiers: how many, where, and what to do with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
import streamlit as st

from dashboard.i18n import text_choices
from dashboard.i18n.language import _, n_
from dashboard.i18n.markdown import named, plain
from dashboard.state import session
from dashboard.ui import table_health
from dashboard.ui.table_health import Health, listed
from engine.data.gaps import Sharing, Way, ways
from engine.data.kinds import Kind
from engine.data.table import Table

KEEP_OR_FILL = "keep-or-fill"
"""The way that one button takes."""

AS_ABOVE = "as above"
"""Stands for the choice that is made for all columns."""


def settle_missing(table: Table, health: Health) -> None:
    """Say where quasi-identifiers lack values, and offer what to do right there."""
    if not health.missing:
        return
    where = ", ".join(
        _("{name} ({count}, first in record {first})").format(
            name=named(name), count=f"{count:,}", first=f"{first:,}"
        )
        for name, (count, first) in health.missing.items()
    )
    ws = session.workspace()
    sign = "help" if unsettled(ws, health) else "check_circle"
    found = n_(
        "**{count} record lacks a value** in quasi-identifiers: {where}.",
        "**{count} records lack a value** in quasi-identifiers: {where}.",
        health.affected,
    ).format(count=f"{health.affected:,}", where=where)
    known = ways_of(ws, health)
    with st.container(border=True):
        st.markdown(f":material/{sign}: {found}")
        wrong = cannot_keep(ws, health)
        if wrong:
            st.warning(wrong, icon=":material/front_hand:")
        whole = grouped_whole(ws) and _some_stay(ws, health)
        offered = bool(unsettled(ws, health) or wrong) and not whole
        if offered:
            _offer_keep_or_fill(known[KEEP_OR_FILL])
        st.segmented_control(
            _("Or another way")
            if offered
            else _("What should happen to these records?"),
            _ways(ws, offered, whole),
            format_func=lambda name: way_words(name, known, table.n_records),
            help=_(text_choices.MISSING_HELP),
            **session.bound(
                "missing",
                show=lambda name: name if name in text_choices.MISSING_NAMES else None,
                read=lambda name: name or "refuse",
            ),
        )
        done = text_choices.MISSING_DONE.get(
            ws.choices.missing, text_choices.MISSING_OPEN
        )
        st.caption(_(done))
        if len(health.missing) > 1 or ws.choices.missing_columns:
            _single_columns(table, health)


def _ways(ws: session.Workspace, offered: bool, whole: bool) -> list[str]:
    """Return the ways to choose from, the one that is chosen among them.

    Not the one that a button offers, and none by which gaps stay in whole households.
    """
    out = {KEEP_OR_FILL} if offered else {KEEP_OR_FILL, "keep"} if whole else set()
    return [
        name
        for name in text_choices.MISSING_NAMES
        if name not in out or name == ws.choices.missing
    ]


def ways_of(ws: session.Workspace, health: Health) -> Mapping[str, Way]:
    """Return what each way would do to the table, without regard to strata."""
    names = list(health.missing)
    counts = list(health.patterns.values())
    lines = [[name in lacking for name in names] for lacking in health.patterns]
    holes = np.repeat(np.array(lines, dtype=np.bool_), counts, axis=0)
    places = [
        tuple(names.index(name) for name in names if name in block)
        for block in _blocks(ws)
    ]
    blocks = tuple(filter(None, places))
    k = max(ws.sizes, default=3)
    sharing = Sharing(k, blocks, lambda rows: np.zeros(rows.size, dtype=np.int64))
    return {str(name): way for name, way in ways(holes, sharing).items()}


def way_words(name: str, known: Mapping[str, Way], n_records: int) -> str:
    """Return what a way is called, with what it does to this table."""
    way = known[name]
    title = _(text_choices.MISSING_NAMES[name])
    if name == "drop":
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


def _offer_keep_or_fill(way: Way) -> None:
    """Show the button that settles all gaps."""
    st.button(
        way_words(KEEP_OR_FILL, {KEEP_OR_FILL: way}, way.records),
        type="primary",
        icon=":material/done_all:",
        help=_(text_choices.MISSING_DONE[KEEP_OR_FILL]),
        key=session.key("keep or fill"),
        on_click=keep_or_fill,
    )


def open_gaps(ws: session.Workspace) -> bool:
    """Return whether values are missing, and one way settles all of them."""
    if ws.table is None:
        return False
    health = table_health.examine(ws.table)
    if not unsettled(ws, health):
        return False
    if grouped_whole(ws) and _some_stay(ws, health):
        return False
    return ways_of(ws, health)[KEEP_OR_FILL].possible


def keep_or_fill() -> None:
    """Keep missing values where k allows, and fill the others, in all columns."""
    session.update(missing=KEEP_OR_FILL, missing_columns={})


def _single_columns(table: Table, health: Health) -> None:
    """Show the choice of another way for each column that lacks values."""
    chosen = session.workspace().choices.missing_columns
    others = sum(name in chosen for name in health.missing)
    with st.expander(
        _("Another way for single columns · {count} chosen").format(count=others)
        if others
        else _("Another way for single columns"),
        expanded=bool(others),
        key=session.key("missing", "single"),
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
                plain(name),
                [AS_ABOVE, *ways],
                format_func=_way_words,
                **session.bound(
                    "missing_columns",
                    name,
                    default=AS_ABOVE,
                    read=lambda way: None if way == AS_ABOVE else way,
                ),
            )


def _way_words(way: str) -> str:
    return _("As above") if way == AS_ABOVE else _(text_choices.MISSING_NAMES[way])


def chosen_ways(ws: session.Workspace, health: Health) -> dict[str, str]:
    """Return what happens to each column that lacks values."""
    return {
        name: ws.choices.missing_columns.get(name, ws.choices.missing)
        for name in health.missing
    }


def unsettled(ws: session.Workspace, health: Health) -> list[str]:
    """Return the columns with missing values for which nothing is chosen yet."""
    return [name for name, way in chosen_ways(ws, health).items() if way == "refuse"]


def grouped_whole(ws: session.Workspace) -> bool:
    """Return whether households are grouped whole, so that no gap can stay."""
    assert ws.table is not None
    return ws.choices.household in ws.table.schema.names


def _some_stay(ws: session.Workspace, health: Health) -> bool:
    """Return whether the least k leaves a gap where the few others are filled."""
    least = replace(ws, sizes=(min(ws.sizes, default=3),))
    return ways_of(least, health)[KEEP_OR_FILL].kept > 0


def cannot_keep(ws: session.Workspace, health: Health) -> str:
    """Say why missing values cannot be kept as was chosen; empty if they can."""
    chosen = chosen_ways(ws, health).values()
    keeps = KEEP_OR_FILL in chosen and _some_stay(ws, health)
    if grouped_whole(ws) and ("keep" in chosen or keeps):
        return _(
            "Households are grouped whole, which does not go together with missing "
            "values that are kept: fill them or drop them."
        )
    return too_few_alike(ws, health)


def too_few_alike(ws: session.Workspace, health: Health) -> str:
    """Say so where missing values are to be kept, but too few records lack the same.

    Without regard to strata, which the run itself looks at.
    """
    chosen = chosen_ways(ws, health)
    if "keep" not in chosen.values() or not ws.sizes:
        return ""
    rare = [
        (count, kept)
        for block in _blocks(ws)
        for kept, count in _alike(health, chosen, block).items()
        if count < min(ws.sizes)
    ]
    if not rare:
        return ""
    count, kept = min(rare)
    if kept:
        words = n_(
            "Only {count} record lacks exactly {columns}, fewer than k = {k}, so they "
            "cannot be grouped apart: let the few others be filled in.",
            "Only {count} records lack exactly {columns}, fewer than k = {k}, so they "
            "cannot be grouped apart: let the few others be filled in.",
            count,
        )
    else:
        words = n_(
            "Only {count} record is complete, fewer than k = {k}, so they cannot be "
            "grouped apart: let the few others be filled in.",
            "Only {count} records are complete, fewer than k = {k}, so they cannot be "
            "grouped apart: let the few others be filled in.",
            count,
        )
    return words.format(count=f"{count:,}", columns=listed(kept), k=min(ws.sizes))


def _blocks(ws: session.Workspace) -> list[set[str]]:
    """Return the columns that are grouped together, block by block."""
    assert ws.table is not None
    blocks = [set(block) for block in ws.by_column.applying(ws.table).blocks]
    rest = set(ws.table.schema.quasi_identifiers).difference(*blocks)
    return [*blocks, *([rest] if rest else [])]


def _alike(
    health: Health, chosen: Mapping[str, str], block: Collection[str]
) -> dict[tuple[str, ...], int]:
    """Return how many records of the release lack which of a block's kept columns."""
    counts: dict[tuple[str, ...], int] = {}
    for lacking, count in health.patterns.items():
        if any(chosen[name] == "drop" for name in lacking):
            continue
        kept = tuple(n for n in lacking if chosen[n] == "keep" and n in block)
        counts[kept] = counts.get(kept, 0) + count
    return counts
