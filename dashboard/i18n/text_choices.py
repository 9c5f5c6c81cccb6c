"""Texts of the choices for all methods: missing values, common values, strata."""

from __future__ import annotations

AUTOMATIC_HELP = (
    "Results of quick methods are there before you ask for them. What takes longer "
    "waits for a click."
)

SCALING_HELP = (
    "What makes columns comparable before records are grouped. Information loss is "
    "measured on this scale, so compare losses on one scaling only."
)
AGGREGATION_HELP = (
    "The common value that replaces a group's values. What does not suit a column is "
    "left to the automatic choice: categories have no mean."
)
AGGREGATION_AUTO = (
    "As suits the method and the column. CAAT and KACA give intervals, and the nearest "
    "common ancestor of categories; other methods the mean of numbers and the most "
    "frequent category."
)
INTERVAL_COLUMNS_HELP = (
    "Beside [45, 52] in column age come two columns age_from and age_to, with which "
    "one can calculate."
)
SMALL_STRATA: dict[str, str] = {
    "refuse": "Stop and say which",
    "merge": "Protect them together",
}
SMALL_STRATA_HELP = (
    "They cannot be protected alone. Together, each of them may share groups with the "
    "other small ones."
)
BLOCKS_SHOW = (
    "Columns of one block are grouped together, and each block on its own. Less is "
    "lost, and less is protected."
)
BLOCKS_WARNING = (
    "k then holds within each block, and no longer for whole records: whoever knows "
    "values of several blocks, such as {pair}, may single somebody out. After the run, "
    "k is counted on whole records; a release in which it is below the k asked for is "
    "not handed out."
)
STRATA_HELP = (
    "Groups never cross the values of this column: each region, for instance, is "
    "protected on its own."
)
MISSING_NAMES: dict[str, str] = {
    "keep-or-fill": "Keep gaps where k allows, fill the others",
    "drop": "Leave them out",
    "median": "Fill in the median",
    "mode": "Fill in the most frequent value",
    "keep": "Keep missing: group them apart",
}
MISSING_HELP = (
    "Kept missing values stay empty in the release. Such a record shares a group only "
    "with records that lack the same, so that nothing is made up; this needs at least "
    "k records with each combination of gaps."
)
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

P_SENSITIVE_HELP = (
    "Groups are merged until each confidential column has so many different values in "
    "every one: then finding somebody's group does not tell the value. 0 asks for "
    "nothing. It costs information; not for blocks of columns, nor for methods that "
    "promise no k."
)
T_CLOSE_HELP = (
    "Groups are merged until the confidential values of each are at most so far from "
    "those of the whole table: 0.2 is close, 0 asks for nothing. It costs information."
)
