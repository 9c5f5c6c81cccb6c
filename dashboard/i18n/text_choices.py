"""Texts of the choices for all methods: missing values, common values, strata."""

from __future__ import annotations

AGGREGATION_HELP = (
    "The common value that replaces a group's values. What does not suit a column is "
    "left to the automatic choice: categories have no mean."
)
SMALL_STRATA: dict[str, str] = {
    "refuse": "Stop and say which",
    "merge": "Protect them together",
}
BLOCKS_SHOW = (
    "Columns of one block are grouped together, and each block on its own. Less is "
    "lost, and less is protected."
)
MISSING_NAMES: dict[str, str] = {
    "keep-or-fill": "Keep gaps where k allows, fill the others",
    "drop": "Leave them out",
    "median": "Fill in the median",
    "mode": "Fill in the most frequent value",
    "keep": "Keep missing: group them apart",
}
MISSING_OPEN = "Choose one before the first run: nothing is done to them unasked."
MISSING_DONE: dict[str, str] = {
    "keep-or-fill": (
        "Gaps that at least k records share stay empty in the release; the few others "
        "are filled with the median of their column, of categories with the most "
        "frequent value."
    ),
    "drop": "They will be left out of the release.",
    "median": (
        "Each gap will be filled with the median of its column; of categories, with "
        "the most frequent value."
    ),
    "mode": "Each gap will be filled with the most frequent value of its column.",
    "keep": (
        "Gaps stay empty in the release; records with gaps are grouped only with "
        "records that lack the same."
    ),
}

T_CLOSE_HELP = (
    "Groups are merged until the confidential values of each are at most so far from "
    "those of the whole table: 0.2 is close, 0 asks for nothing. It costs information."
)
