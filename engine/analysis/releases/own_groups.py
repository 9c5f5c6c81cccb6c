"""Check of whether supplied group labels can be a release's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.aggregate import GroupedAttribute, aggregations
from engine.analysis.composition.statements import MEAN_ERROR_SHARE
from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.constraints.exact_rounding.decimals import min_decimals_for_all_values
from engine.core.errors import EngineError, InputError
from engine.core.message import Message
from engine.core.typing import Integers, Values
from engine.data.conversion.numeric import floats_or_none
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.measures.classes import record_classes

MIN_OWN_SHARE = 0.5
"""Share of records that have a common value of the groups: rules move some of them."""


def foreign_groups_error(name: str, reason: Message) -> InputError:
    """Return the error for supplied groups that are not the release's own."""
    return InputError(
        "The groups given for {name} are not its own, as {reason}: give those of this "
        "release, or leave --groups out.",
        name=name,
        reason=reason,
    )


def foreign_groups_reason(
    original: Table,
    release: ReleaseWithOrigins,
    columns: Sequence[str],
    *,
    is_same_order: bool,
) -> Message | None:
    """Return why a release's given groups cannot be its own; None if they may be.

    Records of a group share all values that were protected, so that classes of equal
    values are unions of groups; and in some column their values are those of one of
    the ways in which a group's values become one, but for rounding.

    Parameters
    ----------
    release : ReleaseWithOrigins
    columns : sequence of str
        The quasi-identifiers.
    is_same_order : bool
        Whether records meet their own; otherwise sizes and ranges are compared.
    """
    groups = release.groups
    names = columns_with_changed_values(original, release, columns)
    names = names or [name for name in columns if name in release.frame]
    if groups is None or not names:
        return None
    classes = record_classes(release.frame, tuple(names))
    sizes, group_sizes = np.bincount(classes), np.bincount(groups)
    if is_same_order:
        class_of = np.zeros(group_sizes.size, dtype=np.int64)
        class_of[groups] = classes
        if (class_of[groups] != classes).any():
            return Message("records of one group have other values")
        if sizes.size == group_sizes.size:
            return None
    else:
        if not _may_be_unions(sizes, group_sizes):
            return Message("no union of them has the sizes of its classes")
        if group_sizes.min() == 1:  # columns were grouped apart
            return None
    shares = [_own_share(original, release, name, is_same_order) for name in names]
    known_shares = [share for share in shares if share is not None]
    if known_shares and max(known_shares) < MIN_OWN_SHARE:
        return Message(
            "its values are no means or medians of them (those of fuzzy groups are "
            "none either)"
        )
    return None


def columns_with_changed_values(
    original: Table, release: ReleaseWithOrigins, columns: Sequence[str]
) -> list[str]:
    """Return released columns whose sorted values differ from those before."""
    names = []
    for name in columns:
        if name not in release.frame:
            continue
        before, after = original.frame[name].iloc[release.rows], release.frame[name]
        x, y = floats_or_none(before), floats_or_none(after)
        if x is None or y is None:
            x, y = (np.array(list(map(str, each))) for each in (before, after))
            same = np.array_equal(np.sort(x), np.sort(y))
        else:
            same = np.array_equal(np.sort(x), np.sort(y), equal_nan=True)
        if not same:
            names.append(name)
    return names


def _may_be_unions(sizes: Integers, wanted_labels: Integers) -> bool:
    """Return whether classes of these sizes may be unions of groups of those."""
    if sizes.size == wanted_labels.size:
        return np.array_equal(np.sort(sizes), np.sort(wanted_labels))
    return bool(
        sizes.size < wanted_labels.size
        and sizes.max() >= wanted_labels.max()
        and sizes.min() >= wanted_labels.min()
    )


def _own_share(
    original: Table, release: ReleaseWithOrigins, name: str, is_same_order: bool
) -> float | None:
    """Return the share of records that have a common value of the groups in a column.

    Of the aggregation for which it is largest, weighted by no column or by one of the
    original's; None where there are no numbers, or gaps.
    """
    before = floats_or_none(original.frame[name].iloc[release.rows])
    after, groups = floats_or_none(release.frame[name]), release.groups
    if before is None or after is None or groups is None:
        return None
    if np.isnan(before).any() or np.isnan(after).any():
        return None
    half = 0.5 * _rounding_unit(after) * (1.0 + 1e-9)
    half += MEAN_ERROR_SHARE * float(np.abs(before).max()) + 1e-300
    best, n_groups = 0.0, int(groups.max()) + 1
    for weights in _possible_weights(original, release, name):
        grouped = GroupedAttribute(
            name, Kind.CONTINUOUS, before, groups, n_groups, weights=weights
        )
        for info in aggregations.infos():
            if Kind.CONTINUOUS not in info.kinds or not info.common.numeric:
                continue
            try:
                values = aggregations.get(info.id)(grouped).values
            except EngineError:  # there is no geometric mean of 0
                continue
            if is_same_order:
                gaps = np.abs(values[groups] - after)
            else:
                ordered = np.sort(values)
                place = np.searchsorted(ordered, after).clip(1, n_groups - 1)
                nearest = np.stack([ordered[place - 1], ordered[place]])
                gaps = np.abs(nearest - after).min(axis=0)
            best = max(best, float((gaps <= half).mean()))
        if best >= MIN_OWN_SHARE:
            break
    return best


def _possible_weights(
    original: Table, release: ReleaseWithOrigins, name: str
) -> Iterator[Values | None]:
    """Yield None, and each column of numbers above 0 by which records may count."""
    yield None
    for other in original.schema.names:
        numbers = floats_or_none(original.frame[other].iloc[release.rows])
        if other != name and numbers is not None and (numbers > 0.0).all():
            yield numbers


def _rounding_unit(numbers: Values) -> float:
    """Return the power of 10 of which all numbers are multiples; 0 if of none."""
    places = min_decimals_for_all_values(numbers)
    if places < 0:
        return 0.0
    unit, values = 10.0**-places, numbers[~np.isnan(numbers)]
    while places == 0 and values.any() and not (values % (10.0 * unit)).any():
        unit *= 10.0
    return unit
