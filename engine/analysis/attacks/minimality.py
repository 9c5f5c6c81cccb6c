"""Minimality: what it tells that groups were merged no further than they had to be."""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine.analysis.attacks.base import (
    AttackInfo,
    Result,
    Scene,
    attacks,
    nothing,
)
from engine.analysis.attacks.compared import compared
from engine.core.message import Message
from engine.core.statistics import group_modes


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
def minimality(scene: Scene) -> Result:
    """Return how many values are guessed in groups that look merged."""
    if not scene.secrets:
        return nothing("minimality", Message("No column is named as confidential."))
    pair = compared(scene, scene.columns)
    merged = pair.sizes >= 2 * pair.sizes.min()
    there = np.flatnonzero(merged[pair.classes])
    if there.size == 0 or pair.sizes.min() < 2:
        return nothing("minimality", Message("No group looks merged."))
    mine = np.unique(pair.classes[there], return_inverse=True)[1].reshape(-1)
    mine = mine.astype(np.int64)
    found = []
    for name in scene.secrets:
        # A gap is a value like others: a group may share that too.
        codes = pd.factorize(scene.release.frame[name], use_na_sentinel=False)[0]
        guess = group_modes(codes[there], mine)
        right = guess[mine] == codes[there]
        blind = float(np.bincount(codes).max()) / codes.size
        found.append((float(right.mean()) - blind, float(right.mean()), blind, right))
    _gain, rate, blind, right = max(found, key=lambda one: one[0])
    fallen = scene.release.rows[there[right]]
    return Result("minimality", rate, there.size, blind, fallen)
