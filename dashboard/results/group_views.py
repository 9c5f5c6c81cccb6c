"""Groups of a result, placed in a plane to be drawn."""

from __future__ import annotations

import numpy as np

from dashboard.charts.inputs import GroupView
from dashboard.results.facts import plan_title, series
from dashboard.results.planes import Plane
from engine.core.typing import Values
from engine.pipeline.outcome import Outcome


def group_view(
    outcome: Outcome, plane: Plane, costs: Values, limit: int = 5_000
) -> GroupView:
    """Place an outcome's groups in a plane, drawing whole groups above a limit.

    Parameters
    ----------
    outcome : Outcome
    plane : Plane
        Of the same plan and table.
    costs : ndarray of float64, shape (n_groups,)
        As :func:`group_costs` says.
    limit : int
        Records to show at most; groups are drawn at random with a fixed seed.
    """
    labels, sizes = outcome.partition.labels, outcome.partition.sizes
    keep = np.ones(sizes.size, dtype=np.bool_)
    if labels.size > limit:
        order = np.random.default_rng(0).permutation(sizes.size)
        keep[order] = np.cumsum(sizes[order]) <= limit
    shown = np.flatnonzero(keep[labels])
    if shown.size == 0:  # a single group can be larger than the limit
        shown = np.sort(np.random.default_rng(0).permutation(labels.size)[:limit])
    return GroupView(
        key=outcome.plan.digest(),
        title=plan_title(outcome.plan),
        method=series(outcome.plan),
        k=outcome.plan.k,
        loss=outcome.information_loss,
        costs=costs,
        points=plane.places[shown],
        labels=labels[shown],
        titles=(plane.across.title, plane.up.title),
        ticks=(plane.across.ticks, plane.up.ticks),
        n_records=labels.size,
        n_groups=sizes.size,
        rows=shown,
        numbers=np.asarray(outcome.release.rows)[shown] + 1,
    )


def group_costs(outcome: Outcome, X: Values) -> Values:
    """Return what the records of each group lose on average.

    Parameters
    ----------
    outcome : Outcome
    X : ndarray of float64, shape (n_records, n_attributes)
        Points of the same plan and table.

    Returns
    -------
    ndarray of float64, shape (n_groups,)
        Mean squared distance to the group's mean, in per cent of the mean squared
        distance of all records to the mean of all.
    """
    labels, sizes = outcome.partition.labels, outcome.partition.sizes
    total, squared = float(X.var(axis=0).sum()), np.zeros(sizes.size)
    for column in X.T:
        mean = np.bincount(labels, column) / sizes
        squared += np.bincount(labels, np.square(column - mean[labels]))
    return 100.0 * squared / sizes / total if total > 0.0 else squared
