"""Charts of all results, and what they draw from."""
