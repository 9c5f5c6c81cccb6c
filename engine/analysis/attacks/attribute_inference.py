"""Attribute inference: what is learnt of a person because the person is in the file."""

from __future__ import annotations

from dataclasses import replace

from engine.analysis.attacks.base import (
    AttackInfo,
    Result,
    Scene,
    attacks,
    nothing,
    result,
)
from engine.analysis.attacks.guessing import guesses
from engine.analysis.attacks.inference import ONE_COLUMN


@attacks.register(
    AttackInfo(
        id="attribute-inference",
        title="Attribute inference against a control",
        does="learns a confidential value from a person's own record",
        summary="Guesses a value that is not known, as in inference; what holds of "
        "everybody like the person is no disclosure, and not counted.",
        against="the same guess from a file that the person is not in",
        reference="Hittmeir, Mayer & Ekelhart 2020, "
        "https://doi.org/10.1145/3374664.3375722",
    )
)
def attribute_inference(scene: Scene) -> Result:
    """Return how many values are guessed, beside those guessed without the person."""
    found = guesses(scene)
    if not found:
        return nothing("attribute-inference", ONE_COLUMN)
    worst = max(found, key=lambda one: float(one.right.mean() - one.without.mean()))
    found_out = result(
        "attribute-inference",
        scene,
        worst.right.astype(float),
        float(worst.without.mean()),
        worst.without.size,
    )
    rows = scene.release.rows[scene.targets()]
    return replace(found_out, fallen=rows[worst.right & ~worst.without])
