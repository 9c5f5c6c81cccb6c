"""Constraint rules on released values: sums, bounds, products, ratios, conditions."""
