"""Kernels of lower bounds."""
