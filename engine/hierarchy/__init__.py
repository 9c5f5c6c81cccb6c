"""Generalisation hierarchies: trees over a column's values."""

from engine.hierarchy.build import (
    DATE_LEVELS,
    flat_hierarchy,
    from_dates,
    from_prefixes,
)
from engine.hierarchy.intervals import from_intervals
from engine.hierarchy.level_file import read_hierarchy
from engine.hierarchy.tree import ROOT_LABEL, Hierarchy
from engine.hierarchy.words import index_and_list_distinct_texts, leaf_text_of

__all__ = [
    "DATE_LEVELS",
    "ROOT_LABEL",
    "Hierarchy",
    "flat_hierarchy",
    "from_dates",
    "from_intervals",
    "from_prefixes",
    "index_and_list_distinct_texts",
    "leaf_text_of",
    "read_hierarchy",
]
