"""Models that analysts fit to a release, before and after protection."""
