"""Coterie's engine: microaggregation from Python, without a screen."""
