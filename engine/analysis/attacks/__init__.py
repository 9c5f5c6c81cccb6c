"""Attacks: what an intruder learns from a release, each with its control.

One module per attack, beside what several share.
"""

from engine.analysis.attacks.base import (
    AttackInfo,
    AttackResult,
    AttackScene,
    Knowledge,
    attacks,
)

__all__ = ["AttackInfo", "AttackResult", "AttackScene", "Knowledge", "attacks"]
