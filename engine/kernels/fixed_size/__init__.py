"""Kernels of methods with groups of exactly k."""
