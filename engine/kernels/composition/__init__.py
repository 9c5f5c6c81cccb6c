"""Kernels of composition attacks, on sums over the same records."""
