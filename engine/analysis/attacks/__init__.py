"""Attacks: what an intruder learns from a release, each beside its control."""

from engine.analysis.attacks.base import (
    AttackInfo,
    Knowledge,
    Result,
    Scene,
    attacks,
)

__all__ = ["AttackInfo", "Knowledge", "Result", "Scene", "attacks"]
