"""Certain claims: released records that are the only candidates for a person."""

from __future__ import annotations

import numpy as np

from engine.analysis.attacks.base import AttackInfo, AttackResult, AttackScene, attacks
from engine.analysis.composition.statements import (
    encode_original_columns,
    release_statements,
)
from engine.data.persons import persons_per_class


@attacks.register(
    AttackInfo(
        id="certain-claims",
        title="Certain claims",
        does="is certain which record is a person's",
        summary="The intruder knows method, k, scaling and everybody's "
        "quasi-identifiers, and repeats the grouping. In each release, a "
        "person is in one group. If the person's groups of all releases have "
        "only one record in common, the intruder claims this record.",
        against="nothing is certain without the release",
        reference="Nin, Herranz & Torra 2008, "
        "https://doi.org/10.1016/j.jspi.2007.09.003; Kerckhoffs 1883",
    )
)
def attack_by_sole_candidate(scene: AttackScene) -> AttackResult:
    """Return the result of claiming records that are a person's only candidates.

    Columns whose released values are not those of groups of the original bind nobody.
    """
    release, targets = scene.release, scene.target_rows()
    truths = encode_original_columns(scene.original, scene.known_columns)
    facts = release_statements(release, truths, scene.original)
    labels = [
        fact.groups[release.rows] for fact in facts if fact.meaning in ("sum", "member")
    ]
    right = np.zeros(targets.size)
    if labels:
        back = np.unique(np.array(labels), axis=1, return_inverse=True)[1]
        sizes = persons_per_class(back.astype(np.int64), scene.released_persons)
        right = (sizes[back] == 1)[targets].astype(np.float64)
    return scene.make_result("certain-claims", right, 0.0)
