"""Measures of the information lost by a release, one module per measure."""
