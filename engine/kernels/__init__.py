"""Numba kernels on contiguous float64 and int64 arrays that the caller allocates.

One folder per family of methods, measures or bounds that call them.
"""
