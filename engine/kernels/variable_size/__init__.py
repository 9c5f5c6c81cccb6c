"""Kernels of methods with groups of k to 2k-1."""
