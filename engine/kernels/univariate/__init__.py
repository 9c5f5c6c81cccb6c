"""Loops over sorted values."""
