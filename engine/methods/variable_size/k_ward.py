"""k-Ward: Ward's clustering that never merges two groups of k or more."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.core.context import RunContext
from engine.core.partition import Labels, members_by_group
from engine.core.typing import Values
from engine.kernels.fixed_size.md import (
    form_farthest_pair_groups,
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
from engine.points.base import Points

VALUES_PER_CALL = 20_000_000
"""Values that one kernel call may read: some 0.05 s between two ticks."""

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

    The two records farthest apart form groups with their k-1 nearest, as in MD; every
    other record begins alone. The cheapest pair merges, of equally cheap ones that
    with the lowest records, until every group has k records; groups of 2k or more are
    divided in the same way. Records that are all equal, where any division is as
    good, are cut into runs of k.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        X, title = points.X, self.info.title
        n = points.n_records
        labels = np.full(n, -1, dtype=np.int64)
        first = ctx.subcontext(0.0, FIRST_LEVEL_SHARE)
        inside = ctx.subcontext(FIRST_LEVEL_SHARE, 1.0)
        waiting = _ward_clusters(
            X, k, lambda share: first.tick(share, 1, title), points.shared_coordinates
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
                parts = _ward_clusters(X[members], k, tick_inside)
                waiting += [members[part] for part in reversed(parts)]
        return labels


def _ward_clusters(
    X: Values,
    k: int,
    tick: Callable[[float], None],
    shared: Sequence[RepeatedCoordinates] = (),
) -> list[Labels]:
    """Return the clusters of one level, each rising, in order of lowest record.

    `tick` is told the share done; `shared` says which coordinates records share.
    """
    n, p = X.shape
    if (X[0] == X).all():
        runs = np.arange(k, n - k + 1, k)
        return list(np.split(np.arange(n, dtype=np.int64), runs))
    labels = np.full(n, -1, dtype=np.int64)
    blocks, partners = make_block_index(X, shared), make_farthest_partner_bounds(X)
    nearest, squared = np.empty(k - 1, dtype=np.int64), np.empty(k - 1)
    looks = max(1, VALUES_PER_CALL // (4 * n * p))
    while blocks.count[0] == n:
        tick(0.0)
        form_farthest_pair_groups(
            blocks, n, looks, 0, labels, partners, nearest, squared
        )
    clusters = make_ward_clusters(X, labels, k)
    rows = max(1, VALUES_PER_CALL // (n * p))
    total = int(clusters.counts[0])
    for start in range(0, total, rows):
        tick(0.25 * start / total)
        find_cheapest_merges(clusters, k, start, min(total, start + rows))
    while (
        merge_clusters_below_k(clusters, k, max(1, VALUES_PER_CALL // (4 * n * p))) > 0
    ):
        tick(1.0 - 0.75 * clusters.counts[1] / total)
    write_cluster_labels(clusters, labels)
    return members_by_group(labels)
