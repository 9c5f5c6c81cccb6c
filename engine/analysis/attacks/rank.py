"""Record linkage by rank: the released record nearest in the ranks of its numbers."""

from __future__ import annotations

from engine.analysis.attacks.base import AttackInfo, AttackResult, AttackScene, attacks
from engine.analysis.attacks.shared_space import (
    embed_records,
    linkage_probability_per_target,
)


@attacks.register(
    AttackInfo(
        id="record-linkage-rank",
        title="Record linkage by rank",
        does="finds a person's record by ranks",
        summary="The intruder knows each person's position in every sorted column, "
        "and takes the released record with the nearest positions.",
        against="a released record drawn at random",
        reference="Nin, Herranz & Torra 2008, https://doi.org/10.1016/j.datak.2007.07.006",
    )
)
def link_by_rank(scene: AttackScene) -> AttackResult:
    """Return the result of linking targets to records near in ranks and categories."""
    pair = embed_records(scene, scene.known_columns, use_ranks=True)
    right = linkage_probability_per_target(pair)
    return scene.make_result("record-linkage-rank", right, 1.0 / scene.n_candidates)
