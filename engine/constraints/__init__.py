"""Rules that released values keep: sums, bounds, products, ratios and conditions."""
