"""Convex hulls of groups of points in a plane."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from engine.core.partition import Labels
from engine.core.typing import Values

Corner = tuple[float, float]


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
