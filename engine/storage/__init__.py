"""Outcomes and tables on disk."""
