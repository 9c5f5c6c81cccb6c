"""Kernels of univariate methods, on sorted values."""
