"""Compile kernels on first call, keep them in a cache, and say when one compiles."""
