"""Record linkage by optimal assignment: everybody at once, one record each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from engine.analysis.attacks.base import AttackInfo, Result, Scene, attacks, result
from engine.analysis.attacks.compared import compared, squares

MOST = 1_000
"""People that are assigned: the time grows with the third power."""


@attacks.register(
    AttackInfo(
        id="record-linkage-assignment",
        title="Record linkage by optimal assignment",
        summary="Has a list of people and their released records, without knowing "
        "whose is whose, and gives each person one record so that all are as near as "
        "possible.",
        against="records dealt out at random",
        reference="Domingo-Ferrer, Muralidhar & Ricci 2019; Kuhn 1955, "
        "https://doi.org/10.1002/nav.3800020109",
    )
)
def by_assignment(scene: Scene) -> Result:
    """Return how many targets get their own record."""
    about = min(MOST, scene.knowledge.about)
    few = replace(scene, knowledge=replace(scene.knowledge, about=about))
    pair = compared(few, scene.columns)
    found = linear_sum_assignment(squares(pair.known, pair.seen[pair.own]))[1]
    # Records of one class are alike, so that each of its people gets any of them.
    among = np.bincount(pair.own)
    right = (pair.own[found] == pair.own) / among[pair.own]
    return result("record-linkage-assignment", few, right, 1.0 / right.size)
