"""Lessons to project: each one idea, one control and one picture, worked out live."""
