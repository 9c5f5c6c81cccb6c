"""Computations for all packages: statistics, principal axes, programmes, traces."""
