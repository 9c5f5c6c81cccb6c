"""Figures of results, without a screen: losses, scores, curves, groups in a plane."""
