"""Measures of the information lost by a release."""
