"""Coordinates of categories, made from the edges of a hierarchy, and path lengths.

Derivation. Let each edge of the tree be one long, and give every node v below the root
an indicator: 1 for records whose category lies at or below v, else 0. Two leaves a and
b differ in exactly the nodes on the way from a up to their nearest common ancestor and
down to b, so that the squared distance of their indicators counts the edges of the path
between them: |x_a - x_b|^2 = path(a, b). The same holds for inner nodes, which lie
where the indicators of themselves and of what is above them are 1; the root is the
origin. Where every value lies directly below the root, any two categories are 2 apart,
and a category is 1 from the root.

A node with one child in the table says what its child says: both become one direction
of the length of both edges. A node that all records lie below is the same for all of
them and falls away. Neither changes a distance.

The total variance of these points is the sum over nodes of share (1 - share). It is
what a z-score divides by, as for numbers; see :mod:`engine.points.scaling`.

More than :data:`MAX_CATEGORY_AXES` directions are turned to their principal axes, and
the smallest are left out of what methods see. Distances there are at most the true
ones, because projection shortens; figures use the true ones throughout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.errors import InputError
from engine.core.typing import Integers, Values
from engine.hierarchy import Hierarchy
from engine.points.scaling import GivenSpread, centre_and_scale

MAX_CATEGORY_AXES = 64
"""Most coordinates of a column of categories."""

MAX_DIRECTIONS = 1024
"""Most directions that are turned to principal axes; of more, those that vary least are
left out before, as turning takes time by the cube of their number."""

MAX_CATEGORIES = 50_000
"""Categories that a column may have."""


@dataclass(frozen=True, eq=False)
class CategoryCoordinates:
    """Coordinates of the categories of one column, from its hierarchy.

    Attributes
    ----------
    tree : Hierarchy
    scale : float
        What paths are divided by, after their root is taken: two categories lie
        ``sqrt(path) / scale`` apart.
    corners : ndarray of float64, shape (n_leaves, n_coordinates)
        Point of each leaf that the table has, as methods see it; 0 for others.
    middle : ndarray of float64, shape (n_coordinates,)
        Mean of all records that have a value: where those without one are put.
    span : float
        Distance of the two categories that lie farthest apart.
    ways : ndarray of int64, shape (n_leaves, n_levels)
        Direction of each leaf on each level of the tree that has any; -1 for none, and
        for leaves that the table does not have.
    lengths : ndarray of float64, shape (n_directions,)
        Squared length of each direction, on the same scale.
    places : ndarray of float64, shape (n_leaves,)
        Where each leaf stands among all records, brothers together: from 0 to `span`.
    exact : bool
        Whether no direction was left out.
    """

    tree: Hierarchy
    scale: float
    corners: Values
    middle: Values
    span: float
    ways: Integers
    lengths: Values
    places: Values
    exact: bool = True

    @classmethod
    def from_counts(
        cls,
        tree: Hierarchy,
        counts: Integers,
        scaling: str,
        name: str,
        most_axes: int = MAX_CATEGORY_AXES,
    ) -> CategoryCoordinates:
        """Return the coordinates of a column's categories, from the leaves' counts.

        Parameters
        ----------
        counts : ndarray of int64, shape (n_leaves,)
            Records of each leaf, in the whole table; at least one in all.
        scaling : str
            Identifier in :data:`engine.points.scaling.scalings`.
        name : str
            Column name, for the message.
        most_axes : int

        Raises
        ------
        InputError
            If there are more than :data:`MAX_CATEGORIES` categories.
        """
        present = np.flatnonzero(counts)
        if present.size > MAX_CATEGORIES:
            raise InputError(
                "Column {column!r} has {count:,} categories, more than the {most:,} "
                "that can be grouped: make them coarser before, as in the first "
                "digits of a code, declare the column a number, or give it another "
                "role.",
                column=name,
                count=present.size,
                most=MAX_CATEGORIES,
            )
        ways, lengths = _edge_directions(tree, present)
        shares = counts[present] / counts.sum()
        below = _record_shares(ways, lengths.size, shares)
        variance = float(lengths @ (below * (1.0 - below)))
        # All leaves are equally far below the node where all of them meet.
        widest = 2.0 * float(tree.levels[tree.common_ancestor(present)])
        span = float(widest**0.5)
        figures = (0.0, variance**0.5, 0.0, span)
        spread = GivenSpread(*(np.array([figure]) for figure in figures))
        scale = float(centre_and_scale(scaling, spread)[1][0])
        loadings = _axis_loadings(ways, lengths, shares, most_axes) / scale
        corners = np.zeros((counts.size, max(1, loadings.shape[1])))
        for step in ways.T:
            some = step >= 0
            corners[present[some], : loadings.shape[1]] += loadings[step[some]]
        exact = lengths.size <= most_axes
        middle = shares @ corners[present]
        above = np.full((counts.size, ways.shape[1]), -1, dtype=np.int64)
        above[present] = ways
        above = above[:, (above >= 0).any(axis=0)]
        places = (np.cumsum(counts) - counts / 2.0) / counts.sum() * (span / scale)
        return cls(
            tree,
            scale,
            corners,
            middle,
            span / scale,
            above,
            lengths / scale**2,
            places,
            exact,
        )

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates of each point."""
        return int(self.corners.shape[1])

    def sse(
        self, codes: Integers, labels: Integers, weights: Values | None = None
    ) -> float:
        """Return the sum of squared distances of records to their group's centroid.

        Exactly, in all directions: a node at or below which m of a group's n records
        lie adds m (1 - m / n), over the square of `scale`.

        Parameters
        ----------
        codes : ndarray of int64, shape (n_records,)
            Leaves, of records that have a value.
        labels : ndarray of int64, shape (n_records,)
        weights : ndarray of float64, shape (n_records,), optional
            How many units each record stands for.
        """
        if codes.size == 0:
            return 0.0
        mass = np.bincount(labels, weights)
        n_nodes, total = self.tree.levels.size, 0.0
        for level in range(self.tree.height):
            pairs = labels * n_nodes + self.tree.ancestors[codes, level]
            if weights is None:
                distinct_pairs, inside = np.unique(pairs, return_counts=True)
            else:
                distinct_pairs, back = np.unique(pairs, return_inverse=True)
                inside = np.bincount(back, weights)
            total += float(
                (inside * (1.0 - inside / mass[distinct_pairs // n_nodes])).sum()
            )
        return total / self.scale**2

    def sq_dist_to_nodes(self, codes: Integers, nodes: Integers) -> Values:
        """Return squared distances between leaves and nodes of the tree, shape (n,)."""
        return tree_path_lengths(self.tree, codes, nodes) / self.scale**2


def tree_path_lengths(tree: Hierarchy, leaves: Integers, nodes: Integers) -> Values:
    """Return the number of edges from each leaf to the node paired with it, shape (n,).

    Parameters
    ----------
    leaves, nodes : ndarray of int64, shape (n,)
    """
    below = np.empty(tree.levels.size, dtype=np.int64)
    # Some leaf below each node: the way up from the node is the way up from it.
    for level in range(tree.height, -1, -1):
        below[tree.ancestors[:, level]] = np.arange(len(tree.rows))
    start, other = tree.levels[nodes], below[nodes]
    meeting = np.full(leaves.size, tree.height, dtype=np.int64)
    for level in range(tree.height - 1, -1, -1):
        same = tree.ancestors[leaves, level] == tree.ancestors[other, level]
        meeting[same & (level >= start)] = level
    return (meeting + (meeting - start)).astype(np.float64)


def _edge_directions(tree: Hierarchy, present: Integers) -> tuple[Integers, Values]:
    """Return each leaf's edges up to the root, -1 for none; and their lengths.

    Returns
    -------
    ways : ndarray of int64, shape (n_present, height)
    lengths : ndarray of float64, shape (n_directions,)
    """
    ways = np.full((present.size, tree.height), -1, dtype=np.int64)
    lengths: list[float] = []
    last_directions = np.full(present.size, -1)  # direction that each leaf met last
    size_below = np.zeros(present.size, dtype=np.int64)
    for level in range(tree.height):
        nodes, first, of, sizes = np.unique(
            tree.ancestors[present, level],
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        same = (sizes[of] == size_below) & (last_directions >= 0)
        all_below = sizes[of] == present.size
        fresh = np.flatnonzero(~(same | all_below)[first])
        number = np.full(nodes.size, -1)
        number[fresh] = len(lengths) + np.arange(fresh.size)
        for direction in np.unique(last_directions[same & ~all_below]):
            lengths[direction] += 1.0
        lengths += [1.0] * fresh.size
        ways[:, level] = number[of]
        last_directions = np.where(number[of] >= 0, number[of], last_directions)
        size_below = sizes[of]
    return ways, np.array(lengths)


def _record_shares(ways: Integers, size: int, shares: Values) -> Values:
    """Return the share of records below each edge, shape (n_directions,)."""
    below = np.zeros(size)
    for step in range(ways.shape[1]):
        has_edge = ways[:, step] >= 0
        np.add.at(below, ways[has_edge, step], shares[has_edge])
    return below


def _axis_loadings(
    ways: Integers, lengths: Values, shares: Values, most_axes: int
) -> Values:
    """Return each direction's coordinates, (n_directions, n_coordinates)."""
    roots = np.sqrt(lengths)
    if lengths.size <= most_axes:
        return np.diag(roots)
    from threadpoolctl import threadpool_limits

    below = _record_shares(ways, lengths.size, shares)
    varying = np.argsort(-lengths * below * (1.0 - below), kind="stable")
    directions = np.sort(varying[:MAX_DIRECTIONS])
    place = np.full(lengths.size + 1, -1)  # direction -1 has no place either
    place[directions] = np.arange(directions.size)
    covariance = -np.outer(below[directions], below[directions])
    steps = place[ways]
    for first_step in range(ways.shape[1]):
        for second_step in range(ways.shape[1]):
            both = (steps[:, first_step] >= 0) & (steps[:, second_step] >= 0)
            at = steps[both, first_step], steps[both, second_step]
            np.add.at(covariance, at, shares[both])
    covariance *= np.outer(roots[directions], roots[directions])
    with threadpool_limits(1):  # on busy cores, threads would wait for each other
        axes = np.linalg.eigh(covariance)[1][:, ::-1][:, :most_axes]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(most_axes)])
    loadings = np.zeros((lengths.size, most_axes))
    loadings[directions] = roots[directions, np.newaxis] * axes
    return loadings
