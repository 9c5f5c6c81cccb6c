"""The two pinned results: side by side, and in what they differ."""
