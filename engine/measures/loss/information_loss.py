"""IL: the share of the data's variation that protection removed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.bounds.strongest import weighted_mean
from engine.measures.base import MeasureInfo, Protected, Score, measures


def sums_of_squares(
    X: NDArray[np.float64],
    released: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (SSE, SST) per attribute, each of shape (n_attributes,).

    Parameters
    ----------
    X, released : ndarray of float64, shape (n_records, n_attributes)
        On the same scale.
    weights : ndarray of float64, shape (n_records,), optional
        How many units each record stands for.
    """
    if weights is None:
        sse = np.square(X - released).sum(axis=0)
        sst = np.square(X - X.mean(axis=0)).sum(axis=0)
    else:
        sse = weights @ np.square(X - released)
        sst = weights @ np.square(X - weighted_mean(X, weights))
    return sse, sst


def per_cent(sse: float, sst: float) -> float:
    """Return ``100 * sse / sst``; a table without variation has nothing to lose."""
    return 100.0 * sse / sst if sst > 0.0 else 0.0


@measures.register(
    MeasureInfo(
        id="information-loss",
        title="Information loss (IL)",
        family="loss",
        summary=(
            "The share of the variation between records that was lost when each "
            "record took its group's value."
        ),
        formula="IL = 100 * SSE / SST",
        direction="lower is better",
        unit="%",
        reference=(
            "Domingo-Ferrer & Mateo-Sanz 2002, https://doi.org/10.1109/69.979982"
        ),
        aliases=("il",),
    )
)
def information_loss(protected: Protected) -> Score:
    """Return IL in per cent, on the scale that the records were grouped on.

    Of the numbers only, weighted where records have weights, and before released
    values are rounded; NaN where all quasi-identifiers are categories.
    """
    return loss_of(protected, protected.released, "information-loss")


def loss_of(protected: Protected, released: NDArray[np.float64], measure: str) -> Score:
    """Return IL of any values that the records might have been given.

    Parameters
    ----------
    protected : Protected
    released : ndarray of float64, shape (n_records, n_attributes)
        In the columns' own units.
    measure : str
        Identifier of the score.
    """
    encoded = protected.encoded
    scaled = (released - encoded.centre) / encoded.scale
    numbers = encoded.numeric
    if not numbers.any():
        return Score(measure, float("nan"))
    sse, sst = sums_of_squares(encoded.numbers, scaled[:, numbers], encoded.weights)
    names = [
        name for name, number in zip(encoded.names, numbers, strict=True) if number
    ]
    columns = {
        name: per_cent(float(sse[j]), float(sst[j])) for j, name in enumerate(names)
    }
    return Score(measure, per_cent(float(sse.sum()), float(sst.sum())), columns)
