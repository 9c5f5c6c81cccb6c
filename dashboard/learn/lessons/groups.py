"""Lesson on groups: the effect of k, and of variable sizes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import sample_data
from dashboard.charts.lesson_inputs import GroupedPoints, PlanePoints
from engine.core.partition import Labels
from engine.core.statistics import loss_percent, sse_and_sst_per_attribute
from engine.core.typing import Values
from engine.pipeline.labels import partition
from engine.points.scaling import ArraySpread, centre_and_scale

N_SKIPPED_ADULTS = 160
"""Adults that are passed over, so that none lies so far out as to press the others
together in the picture."""

N_PATIENTS = 80
"""Adults of the hospital sample that are drawn: enough for groups of 20, and few
enough to tell the points apart."""

GROUP_SIZES = range(2, 21)
"""Values of k that can be tried."""

TEN_RECORD_METHODS = ("mdav", "vmdav", "optimal")
"""Methods of the ten records: groups of exactly k, of k to 2k - 1, and the best."""

TEN_RECORD_K = 3


def standardise_plane(plane: PlanePoints) -> Values:
    """Return the plane's values scaled to mean 0 and standard deviation 1."""
    centre, scale = centre_and_scale("zscore", ArraySpread(plane.values))
    return np.ascontiguousarray((plane.values - centre) / scale)


def mean_per_group(values: Values, labels: Labels) -> Values:
    """Return the mean of each group, shape (n_groups, n_attributes)."""
    sizes = np.bincount(labels)
    sums = [np.bincount(labels, weights=column) for column in values.T]
    return np.column_stack(sums) / sizes[:, np.newaxis]


def released_loss_percent(X: Values, released_values: Values) -> float:
    """Return the information loss of released values, in per cent.

    Parameters
    ----------
    X, released_values : ndarray of float64, shape (n_records, n_attributes)
        On one scale.
    """
    sse, sst = sse_and_sst_per_attribute(X, released_values)
    return loss_percent(float(sse.sum()), float(sst.sum()))


@lru_cache(maxsize=4)
def patient_plane(n_patients: int = N_PATIENTS) -> PlanePoints:
    """Return height and weight of a number of adults of whom both are known."""
    frame = sample_data.load("hospital_discharges").frame
    names = ("height", "weight")
    known = frame[frame["age"] >= 18][list(names)].dropna()
    known = known.iloc[N_SKIPPED_ADULTS : N_SKIPPED_ADULTS + n_patients]
    return PlanePoints(known.to_numpy(dtype=np.float64), names)


@lru_cache(maxsize=1)
def ten_record_plane() -> PlanePoints:
    """Return the ten records of the worked example as points."""
    frame = sample_data.load("ten_records").frame
    return PlanePoints(frame.to_numpy(dtype=np.float64), ("x", "y"))


def group_points(plane: PlanePoints, method: str, k: int) -> GroupedPoints:
    """Return points grouped by a method on z-scored values, with means and loss."""
    labels = partition(plane.values, k, method)
    X = standardise_plane(plane)
    lost = released_loss_percent(X, mean_per_group(X, labels)[labels])
    return GroupedPoints(plane, labels, mean_per_group(plane.values, labels), lost)


@lru_cache(maxsize=len(GROUP_SIZES))
def group_patients(k: int) -> GroupedPoints:
    """Return the patients' points in MDAV's groups of at least k."""
    return group_points(patient_plane(), "mdav", k)


@lru_cache(maxsize=len(TEN_RECORD_METHODS))
def group_ten_records(method: str) -> GroupedPoints:
    """Return the ten records in a method's groups of at least three."""
    return group_points(ten_record_plane(), method, TEN_RECORD_K)
