"""Record linkage by rank: positions in a column stay where values move."""

from __future__ import annotations

from engine.analysis.attacks.base import AttackInfo, Result, Scene, attacks, result
from engine.analysis.attacks.compared import compared, share_found


@attacks.register(
    AttackInfo(
        id="record-linkage-rank",
        title="Record linkage by rank",
        does="finds a person's record by ranks",
        summary="Knows each person's position in every column, and looks for the "
        "released record with the nearest positions.",
        against="a released record drawn at random",
        reference="Nin, Herranz & Torra 2008, https://doi.org/10.1016/j.datak.2007.07.006",
    )
)
def by_rank(scene: Scene) -> Result:
    """Return how many targets are found."""
    pair = compared(scene, scene.columns, ranks=True)
    right = share_found(pair)
    return result("record-linkage-rank", scene, right, 1.0 / scene.n_candidates)
