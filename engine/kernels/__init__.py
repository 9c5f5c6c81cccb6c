"""Numba kernels on contiguous float64 and int64 arrays that the caller allocates."""
