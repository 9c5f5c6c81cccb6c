"""Minimality attack: exploit that groups were merged no further than necessary."""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine.analysis.attacks.base import (
    AttackInfo,
    AttackResult,
    AttackScene,
    attacks,
    untried_result,
)
from engine.analysis.attacks.compared import embed_scene
from engine.core.message import Message
from engine.core.statistics import mode_by_group


@attacks.register(
    AttackInfo(
        id="minimality",
        title="Minimality",
        does="learns from how far groups were merged",
        summary="Knows that groups are no larger than they have to be, so that those "
        "of twice the smallest size were merged because too many of their members "
        "shared a confidential value: and guesses the most frequent one.",
        against="the one best guess for everybody",
        reference="Wong, Fu, Wang & Pei 2007, Minimality attack in privacy preserving "
        "data publishing, VLDB",
    )
)
def attack_minimality(scene: AttackScene) -> AttackResult:
    """Measure how often a value is guessed in groups that look merged."""
    if not scene.secret_columns:
        return untried_result(
            "minimality", Message("No column is named as confidential.")
        )
    pair = embed_scene(scene, scene.known_columns)
    merged = pair.sizes >= 2 * pair.sizes.min()
    there = np.flatnonzero(merged[pair.classes])
    if there.size == 0 or pair.sizes.min() < 2:
        return untried_result("minimality", Message("No group looks merged."))
    mine = np.unique(pair.classes[there], return_inverse=True)[1].reshape(-1)
    mine = mine.astype(np.int64)
    found = []
    for name in scene.secret_columns:
        # A gap is a value like others: a group may share that too.
        codes = pd.factorize(scene.release.frame[name], use_na_sentinel=False)[0]
        guess = mode_by_group(codes[there], mine)
        right = guess[mine] == codes[there]
        blind = float(np.bincount(codes).max()) / codes.size
        found.append((float(right.mean()) - blind, float(right.mean()), blind, right))
    _gain, rate, blind, right = max(found, key=lambda one: one[0])
    fallen = scene.release.rows[there[right]]
    return AttackResult("minimality", rate, there.size, blind, fallen)
