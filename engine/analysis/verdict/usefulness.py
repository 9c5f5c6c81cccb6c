"""Judge what is left of the data: loss, spread and correlations of amounts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from engine.analysis.costly_columns import (
    columns_to_drop_for_loss,
    estimate_excess_columns,
    loss_per_column,
)
from engine.analysis.verdict import Improvement, VerdictLine
from engine.core.message import Message, join_messages, join_some_with_and
from engine.core.typing import Values
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.pipeline.outcome import Outcome
from engine.pipeline.planning.recommend import MIN_SPREAD, ranking_loss

MIN_CORRELATION = 0.3
"""Size from which a correlation that changes its sign is said to have turned."""


def judge_usefulness(outcome: Outcome, table: Table, max_loss: float) -> VerdictLine:
    """Return the verdict's line on what is left of the data.

    Parameters
    ----------
    table : Table
        What was protected.
    max_loss : float
        Per cent of loss that the person allows.
    """
    asks = Message("Is it still useful?")
    loss, ratios = ranking_loss(outcome), standard_deviation_ratios(outcome, table)
    narrow = [name for name, share in ratios.items() if share < MIN_SPREAD]
    says = Message("{loss:.1f} % of the differences are lost.", loss=loss)
    if loss > max_loss:
        says = Message(
            "{loss:.1f} % of the differences are lost, more than the {limit:g} % "
            "allowed.",
            loss=loss,
            limit=max_loss,
        )
    if ratios:
        weakest = min(ratios, key=lambda name: ratios[name])
        spread = Message(
            "Of their spread, columns of amounts keep {share:.0f} % at least "
            "({column!r}).",
            share=100.0 * ratios[weakest],
            column=weakest,
        )
        says = join_messages([says, spread])
    if loss > max_loss or narrow:
        some = estimate_excess_columns(outcome, loss, max_loss)
        dear = columns_to_drop_for_loss(outcome, table, max_loss, some) if some else ()
        columns = dear or tuple(narrow)  # narrow beside others, not so beside few
        mend = _protect_fewer(outcome, columns)
        return VerdictLine("useful", asks, "red", says, mend)
    turned = reversed_correlations(outcome, table)
    if turned:
        one, other = turned[0]
        more = Message(
            "The correlation of {one!r} and {other!r} has turned.", one=one, other=other
        )
        losses = loss_per_column(outcome)
        costlier = max(turned[0], key=lambda name: losses.get(name, np.inf))
        mend = _protect_fewer(outcome, (costlier,))
        return VerdictLine("useful", asks, "amber", join_messages([says, more]), mend)
    return VerdictLine("useful", asks, "green", says)


def _protect_fewer(outcome: Outcome, columns: Sequence[str]) -> Improvement:
    """Return the advice to leave out columns, if one is left that leads the others."""
    plan = outcome.plan
    if columns and {*plan.quasi_identifiers} - {*columns} - plan.follows.keys():
        advice = Message(
            "Leave out {columns}, take a smaller k, or give codes a hierarchy.",
            columns=join_some_with_and(columns),
        )
        return Improvement("fewer-columns", advice, tuple(columns))
    advice = Message("Take a smaller k, or give codes a hierarchy.")
    return Improvement("fewer-columns", advice)


def standard_deviation_ratios(outcome: Outcome, table: Table) -> Mapping[str, float]:
    """Return each varying protected amount's standard deviation, after / before."""
    ratios = {}
    for name, before, after in _amounts(outcome, table):
        width = float(np.nanstd(before))
        if width > 0.0:
            ratios[name] = float(np.nanstd(after)) / width
    return ratios


def reversed_correlations(
    outcome: Outcome, table: Table
) -> tuple[tuple[str, str], ...]:
    """Return pairs of protected amounts whose correlation of some size changed sign."""
    amounts = _amounts(outcome, table)
    if len(amounts) < 2:
        return ()
    names = [name for name, _, _ in amounts]
    sides = [
        pd.DataFrame({amount[0]: amount[side] for amount in amounts}).corr().to_numpy()
        for side in (1, 2)
    ]
    before, after = sides
    turned = (np.sign(before) != np.sign(after)) & (
        np.minimum(np.abs(before), np.abs(after)) >= MIN_CORRELATION
    )
    return tuple((names[i], names[j]) for i, j in np.argwhere(np.triu(turned, 1)))


def _amounts(outcome: Outcome, table: Table) -> list[tuple[str, Values, Values]]:
    """Return the columns of amounts that were protected, before and after."""
    plan, frame = outcome.plan, outcome.release.frame
    amounts = []
    for name in plan.quasi_identifiers:
        after, dtype = frame[name], table.frame[name].dtype
        numeric = pd.api.types.is_numeric_dtype(dtype)
        if plan.kinds[name] is not Kind.CONTINUOUS or not numeric:
            continue
        if not pd.api.types.is_numeric_dtype(after.dtype):
            continue
        before = table.frame[name].iloc[outcome.release.rows]
        amounts.append((name, _floats(before), _floats(after)))
    return amounts


def _floats(column: pd.Series) -> Values:
    return column.to_numpy(dtype=np.float64, na_value=np.nan)
