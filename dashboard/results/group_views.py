"""Groups of a result: positions in a plane, counts in cells of a grid, mean costs."""

from __future__ import annotations

import numpy as np

from dashboard.charts.inputs import CountedCells, GroupView, RecordPositions, Window
from dashboard.results.figures import plan_title, series_id_of_plan
from dashboard.results.planes import RecordPlane
from engine.core.typing import Booleans, Values
from engine.pipeline.outcome import Outcome

GRID_CELLS = (64, 24)
"""Cells across and up in a window, of records that are too many to be drawn each."""

MAX_HIGHLIGHTED_RECORDS = 12_000
"""Records up to which those that are not drawn light up with their group, too."""

_MAX_CELL_DISTANCE = 2**20
"""Cells from a window to where all that is farther away shares one."""

ZOOM_FACTOR = 6.0
"""How much smaller a window is that somebody looks into."""


def make_group_view(
    outcome: Outcome,
    plane: RecordPlane,
    costs: Values,
    max_records: int = 5_000,
    window: Window | None = None,
) -> GroupView:
    """Return a result's groups in a plane: all, a sample if many, or those in a window.

    Parameters
    ----------
    plane : RecordPlane
        Of the same plan and table.
    costs : ndarray of float64, shape (n_groups,)
        As :func:`mean_group_costs` says.
    max_records : int
        Records to show at most; groups are drawn at random with a fixed seed.
    window : Window, optional
        Show all groups that have records in it, and no others.
    """
    labels, sizes = outcome.partition.labels, outcome.partition.sizes
    keep = np.ones(sizes.size, dtype=np.bool_)
    if labels.size > max_records and window is None:
        order = np.random.default_rng(0).permutation(sizes.size)
        keep[order] = np.cumsum(sizes[order]) <= max_records
    rows = np.flatnonzero(keep[labels])
    if window is not None:
        # Whole groups: of what was cut off a hull would say that it lost little.
        rows = np.flatnonzero(
            np.isin(labels, labels[records_in_window_mask(plane, window)])
        )
    elif rows.size == 0:  # a single group can be larger than the limit
        rows = np.sort(np.random.default_rng(0).permutation(labels.size)[:max_records])
    return GroupView(
        key=outcome.plan.digest(),
        title=plan_title(outcome.plan),
        method=series_id_of_plan(outcome.plan),
        k=outcome.plan.k,
        loss=outcome.information_loss,
        costs=costs,
        points=plane.positions[rows],
        labels=labels[rows],
        titles=(plane.across.title, plane.up.title),
        ticks=(plane.across.ticks, plane.up.ticks),
        n_records=labels.size,
        n_groups=sizes.size,
        rows=rows,
        numbers=np.asarray(outcome.release.rows)[rows] + 1,
        everyone=None if window or keep.all() else _all_records(outcome, plane),
    )


def _all_records(outcome: Outcome, plane: RecordPlane) -> RecordPositions | None:
    """Return all records, so that the group of each can light up; None of many."""
    labels, rows = outcome.partition.labels, np.asarray(outcome.release.rows)
    if labels.size > MAX_HIGHLIGHTED_RECORDS:
        return None
    small = outcome.partition.n_groups < 2**15
    groups = np.zeros(rows.max() + 1, dtype=np.int16 if small else np.int32)
    points = np.full((groups.size, 2), np.nan, dtype=np.float32)
    groups[rows], points[rows] = labels + 1, plane.positions
    return RecordPositions(points, groups)


def records_in_window_mask(plane: RecordPlane, window: Window) -> Booleans:
    """Return a mask of the records whose points lie in a window, (n_records,)."""
    (left, right), (low, high) = window
    x, y = plane.across.places, plane.up.places
    mask: Booleans = (left <= x) & (x <= right) & (low <= y) & (y <= high)
    return mask


def shrink_window_around(window: Window, x: float, y: float) -> Window:
    """Return a window centred at (x, y), smaller by the zoom factor."""
    (left, right), (low, high) = window
    wide, tall = (right - left) / ZOOM_FACTOR / 2.0, (high - low) / ZOOM_FACTOR / 2.0
    return (x - wide, x + wide), (y - tall, y + tall)


def bin_records_into_cells(
    outcome: Outcome, plane: RecordPlane, costs: Values, window: Window
) -> CountedCells:
    """Return occupied cells of a grid with number and mean group cost of their records.

    Parameters
    ----------
    outcome, plane, costs
        As for :func:`make_group_view`.
    window : Window
        What is to be in view; its cells go on outside.
    """
    places, labels = plane.positions, outcome.partition.labels
    low = np.array([start for start, _stop in window])
    width = np.array(
        [
            (stop - start) / n
            for (start, stop), n in zip(window, GRID_CELLS, strict=True)
        ]
    )
    at = np.floor((places - low) / np.where(width > 0.0, width, 1.0)).astype(np.int64)
    at = np.clip(at, -_MAX_CELL_DISTANCE, _MAX_CELL_DISTANCE) + _MAX_CELL_DISTANCE
    _cells, cell = np.unique(
        at[:, 0] * (2 * _MAX_CELL_DISTANCE + 1) + at[:, 1], return_inverse=True
    )
    counts = np.bincount(cell)
    means = [
        np.bincount(cell, values) / counts for values in (*places.T, costs[labels])
    ]
    return CountedCells(
        key=outcome.plan.digest(),
        places=np.column_stack(means[:2]),
        counts=counts,
        costs=means[2],
        usual=float(np.median(costs[labels])),
        titles=(plane.across.title, plane.up.title),
        ticks=(plane.across.ticks, plane.up.ticks),
        window=window,
    )


def mean_group_costs(outcome: Outcome, X: Values) -> Values:
    """Return each group's mean squared distance to its mean, in % of all records'.

    Parameters
    ----------
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
