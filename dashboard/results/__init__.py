"""Figures of results for display: losses, scores, curves, groups in a plane."""
