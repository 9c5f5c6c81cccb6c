"""Inference attack: guessing an unknown value from the nearest released records."""

from __future__ import annotations

from engine.analysis.attacks.base import AttackInfo, AttackResult, AttackScene, attacks
from engine.analysis.attacks.guessing import guess_columns_from_nearest
from engine.core.message import Message

ONE_COLUMN_MESSAGE = Message(
    "There is nothing to infer: name confidential columns, or two that are known."
)


@attacks.register(
    AttackInfo(
        id="inference",
        title="Inference",
        does="guesses a value that is not known",
        summary="The intruder guesses an unknown value of a person from the "
        "released records that are nearest in the known columns. If several "
        "columns are unknown, Coterie shows the result of the column with "
        "the most right guesses.",
        against="the one best guess for everybody",
        reference="Article 29 Working Party 2014, Opinion 05/2014 on anonymisation "
        "techniques (WP216)",
        needs="values",
    )
)
def attack_inference(scene: AttackScene) -> AttackResult:
    """Return the result of guessing the column that gains most over a common guess."""
    guesses = guess_columns_from_nearest(scene)
    if not guesses:
        return AttackResult.impossible("inference", ONE_COLUMN_MESSAGE)
    worst = max(guesses, key=lambda guess: guess.right.mean() - guess.common_guess_rate)
    return scene.make_result(
        "inference",
        worst.right.astype(float),
        worst.common_guess_rate,
        column=worst.name,
        n_columns=len(guesses),
    )
