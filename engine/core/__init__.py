"""Foundations of all floors: errors, registries, parameters, partitions, threads."""
