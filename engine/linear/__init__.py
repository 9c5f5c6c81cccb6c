"""The arithmetic of linear rules: reading, contradictions, nearest points, rounding."""
