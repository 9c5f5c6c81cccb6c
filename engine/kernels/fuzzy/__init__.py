"""Kernels of fuzzy c-means."""
