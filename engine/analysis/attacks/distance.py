"""Record linkage by distance: the nearest released record."""

from __future__ import annotations

from engine.analysis.attacks.base import AttackInfo, AttackResult, AttackScene, attacks
from engine.analysis.attacks.shared_space import (
    embed_records,
    linkage_probability_per_target,
)


@attacks.register(
    AttackInfo(
        id="record-linkage-distance",
        title="Record linkage by distance",
        does="finds a person's record by the nearest values",
        summary="The intruder knows some values of a person, and takes the released "
        "record with the nearest values. If several records are equally "
        "near, the intruder takes one of them at random.",
        against="a released record drawn at random",
        reference="Domingo-Ferrer & Torra 2001, in Confidentiality, Disclosure, and "
        "Data Access, Elsevier",
        aliases=("linkage",),
    )
)
def link_by_distance(scene: AttackScene) -> AttackResult:
    """Return the result of linking each target to a nearest released record."""
    pair = embed_records(scene, scene.known_columns)
    right = linkage_probability_per_target(pair)
    return scene.make_result("record-linkage-distance", right, 1.0 / scene.n_candidates)
