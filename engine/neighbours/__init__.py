"""Nearest-neighbour lists, and blocks of near records."""
