"""Survival of each released column: shares kept, changed, generalised or lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.aggregate import aggregations
from engine.constraints.exact_rounding.decimals import (
    is_rounded_to_decimals,
    min_decimals_for_all_values,
)
from engine.core.numerics.statistics import within_group_sse
from engine.core.typing import Booleans, Integers, Values
from engine.data.persons import NOBODY
from engine.data.table import Table
from engine.hierarchy import ROOT_LABEL, leaf_text_of
from engine.pipeline.planning.resolve_plan import ResolvedPlan
from engine.points.base import Points

Holds = Literal["whole number", "number", "date", "text"]
"""What a column's values are."""

SURVIVAL_SHARES = ("kept", "changed", "generalised", "gone")
"""What may become of a value; the shares of a column add up to 1."""

MAX_SILENT_LOSS_SHARE = 0.5
"""Share of the records above which a column that says nothing is called out."""


@dataclass(frozen=True)
class ColumnSurvival:
    """Shares of one column's values kept, changed or lost; its types and mean change.

    Attributes
    ----------
    kept, changed, generalised, gone : float
        Shares of the records: the value is as it was; it is another one of the same
        type; it is an interval or a node of a hierarchy that the value lies in; it is
        the root of a hierarchy, or missing where there was one.
    before, after : Holds
    decimals_before, decimals_after : int or None
        Of numbers; -1 where they have no end.
    average_change : float or None
        Mean distance of what is released from what was there, in the column's unit;
        days for dates. None where values have no distance.
    frequent, frequent_before : float
        Share of the records that have the most frequent value.
    single : bool
        Whether there were several values and one is left.
    within_persons : float or None
        Variance within persons, as a share of the original variance. Above 1 means that
        groups brought in differences between persons. None where k counts records,
        values have no distance, or none varied within a person.
    """

    kept: float
    changed: float = 0.0
    generalised: float = 0.0
    gone: float = 0.0
    before: Holds = "text"
    after: Holds = "text"
    decimals_before: int | None = None
    decimals_after: int | None = None
    average_change: float | None = None
    frequent: float = 0.0
    frequent_before: float = 0.0
    single: bool = False
    within_persons: float | None = None

    @property
    def shares(self) -> Mapping[str, float]:
        """Share of the records in each of :data:`SURVIVAL_SHARES`."""
        return MappingProxyType({name: getattr(self, name) for name in SURVIVAL_SHARES})

    @property
    def has_numbers_as_text(self) -> bool:
        """Whether numbers or dates have become text."""
        return self.before != "text" and self.after == "text"

    @property
    def is_constant(self) -> bool:
        """Whether protection gave most records one common value.

        At least half of the records with other values must have lost them: of two
        values that are as frequent, one is in more than half of a release by chance.
        """
        others, others_before = 1.0 - self.frequent, 1.0 - self.frequent_before
        arose = self.frequent > MAX_SILENT_LOSS_SHARE >= self.frequent_before
        return (arose and others <= others_before / 2.0) or self.single

    @property
    def is_lost(self) -> bool:
        """Whether the column is uninformative in most of the records."""
        return self.gone > MAX_SILENT_LOSS_SHARE or self.is_constant

    def summary(self) -> dict[str, Any]:
        """Return all but the shares as plain values, ready for JSON."""
        content = {n: v for n, v in asdict(self).items() if n not in SURVIVAL_SHARES}
        return {**content, "lost": self.is_lost}


def measure_survival_by_column(
    plan: ResolvedPlan,
    table: Table,
    points: Points,
    frame: pd.DataFrame,
    written: Values,
    persons: Integers | None = None,
) -> Mapping[str, ColumnSurvival]:
    """Return the `ColumnSurvival` of each released column of the table, by column name.

    Parameters
    ----------
    table : Table
        What was protected.
    points : Points
        Its quasi-identifiers.
    frame : pandas.DataFrame, n_records rows
        The release.
    written : ndarray of float64, shape (n_records, n_attributes)
        The released numbers, as
        :func:`engine.pipeline.protection.aggregate.build_release` gives them.
    persons : ndarray of int64, shape (n_records,), optional
        Person of each record, -1 of nobody, where k counts persons.
    """
    rows = points.rows
    whole = rows.size == table.n_records  # and then in the same order
    survival_by_column = {}
    for name in table.schema.names:
        if name not in frame:
            continue
        before = table.frame[name] if whole else table.frame[name].iloc[rows]
        if name not in plan.quasi_identifiers:
            same = _content_type(before)
            survival_by_column[name] = ColumnSurvival(1.0, before=same, after=same)
            continue
        after = frame[name]
        wide = not aggregations.info(plan.aggregations[name]).common.numeric
        tree = plan.trees.get(name)
        root = ROOT_LABEL if tree is None else tree.nodes[-1]
        j = points.names.index(name)
        change = within = None
        if not points.attributes[j].is_nominal and points.attributes[j].words is None:
            has_value = ~points.missing[:, j]
            if name in points.filled:
                has_value &= ~np.isin(rows, points.filled[name])
            changes = np.abs(written[has_value, j] - points.values[has_value, j])
            change = float(changes.mean()) if changes.size else None
            if persons is not None:
                has_value &= persons != NOBODY
                within = within_person_variance_ratio(
                    points.values[has_value, j],
                    written[has_value, j],
                    persons[has_value],
                )
        survival = _column_survival(before, after, wide, root, change)
        survival_by_column[name] = replace(survival, within_persons=within)
    return MappingProxyType(survival_by_column)


