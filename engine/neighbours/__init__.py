"""Which records are near which, and blocks of near records."""
