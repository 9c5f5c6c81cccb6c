"""Hierarchies of a column: recipes, level tables, and their editor."""
