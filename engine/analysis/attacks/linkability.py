"""Linkability: joining two lists of the same people through the release."""

from __future__ import annotations

import numpy as np

from engine.analysis.attacks.base import AttackInfo, AttackResult, AttackScene, attacks
from engine.analysis.attacks.shared_space import (
    embed_records,
    nearest_points_and_sq_dists,
)
from engine.core.message import Message
from engine.core.typing import Integers


@attacks.register(
    AttackInfo(
        id="linkability",
        title="Linkability",
        does="joins two parts of what is known of a person",
        summary="The intruder has two lists of the same people with different columns. "
        "If a line of each list has the same nearest released record, the "
        "intruder says that both lines are about one person.",
        against="lines put together at random",
        reference="Article 29 Working Party 2014, Opinion 05/2014 on anonymisation "
        "techniques (WP216)",
        needs="values",
    )
)
def attack_linkability(scene: AttackScene) -> AttackResult:
    """Return the result of joining two lists of the same people by the release."""
    names = scene.known_columns
    if len(names) < 2:
        return AttackResult.impossible(
            "linkability", Message("Two lists need two columns that are known.")
        )
    pair = embed_records(scene, names)
    sides: list[Integers] = []
    for first in (0, 1):
        some = pair.coordinates_of(list(range(first, len(names), 2)))
        known, seen = pair.known[:, some], pair.seen[:, some]
        sides.append(nearest_points_and_sq_dists(known, seen)[0])
    links, other = sides
    counts = np.bincount(other, minlength=pair.sizes.size)
    right = np.where(links == other, 1.0 / np.maximum(counts[links], 1), 0.0)
    return scene.make_result("linkability", right, 1.0 / right.size)
