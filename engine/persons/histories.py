"""Classes of at least k persons whose records lie in the same groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.context import SILENT, RunContext
from engine.core.numerics.statistics import mean_by_group, within_group_sse
from engine.core.partition import Labels
from engine.core.typing import Booleans, Integers, Values
from engine.data.persons import NOBODY
from engine.kernels.persons.matching import Histories
from engine.methods.base import Microaggregator, make_method
from engine.methods.default import DEFAULT_LARGE_METHOD
from engine.methods.search.starts import split_large_groups, start_groups
from engine.persons.class_search import ClassSearch
from engine.persons.effort import SearchEffort
from engine.points.base import Points

PARTS = 4
"""Parts of a history along the axis of most variance, whose means a method sees beside
constant coordinates."""

ROWS_AT_ONCE = 65_536
"""Records whose distances from their person's mean are in memory at a time."""


@dataclass(frozen=True, eq=False)
class PersonClasses:
    """Classes of persons, and groups of records within classes.

    Attributes
    ----------
    labels, classes : ndarray of int64, shape (n_records,)
        Group and class of each record, -1 of nobody; a group is of one class.
    constant : ndarray of bool, shape (n_coordinates,)
        Coordinates of attributes that vary within nobody.
    sse : float
        Sum of squares around means: of classes for `constant`, else of groups.
    """

    labels: Labels
    classes: Labels
    constant: Booleans
    sse: float


def attributes_constant_per_person(points: Points, persons: Integers) -> Booleans:
    """Return a mask of attributes constant within each person, (n_attributes,)."""
    has_person = persons != NOBODY
    record_persons = persons if has_person.all() else persons[has_person]
    a_record = np.empty(int(record_persons.max()) + 1, dtype=np.int64)
    a_record[record_persons] = np.flatnonzero(has_person)
    return np.array(
        [
            (column[a_record][record_persons] == column[has_person]).all()
            for column in points.values.T
        ]
    )


def group_persons_into_classes(
    points: Points,
    X: Values,
    persons: Integers,
    method: Microaggregator,
    effort: SearchEffort,
    ctx: RunContext,
    is_constant_within: Booleans | None = None,
    strata: Integers | None = None,
) -> PersonClasses:
    """Return classes of at least k persons, and groups of their records.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
        Coordinates of `points`.
    persons : ndarray of int64, shape (n_records,)
        Persons 0, 1, ..., -1 of nobody.
    method : Microaggregator
        Makes the first classes, of persons by their means, parts and constants, unless
        those of the default method for large tables lose less.
    effort : SearchEffort
    is_constant_within : ndarray of bool, shape (n_attributes,), optional
        Attributes that vary within nobody; computed unless given.
    strata : ndarray of int64, shape (n_records,), optional
        Records of different strata share no group. All persons have records in all.
    """
    if is_constant_within is None:
        is_constant_within = attributes_constant_per_person(points, persons)
    constant = np.repeat(is_constant_within, points.space.widths)
    order = np.argsort(persons, kind="stable")
    order = order[np.count_nonzero(persons == NOBODY) :]
    ordered_persons = persons[order]
    lengths = np.bincount(ordered_persons)
    histories, axis = _histories(X, order, ordered_persons, lengths, constant)
    features = _features(histories, ordered_persons, lengths)
    del ordered_persons
    first = _first_classes(points, persons, features, method, ctx.subcontext(0.0, 0.2))
    search = ClassSearch(histories, axis, features, first, int(method.k), effort)
    del histories, features
    search.run(ctx.subcontext(0.2, 1.0))
    own_classes, own_labels = search.labels()
    stratum_labels: Labels | None = None
    if strata is not None and (strata != strata[0]).any():
        stratum_labels = _matched_apart(
            X, persons, search, strata, constant, int(method.k)
        )
    del search
    classes, labels = np.full((2, persons.size), -1, dtype=np.int64)
    classes[order] = own_classes
    labels[order] = own_classes if constant.all() else own_labels
    labels = labels if stratum_labels is None else stratum_labels
    del own_classes, own_labels
    person_records = order if order.size < persons.size else slice(None)
    sse = within_group_sse(X[person_records], classes[person_records], constant)
    sse += within_group_sse(X[person_records], labels[person_records], ~constant)
    return PersonClasses(labels, classes, constant, sse)


