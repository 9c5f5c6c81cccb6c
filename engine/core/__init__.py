"""Foundations of all packages: errors, registries, parameters, partitions, threads."""
