"""Input types of the lessons' charts: points, groups and results as plain data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class PlanePoints:
    """Records with two attributes, and the attributes' names.

    Attributes
    ----------
    values : ndarray of float64, shape (n_records, 2)
        In the attributes' own units.
    names : tuple of str
        Of the two columns.
    """

    values: NDArray[np.float64]
    names: tuple[str, str]


@dataclass(frozen=True, eq=False)
class GroupedPoints:
    """Records in a plane, with their groups, centres and loss.

    Attributes
    ----------
    plane : PlanePoints
    labels : ndarray of int64, shape (n_records,)
    centres : ndarray of float64, shape (n_groups, 2)
        Means of the groups in the attributes' own units.
    loss : float
        Information loss in per cent, on z-scored values.
    """

    plane: PlanePoints
    labels: NDArray[np.int64]
    centres: NDArray[np.float64]
    loss: float

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each group, shape (n_groups,)."""
        return np.bincount(self.labels)


@dataclass(frozen=True, eq=False)
class GroupedLine:
    """Values of one attribute, with their groups, means and loss.

    Attributes
    ----------
    values : ndarray of float64, shape (n_records,)
    labels : ndarray of int64, shape (n_records,)
    means : ndarray of float64, shape (n_groups,)
    loss : float
        Information loss in per cent.
    """

    values: NDArray[np.float64]
    labels: NDArray[np.int64]
    means: NDArray[np.float64]
    loss: float

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records in each group, shape (n_groups,)."""
        return np.bincount(self.labels)


@dataclass(frozen=True, eq=False)
class DrawnCentres:
    """Centres drawn at random, with memberships, groups and loss.

    Attributes
    ----------
    plane : PlanePoints
    k : int
    centres : ndarray of float64, shape (n_centres, 2)
        In the attributes' own units; not all need have been drawn.
    memberships : ndarray of float64, shape (n_records, n_centres)
        How likely each record is to draw each centre.
    labels : ndarray of int64, shape (n_records,)
        The centre that each record drew.
    loss : float
        Information loss in per cent, on z-scored values.
    """

    plane: PlanePoints
    k: int
    centres: NDArray[np.float64]
    memberships: NDArray[np.float64]
    labels: NDArray[np.int64]
    loss: float

    @property
    def expected(self) -> NDArray[np.float64]:
        """Expected size of each group, shape (n_centres,)."""
        return np.asarray(self.memberships.sum(axis=0))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records that drew each centre, shape (n_centres,)."""
        return np.bincount(self.labels, minlength=len(self.centres))

    @property
    def n_below_k(self) -> int:
        """Records whose group has fewer than k."""
        sizes = self.sizes
        return int(sizes[sizes < self.k].sum())


@dataclass(frozen=True)
class EffortResult:
    """Loss and lower bound that one amount of effort reaches.

    Attributes
    ----------
    steps : int
        One of the lesson's steps.
    loss : float
        Information loss in per cent.
    bound : float
        The highest of the three bounds, per cent.
    """

    steps: int
    loss: float
    bound: float

    @property
    def gap(self) -> float:
        """How much of the loss may be avoidable, in per cent of the loss."""
        return 100.0 * (self.loss - self.bound) / self.loss


@dataclass(frozen=True)
class AttackCount:
    """Share of records that an attack finds at one k.

    Attributes
    ----------
    k : int
        1 for the table as it is.
    share : float
        Records found, in per cent.
    promised : float
        What is found where every record is linked to its own group, per cent.
    """

    k: int
    share: float
    promised: float


@dataclass(frozen=True)
class ScalingResult:
    """Each column's share of variation, and the losses, on one scaling.

    Attributes
    ----------
    scaling : str
        One of the lesson's scalings.
    shares : mapping of str to float
        By column, its share of all variation, in per cent.
    losses : mapping of str to float
        By method, information loss in per cent.
    lost : mapping of str to float
        By column, what the first method loses of it, in per cent of its variation.
    """

    scaling: str
    shares: Mapping[str, float]
    losses: Mapping[str, float]
    lost: Mapping[str, float]

    @property
    def decisive_columns(self) -> tuple[str, ...]:
        """The fewest columns with more than half of all variation, largest first."""
        order = sorted(self.shares, key=lambda name: -self.shares[name])
        sums = accumulate(self.shares[name] for name in order)
        return tuple(order[: 1 + sum(share <= 50.0 for share in sums)])

    def shares_of(self, names: Collection[str]) -> tuple[float, float]:
        """Return what columns make up of all variation and of the loss, per cent."""
        loss = {name: self.shares[name] * self.lost[name] for name in self.shares}
        return (
            sum(self.shares[name] for name in names),
            100.0 * sum(loss[name] for name in names) / sum(loss.values()),
        )


@dataclass(frozen=True, eq=False)
class ComposedRelease:
    """Records whose values follow from several releases together.

    Attributes
    ----------
    plane : PlanePoints
    sizes : tuple of int
        The k of each release.
    opened : ndarray of bool, shape (n_records,)
        Whose values follow exactly.
    """

    plane: PlanePoints
    sizes: tuple[int, ...]
    opened: NDArray[np.bool_]
