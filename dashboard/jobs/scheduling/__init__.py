"""Whose run is next, and how much anybody may have."""
