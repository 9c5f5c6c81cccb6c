"""Loops of local search and evolution."""
