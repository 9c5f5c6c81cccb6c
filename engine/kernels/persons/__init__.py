"""Loops of grouping in which k counts the persons whom records are about."""
