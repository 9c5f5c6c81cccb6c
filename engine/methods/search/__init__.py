"""Near-optimal groups by search."""
