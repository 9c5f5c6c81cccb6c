"""Encode records as points: coordinates for methods, bounds and measures."""
