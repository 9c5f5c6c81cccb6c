"""Recompute columns that depend on a protected column, from its released values.

A date and its year, an age and its class, a label and its code say the same. Protected
apart they would contradict each other; so one of them is protected, and the others have
the value that belongs to it in the table. As that depends on the leading column's
released value alone, records that share it share theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import tzinfo

import numpy as np
import pandas as pd

from engine.constraints.exact_rounding.decimals import min_decimals_for_all_values
from engine.core.typing import Values
from engine.data.conversion.numeric import floats_or_none
from engine.data.date_parts import date_part_series
from engine.data.propose.relations.determination import does_code_determine
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.resolve_plan import ResolvedPlan

LAWS: tuple[Callable[[Values], Values], ...] = (
    np.positive,
    np.square,
    lambda x: x**3,
    np.sqrt,
    np.log,
    np.log1p,
    np.exp,
)
"""Functions of amounts that tables have as columns of their own, such as squares of
ages for regressions, up to a factor and a constant; first the straight line."""

MAX_LAW_ERROR = 1e-3
"""Share of a column's range by which the table may miss a law, as it is rounded."""


def copy_with_followers(plan: Plan, followers: Mapping[str, str]) -> Plan:
    """Return a plan in which columns follow others, of weight 0 unless it weighs them.

    As they say nothing new, they count in distances only where the plan weighs them.

    Parameters
    ----------
    plan : Plan
    followers : mapping of str to str
        Columns and those that they follow, see :attr:`Schema.followers`.
    """
    if not followers:
        return plan
    weights = {**dict.fromkeys(followers, 0.0), **plan.attribute_weights}
    return plan.replace(follows=dict(followers), attribute_weights=weights)


def derive_following_series_by_column(
    plan: ResolvedPlan, table: Table, released: pd.DataFrame
) -> dict[str, pd.Series]:
    """Return a dict of following columns, made to agree with their leading ones.

    Parameters
    ----------
    table : Table
        What was protected.
    released : pandas.DataFrame
        All columns as their groups' common values have them.
    """
    frame, changed = table.frame, {}
    for name, leading in plan.follows.items():
        after = released[name]
        derived_values = _made(
            frame[leading], frame[name], released[leading], plan.kinds[name]
        )
        has_values = derived_values.notna() & after.notna() & released[leading].notna()
        if has_values.any():
            both = after.astype(object).where(
                ~has_values, derived_values.astype(object)
            )
            changed[name] = _typed(both, after)
    return changed


def _typed(values: pd.Series, like: pd.Series) -> pd.Series:
    try:
        typed: pd.Series = values.astype(like.dtype)
    except (TypeError, ValueError):
        return values.infer_objects()
    return typed


def _made(
    leading: pd.Series, name: pd.Series, released: pd.Series, kind: str
) -> pd.Series:
    """Return the value that belongs to each released value of the leading column.

    Of a part of a date, such as its month, that of the released date; of all else the
    value of the nearest in the table.
    """
    nearest = _nearest(leading, name, released, kind)
    has_both = leading.notna() & name.notna()
    parts = _deciding_parts(leading[has_both], name[has_both], released)
    if parts is None:
        return nearest
    of_table, of_release = parts
    exact = of_release.map(_most_frequent_partner(of_table, name[has_both]))
    return exact.where(exact.notna(), nearest.astype(object))


def _most_frequent_partner(leading: pd.Series, following: pd.Series) -> pd.Series:
    """Return the value that stands most often beside each leading one, by these."""
    pairs = pd.DataFrame({"a": leading, "b": following.astype(object)})
    counts = pairs.value_counts(sort=True).reset_index().drop_duplicates("a")
    return counts.set_index("a")["b"]


