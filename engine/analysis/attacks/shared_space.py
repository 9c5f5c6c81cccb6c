"""Known and released records as points of one space, and distances between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.analysis.attacks.base import AttackScene
from engine.analysis.composition.statements import encode_original_column
from engine.core.numerics.statistics import mean_by_group, std_of_finite_values
from engine.core.typing import Booleans, Integers, Values
from engine.data.conversion.numeric import floats_or_none
from engine.data.persons import persons_per_class
from engine.data.table import Table
from engine.measures.classes import record_classes

MAX_INDICATOR_CATEGORIES = 50
"""Categories of a column that have a coordinate, at most; rarer ones have none."""

MAX_DIFFERENCES_PER_CALL = 20_000_000
"""Differences that are worked out at once."""

MAX_STANDARD_DEVIATIONS = 1e100
"""Standard deviations from 0, beyond which squares would be no numbers."""


@dataclass(frozen=True, eq=False)
class ComparedPoints:
    """Known and released records as points with the same coordinates.

    Attributes
    ----------
    known : ndarray of float64, shape (n_targets, n_coordinates)
        Numbers in standard deviations; an indicator of each category, so that two
        categories are at distance 1.
    seen : ndarray of float64, shape (n_classes, n_coordinates)
        Different released records. A category that the original column does not have,
        such as one above others, is at squared distance 1/2 from its frequent ones.
    classes : ndarray of int64, shape (n_released,)
        Class of each released record: its row of `seen`.
    own : ndarray of int64, shape (n_targets,)
        Class of each target.
    sizes : ndarray of int64, shape (n_classes,)
        Released records of each class, or persons who have some.
    people : ndarray of int64, shape (n_targets,), or None
        Person of each target, where a match is a person.
    persons : ndarray of int64, shape (n_released,), or None
        Person of each released record.
    starts : ndarray of int64, shape (n_columns,)
        First coordinate of each column.
    """

    known: Values
    seen: Values
    classes: Integers
    own: Integers
    sizes: Integers
    starts: Integers
    people: Integers | None = None
    persons: Integers | None = None

    def own_classes(self, targets: Integers) -> Booleans:
        """Return a mask of classes with records of each target, (n_some, n_classes)."""
        is_own = np.zeros((targets.size, self.sizes.size), dtype=np.bool_)
        is_own[np.arange(targets.size), self.own[targets]] = True
        if self.people is None or self.persons is None:
            return is_own
        order = np.argsort(self.persons, kind="stable")
        line = self.persons[order]
        first = np.searchsorted(line, self.people[targets], side="left")
        last = np.searchsorted(line, self.people[targets], side="right")
        for i, (low, high) in enumerate(
            zip(first.tolist(), last.tolist(), strict=True)
        ):
            is_own[i, self.classes[order[low:high]]] = True
        return is_own

    def coordinates_of(self, columns: list[int]) -> Booleans:
        """Return a bool mask of the coordinates that belong to some columns."""
        column = np.searchsorted(
            self.starts, np.arange(self.known.shape[1]), side="right"
        )
        return np.isin(column - 1, columns)


def embed_records(
    scene: AttackScene, columns: list[str], use_ranks: bool = False
) -> ComparedPoints:
    """Return targets and released records as points in the space of some columns.

    Parameters
    ----------
    columns : list of str
    use_ranks : bool
        Whether numbers are replaced by their ranks, on either side.
    """
    from scipy.stats import rankdata

    release, targets = scene.release, scene.target_rows()
    classes = record_classes(release.frame, tuple(columns))
    first = np.unique(classes, return_index=True)[1]
    known_points, released_points, starts = list[Values](), list[Values](), list[int]()
    rng = np.random.default_rng(scene.seed)
    for name in columns:
        truth = encode_original_column(scene.original.frame[name], name)
        starts.append(sum(each.shape[1] for each in known_points))
        originals = truth.values[release.rows]
        if truth.numeric:
            released_values = released_numbers_or_means(release.frame[name], originals)
            before = _blur_values(originals, scene.knowledge.exactness, rng)
            if use_ranks:
                before, released_values = rankdata(before), rankdata(released_values)
                originals = before
            unit = std_of_finite_values(originals) or 1.0
            # Far from 0, quotients would be too coarse for distances to be equal.
            minimum = before.min()
            pair = [
                (before[targets, None] - minimum) / unit,
                (released_values[first, None] - minimum) / unit,
            ]
        else:
            pair = _indicator_columns(scene.original, release.frame, name, release.rows)
            pair = [pair[0][targets], pair[1][first]]
        for side, points in zip((known_points, released_points), pair, strict=True):
            side.append(
                np.clip(
                    np.nan_to_num(points),
                    -MAX_STANDARD_DEVIATIONS,
                    MAX_STANDARD_DEVIATIONS,
                )
            )
    persons = scene.released_persons
    sizes = persons_per_class(classes, persons)
    return ComparedPoints(
        known=np.hstack(known_points),
        seen=np.hstack(released_points),
        classes=classes,
        own=classes[targets],
        sizes=sizes,
        starts=np.array(starts, dtype=np.int64),
        people=None if persons is None else persons[targets],
        persons=persons,
    )


def released_numbers_or_means(column: pd.Series, original_values: Values) -> Values:
    """Return released numbers; for categories, the mean original of their records."""
    numbers = floats_or_none(column)
    if numbers is not None:
        return _impute_means(numbers, original_values)
    codes = pd.factorize(column, use_na_sentinel=False)[0].astype(np.int64)
    filled = _impute_means(original_values, original_values)
    return np.asarray(mean_by_group(filled[:, np.newaxis], codes)[codes, 0])


def _impute_means(values: Values, known_values: Values) -> Values:
    """Return numbers with missing ones replaced by the mean of the others, else 0."""
    others = known_values[~np.isnan(known_values)]
    return np.where(np.isfinite(values), values, others.mean() if others.size else 0.0)


def _blur_values(values: Values, exactness: str, rng: np.random.Generator) -> Values:
    """Return numbers with the exactness with which an intruder knows them."""
    filled = _impute_means(values, values)
    if exactness == "rounded":
        size = np.floor(np.log10(np.maximum(np.abs(filled), 1e-300)))
        unit = 10.0 ** (size - 1.0)
        return np.asarray(np.rint(filled / unit) * unit)
    if exactness == "near":
        return np.asarray(filled * rng.uniform(0.95, 1.05, filled.size))
    return filled


def _indicator_columns(
    original: Table, frame: pd.DataFrame, name: str, rows: Integers
) -> list[Values]:
    before = original.frame[name].astype("str")
    frequent = before.value_counts().index[:MAX_INDICATOR_CATEGORIES].sort_values()
    texts = before.iloc[rows], frame[name].astype("str")
    codes = [frequent.get_indexer(pd.Index(each)) for each in texts]
    eye = np.vstack([np.eye(len(frequent)), np.zeros(len(frequent))]) / np.sqrt(2.0)
    return [eye[each] for each in codes]


def nearest_points_and_sq_dists(
    known_points: Values, released_points: Values
) -> tuple[Integers, Values]:
    """Return the nearest released point of each, the first of several, and how far.

    Returns
    -------
    which : ndarray of int64, shape (n_known,)
    least : ndarray of float64, shape (n_known,)
        Squared distances.
    """
    n = len(known_points)
    which, least = np.empty(n, dtype=np.int64), np.empty(n)
    for part in _row_parts(n, released_points.size):
        squared = sq_dist_matrix(known_points[part], released_points)
        which[part] = squared.argmin(axis=1)
        least[part] = squared.min(axis=1)
    return which, least


def _row_parts(n: int, cells: int) -> list[Integers]:
    step = max(1, MAX_DIFFERENCES_PER_CALL // max(1, cells))
    return [np.arange(first, min(first + step, n)) for first in range(0, n, step)]


def sq_dist_matrix(known_points: Values, released_points: Values) -> Values:
    """Return squared distances of known to released points, (n_known, n_released)."""
    total = np.zeros((len(known_points), len(released_points)))
    for coordinate, other in zip(known_points.T, released_points.T, strict=True):
        total += np.square(coordinate[:, np.newaxis] - other)
    return total


def linkage_probability_per_target(compared_points: ComparedPoints) -> Values:
    """Return each target's chance of a right link to one of its nearest records."""
    right = np.empty(len(compared_points.known))
    for part in _row_parts(right.size, compared_points.seen.size):
        squared = sq_dist_matrix(compared_points.known[part], compared_points.seen)
        min_sq_dist = squared.min(axis=1)
        near = squared <= min_sq_dist[:, np.newaxis] * (1.0 + 1e-12) + 1e-18
        candidates = np.maximum(near @ compared_points.sizes, 1)
        right[part] = (near & compared_points.own_classes(part)).sum(
            axis=1
        ) / candidates
    return right
