"""IL: the share of the data's variation that protection removed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.statistics import per_cent, sums_of_squares
from engine.measures.base import MeasureInfo, Protected, Score, measures


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
    points = protected.points
    scaled = (released - points.centre) / points.scale
    numbers = points.numeric
    if not numbers.any():
        return Score(measure, float("nan"))
    sse, sst = sums_of_squares(points.numbers, scaled[:, numbers], points.weights)
    names = [name for name, number in zip(points.names, numbers, strict=True) if number]
    columns = {
        name: per_cent(float(sse[j]), float(sst[j])) for j, name in enumerate(names)
    }
    return Score(measure, per_cent(float(sse.sum()), float(sst.sum())), columns)
