"""Record linkage: nearest classes of released records for each original record.

Loops go over the classes innermost, without branches, so that several are measured at
once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.typing import Integers, Values
from engine.kernels.compilation._jit import kernel

TIE_TOLERANCE = 1e-9
"""What differs by a smaller share is equal but for rounding."""


@kernel
def _count_ties(
    totals: Values,
    mine: int,
    sizes: Integers,
    candidates: Integers,
    own_candidates: Integers,
    place: int,
) -> None:
    """Count the released records of the smallest total, and those of the own class.

    Parameters
    ----------
    totals : ndarray of float64, shape (n_classes,)
    mine : int
        The own class.
    sizes : ndarray of int64, shape (n_classes,)
    candidates, own_candidates : ndarray of int64, shape (n_linked,)
        Receive the counts at `place`.
    """
    best = np.inf
    for c in range(totals.shape[0]):
        best = min(best, totals[c])
    # The smallest total, and all that equal it but for rounding.
    limit = best + TIE_TOLERANCE * abs(best)
    candidates[place] = own_candidates[place] = 0
    for c in range(totals.shape[0]):
        if totals[c] <= limit:
            candidates[place] += sizes[c]
    if totals[mine] <= limit:
        own_candidates[place] = sizes[mine]


@kernel
def count_nearest_released(
    records: Integers,
    first_record: int,
    last_record: int,
    known: Values,
    released: Values,
    places: Integers,
    low: Integers,
    high: Integers,
    cost: Values,
    classes: Integers,
    sizes: Integers,
    totals: Values,
    candidates: Integers,
    own_candidates: Integers,
) -> None:
    """Count the released records nearest to each record, and those of its own class.

    Parameters
    ----------
    records : ndarray of int64, shape (n_linked,)
        Records to link.
    first_record, last_record : int
        Which of them this call links.
    known, released, places, low, high, classes, sizes
        As in :class:`engine.measures.reidentification.linkage.LinkageProblem`, whose
        `seen` is `released`.
    cost : ndarray of float64, shape (n_categories,)
        What a category adds to a squared distance where it does not fit.
    totals : ndarray of float64, shape (n_classes,)
        Scratch.
    candidates : ndarray of int64, shape (n_linked,)
        Receives the number of released records that no other is nearer than.
    own_candidates : ndarray of int64, shape (n_linked,)
        Receives how many of them are in the record's own class.
    """
    n_classes = sizes.shape[0]
    for place in range(first_record, last_record):
        i = records[place]
        for c in range(n_classes):
            totals[c] = 0.0
        # Numbers: squared differences.
        for j in range(known.shape[1]):
            value, row = known[i, j], released[j]
            for c in range(n_classes):
                difference = row[c] - value
                totals[c] += difference * difference
        # Categories: the cost where the class's interval of leaves does not hold the
        # record's.
        for j in range(places.shape[1]):
            leaf, class_low, class_high, extra = places[i, j], low[j], high[j], cost[j]
            for c in range(n_classes):
                fits = (class_low[c] <= leaf) & (leaf <= class_high[c])
                totals[c] += 0.0 if fits else extra
        _count_ties(totals, classes[i], sizes, candidates, own_candidates, place)


@kernel
def count_heaviest_released(
    records: Integers,
    first_record: int,
    last_record: int,
    known: Values,
    released: Values,
    places: Integers,
    low: Integers,
    high: Integers,
    limits: Values,
    weights: Values,
    classes: Integers,
    sizes: Integers,
    totals: Values,
    candidates: Integers,
    own_candidates: Integers,
) -> None:
    """Count the released records of most weight for each record, and of its own class.

    Parameters
    ----------
    records, first_record, last_record, known, released, places, low, high, classes
    sizes, totals, candidates, own_candidates
        As in :func:`count_nearest_released`.
    limits
        As in :func:`write_agreement_levels`.
    weights : ndarray of float64, shape (n_attributes, 4)
        Weight of each level of agreement.
    """
    n_classes, n_numbers = sizes.shape[0], known.shape[1]
    for place in range(first_record, last_record):
        i = records[place]
        for c in range(n_classes):
            totals[c] = 0.0
        # Weights are subtracted, so that the heaviest class has the smallest total.
        for j in range(n_numbers):
            value, row = known[i, j], released[j]
            same, close, near, apart = weights[j]
            for c in range(n_classes):
                difference = abs(row[c] - value)
                # From the coarsest level to the finest: each test overrides the one
                # before.
                weight = near if difference <= limits[2] else apart
                weight = close if difference <= limits[1] else weight
                weight = same if difference <= limits[0] else weight
                totals[c] -= weight
        for j in range(places.shape[1]):
            leaf, class_low, class_high = places[i, j], low[j], high[j]
            same, apart = weights[n_numbers + j, 0], weights[n_numbers + j, 3]
            for c in range(n_classes):
                fits = (class_low[c] <= leaf) & (leaf <= class_high[c])
                totals[c] -= same if fits else apart
        _count_ties(totals, classes[i], sizes, candidates, own_candidates, place)


@kernel
def write_agreement_levels(
    records: Integers,
    known: Values,
    released: Values,
    places: Integers,
    low: Integers,
    high: Integers,
    limits: Values,
    levels: NDArray[np.int8],
) -> None:
    """Write the agreement level (0 to 3) of records with each class, by attribute.

    Parameters
    ----------
    records : ndarray of int64, shape (n_compared,)
    known, released, places, low, high
        As in :func:`count_nearest_released`.
    limits : ndarray of float64, shape (3,)
        Up to these differences numbers are the same, close and near each other.
    levels : ndarray of int8, shape (n_attributes, n_compared, n_classes)
        Receives 0 where they are the same, 1 where close, 2 where near, 3 where they
        are apart; numbers first, then categories, which are the same or apart.
    """
    n_numbers = known.shape[1]
    for j in range(levels.shape[0]):
        for place in range(records.shape[0]):
            i, line = records[place], levels[j, place]
            if j < n_numbers:
                value, row = known[i, j], released[j]
                for c in range(line.shape[0]):
                    # The same levels, without their weights.
                    difference = abs(row[c] - value)
                    level = 2 if difference <= limits[2] else 3
                    level = 1 if difference <= limits[1] else level
                    line[c] = 0 if difference <= limits[0] else level
            else:
                leaf = places[i, j - n_numbers]
                class_low, class_high = low[j - n_numbers], high[j - n_numbers]
                for c in range(line.shape[0]):
                    fits = (class_low[c] <= leaf) & (leaf <= class_high[c])
                    line[c] = 0 if fits else 3
