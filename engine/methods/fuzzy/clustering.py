"""Fuzzy c-means, optionally with entropy regularisation and linear constraints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.core.context import SILENT, RunContext, steps_per_look
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.kernels.fuzzy.fuzzy import (
    accumulate_centre_sums,
    choose_starting_records,
    draw_centres,
    harden_memberships,
    write_memberships,
)

Algorithm = Literal["fcm", "efcm"]

Project = Callable[[Values], Values]
"""Points of shape (n_points, n_attributes) onto the nearest that satisfy rules."""

CONVERGENCE_TOLERANCE = 1e-4
"""Centres have come to rest when none moves farther in a step, relative to the
standard deviation of the records around their mean."""

MAX_ITERATIONS = 500
"""Steps after which a clustering ends, whether its centres rest or not."""

VALUES_PER_PAIR = 40
"""Values that a membership of a record in a centre takes the time of, about."""


@dataclass(frozen=True, eq=False)
class FuzzyClustering:
    """Centres of fuzzy clusters, and the objective of each iteration.

    Attributes
    ----------
    centres : ndarray of float64, shape (n_centres, n_attributes)
    objective : tuple of float
        What the algorithm makes small, with the memberships of each step and the
        centres before it; never rises.
    at_rest : bool
        Whether the centres came to rest before the steps ended.
    """

    centres: Values
    objective: tuple[float, ...]
    at_rest: bool


class FuzzyModel:
    """Records and parameters of fuzzy memberships for given centres.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    algorithm : {"fcm", "efcm"}
    fuzziness : float
        m >= 1 of FCM, lambda > 0 of EFCM.
    mass : ndarray of float64, shape (n_records,), optional
        How many units each record stands for, in the means.
    """

    def __init__(
        self,
        X: Values,
        algorithm: Algorithm,
        fuzziness: float,
        mass: Values | None = None,
    ) -> None:
        mass = np.ones(len(X)) if mass is None else mass
        self.X, self.mass = np.ascontiguousarray(X).view(), mass.view()
        for values in (self.X, self.mass):
            values.flags.writeable = False  # one type, so that kernels compile once
        self.entropy = algorithm == "efcm"
        self.fuzziness = float(fuzziness)

    def memberships(self, centres: Values) -> Values:
        """Return all memberships, shape (n_records, n_centres); for small tables."""
        u = np.empty((len(self.X), len(centres)))
        ratio = np.empty(len(centres))
        for record, row in zip(self.X, u, strict=True):
            write_memberships(record, centres, self.fuzziness, self.entropy, row, ratio)
        return u

    def update_centres(
        self, centres: Values, ctx: RunContext = SILENT, stage: str = ""
    ) -> tuple[Values, float]:
        """Return the updated centres, and the objective for the old ones.

        A centre that no record belongs to any more stays where it is.

        Parameters
        ----------
        centres : ndarray of float64, shape (n_centres, n_attributes)
        """
        n, c = len(self.X), len(centres)
        weights, sums = np.zeros(c), np.zeros(centres.shape)
        scale = np.full(1, -np.inf)
        u, ratio = np.empty(c), np.empty(c)
        rest = (centres, self.fuzziness, self.entropy, u, ratio, weights, sums, scale)
        objective = 0.0
        for start, stop in ctx.iterate_ranges(
            n, steps_per_look(VALUES_PER_PAIR * c), stage
        ):
            objective += accumulate_centre_sums(self.X, start, stop, self.mass, *rest)
        alive = weights > 0.0
        moved = centres.copy()
        moved[alive] = sums[alive] / weights[alive, None]
        return moved, objective

    def draw_centres(
        self,
        centres: Values,
        rng: np.random.Generator,
        ctx: RunContext = SILENT,
        stage: str = "",
    ) -> tuple[Labels, Values]:
        """Return a centre drawn for each record, and the expected group sizes.

        Parameters
        ----------
        centres : ndarray of float64, shape (n_centres, n_attributes)

        Returns
        -------
        labels : ndarray of int64, shape (n_records,)
        expected : ndarray of float64, shape (n_centres,)
            Sum of the memberships: what a size is on average over all draws.
        """
        n, c = len(self.X), len(centres)
        labels, expected = np.empty(n, dtype=np.int64), np.zeros(c)
        u, ratio, draws = np.empty(c), np.empty(c), rng.random(n)
        how = (centres, self.fuzziness, self.entropy)
        rest = (*how, draws, u, ratio, labels, expected)
        for start, stop in ctx.iterate_ranges(
            n, steps_per_look(VALUES_PER_PAIR * c), stage
        ):
            draw_centres(self.X, start, stop, *rest)
        return labels, expected

    def harden_memberships(
        self, centres: Values, ctx: RunContext = SILENT, stage: str = ""
    ) -> Labels:
        """Return the centre of largest membership per record, shape (n_records,)."""
        labels = np.empty(len(self.X), dtype=np.int64)
        steps = steps_per_look(VALUES_PER_PAIR * len(centres))
        for start, stop in ctx.iterate_ranges(len(self.X), steps, stage):
            harden_memberships(self.X, start, stop, centres, labels)
        return labels


def fuzzy_cluster(
    X: Values,
    n_centres: int,
    algorithm: Algorithm,
    fuzziness: float,
    rng: np.random.Generator,
    ctx: RunContext = SILENT,
    stage: str = "",
    onto: Project | None = None,
    mass: Values | None = None,
    still: float = CONVERGENCE_TOLERANCE,
) -> FuzzyClustering:
    """Return fuzzy clusters, from centres chosen by k-means++.

    Begins from records chosen by k-means++: each with a probability proportional to
    its squared distance to the nearest one chosen already. Far clusters then all have
    a centre to begin with, which counts here: a centre stands for some k records, and
    hardly leaves a cluster once it is there. For FCM each then moves a little towards
    the mean, by (1 - 1/m) / 10 of the way: a record on a centre belongs to it alone,
    and would hold it for ever where m is large.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    n_centres : int
    algorithm : {"fcm", "efcm"}
    fuzziness : float
        m >= 1 of FCM, lambda > 0 of EFCM.
    rng : numpy.random.Generator
        Draws `n_centres` numbers.
    stage : str
        What progress is called.
    onto : callable, optional
        Gives the points nearest to given ones that satisfy linear rules: constrained
        FCM and EFCM.
    mass : ndarray of float64, shape (n_records,), optional
        How many units each record stands for; weighs the means.
    still : float
        How small the steps of centres at rest are, as :data:`CONVERGENCE_TOLERANCE`.
    """
    draws = rng.random(n_centres)
    starts = kmeans_plus_plus_records(X, draws, ctx.subcontext(0.0, 0.1), stage)
    centres = X[starts]
    if algorithm == "fcm":
        inwards = 0.1 * (1.0 - 1.0 / fuzziness)
        centres = centres + inwards * (X.mean(axis=0) - centres)
    rest = ctx.subcontext(0.1, 1.0)
    return iterate_centres(
        X, centres, algorithm, fuzziness, rest, stage, onto, mass, still
    )


def iterate_centres(
    X: Values,
    centres: Values,
    algorithm: Algorithm,
    fuzziness: float,
    ctx: RunContext = SILENT,
    stage: str = "",
    onto: Project | None = None,
    mass: Values | None = None,
    still: float = CONVERGENCE_TOLERANCE,
) -> FuzzyClustering:
    """Return fuzzy clusters, from given centres, iterated to convergence.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    centres : ndarray of float64, shape (n_centres, n_attributes)
        Where to begin.
    algorithm, fuzziness, ctx, stage, onto, mass, still
        As for :func:`fuzzy_cluster`.

    References
    ----------
    Bezdek JC (1981). Pattern Recognition with Fuzzy Objective Function Algorithms.
    Miyamoto S, Mukaidono M (1997). Fuzzy c-means as a regularization and maximum
    entropy approach. Torra V (2020), eq. 1 to 5, 10, 11, doi:10.3233/JIFS-189074.
    """
    shift = X.mean(axis=0)  # far from zero, digits of the sums would be lost
    records = np.ascontiguousarray(X - shift)
    low, high = records.min(axis=0), records.max(axis=0)
    sq_tolerance = still**2 * float(np.square(records).sum()) / len(records)
    model = FuzzyModel(records, algorithm, fuzziness, mass)

    def allowed(means: Values) -> Values:
        # A mean lies between the records; rounding must not make it leave a constant.
        means = np.clip(means, low, high)
        return means if onto is None else onto(means + shift) - shift

    centres = allowed(centres - shift)
    objective: list[float] = []
    at_rest = False
    while not at_rest and len(objective) < MAX_ITERATIONS:
        done = len(objective) / MAX_ITERATIONS
        part = ctx.subcontext(done, done + 1.0 / MAX_ITERATIONS)
        means, value = model.update_centres(centres, part, stage)
        moved = allowed(means)
        at_rest = bool(np.square(moved - centres).sum(axis=1).max() <= sq_tolerance)
        centres = moved
        objective.append(value)
    return FuzzyClustering(centres + shift, tuple(objective), at_rest)


def kmeans_plus_plus_records(
    X: Values, draws: Values, ctx: RunContext = SILENT, stage: str = ""
) -> Labels:
    """Return the starting records that k-means++ draws, shape (n_centres,).

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_attributes)
    draws : ndarray of float64, shape (n_centres,)
        Random numbers in [0, 1).
    """
    c = len(draws)
    far, starts = np.zeros(len(X)), np.empty(c, dtype=np.int64)
    for start, stop in ctx.iterate_ranges(
        c, steps_per_look(VALUES_PER_PAIR * len(X)), stage
    ):
        choose_starting_records(X, draws, start, stop, far, starts)
    return starts
