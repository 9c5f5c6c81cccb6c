"""Kernels of local search and evolution."""
