"""Counts and loss over seeds as text, and content as JSON bytes, for commands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.pipeline.outcome import Outcome


def format_count(number: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun: ``1 group``, ``1,080 groups``."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def format_loss_over_seeds(outcome: Outcome) -> str:
    """Return "mean ± deviation" of the loss over seeds; empty where there is none."""
    spread = outcome.spreads.get("information_loss")
    return "" if spread is None else f"{spread.mean:.4f} ± {spread.deviation:.4f}"


def to_json_bytes(content: object) -> bytes:
    """Return content as indented JSON, as the bytes of a file."""
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()