def _matched_apart(
    X: Values,
    persons: Integers,
    search: ClassSearch,
    strata: Integers,
    constant: Booleans,
    k: int,
) -> Labels:
    """Return the groups of the same classes, each of one stratum."""
    matched_labels = np.full(persons.size, -1, dtype=np.int64)
    for number in np.unique(strata).tolist():
        some = np.flatnonzero((strata == number) & (persons != NOBODY))
        some = some[np.argsort(persons[some], kind="stable")]
        stratum_persons = persons[some]
        lengths = np.bincount(stratum_persons)
        histories, axis = _histories(X, some, stratum_persons, lengths, constant)
        of = search.classes.of
        part = ClassSearch(histories, axis, search.seen, of, k, search.effort)
        part.begin(SILENT)
        matched_labels[some] = part.labels()[1] + matched_labels.max() + 1
    return matched_labels


def _histories(
    X: Values, order: Integers, persons: Integers, lengths: Integers, constant: Booleans
) -> tuple[Histories, Values]:
    """Return records by person, and the axis of most variance within persons.

    `persons` are the persons of the records that `order` gives.
    """
    centre = X[order].mean(axis=0)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    C = np.ascontiguousarray((X[order[starts[:-1]]] - centre)[:, constant])
    varying = np.flatnonzero(~constant)
    V = np.empty((order.size, varying.size))
    for column, j in enumerate(varying.tolist()):  # a copy of one column at a time
        np.subtract(X[order, j], centre[j], out=V[:, column])
    means = mean_by_group(V, persons) if V.shape[1] else V[: lengths.size]
    axis = np.zeros(V.shape[1])
    if V.shape[1]:
        squares = np.zeros((V.shape[1], V.shape[1]))
        for first in range(0, order.size, ROWS_AT_ONCE):
            rows = slice(first, first + ROWS_AT_ONCE)
            deviations = V[rows] - means[persons[rows]]
            squares += deviations.T @ deviations
        axis = np.linalg.eigh(squares)[1][:, -1]
        axis = axis * np.sign(axis[np.argmax(np.abs(axis))])
    even = bool((lengths == lengths[0]).all())
    mean = np.ascontiguousarray(means if even else means[:, :0])
    size = np.add.reduceat(np.einsum("ij,ij->i", V, V), starts[:-1])
    return Histories(V, C, starts, V @ axis, mean, size), np.ascontiguousarray(axis)


