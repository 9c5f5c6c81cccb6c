"""Known and released records as points of one space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.analysis.attacks.base import Scene
from engine.analysis.composition.statements import numbers_of, truth_of
from engine.core.statistics import deviation, group_means
from engine.core.typing import Booleans, Integers, Values
from engine.data.persons import persons_per_class
from engine.data.table import Table
from engine.measures.classes import record_classes

CATEGORIES = 50
"""Of a column, so many categories have a coordinate; rarer ones share none."""

CELLS = 20_000_000
"""Differences that are worked out at once."""

FARTHEST = 1e100
"""Standard deviations from 0, beyond which squares would be no numbers."""


@dataclass(frozen=True, eq=False)
class Compared:
    """What an intruder compares.

    Attributes
    ----------
    known : ndarray of float64, shape (n_targets, n_coordinates)
        Numbers in standard deviations; an indicator of each category, so that two
        categories are at distance 1.
    seen : ndarray of float64, shape (n_classes, n_coordinates)
        Different released records. A category that the column does not have, such as
        one above others, is half as far from each of them.
    classes : ndarray of int64, shape (n_released,)
        Of each released record.
    own : ndarray of int64, shape (n_targets,)
        Class of each target.
    sizes : ndarray of int64, shape (n_classes,)
        Released records of each class, or persons who have some.
    people : ndarray of int64, shape (n_targets,), or None
        Person of each target, where a match is a person.
    persons : ndarray of int64, shape (n_released,), or None
        Likewise of each released record.
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

    def own_classes(self, some: Integers) -> Booleans:
        """Return in which classes targets are, shape (n_some, n_classes)."""
        found = np.zeros((some.size, self.sizes.size), dtype=np.bool_)
        found[np.arange(some.size), self.own[some]] = True
        if self.people is None or self.persons is None:
            return found
        order = np.argsort(self.persons, kind="stable")
        line = self.persons[order]
        first = np.searchsorted(line, self.people[some], side="left")
        last = np.searchsorted(line, self.people[some], side="right")
        for i, (low, high) in enumerate(
            zip(first.tolist(), last.tolist(), strict=True)
        ):
            found[i, self.classes[order[low:high]]] = True
        return found

    def only(self, columns: list[int]) -> Booleans:
        """Return which coordinates are of some columns."""
        column = np.searchsorted(
            self.starts, np.arange(self.known.shape[1]), side="right"
        )
        return np.isin(column - 1, columns)


def compared(scene: Scene, columns: list[str], ranks: bool = False) -> Compared:
    """Return targets and released records in some columns.

    Parameters
    ----------
    scene : Scene
    columns : list of str
    ranks : bool
        Whether numbers are replaced by their ranks, on either side.
    """
    from scipy.stats import rankdata

    release, targets = scene.release, scene.targets()
    classes = record_classes(release.frame, tuple(columns))
    first = np.unique(classes, return_index=True)[1]
    known, seen, starts = list[Values](), list[Values](), list[int]()
    rng = np.random.default_rng(scene.seed)
    for name in columns:
        truth = truth_of(scene.original.frame[name], name)
        starts.append(sum(each.shape[1] for each in known))
        mine = truth.values[release.rows]
        if truth.numeric:
            theirs = released_numbers(release.frame[name], mine)
            before = _inexact(mine, scene.knowledge.exactness, rng)
            if ranks:
                before, theirs = rankdata(before), rankdata(theirs)
                mine = before
            unit = deviation(mine) or 1.0
            pair = [before[targets, None] / unit, theirs[first, None] / unit]
        else:
            pair = _indicators(scene.original, release.frame, name, release.rows)
            pair = [pair[0][targets], pair[1][first]]
        known.append(np.clip(np.nan_to_num(pair[0]), -FARTHEST, FARTHEST))
        seen.append(np.clip(np.nan_to_num(pair[1]), -FARTHEST, FARTHEST))
    sizes, persons = np.bincount(classes).astype(np.int64), scene.released_persons
    if persons is not None:
        sizes = persons_per_class(classes, persons)
    return Compared(
        known=np.hstack(known),
        seen=np.hstack(seen),
        classes=classes,
        own=classes[targets],
        sizes=sizes,
        starts=np.array(starts, dtype=np.int64),
        people=None if persons is None else persons[targets],
        persons=persons,
    )


