"""Kernels of composition attacks: what several sums over the same records reveal."""
