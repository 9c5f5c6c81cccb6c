"""Describe a method as plain values, for JSON and tables."""

from __future__ import annotations

from typing import Any

from engine.methods.base import MethodInfo


def describe_method(info: MethodInfo) -> dict[str, Any]:
    """Return a method's registered description as plain values, ready for JSON."""
    traits = info.traits
    return {
        "id": info.id,
        "aliases": list(info.aliases),
        "title": info.title,
        "family": info.family,
        "summary": info.summary,
        "reference": {"text": info.reference.text, "doi": info.reference.doi},
        "parameters": [
            {
                "name": parameter.name,
                "default": parameter.default,
                "allowed": parameter.describe(),
                "help": parameter.help,
            }
            for parameter in info.parameters
        ],
        "cost": traits.cost.growth,
        "guarantees_k": traits.guarantees_k,
        "max_group_size": traits.max_group_size,
        "exact": traits.exact,
        "univariate": traits.univariate,
        "uses_seed": traits.uses_seed,
        "max_records": traits.max_records,
        "per_attribute": traits.per_attribute,
        "mixed": True,  # every method takes categories
        "release": traits.release,
        "probabilistic": traits.probabilistic,
        "can_be_polished": info.can_be_refined,
    }
