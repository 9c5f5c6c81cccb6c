"""Kernels of measures."""