def released_numbers(column: pd.Series, mine: Values) -> Values:
    """Return released numbers; words as the mean of the values they were given for."""
    found = numbers_of(column)
    if found is not None:
        return _filled(found, mine)
    codes = pd.factorize(column, use_na_sentinel=False)[0].astype(np.int64)
    filled = _filled(mine, mine)
    return np.asarray(group_means(filled[:, np.newaxis], codes)[codes, 0])


def _filled(values: Values, known: Values) -> Values:
    """Return numbers, the mean of the known ones where they are missing; else 0."""
    there = known[~np.isnan(known)]
    return np.where(np.isfinite(values), values, there.mean() if there.size else 0.0)


def _inexact(values: Values, exactness: str, rng: np.random.Generator) -> Values:
    """Return numbers as an intruder knows them."""
    filled = _filled(values, values)
    if exactness == "rounded":
        size = np.floor(np.log10(np.maximum(np.abs(filled), 1e-300)))
        unit = 10.0 ** (size - 1.0)
        return np.asarray(np.rint(filled / unit) * unit)
    if exactness == "near":
        return np.asarray(filled * rng.uniform(0.95, 1.05, filled.size))
    return filled


def _indicators(
    original: Table, frame: pd.DataFrame, name: str, rows: Integers
) -> list[Values]:
    before = original.frame[name].astype("str")
    frequent = before.value_counts().index[:CATEGORIES].sort_values()
    texts = before.iloc[rows], frame[name].astype("str")
    codes = [frequent.get_indexer(pd.Index(each)) for each in texts]
    eye = np.vstack([np.eye(len(frequent)), np.zeros(len(frequent))]) / np.sqrt(2.0)
    return [eye[each] for each in codes]


def nearest(known: Values, seen: Values) -> tuple[Values, Values, Integers]:
    """Return squared distances to the nearest of some points.

    Returns
    -------
    least, second : ndarray of float64, shape (n_known,)
        To the nearest, and to the nearest other.
    which : ndarray of int64, shape (n_known,)
        The nearest; the first of several.
    """
    n = len(known)
    least, second = np.empty(n), np.full(n, np.inf)
    which = np.empty(n, dtype=np.int64)
    for part in _parts(n, seen.size):
        squared = squares(known[part], seen)
        which[part] = squared.argmin(axis=1)
        least[part] = squared.min(axis=1)
        if seen.shape[0] > 1:
            second[part] = np.partition(squared, 1, axis=1)[:, 1]
    return least, second, which


def _parts(n: int, cells: int) -> list[Integers]:
    step = max(1, CELLS // max(1, cells))
    return [np.arange(first, min(first + step, n)) for first in range(0, n, step)]


def squares(known: Values, seen: Values) -> Values:
    """Return squared distances, shape (n_known, n_seen)."""
    total = np.zeros((len(known), len(seen)))
    for one, other in zip(known.T, seen.T, strict=True):
        total += np.square(one[:, np.newaxis] - other)
    return total


def share_found(pair: Compared, coordinates: Booleans | None = None) -> Values:
    """Return each target's chance to be found among the nearest released records."""
    some = np.ones(pair.known.shape[1], dtype=np.bool_)
    if coordinates is not None:
        some = coordinates
    right = np.empty(len(pair.known))
    for part in _parts(right.size, pair.seen.size):
        squared = squares(pair.known[part][:, some], pair.seen[:, some])
        least = squared.min(axis=1)
        near = squared <= least[:, np.newaxis] * (1.0 + 1e-12) + 1e-18
        candidates = np.maximum(near @ pair.sizes, 1)
        right[part] = (near & pair.own_classes(part)).sum(axis=1) / candidates
    return right