def within_person_variance_ratio(
    before: Values, after: Values, persons: Integers
) -> float | None:
    """Return variance within persons after protection over before, None if that is 0.

    Parameters
    ----------
    before, after : ndarray of float64, shape (n_records,)
        A number of each record before and after protection.
    persons : ndarray of int64, shape (n_records,)
        Numbers of persons.

    Returns
    -------
    float or None
        None where no person has two different values.
    """
    whose = np.unique(persons, return_inverse=True)[1]
    if whose.size == 0:
        return None
    lowest = np.full(int(whose.max()) + 1, np.inf)
    np.minimum.at(lowest, whose, before)
    if (before == lowest[whose]).all():
        return None
    # About one origin, so that large numbers lose no digits; of squares below 1.
    size = float(np.abs(before - before.mean()).max())
    old, new = (
        within_group_sse((x - before.mean())[:, None] / size, whose)
        for x in (before, after)
    )
    return new / old


def _column_survival(
    before: pd.Series, after: pd.Series, wide: bool, root: str, change: float | None
) -> ColumnSurvival:
    n = len(after)
    types = _content_type(before), _content_type(after)
    same = _equal_cells(before, after, types)
    gone = after.isna().to_numpy() & ~same
    if wide:
        # A value may be called as the root is: that one is still there.
        labels = after.astype(object).fillna("").to_numpy()
        gone |= (labels == root) & ~same
    other = n - int(same.sum()) - int(gone.sum())
    (n_frequent, several), (most_before, several_before) = map(
        _frequency, (after, before)
    )
    return ColumnSurvival(
        kept=int(same.sum()) / n,
        changed=0.0 if wide else other / n,
        generalised=other / n if wide else 0.0,
        gone=int(gone.sum()) / n,
        before=types[0],
        after=types[1],
        decimals_before=_common_decimals(before, types[0]),
        decimals_after=_common_decimals(after, types[1]),
        average_change=change,
        frequent=n_frequent / n,
        frequent_before=most_before / n,
        single=several_before and not several,
    )


def _frequency(column: pd.Series) -> tuple[int, bool]:
    """Return how often the most frequent value is there, and whether others are.

    Missing values count as one.
    """
    if column.dtype != np.float64:
        counts = column.value_counts(dropna=False, sort=False)
        return int(counts.max()), len(counts) > 1
    values = np.sort(column.to_numpy())  # NaN last
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    n_known = int(np.searchsorted(values, np.nan))
    starts = starts[starts <= n_known]
    runs = np.diff(np.append(starts, values.size))
    return int(runs.max()), runs.size > 1


def _equal_cells(
    before: pd.Series, after: pd.Series, types: tuple[Holds, Holds]
) -> Booleans:
    """Return which values are unchanged, (n_records,); missing equals missing."""
    has_both = before.notna().to_numpy() & after.notna().to_numpy()
    same = before.isna().to_numpy() & after.isna().to_numpy()
    old, new = before[has_both], after[has_both]
    if types[0] != "text" and types[1] == "text":
        old = _format_as_released(old)
    if "text" in types:
        equal = old.astype(object).to_numpy() == new.astype(object).to_numpy()
    elif types == ("date", "date"):
        equal = old.to_numpy() == new.to_numpy()
    else:
        equal = _as_floats(old) == _as_floats(new)
    same[has_both] = equal
    return same


def _format_as_released(column: pd.Series) -> pd.Series:
    """Return numbers or dates in the text form of a release; none missing."""
    codes, values = pd.factorize(column)
    texts = np.array([leaf_text_of(value) for value in values], dtype=object)
    return pd.Series(texts[codes], column.index, dtype=object)


def _content_type(column: pd.Series) -> Holds:
    types, dtype = pd.api.types, column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return "text"
    if types.is_datetime64_any_dtype(dtype):
        return "date"
    if types.is_bool_dtype(dtype) or not types.is_numeric_dtype(dtype):
        return "text"
    if types.is_integer_dtype(dtype):
        return "whole number"
    values = _as_floats(column)
    is_whole = not np.isinf(values).any() and is_rounded_to_decimals(values, 0)
    return "whole number" if is_whole else "number"


def _common_decimals(column: pd.Series, content_type: Holds) -> int | None:
    if content_type not in ("whole number", "number"):
        return None
    return min_decimals_for_all_values(_as_floats(column))


def _as_floats(column: pd.Series) -> NDArray[Any]:
    form = np.float32 if column.dtype == np.float32 else np.float64
    return np.asarray(column.to_numpy(dtype=form, na_value=np.nan))
