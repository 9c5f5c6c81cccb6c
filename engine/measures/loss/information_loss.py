"""IL: the share of the data's variation that protection removed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.measures.base import MeasureInfo, Protected, Score, measures


def sums_of_squares(
    X: NDArray[np.float64], released: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (SSE, SST) per attribute, each of shape (n_attributes,).

    Parameters
    ----------
    X, released : ndarray of float64, shape (n_records, n_attributes)
        On the same scale.
    """
    sse = np.square(X - released).sum(axis=0)
    sst = np.square(X - X.mean(axis=0)).sum(axis=0)
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
    """Return IL in per cent, on the scale that the records were grouped on."""
    encoded = protected.encoded
    released = (protected.released - encoded.centre) / encoded.scale
    sse, sst = sums_of_squares(encoded.X, released)
    columns = {
        name: per_cent(float(sse[j]), float(sst[j]))
        for j, name in enumerate(encoded.names)
    }
    total = per_cent(float(sse.sum()), float(sst.sum()))
    return Score("information-loss", total, columns)
