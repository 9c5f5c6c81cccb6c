"""Composition: what several releases of the same records give away together."""
