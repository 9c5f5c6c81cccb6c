"""Hulls of groups of points in a plane, and which of them can be read."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from dashboard.charts.inputs import GroupView, Window
from engine.core.partition import Labels
from engine.core.typing import Values

Corner = tuple[float, float]

_FEW_GROUPS, _COVERED = 60, 4.0
"""Groups up to which hulls can be followed; hulls over a record from which not."""

_MAX_HULL_SHARE = 0.01
"""Share of the plane up to which a hull is drawn where hulls would be a tangle."""


def convex_hulls(points: Values, labels: Labels) -> list[list[Corner]]:
    """Return each group's convex hull as a list of corners, closed if more than one.

    Groups of one or two points give a point or a line. Andrew's monotone chain (1979,
    https://doi.org/10.1016/0020-0190(79)90072-3), on points sorted once for all groups.

    Parameters
    ----------
    points : ndarray of float64, shape (n_points, 2)
    labels : ndarray of int64, shape (n_points,)
        From 0 on, none left out.

    Returns
    -------
    list of list of (x, y)
        By label.
    """
    order = np.lexsort((points[:, 1], points[:, 0], labels))
    corners: list[Corner] = [(x, y) for x, y in points[order].tolist()]
    ends = [0, *np.cumsum(np.bincount(labels)).tolist()]
    return [_convex_hull(corners[start:end]) for start, end in itertools.pairwise(ends)]


def _convex_hull(corners: Sequence[Corner]) -> list[Corner]:
    lower, upper = _half_hull(corners), _half_hull(corners[::-1])
    return [*lower[:-1], *upper[:-1], lower[0]]


def _half_hull(corners: Sequence[Corner]) -> list[Corner]:
    """Return one side of the hull of sorted points."""
    side: list[Corner] = []
    for x, y in corners:
        while len(side) > 1:
            (a, b), (c, d) = side[-2], side[-1]
            if (c - a) * (y - b) - (d - b) * (x - a) > 0.0:
                break
            side.pop()
        side.append((x, y))
    return side


def are_hulls_tangled(group_views: Sequence[GroupView]) -> bool:
    """Return whether hulls overlap so much that only small ones should be drawn.

    So it is where a record lies within many groups' boxes on average; groups in many
    dimensions spread over a plane.
    """
    boxes = [
        _group_box_areas(view)
        for view in group_views
        if np.unique(view.labels).size > _FEW_GROUPS
    ]
    return any(float(areas.sum()) > _COVERED for areas in boxes)


def _group_box_areas(view: GroupView) -> Values:
    """Return the area of the box around each group that is shown, by its label.

    Both axes are taken as ranks, from 0 to 1: the share of the records that would lie
    in the box if the axes had nothing to do with each other.
    """
    ranks = np.argsort(np.argsort(view.points, axis=0), axis=0) / len(view.points)
    low, high = _group_box_ends(view, ranks)
    areas: Values = (high - low).prod(axis=1)
    return areas


def keep_legible_groups(
    view: GroupView, are_tangled: bool, window: Window
) -> GroupView:
    """Return a view without the groups whose hulls are cut or, in a tangle, large.

    Of groups that reach over the edge of what is in view, records say what they lose;
    a hull that is cut says nothing.
    """
    low, high = _group_box_ends(view, view.points)
    edges = np.array(window)
    meets = ((low <= edges[:, 1]) & (high >= edges[:, 0])).all(axis=1)
    within = ((low >= edges[:, 0]) & (high <= edges[:, 1])).all(axis=1)
    legible = within | ~meets
    if are_tangled:
        legible &= _group_box_areas(view) < _MAX_HULL_SHARE
    groups = np.unique(view.labels)[legible]
    return view.restrict_to(np.flatnonzero(np.isin(view.labels, groups)))


def _group_box_ends(view: GroupView, places: Values) -> tuple[Values, Values]:
    """Return the lower and upper ends of the box around each group, by its label."""
    order = np.argsort(view.labels, kind="stable")
    starts = np.flatnonzero(np.diff(view.labels[order], prepend=-1))
    low: Values = np.minimum.reduceat(places[order], starts, axis=0)
    high: Values = np.maximum.reduceat(places[order], starts, axis=0)
    return low, high
