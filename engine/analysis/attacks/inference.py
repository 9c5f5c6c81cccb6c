"""Inference: a value that is not known, from what is."""

from __future__ import annotations

from engine.analysis.attacks.base import (
    AttackInfo,
    Result,
    Scene,
    attacks,
    nothing,
    result,
)
from engine.analysis.attacks.guessing import guesses
from engine.core.message import Message

ONE_COLUMN = Message(
    "There is nothing to infer: name confidential columns, or two that are known."
)


@attacks.register(
    AttackInfo(
        id="inference",
        title="Inference",
        does="guesses a value that is not known",
        summary="Guesses a value that is not known of a person from the released "
        "records that are nearest in what is known; of several columns the one guessed "
        "best.",
        against="the one best guess for everybody",
        reference="Article 29 Working Party 2014, Opinion 05/2014 on anonymisation "
        "techniques (WP216)",
    )
)
def inference(scene: Scene) -> Result:
    """Return how many values are guessed, a number to a tenth of a deviation."""
    found = guesses(scene)
    if not found:
        return nothing("inference", ONE_COLUMN)
    worst = max(found, key=lambda one: float(one.right.mean()) - one.blind)
    return result("inference", scene, worst.right.astype(float), worst.blind)
