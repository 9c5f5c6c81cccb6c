"""Delimited and fixed-width text."""
