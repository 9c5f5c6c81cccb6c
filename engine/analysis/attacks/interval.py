"""Interval disclosure: released numbers close to the original ones."""

from __future__ import annotations

import numpy as np

from engine.analysis.attacks.base import AttackInfo, AttackResult, AttackScene, attacks
from engine.analysis.attacks.shared_space import released_numbers_or_means
from engine.analysis.composition.statements import encode_original_column
from engine.core.message import Message
from engine.core.typing import Values

DISCLOSURE_HALF_WIDTH = 0.05
"""Half width of what counts as the value, in standard deviations."""


@attacks.register(
    AttackInfo(
        id="interval-disclosure",
        title="Interval disclosure",
        does="takes released numbers for a person's own",
        summary="The intruder takes each released number as the person's own number. A "
        "released number is near if it lies within 0.05 standard deviations of "
        "the original number. The attack succeeds if all released numbers are "
        "near. If there are several columns, the attack also succeeds if all "
        "numbers except one are near.",
        against="the released numbers of another record, drawn at random",
        reference="Mateo-Sanz, Sebé & Domingo-Ferrer 2004, "
        "https://doi.org/10.1007/978-3-540-25955-8_16",
    )
)
def attack_interval_disclosure(scene: AttackScene) -> AttackResult:
    """Return the result of taking released numbers for a target's own."""
    release, targets = scene.release, scene.target_rows()
    before, after = list[Values](), list[Values]()
    for name in scene.known_columns:
        truth = encode_original_column(scene.original.frame[name], name)
        if truth.numeric and truth.standard_deviation > 0.0:
            originals = truth.values[release.rows]
            before.append(originals[targets] / truth.standard_deviation)
            released_numbers = released_numbers_or_means(release.frame[name], originals)
            after.append(released_numbers[targets] / truth.standard_deviation)
    if not before:
        return AttackResult.impossible(
            "interval-disclosure", Message("No column that is known holds numbers.")
        )
    true_points, other = np.column_stack(before), np.column_stack(after)
    mixed = np.random.default_rng(scene.seed).permutation(len(true_points))
    right = _is_inside(true_points, other)
    control = float(_is_inside(true_points[mixed], other).mean())
    return scene.make_result("interval-disclosure", right, control, right.size)


def _is_inside(before: Values, after: Values) -> Values:
    outside = ~(np.abs(before - after) <= DISCLOSURE_HALF_WIDTH)
    allowed = 1 if before.shape[1] > 1 else 0
    return np.asarray(outside.sum(axis=1) <= allowed, dtype=np.float64)
