"""Attribute inference: what a release reveals of a person because it includes them."""

from __future__ import annotations

from dataclasses import replace

from engine.analysis.attacks.base import AttackInfo, AttackResult, AttackScene, attacks
from engine.analysis.attacks.guessing import guess_columns_from_nearest
from engine.analysis.attacks.inference import ONE_COLUMN_MESSAGE


@attacks.register(
    AttackInfo(
        id="attribute-inference",
        title="Attribute inference against a control",
        does="learns a confidential value from a person's own record",
        summary="The intruder guesses an unknown value from the nearest released "
        "records. The control makes the same guess from a release without "
        "the person's record. Only the difference between both successes "
        "counts as disclosure.",
        against="the same guess from a file that the person is not in",
        reference="Hittmeir, Mayer & Ekelhart 2020, "
        "https://doi.org/10.1145/3374664.3375722",
        needs="records",
    )
)
def attack_attribute_inference(scene: AttackScene) -> AttackResult:
    """Return the result of guessing a column with each person's record and without."""
    guesses = guess_columns_from_nearest(scene)
    if not guesses:
        return AttackResult.impossible("attribute-inference", ONE_COLUMN_MESSAGE)
    rows = scene.release.rows[scene.target_rows()]
    results = []
    for guess in guesses:
        result = scene.make_result(
            "attribute-inference",
            guess.right.astype(float),
            float(guess.without.mean()),
            guess.without.size,
            guess.name,
            len(guesses),
        )
        results.append(replace(result, fallen=rows[guess.right & ~guess.without]))
    # The column that is guessed best beyond chance, though another gains more by it.
    return max(results, key=lambda each: (each.has_succeeded, each.rate - each.control))
