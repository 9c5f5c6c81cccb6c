"""Classes in the table and in the population that its records stand for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.message import NOTHING, Message
from engine.core.typing import Values
from engine.measures.base import Protected

NO_WEIGHTS = Message(
    "No column weighs records, so the table is taken for the population."
)
"""What is said of a risk in the population where nothing tells its size."""


def class_weights(protected: Protected, classes: NDArray[np.int64]) -> Values:
    """Return how many people share each record's quasi-identifiers, (n_records,).

    Parameters
    ----------
    protected : Protected
    classes : ndarray of int64, shape (n_records,)
        Of the release, or of the table before protection.

    Returns
    -------
    ndarray of float64
        Sum of the weights of the class, where records have weights, and at least the
        records in it; otherwise their number.
    """
    sizes = np.bincount(classes).astype(np.float64)
    weights = protected.points.weights
    if weights is not None:
        sizes = np.maximum(sizes, np.bincount(classes, weights))
    people: Values = sizes[classes]
    return people


def population_note(protected: Protected) -> Message:
    """Return what is to be said of the population."""
    return NO_WEIGHTS if protected.points.weights is None else NOTHING
