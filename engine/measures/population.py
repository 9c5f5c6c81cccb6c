"""Equivalence classes in the table and in the population."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.message import NO_MESSAGE, Message
from engine.core.typing import Values
from engine.data.persons import weigh_by_person
from engine.measures.base import MeasuredRelease

NO_WEIGHTS = Message(
    "Neither a column of weights nor a sampling fraction is given, so the table is "
    "taken for the population."
)
"""What is said of a risk in the population where nothing tells its size."""


def population_weights(
    weights: Values | None, n_records: int, fraction: float = 0.0
) -> Values:
    """Return how many people each record stands for, (n_records,).

    Parameters
    ----------
    weights : ndarray of float64, shape (n_records,), or None
    n_records : int
    fraction : float
        Share of the population that the records are; 0 where it is not known.
    """
    if weights is not None:
        return weights
    return np.full(n_records, 1.0 / fraction if fraction > 0.0 else 1.0)


def population_class_sizes(
    protected: MeasuredRelease, classes: NDArray[np.int64]
) -> Values:
    """Return how many people share each record's quasi-identifiers, (n_records,).

    Parameters
    ----------
    protected : MeasuredRelease
    classes : ndarray of int64, shape (n_records,)
        Of the release, or of the table before protection.

    Returns
    -------
    ndarray of float64
        Sum of what the records of the class stand for, by weights or the sampling
        fraction, and at least the records in it; every person once, where persons are
        counted, and at least 1 where there is nobody.
    """
    sizes = np.maximum(protected.class_sizes(classes), 1).astype(np.float64)
    stand_for = population_weights(
        protected.points.weights, classes.size, protected.sampling_fraction
    )
    if protected.persons is not None:
        stand_for = stand_for * weigh_by_person(classes, protected.persons)
    sizes = np.maximum(sizes, np.bincount(classes, stand_for))
    people: Values = sizes[classes]
    return people


def population_note(protected: MeasuredRelease) -> Message:
    """Return a note on how the population size is known."""
    known = protected.points.weights is not None or protected.sampling_fraction > 0.0
    return NO_MESSAGE if known else NO_WEIGHTS
