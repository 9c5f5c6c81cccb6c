"""Singling out: a description of a released record that fits one person only."""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine.analysis.attacks.base import (
    AttackInfo,
    Result,
    Scene,
    attacks,
)
from engine.analysis.attacks.compared import released_numbers
from engine.analysis.composition.statements import truth_of
from engine.core.typing import Booleans, Integers, Values

WP216 = (
    "Article 29 Working Party 2014, Opinion 05/2014 on anonymisation techniques (WP216)"
)
"""Where the three risks are defined."""

MOST = 1_000
"""Descriptions that are tried."""


@attacks.register(
    AttackInfo(
        id="singling-out",
        title="Singling out",
        summary="Describes a released record, each number by the values nearer to it "
        "than to any other released one, and hopes that exactly one person in the "
        "original fits.",
        against="descriptions put together from the same columns at random",
        reference=WP216,
    )
)
def singling_out(scene: Scene) -> Result:
    """Return how many descriptions fit exactly one record of the original."""
    targets = scene.targets()[:MOST]
    rng = np.random.default_rng(scene.seed)
    fits = np.ones((targets.size, scene.original.n_records), dtype=np.bool_)
    guesses = fits.copy()
    for name in scene.columns:
        some, others = _fitting(scene, name, targets, rng.permutation(targets))
        fits &= some
        guesses &= others
    right = (fits.sum(axis=1) == 1).astype(np.float64)
    control = float((guesses.sum(axis=1) == 1).mean())
    alone = np.unique(np.nonzero(fits[right > 0.5])[1]).astype(np.int64)
    return Result(
        "singling-out",
        float(right.mean()),
        right.size,
        control,
        alone,
        control_attempts=right.size,
    )


def _fitting(
    scene: Scene, name: str, targets: Integers, others: Integers
) -> tuple[Booleans, Booleans]:
    """Return who fits the descriptions of some released records, and of others."""
    truth = truth_of(scene.original.frame[name], name)
    column = scene.release.frame[name]
    if truth.numeric:
        theirs = released_numbers(column, truth.values[scene.release.rows])
        low, high = _window(theirs)
        x: Values = truth.values
        ends = [(low[some, None], high[some, None]) for some in (targets, others)]
        one, other = ((x >= least) & (x <= most) for least, most in ends)
        return one, other
    texts = pd.Index(scene.original.frame[name].astype("str"))
    words = column.astype("str").to_numpy()
    known = set(texts)
    rows = []
    for some in (targets, others):
        # A word above the column's own values says nothing here.
        wanted = words[some]
        vague = np.array([word not in known for word in wanted])
        rows.append((texts.to_numpy() == wanted[:, None]) | vague[:, None])
    return rows[0], rows[1]


def _window(theirs: Values) -> tuple[Values, Values]:
    """Return how far around each released number nothing else was released."""
    line, back = np.unique(theirs, return_inverse=True)
    middle = (line[1:] + line[:-1]) / 2.0
    low, high = np.append(-np.inf, middle), np.append(middle, np.inf)
    return low[back], high[back]
