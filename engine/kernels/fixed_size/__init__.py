"""Kernels of methods whose groups have exactly k records."""
