"""Composition: what several releases of the same records reveal together."""
