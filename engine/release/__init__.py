"""Releases: written, and read back to be verified."""
