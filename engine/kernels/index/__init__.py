"""Spatial indices: boxes, k-d leaves, blocks of records, neighbour lists."""