def _features(histories: Histories, persons: Integers, lengths: Integers) -> Values:
    """Return what a person is like: constants, and means of parts of the history."""
    V, starts = histories.V, histories.start
    if V.shape[1] == 0:
        return histories.C
    parts = min(PARTS, int(lengths.max()))
    features = np.empty((lengths.size, parts * V.shape[1] + histories.C.shape[1]))
    step = max(1, ROWS_AT_ONCE * lengths.size // persons.size)
    for first in range(0, lengths.size, step):
        some = slice(first, first + step)
        rows = slice(int(starts[first]), int(starts[first : first + step + 1][-1]))
        means = _part_means(
            V[rows], histories.score[rows], persons[rows] - first, lengths[some], parts
        )
        features[some, : means.shape[1]] = means / np.sqrt(parts)
    features[:, parts * V.shape[1] :] = histories.C
    return features


def _part_means(
    V: Values, score: Values, persons: Integers, lengths: Integers, parts: int
) -> Values:
    """Return the means of parts of histories, shape (n_persons, parts * n_columns)."""
    order = np.lexsort((score, persons))
    starts = np.cumsum(lengths) - lengths
    place = np.arange(persons.size) - starts[persons]
    cell = persons * parts + place * parts // lengths[persons]
    count = np.bincount(cell, minlength=lengths.size * parts)
    sums = [np.bincount(cell, column[order], count.size) for column in V.T]
    means = np.stack(sums, axis=1) / np.maximum(count, 1)[:, np.newaxis]
    # A history shorter than its parts has the part before it once more.
    filled = np.maximum.accumulate(np.where(count > 0, np.arange(count.size), 0))
    return means[filled].reshape(lengths.size, -1)


def _first_classes(
    points: Points,
    codes: Integers,
    person_values: Values,
    method: Microaggregator,
    ctx: RunContext,
) -> Labels:
    """Return classes of k to 2k - 1 persons, a method's or the default's if nearer."""
    k = int(method.k)
    if person_values.shape[0] < 2 * k:
        return np.zeros(person_values.shape[0], dtype=np.int64)
    values, quiet = person_values, ctx.with_labels_callback(None)
    if method.info.traits.univariate:
        has_person = codes != NOBODY
        values = mean_by_group(
            points.sort_keys[has_person][:, np.newaxis], codes[has_person]
        )
    labels = start_groups_of_method(method, Points.from_array(values), quiet)
    candidates = [split_large_groups(person_values, labels, k)]
    if method.info.id != DEFAULT_LARGE_METHOD:
        # From classes as far apart as a baseline's, a search does not find near ones.
        other = make_method(DEFAULT_LARGE_METHOD, k, {}, method.seed)
        labels = other.partition(Points.from_array(person_values), quiet).labels
        candidates.append(split_large_groups(person_values, labels, k))
    return min(candidates, key=lambda labels: within_group_sse(person_values, labels))


def start_groups_of_method(
    method: Microaggregator, points: Points, ctx: RunContext
) -> Labels:
    """Return the groups of a method, or for a search the groups that it starts from.

    The search with persons takes the place of that search. `blocked` makes its own
    groups.
    """
    start: str | None = getattr(method, "start", None)
    if start is None or method.info.id == DEFAULT_LARGE_METHOD:
        return method.partition(points, ctx).labels
    return start_groups(start, points, int(method.k), method.seed, ctx)


def fill_in_groups_of_personless_records(
    coordinates: Values,
    labels: Labels,
    classes: Labels,
    is_constant: Booleans,
    strata: Integers | None = None,
) -> None:
    """Fill in nearest group and class of records that belong to no person (label -1).

    Parameters
    ----------
    coordinates : ndarray of float64, shape (n_records, n_coordinates)
    labels, classes : ndarray of int64, shape (n_records,)
        Filled in place.
    is_constant : ndarray of bool, shape (n_coordinates,)
        Coordinates in which records take what their class has.
    strata : ndarray of int64, shape (n_records,), optional
        Records take a group of their own stratum.
    """
    from scipy.spatial import cKDTree

    is_grouped = labels >= 0
    if is_grouped.all():
        return
    groups, first, dense = np.unique(
        labels[is_grouped], return_index=True, return_inverse=True
    )
    group_classes = classes[is_grouped][first]
    centres = mean_by_group(coordinates[is_grouped], dense)
    if is_constant.any():
        means = mean_by_group(coordinates[is_grouped], classes[is_grouped])[
            group_classes
        ]
        centres[:, is_constant] = means[:, is_constant]
    if strata is None:
        strata = np.zeros(labels.size, dtype=np.int64)
    homes = strata[is_grouped][first]
    for number in np.unique(strata[~is_grouped]).tolist():
        some = np.flatnonzero(~is_grouped & (strata == number))
        neighbours = np.flatnonzero(homes == number)
        nearest = neighbours[cKDTree(centres[neighbours]).query(coordinates[some])[1]]
        labels[some], classes[some] = groups[nearest], group_classes[nearest]
