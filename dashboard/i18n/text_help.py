"""Texts of the Help page; the manual itself is in :mod:`dashboard.manual`."""

from __future__ import annotations

HELP_INTRO = "How everything works. Choose a chapter, or search all of them."
IN_ENGLISH = (
    "This chapter is written in English, and so are figures: in 1,200.5 the comma "
    "separates thousands and the point decimals."
)
NOTHING = "Nothing in the manual has these words: try other ones, or their beginnings."
MORE = "These are the first {count}: add a word to see fewer."
UNKNOWN = "The manual has no chapter of this name: here is its first one."

PART_TITLES = ("Start", "Tutorials", "How-to", "Reference", "Explanation", "Developers")
"""Titles of the manual's parts, which are their keys in its list of chapters."""
