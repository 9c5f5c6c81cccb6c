"""IL: the share of the data's variation that protection removed."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto

import numpy as np

from engine.core.numerics.statistics import loss_percent, sse_and_sst_per_attribute
from engine.core.typing import Values
from engine.measures.base import MeasuredRelease, MeasureInfo, Score, measures
from engine.measures.judge import SINGLE_GROUP_JUDGE
from engine.measures.sources import INFORMATION_LOSS_REFERENCE
from engine.points.base import Points


class CategoryCentre(Enum):
    """Choice of the centre of a group's categories."""

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
            "If each record takes the mean of its group, differences between "
            "records become smaller. The measure is the lost share of the "
            "variation between records."
        ),
        formula=(
            "IL = 100 * SSE / SST, SSE = sum of w_i u_j |z_ij - z'_ij|^2 over records "
            "and attributes, SST the same about the mean of all; z scaled, categories "
            "as points whose squared distance is the path between them, z' their mean"
        ),
        unit="%",
        reference=INFORMATION_LOSS_REFERENCE,
        aliases=("il",),
        baseline="The mean loss of groups of the same sizes, drawn at random.",
        judge=replace(SINGLE_GROUP_JUDGE, against="that of random groups"),
        bounded=True,
    )
)
def information_loss(protected: MeasuredRelease) -> Score:
    """Return information loss IL in per cent, on the scale of the grouping.

    Of numbers as released but for rounding, of categories by their group's centroid;
    weighted where records have weights.
    """
    score = loss_of_values(protected, protected.released, "information-loss")
    return replace(score, baseline=expected_random_loss(protected))


def expected_random_loss(protected: MeasuredRelease) -> float:
    """Return the expected IL in per cent of randomly drawn groups of these sizes.

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


def loss_of_values(
    protected: MeasuredRelease,
    released: Values,
    measure: str,
    categories: CategoryCentre = CategoryCentre.CENTROIDS,
) -> Score:
    """Return the IL of given released values.

    Parameters
    ----------
    released : ndarray of float64, shape (n_records, n_attributes)
        In the columns' own units; nodes of the hierarchy for categories.
    measure : str
        Identifier of the score.
    categories : CategoryCentre
    """
    points = protected.points
    sse, sst = sums_of_squares_of(protected, released, categories)
    columns = {
        name: loss_percent(float(sse[j]), float(sst[j]))
        for j, name in enumerate(points.names)
    }
    weights = points.space.weights
    if (weights != 1.0).any():
        sse, sst = weights * sse, weights * sst
    return Score(measure, loss_percent(float(sse.sum()), float(sst.sum())), columns)


def sums_of_squares_of(
    protected: MeasuredRelease,
    released: Values,
    categories: CategoryCentre = CategoryCentre.CENTROIDS,
) -> tuple[Values, Values]:
    """Return SSE and SST of each scaled attribute before its weight, (n_attributes,).

    Parameters are those of :func:`loss_of_values`.
    """
    points = protected.points
    sse, sst = sse_and_sst_per_attribute(
        points.scaled_values, points.space.scale_values(released), points.weights
    )
    whole = np.zeros(points.n_records, dtype=np.int64)
    # Cells that stay missing hold the mean of all records, not of those that are left.
    lacking = points.missing.any(axis=0)
    for j in np.flatnonzero(~points.numeric | lacking).tolist():
        sst[j] = points.attribute_sse(j, whole)
        if points.numeric[j]:
            continue
        if categories is CategoryCentre.WRITTEN:
            sse[j] = _sq_dist_to_released(points, j, released[:, j])
        elif protected.attributes is None:
            sse[j] = points.attribute_sse(j, protected.partition.labels)
        else:
            sse[j] = points.attribute_sse(j, protected.attributes[j])
    return sse, sst


def _sq_dist_to_released(points: Points, j: int, nodes: Values) -> float:
    """Return the sum of squared distances of categories from what is released."""
    branches, is_present = points.space.branches[j], ~points.missing[:, j]
    assert branches is not None
    codes = points.leaf_codes(j)[is_present]
    squared = branches.sq_dist_to_nodes(codes, nodes[is_present].astype(np.int64))
    return float(
        squared.sum()
        if points.weights is None
        else points.weights[is_present] @ squared
    )
