"""KACA: merge classes of fewer than k records with their nearest class."""

from __future__ import annotations

import numpy as np

from engine.core.context import RunContext, steps_per_look
from engine.core.partition import Labels
from engine.kernels.mixed.kaca import (
    MemberChains,
    merge_small_classes,
    write_class_labels,
)
from engine.methods.base import (
    MethodInfo,
    Microaggregator,
    Reference,
    RunCost,
    Traits,
    methods,
)
from engine.methods.mixed.tuples import MixedRecords
from engine.points.base import Points


@methods.register(
    MethodInfo(
        id="kaca",
        title="KACA",
        family="mixed",
        summary="Begins with classes of equal records. Chooses a random class among "
        "those with fewer than k records, and joins this class to the nearest class.",
        reference=Reference(
            "Li J, Wong RCW, Fu AWC, Pei J (2006). Achieving k-anonymity by clustering "
            "in attribute hierarchical structures. Data Warehousing and Knowledge "
            "Discovery, LNCS 4081, 405-416.",
            doi="10.1007/11823728_39",
        ),
        traits=Traits(
            cost=RunCost(
                "n^2 p",
                0.0037,
                records=1.8,
                attributes=0.6,
                coordinates=0.05,
                size=-0.05,
            ),
            max_group_size="",
            uses_seed=True,
            release="generalised",
        ),
    )
)
class KACA(Microaggregator):
    """k-anonymisation by clustering in attribute hierarchies.

    While a class has fewer than k records, one such is drawn at random and joins the
    class whose equivalence tuple is nearest. Where both together would have 2k records
    or more, the other class only gives up as many as are missing, those nearest first.
    Classes of equal records are not divided, so they may be of any size; all others
    have at most 2k-1.
    """

    def _partition(
        self, points: Points, k: int, rng: np.random.Generator, ctx: RunContext
    ) -> Labels:
        table = MixedRecords.from_points(points)
        equal = table.equal_record_classes()
        classes, members = table.class_tuples(equal), _member_chains(table, equal)
        small = int((classes.size < k).sum())
        state = np.array([small, 0], dtype=np.int64)
        draws = rng.random(small)
        while state[0] > 0:
            max_merges = steps_per_look(
                classes.used[0] * table.n_attributes + table.n_nodes
            )
            merge_small_classes(
                classes, members, table.make_query(), draws, k, state, max_merges
            )
            ctx.tick(small - int(state[0]), small, self.info.title)
        labels = np.empty(table.n_records, dtype=np.int64)
        slots = np.flatnonzero(classes.size[: int(classes.used[0])])
        write_class_labels(members, slots[np.argsort(classes.first[slots])], labels)
        return labels


def _member_chains(table: MixedRecords, labels: Labels) -> MemberChains:
    """Return the chains of classes whose records rise."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    last = np.cumsum(sizes) - 1
    after = np.full(labels.size, -1, dtype=np.int64)
    after[order[:-1]] = order[1:]
    after[order[last]] = -1
    return MemberChains(
        numbers=table.numbers,
        codes=table.codes,
        head=order[last - sizes + 1],
        tail=order[last],
        after=after,
        distance=np.zeros(labels.size),
    )
