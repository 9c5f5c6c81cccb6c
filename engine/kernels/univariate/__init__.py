"""Kernels over sorted values."""
