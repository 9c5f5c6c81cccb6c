"""How many examples properties are tried with that take longer than others."""

from hypothesis import settings


def share_of_examples(share: float) -> int:
    """Return a share of the examples that the chosen profile tries of a property."""
    return max(1, round(settings().max_examples * share))
