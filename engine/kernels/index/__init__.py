"""Spatial indices: boxes, leaves, blocks, nearest records."""
