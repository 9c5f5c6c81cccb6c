"""Kernels of grouping in which k counts persons."""
