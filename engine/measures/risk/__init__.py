"""Disclosure risks of a release."""
