"""Kernels of methods for mixed data."""
