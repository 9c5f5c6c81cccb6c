"""Releases: written, read back and verified."""
