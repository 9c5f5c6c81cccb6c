"""k-Ward: Ward's clustering that never merges two groups of k or more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.parameters import Choice
from engine.core.partition import Labels, members_by_group
from engine.core.typing import Values
from engine.kernels.fixed_size.md import (
    form_farthest_pair_groups,
    form_grown_pair_groups,
    make_farthest_partner_bounds,
)
from engine.kernels.index.blocks import make_block_index
from engine.kernels.index.shared import RepeatedCoordinates
from engine.kernels.variable_size.ward import (
    find_cheapest_merges,
    make_ward_clusters,
    merge_clusters_below_k,
    write_cluster_labels,
)
from engine.methods.base import MethodInfo, Microaggregator, RunCost, Traits, methods
from engine.methods.descriptions.sources import DOMINGO_MATEO_2002
from engine.methods.steps.projection import first_component_scores, zscore_sum
from engine.points.base import Points

FIRST_LEVEL_SHARE = 0.8
"""Share of the progress that the first level of the recursion takes."""


@methods.register(
    MethodInfo(
        id="k-ward",
        title="k-Ward",
        family="variable-size",
        summary="Merges the two groups whose union costs least, again and again. Two "
        "groups that both have k records are not merged. Inside each group of 2k "
        "records or more, the method begins again.",
        reference=DOMINGO_MATEO_2002,
        parameters=(
            Choice(
                "ends",
                "farthest",
                "Ends",
                "What a level begins with: the two records farthest apart with their "
                "nearest (farthest), or groups grown from these (grown), or the first "
                "and the last records by their sum of z-scores (z-scores) or by the "
                "first principal component (component).",
                options=("farthest", "grown", "z-scores", "component"),
            ),
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p",
                0.0033,
                records=1.95,
                attributes=0.75,
                coordinates=0.75,
                size=-0.05,
            ),
            max_records=50_000,
        ),
    )
)
class KWard(Microaggregator):
    """Multivariate k-Ward.

    Parameters
    ----------
    k : int
        Minimum group size.
    ends : str
        Which two groups of k a level begins with.
    seed : int
        Not used.

    Notes
    -----
    The two records farthest apart form groups with their k-1 nearest, as in MD, or as
    `ends` says; every other record begins alone. The cheapest pair merges, of equally
    cheap ones that with the lowest records, until every group has k records; groups of
    2k or more are divided in the same way. Records that are all equal, where any
    division is as good, are cut into runs of k.

    References
    ----------
    Mateo-Sanz & Domingo-Ferrer (1998), Qüestiió 22(3), 511-526, compares the ends.
    """

    ends: str

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X, title = points.X, self.info.title
        n = points.n_records
        labels = np.full(n, -1, dtype=np.int64)
        first = ctx.subcontext(0.0, FIRST_LEVEL_SHARE)
        inside = ctx.subcontext(FIRST_LEVEL_SHARE, 1.0)
        ends = EndGroups(k, self.ends == "grown", score_of_ends(X, self.ends))
        waiting = _ward_clusters(
            X,
            ends,
            lambda share: first.tick(share, 1, title),
            points.shared_coordinates,
        )
        waiting.reverse()
        n_groups = n_grouped = 0

        def tick_inside(share: float) -> None:
            inside.tick(n_grouped, n, title)

        while waiting:
            members = waiting.pop()
            if members.size < 2 * k:
                labels[members] = n_groups
                n_groups += 1
                n_grouped += members.size
            else:
                parts = _ward_clusters(X[members], ends.among(members), tick_inside)
                waiting += [members[part] for part in reversed(parts)]
        return labels


def score_of_ends(X: Values, ends: str) -> Values | None:
    """Return the score by which the first and last records are found, if by any."""
    if ends == "z-scores":
        return zscore_sum(X)
    return first_component_scores(X) if ends == "component" else None


@dataclass(frozen=True)
class EndGroups:
    """The two groups of k records that a level begins with.

    Attributes
    ----------
    k : int
    grown : bool
        Whether the record nearest to the mean of a group joins it, k-1 times.
    score : ndarray of float64, shape (n_records,), or None
        The first and the last k records by it are the groups.
    """

    k: int
    grown: bool
    score: Values | None

    def among(self, members: Labels) -> EndGroups:
        """Return the same for some of the records."""
        score = None if self.score is None else self.score[members]
        return replace(self, score=score)

    def write(
        self,
        X: Values,
        shared: Sequence[RepeatedCoordinates],
        labels: Labels,
        tick: Callable[[float], None],
    ) -> None:
        """Label the records of the two groups 0 and 1."""
        n, p = X.shape
        if self.score is not None:
            order = np.argsort(self.score, kind="stable")
            labels[order[: self.k]], labels[order[-self.k :]] = 0, 1
            return
        blocks = make_block_index(X, shared, partial(tick, 0.0))
        partners = make_farthest_partner_bounds(X)
        near = 1 if self.grown else self.k - 1
        scratch = np.empty(near, dtype=np.int64), np.empty(near)
        while blocks.count[0] == n:
            tick(0.0)
            if self.grown:
                middle = np.empty((2, p))
                form_grown_pair_groups(
                    blocks,
                    n,
                    steps_per_look(),
                    0,
                    labels,
                    partners,
                    self.k,
                    middle,
                    *scratch,
                )
            else:
                form_farthest_pair_groups(
                    blocks, n, steps_per_look(), 0, labels, partners, *scratch
                )


def _ward_clusters(
    X: Values,
    ends: EndGroups,
    tick: Callable[[float], None],
    shared: Sequence[RepeatedCoordinates] = (),
) -> list[Labels]:
    """Return the clusters of one level, each rising, in order of lowest record.

    `tick` is told the share done; `shared` says which coordinates records share.
    """
    (n, p), k = X.shape, ends.k
    if (X[0] == X).all():
        runs = np.arange(k, n - k + 1, k)
        return list(np.split(np.arange(n, dtype=np.int64), runs))
    labels = np.full(n, -1, dtype=np.int64)
    ends.write(X, shared, labels, tick)
    clusters = make_ward_clusters(X, labels, k)
    rows = steps_per_look(n * p)
    total = int(clusters.counts[0])
    for start in range(0, total, rows):
        tick(0.25 * start / total)
        find_cheapest_merges(clusters, k, start, min(total, start + rows))
    while merge_clusters_below_k(clusters, k, steps_per_look(4 * n * p)) > 0:
        tick(1.0 - 0.75 * clusters.counts[1] / total)
    write_cluster_labels(clusters, labels)
    return members_by_group(labels)
