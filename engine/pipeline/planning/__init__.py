"""Choices of a plan before a run: their declarations, limits, cost and resolution."""