def _nearest(
    leading: pd.Series, name: pd.Series, released: pd.Series, kind: str
) -> pd.Series:
    """Return the value of the nearest leading value of the table, or between two."""
    has_both = leading.notna() & name.notna()
    leading, name = leading[has_both], name[has_both]
    numbers, released_numbers = floats_or_none(leading), floats_or_none(released)
    if numbers is None or released_numbers is None:
        return released.astype(object).map(
            _most_frequent_partner(leading.astype(object), name)
        )
    following_numbers = floats_or_none(name)
    is_date = pd.api.types.is_datetime64_any_dtype
    if following_numbers is not None and kind != "nominal" and not is_date(name.dtype):
        values = _by_law(numbers, following_numbers, released_numbers)
        if values is None and kind == "continuous":
            values = _between_medians(numbers, following_numbers, released_numbers)
        if values is not None:
            places = min_decimals_for_all_values(following_numbers)
            if places >= 0:
                values = np.round(values, places)
            return pd.Series(values, released.index).where(~np.isnan(released_numbers))
    if is_date(name.dtype) and is_date(leading.dtype):
        assert following_numbers is not None
        days = _between_medians(numbers, following_numbers, released_numbers)
        return _dates_of_days(days, following_numbers, name.dt.tz).set_axis(
            released.index
        )
    # Of words, codes and other dates: what belongs to the nearest value of the table.
    partners = _most_frequent_partner(pd.Series(numbers, name.index), name).sort_index()
    x = partners.index.to_numpy(dtype=np.float64)
    left = np.clip(np.searchsorted(x, released_numbers) - 1, 0, max(len(x) - 2, 0))
    right = np.minimum(left + 1, len(x) - 1)
    is_left_nearer = np.abs(released_numbers - x[left]) <= np.abs(
        x[right] - released_numbers
    )
    nearest_values = partners.to_numpy(dtype=object)[
        np.where(is_left_nearer, left, right)
    ]
    return pd.Series(nearest_values, released.index, dtype=object).where(
        ~np.isnan(released_numbers)
    )


def _between_medians(leading: Values, following: Values, released: Values) -> Values:
    """Return what lies between the following values' medians at the leading ones."""
    medians = pd.Series(following).groupby(leading).median()
    x = medians.index.to_numpy(dtype=np.float64)
    return np.interp(released, x, medians.to_numpy())


def _by_law(leading: Values, following: Values, released: Values) -> Values | None:
    """Return what a law makes of released values; None if no law tells the table's.

    It must hold in all records of the table, and better than a straight line.
    """
    places, width = min_decimals_for_all_values(following), float(np.ptp(following))
    limit = max(1.02 * 10.0**-places if places >= 0 else 0.0, 1e-4 * width)
    if limit >= MAX_LAW_ERROR * width:
        return None
    fits = [_error_and_values(law, leading, following, released) for law in LAWS]
    best = int(np.argmin([error for error, _ in fits]))
    error, values = fits[best]
    return values if best > 0 and error <= limit else None


def _error_and_values(
    law: Callable[[Values], Values],
    leading: Values,
    following: Values,
    released: Values,
) -> tuple[float, Values]:
    """Return by how much a table misses a law, and what it makes of released values."""
    with np.errstate(all="ignore"):
        x, released_x = law(leading), law(released)
    if not np.isfinite(x).all() or np.isinf(released_x).any() or np.ptp(x) == 0.0:
        return np.inf, released
    low, high = int(np.argmin(x)), int(np.argmax(x))
    slope = (following[high] - following[low]) / (x[high] - x[low])
    error = np.abs(following[low] + slope * (x - x[low]) - following).max()
    return float(error), following[low] + slope * (released_x - x[low])


def _deciding_parts(
    leading: pd.Series, name: pd.Series, released: pd.Series
) -> tuple[pd.Series, pd.Series] | None:
    """Return the part of dates that decides a column, in the table and the release."""
    is_date = pd.api.types.is_datetime64_any_dtype
    if not (is_date(leading.dtype) and is_date(released.dtype)) or is_date(name.dtype):
        return None
    codes = np.asarray(pd.factorize(name)[0], dtype=np.int64)
    parts = zip(date_part_series(leading), date_part_series(released), strict=True)
    for before, after in parts if len(codes) else ():
        if does_code_determine(
            np.asarray(pd.factorize(before)[0], dtype=np.int64), codes
        ):
            return before, after
    return None


def _dates_of_days(days: Values, like: Values, zone: tzinfo | None) -> pd.Series:
    """Return days since 1970 as dates like others: of whole days or seconds."""
    moments = pd.Series(pd.Timestamp("1970-01-01") + pd.to_timedelta(days, unit="D"))
    moments = moments.dt.round("D" if not (like % 1).any() else "s")
    if zone is not None:
        moments = moments.dt.tz_localize("UTC").dt.tz_convert(zone)
    return moments
