"""Computations that all packages share: statistics, principal axes, programmes."""
