"""Steps on records for kernels of all families: distances, ties, nearest, draws."""
