"""Attacks: what an intruder learns from a release, each with its control."""

from engine.analysis.attacks.base import (
    AttackInfo,
    AttackResult,
    AttackScene,
    Knowledge,
    attacks,
)

__all__ = ["AttackInfo", "AttackResult", "AttackScene", "Knowledge", "attacks"]
