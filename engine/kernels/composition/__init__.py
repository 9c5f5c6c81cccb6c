"""Loops of composition: what several sums over the same records give away."""
