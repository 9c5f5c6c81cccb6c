"""Protect page: k, methods and choices."""
