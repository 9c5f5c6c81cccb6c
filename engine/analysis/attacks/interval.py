"""Interval disclosure: released numbers that are as good as the original ones."""

from __future__ import annotations

import numpy as np

from engine.analysis.attacks.base import (
    AttackInfo,
    Result,
    Scene,
    attacks,
    nothing,
    result,
)
from engine.analysis.attacks.compared import released_numbers
from engine.analysis.composition.statements import truth_of
from engine.core.message import Message
from engine.core.typing import Values

WIDTH = 0.05
"""Half width of what counts as the value, in standard deviations."""


@attacks.register(
    AttackInfo(
        id="interval-disclosure",
        title="Interval disclosure",
        does="takes released numbers for a person's own",
        summary="Takes each released number for the person's own, and is right where "
        "all but one lie within 0.05 standard deviations.",
        against="the released numbers of another record, drawn at random",
        reference="Mateo-Sanz, Sebé & Domingo-Ferrer 2004, "
        "https://doi.org/10.1007/978-3-540-25955-8_16",
    )
)
def interval_disclosure(scene: Scene) -> Result:
    """Return whose numbers are as good as published."""
    release, targets = scene.release, scene.targets()
    before, after = list[Values](), list[Values]()
    for name in scene.columns:
        truth = truth_of(scene.original.frame[name], name)
        if truth.numeric and truth.spread > 0.0:
            mine = truth.values[release.rows]
            before.append(mine[targets] / truth.spread)
            theirs = released_numbers(release.frame[name], mine)
            after.append(theirs[targets] / truth.spread)
    if not before:
        return nothing(
            "interval-disclosure", Message("No column that is known holds numbers.")
        )
    one, other = np.column_stack(before), np.column_stack(after)
    mixed = np.random.default_rng(scene.seed).permutation(len(one))
    right = _inside(one, other)
    control = float(_inside(one[mixed], other).mean())
    return result("interval-disclosure", scene, right, control, right.size)


def _inside(before: Values, after: Values) -> Values:
    outside = ~(np.abs(before - after) <= WIDTH)
    allowed = 1 if before.shape[1] > 1 else 0
    return np.asarray(outside.sum(axis=1) <= allowed, dtype=np.float64)
