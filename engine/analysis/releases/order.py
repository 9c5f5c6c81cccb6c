"""Whether a release seems to be in the original's order; if not, a match by groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.analysis.attacks.base import Matching
from engine.analysis.composition.statements import (
    MEAN_ERROR_SHARE,
    encode_original_column,
)
from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.analysis.releases.own_groups import (
    foreign_groups_error,
    foreign_groups_reason,
)
from engine.constraints.exact_rounding.decimals import min_decimals_for_all_values
from engine.core.numerics.statistics import (
    low_median_by_group,
    mean_by_group,
    median_by_group,
    mode_by_group,
)
from engine.core.typing import Integers, Values
from engine.data.conversion.numeric import floats_or_none
from engine.data.table import Table
from engine.measures.classes import record_classes

MAX_RANK_DEVIATIONS = 3.0
"""Standard deviations above 0 of a rank correlation by chance."""


def matched_release_and_matching(
    original: Table, release: ReleaseWithOrigins, columns: Sequence[str]
) -> tuple[ReleaseWithOrigins, Matching]:
    """Return the release with matched original rows, and how closely they match.

    Where records are in another order, each group's mean, median or most frequent
    value says which class it is; records of a class are told apart by the columns that
    leave as they are, and are alike where these are.

    Parameters
    ----------
    release : ReleaseWithOrigins
        Matched by order.
    columns : sequence of str
        The quasi-identifiers.

    Raises
    ------
    InputError
        If the groups are those of another release.
    """
    is_shuffled, reason = is_in_another_order(original, release, columns), None
    if not is_shuffled:
        reason = foreign_groups_reason(original, release, columns, is_same_order=True)
        if reason is None:
            return release, "records"
    matched = _match_by_groups(original, release, columns)
    if matched is not None:
        return matched
    if is_shuffled:
        reason = foreign_groups_reason(original, release, columns, is_same_order=False)
    if reason is not None:
        raise foreign_groups_error(release.name, reason)
    return release, "values"


def _match_by_groups(
    original: Table, release: ReleaseWithOrigins, columns: Sequence[str]
) -> tuple[ReleaseWithOrigins, Matching] | None:
    """Return a release in another order matched by its groups; None if it cannot be."""
    names = [name for name in columns if name in release.frame]
    if release.groups is None or not names:
        return None
    of = _class_of_groups(original, release, names)
    if of is None:
        return None
    classes = record_classes(release.frame, tuple(names))
    others = [x for x in release.frame if x not in columns and x in original.schema]
    before = [_texts(original.frame[x].iloc[release.rows]) for x in others]
    after = [_texts(release.frame[x]) for x in others]
    codes = of[release.groups]
    base, target = np.lexsort([*before, codes]), np.lexsort([*after, classes])
    if (codes[base] != classes[target]).any():  # some class has another size
        return None
    place = np.empty(base.size, dtype=np.int64)
    place[target] = base
    same = all((a[base] == b[target]).all() for a, b in zip(before, after, strict=True))
    rows, groups = release.rows[place], release.groups[place]
    matched = replace(release, rows=rows, groups=groups)
    return matched, "records" if same else "classes"


def is_in_another_order(
    original: Table, release: ReleaseWithOrigins, columns: Sequence[str]
) -> bool:
    """Return whether a release's records seem to be in another order than the original.

    A column that leaves as it is has its values in other rows; or, where no column
    leaves as it is, no number says more of its own record than of others.

    Parameters
    ----------
    release : ReleaseWithOrigins
        Matched by order.
    columns : sequence of str
        The quasi-identifiers.
    """
    stays = False
    for name in release.frame:
        if name in columns or name not in original.schema:
            continue
        before = original.frame[name].iloc[release.rows]
        texts, new_texts = _texts(before), _texts(release.frame[name])
        if (texts != new_texts).any() and (np.sort(texts) == np.sort(new_texts)).all():
            return True
        stays |= bool((texts == new_texts).all() and (texts != texts[0]).any())
    if stays:
        return False
    strength = [
        _rank_deviations(original, release, name)
        for name in columns
        if name in release.frame
    ]
    deviations = [x for x in strength if x is not None]
    chance = min(MAX_RANK_DEVIATIONS, 0.5 * np.sqrt(release.rows.size))
    return bool(deviations) and max(deviations) < chance


def _texts(column: pd.Series) -> NDArray[np.str_]:
    """Return a column as texts, gaps among them: NaN is neither equal nor sorted."""
    return np.array(list(map(str, column)))


def _rank_deviations(
    original: Table, release: ReleaseWithOrigins, name: str
) -> float | None:
    """Return a rank correlation in standard deviations of one by chance."""
    from scipy.stats import rankdata

    truth = encode_original_column(original.frame[name], name)
    after = release.frame[name]
    numbers = floats_or_none(after) if truth.numeric else None
    if numbers is None:
        return None
    originals = truth.values[release.rows]
    has_both = ~(np.isnan(originals) | np.isnan(numbers))
    x, y = rankdata(originals[has_both]), rankdata(numbers[has_both])
    if has_both.sum() < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1]) * float(np.sqrt(has_both.sum() - 1))


def _class_of_groups(
    original: Table, release: ReleaseWithOrigins, names: Sequence[str]
) -> Integers | None:
    """Return the class of each group; None where values do not say which it is."""
    from scipy.spatial import KDTree

    assert release.groups is not None
    expected, released = list[Values](), list[Values]()
    for name in names:
        pair = _group_values(original, release, name)
        if pair is not None:
            expected.append(pair[0])
            released.append(pair[1])
    if not expected:
        return None
    classes = record_classes(release.frame, tuple(names))
    first = np.unique(classes, return_index=True)[1]
    points = np.column_stack(released)[first]
    two = KDTree(points).query(np.column_stack(expected), k=[1, 2], p=np.inf)
    near, of = np.asarray(two[0]), np.asarray(two[1], dtype=np.int64)
    # Within rounding of one class, and of no other.
    if (near[:, 0] > 1.0).any() or (near[:, 1] <= 1.0).any():
        return None
    return np.asarray(of[:, 0])


def _group_values(
    original: Table, release: ReleaseWithOrigins, name: str
) -> tuple[Values, Values] | None:
    """Return what each group should have in a column, and each released record has.

    Both in units within which they are equal but for rounding; None where they are
    neither means nor medians nor the most frequent values of groups.
    """
    labels, after = release.groups, release.frame[name]
    assert labels is not None
    truth = encode_original_column(original.frame[name], name)
    originals = truth.values[release.rows]
    if np.isnan(originals).any():
        return None
    numbers = floats_or_none(after) if truth.numeric else None
    if numbers is None:
        texts = _texts(original.frame[name])
        levels, codes = np.unique(texts, return_inverse=True)
        after_codes = pd.Index(levels).get_indexer(pd.Index(_texts(after)))
        if truth.numeric or (after_codes < 0).any():
            return None
        mode = mode_by_group(codes[release.rows], labels)
        expected: Values = 4.0 * mode.astype(np.float64)
        released: Values = 4.0 * after_codes.astype(np.float64)
        same = _are_same_values(expected[labels], released)
        return (expected, released) if same else None
    if np.isnan(numbers).any():
        return None
    places = min_decimals_for_all_values(numbers)
    half = 0.5 * 10.0**-places if places >= 0 else 0.0
    half += MEAN_ERROR_SHARE * float(np.abs(originals).max()) + 1e-300
    mean = mean_by_group(originals[:, np.newaxis], labels)[:, 0]
    middle = median_by_group(originals, labels), low_median_by_group(originals, labels)
    for value in (mean, *middle, mode_by_group(originals, labels)):
        if _are_same_values(value[labels] / half, numbers / half):
            return value / half, numbers / half
    return None


def _are_same_values(expected: Values, released: Values) -> bool:
    """Return whether records have the same values in some order, but for rounding."""
    differences = np.abs(np.sort(expected) - np.sort(released))
    return bool((differences <= 1.0 + 1e-9).all())
