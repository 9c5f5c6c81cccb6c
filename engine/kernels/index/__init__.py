"""Loops over spatial indices: boxes, leaves, blocks, nearest records."""
