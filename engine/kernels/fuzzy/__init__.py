"""Loops of fuzzy c-means."""
