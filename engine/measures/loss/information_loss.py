"""IL: the share of the data's variation that protection removed."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto

import numpy as np

from engine.core.statistics import per_cent, sums_of_squares
from engine.core.typing import Values
from engine.measures.base import MeasureInfo, Protected, Score, measures
from engine.measures.judge import TOGETHER
from engine.measures.sources import INFORMATION_LOSS
from engine.points.base import Points


class Groups(Enum):
    """What stands for the categories of a group."""

    CENTROIDS = auto()
    """The mean of its points: what grouping alone loses."""
    WRITTEN = auto()
    """The category or ancestor that is released."""


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
        reference=INFORMATION_LOSS,
        aliases=("il",),
        baseline="Groups of as many records that are drawn at random, on average.",
        judge=replace(TOGETHER, against="that of random groups"),
        bounded=True,
    )
)
def information_loss(protected: Protected) -> Score:
    """Return IL in per cent, on the scale that the records were grouped on.

    Of numbers as released but for rounding, of categories by their group's centroid;
    weighted where records have weights.
    """
    found = loss_of(protected, protected.released, "information-loss")
    return replace(found, baseline=lost_at_random(protected))


def lost_at_random(protected: Protected) -> float:
    """Return the IL in per cent to expect of groups drawn at random.

    Notes
    -----
    The mean of m of n records drawn without replacement varies by
    ``(n - m) / (m (n - 1))`` of the variance, so that g groups keep
    ``(g - 1) / (n - 1)`` of SST, whatever their sizes (Cochran 1977, Sampling
    Techniques, 2.6). Records that weigh more are not told apart.
    """
    n, g = protected.partition.n_records, float(protected.partition.n_groups)
    if protected.attributes is not None:
        g = float(np.mean([np.unique(labels).size for labels in protected.attributes]))
    return 100.0 * (n - g) / (n - 1) if n > 1 else 0.0


def loss_of(
    protected: Protected,
    released: Values,
    measure: str,
    categories: Groups = Groups.CENTROIDS,
) -> Score:
    """Return IL of any values that the records might have been given.

    Parameters
    ----------
    protected : Protected
    released : ndarray of float64, shape (n_records, n_attributes)
        In the columns' own units; nodes of the hierarchy for categories.
    measure : str
        Identifier of the score.
    categories : Groups
    """
    points = protected.points
    sse, sst = squares_of(protected, released, categories)
    columns = {
        name: per_cent(float(sse[j]), float(sst[j]))
        for j, name in enumerate(points.names)
    }
    weights = points.space.weights
    if (weights != 1.0).any():
        sse, sst = weights * sse, weights * sst
    return Score(measure, per_cent(float(sse.sum()), float(sst.sum())), columns)


def squares_of(
    protected: Protected, released: Values, categories: Groups = Groups.CENTROIDS
) -> tuple[Values, Values]:
    """Return SSE and SST of each attribute on its own scale, (n_attributes,) each.

    Takes the same as :func:`loss_of`.
    """
    points = protected.points
    sse, sst = sums_of_squares(
        points.lines, points.space.lines(released), points.weights
    )
    whole = np.zeros(points.n_records, dtype=np.int64)
    # Cells that stay missing hold the mean of all records, not of those that are left.
    lacking = points.missing.any(axis=0)
    for j in np.flatnonzero(~points.numeric | lacking).tolist():
        sst[j] = points.squares(j, whole)
        if points.numeric[j]:
            continue
        if categories is Groups.WRITTEN:
            sse[j] = _apart(points, j, released[:, j])
        elif protected.attributes is None:
            sse[j] = points.squares(j, protected.partition.labels)
        else:
            sse[j] = points.squares(j, protected.attributes[j])
    return sse, sst


def _apart(points: Points, j: int, nodes: Values) -> float:
    """Return the sum of squared distances of categories from what is released."""
    branches, there = points.space.branches[j], ~points.missing[:, j]
    assert branches is not None
    codes = points.codes(j)[there]
    squared = branches.apart(codes, nodes[there].astype(np.int64))
    return float(
        squared.sum() if points.weights is None else points.weights[there] @ squared
    )
