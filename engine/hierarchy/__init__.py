"""Generalisation hierarchies: trees over a column's values, built, read and checked."""

from engine.hierarchy.build import DATE_LEVELS, flat, from_dates, from_prefixes
from engine.hierarchy.edges import from_edges
from engine.hierarchy.intervals import from_intervals
from engine.hierarchy.level_file import read_hierarchy
from engine.hierarchy.tree import ROOT, Hierarchy
from engine.hierarchy.words import distinct_texts, text_of

__all__ = [
    "DATE_LEVELS",
    "ROOT",
    "Hierarchy",
    "distinct_texts",
    "flat",
    "from_dates",
    "from_edges",
    "from_intervals",
    "from_prefixes",
    "read_hierarchy",
    "text_of",
]
