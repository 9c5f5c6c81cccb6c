"""Methods with groups of exactly k records, but for the last few."""
