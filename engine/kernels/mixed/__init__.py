"""Loops of methods for mixed data."""
