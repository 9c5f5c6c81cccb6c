"""Lessons for projection, each with one idea, one control and one picture."""
