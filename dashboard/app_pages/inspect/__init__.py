"""Inspect page: risk, utility and explanations of one result."""
