"""Measures of privacy: k-anonymity, l-diversity, t-closeness."""
