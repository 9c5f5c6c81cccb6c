"""Numba kernels: contiguous float64 and int64 in, the caller allocates."""
