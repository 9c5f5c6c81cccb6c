"""Fit models by formula to a table and its releases, and compare their slopes."""
