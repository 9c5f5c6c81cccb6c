"""Naive common values of one group."""

import statistics


def trimmed(values: list[float]) -> float:
    cut = len(values) // 5
    return statistics.fmean(sorted(values)[cut : len(values) - cut])


def one_step(values: list[float]) -> float:
    middle = statistics.median(values)
    spread = 1.4826 * statistics.median([abs(value - middle) for value in values])
    low, high = (middle + sign * 3 / 1.486 * spread for sign in (-1, 1))
    return statistics.fmean([min(max(value, low), high) for value in values])
