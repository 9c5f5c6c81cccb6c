"""Groups of a few records of a sample: what k does, and sizes that may vary."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import sample_data
from dashboard.charts.lesson_inputs import Grouped, Plane
from engine.core.partition import Labels
from engine.core.statistics import per_cent, sums_of_squares
from engine.core.typing import Values
from engine.pipeline.labels import partition
from engine.points.scaling import SpreadOf, centre_and_scale

FIRST = 160
"""Adults that are passed over, so that none lies so far out as to press the others
together in the picture."""

PATIENTS = 80
"""Adults of the hospital sample that are drawn: enough for groups of 20, and few
enough to tell the points apart."""

SIZES = range(2, 21)
"""Values of k that can be tried."""

WAYS = ("mdav", "vmdav", "optimal")
"""Methods of the ten records: groups of exactly k, of k to 2k - 1, and the best."""

TEN_K = 3


def standardised(plane: Plane) -> Values:
    """Return the values with mean 0 and standard deviation 1, as methods see them."""
    centre, scale = centre_and_scale("zscore", SpreadOf(plane.values))
    return np.ascontiguousarray((plane.values - centre) / scale)


def means(values: Values, labels: Labels) -> Values:
    """Return the mean of each group, shape (n_groups, n_attributes)."""
    sizes = np.bincount(labels)
    sums = [np.bincount(labels, weights=column) for column in values.T]
    return np.column_stack(sums) / sizes[:, np.newaxis]


def loss(X: Values, released: Values) -> float:
    """Return the information loss of released values, in per cent.

    Parameters
    ----------
    X, released : ndarray of float64, shape (n_records, n_attributes)
        On one scale.
    """
    sse, sst = sums_of_squares(X, released)
    return per_cent(float(sse.sum()), float(sst.sum()))


@lru_cache(maxsize=4)
def patients(count: int = PATIENTS) -> Plane:
    """Return height and weight of some adults of whom both are known."""
    frame = sample_data.load("hospital_discharges").frame
    names = ("height", "weight")
    known = frame[frame["age"] >= 18][list(names)].dropna()
    known = known.iloc[FIRST : FIRST + count]
    return Plane(known.to_numpy(dtype=np.float64), names)


@lru_cache(maxsize=1)
def ten_records() -> Plane:
    """Return the ten records of the worked example."""
    frame = sample_data.load("ten_records").frame
    return Plane(frame.to_numpy(dtype=np.float64), ("x", "y"))


def grouped(plane: Plane, method: str, k: int) -> Grouped:
    """Group records on z-scored values and take the means."""
    labels = partition(plane.values, k, method)
    X = standardised(plane)
    lost = loss(X, means(X, labels)[labels])
    return Grouped(plane, labels, means(plane.values, labels), lost)


@lru_cache(maxsize=len(SIZES))
def of_size(k: int) -> Grouped:
    """Return the patients in MDAV's groups of k."""
    return grouped(patients(), "mdav", k)


@lru_cache(maxsize=len(WAYS))
def of_ten(method: str) -> Grouped:
    """Return the ten records in a method's groups of at least three."""
    return grouped(ten_records(), method, TEN_K)
