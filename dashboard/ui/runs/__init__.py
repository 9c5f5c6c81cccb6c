"""Start, follow and choose runs and their results."""
