"""Minimality attack: guesses in classes that look merged for lack of other values."""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine.analysis.attacks.base import (
    SHUFFLED,
    AttackInfo,
    AttackResult,
    AttackScene,
    attacks,
)
from engine.analysis.attacks.shared_space import embed_records
from engine.core.message import Message
from engine.core.numerics.statistics import mode_by_group
from engine.core.typing import Integers
from engine.measures.confidential import NOTHING_CONFIDENTIAL

MAX_DRAWS, MAX_DRAWN_RECORDS = 100, 5_000_000
"""Draws of classes at random, and records of all draws together, at most."""


@attacks.register(
    AttackInfo(
        id="minimality",
        title="Minimality",
        does="learns from how far groups were merged",
        summary="The intruder knows that Coterie merges groups only if too many "
        "members share a confidential value. If a class has at least twice "
        "the size of the smallest class, the intruder supposes that Coterie "
        "merged groups. So the intruder guesses the most frequent "
        "confidential value of this class.",
        against="the same guess in classes of the same sizes drawn at random",
        reference="Wong, Fu, Wang & Pei 2007, Minimality attack in privacy preserving "
        "data publishing, VLDB",
        needs="values",
    )
)
def attack_minimality(scene: AttackScene) -> AttackResult:
    """Return the result of guessing values in groups that look merged.

    Of a person who has several records, one that is drawn counts.
    """
    if not scene.secret_columns:
        return AttackResult.impossible("minimality", NOTHING_CONFIDENTIAL)
    if scene.persons is not None and scene.matching == "values":
        return AttackResult.impossible("minimality", SHUFFLED)
    pair = embed_records(scene, scene.known_columns)
    smallest = pair.sizes[pair.sizes > 0].min()
    everyone = scene.person_rows()
    merged_rows = everyone[(pair.sizes >= 2 * smallest)[pair.classes[everyone]]]
    if merged_rows.size == 0 or smallest < 2:
        return AttackResult.impossible("minimality", Message("No group looks merged."))
    groups = np.unique(pair.classes[merged_rows], return_inverse=True)[1]
    groups = groups.astype(np.int64)
    guesses = []
    for name in scene.secret_columns:
        # A gap is a value like others: a group may share that too.
        codes = pd.factorize(scene.release.frame[name], use_na_sentinel=False)[0]
        right = mode_by_group(codes[merged_rows], groups)[groups] == codes[merged_rows]
        chance = _random_mode_share(codes[everyone], groups, scene.seed)
        guesses.append((float(right.mean()), chance, right))
    rate, chance, right = max(guesses, key=lambda guess: guess[0] - guess[1])
    rows = scene.release.rows[merged_rows[right]]
    fallen = rows if scene.matching != "values" else rows[:0]
    return AttackResult("minimality", rate, merged_rows.size, chance, fallen)


def _random_mode_share(codes: Integers, classes: Integers, seed: int) -> float:
    """Return how many have the most frequent value of a class drawn at random.

    Parameters
    ----------
    codes : ndarray of int64, shape (n_records,)
    classes : ndarray of int64, shape (n_drawn,)
        For each record that is drawn, its class.
    """
    rng = np.random.default_rng(seed)
    n_draws = max(1, min(MAX_DRAWS, MAX_DRAWN_RECORDS // codes.size))
    shares = []
    for _ in range(n_draws):
        drawn = rng.permutation(codes)[: classes.size]
        mode = mode_by_group(drawn, classes)
        shares.append(float((mode[classes] == drawn).mean()))
    return float(np.mean(shares))
