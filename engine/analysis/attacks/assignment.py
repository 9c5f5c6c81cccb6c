"""Record linkage by optimal assignment of up to 1,000 people, or one class, at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.analysis.attacks.base import AttackInfo, AttackResult, AttackScene, attacks
from engine.analysis.attacks.shared_space import embed_records, sq_dist_matrix

MAX_ASSIGNED_PEOPLE = 1_000
"""People that are assigned: the time grows with the third power."""


@attacks.register(
    AttackInfo(
        id="record-linkage-assignment",
        title="Record linkage by optimal assignment",
        does="matches a whole list of people with their records",
        summary="The intruder has a list of people and their released records, but "
        "does not know which record belongs to whom. So the intruder gives "
        "each person one record, such that the sum of the distances between "
        "people and their records is smallest.",
        against="records dealt out at random",
        reference="Domingo-Ferrer, Muralidhar & Ricci 2019; Kuhn 1955, "
        "https://doi.org/10.1002/nav.3800020109",
    )
)
def attack_by_assignment(scene: AttackScene) -> AttackResult:
    """Return the result of linking up to 1,000 people, or a class, to records at once.

    Where there are too many, some classes are drawn with all their people: fewer of
    each would make it easier than it is.
    """
    from scipy.optimize import linear_sum_assignment

    everybody = replace(scene.knowledge, about=scene.release.rows.size)
    everyone = replace(scene, knowledge=everybody)
    pair = embed_records(everyone, scene.known_columns)
    order = np.random.default_rng(scene.seed).permutation(pair.sizes.size)
    within = np.cumsum(pair.sizes[order]) <= min(
        MAX_ASSIGNED_PEOPLE, scene.knowledge.about
    )
    some = np.flatnonzero(np.isin(pair.own, order[: max(1, int(within.sum()))]))
    codes = pair.own[some]
    links = linear_sum_assignment(sq_dist_matrix(pair.known[some], pair.seen[codes]))[1]
    # Records of one class are alike, so that each of its people gets any of them.
    is_own_class = pair.own_classes(some)[np.arange(some.size), codes[links]]
    right = is_own_class / np.maximum(pair.sizes[codes[links]], 1)
    fallen = scene.release.rows[everyone.target_rows()[some[right > 0.5]]]
    return AttackResult(
        "record-linkage-assignment",
        float(right.mean()),
        right.size,
        1.0 / right.size,
        fallen,
    )
