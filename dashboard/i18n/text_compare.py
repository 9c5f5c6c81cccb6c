"""Texts of comparing: what the charts show, selecting, pinning, side by side."""

from __future__ import annotations

PIN_ANOTHER = "Pin another result to see the two side by side."

SIZES_SHOW = (
    "How many records share a group, for every method and k. Groups of exactly k lose "
    "little and protect as asked; variable-size methods make larger ones where records "
    "lie close together."
)
GROUPS_SHOW = (
    "Around every group is its hull: small hulls mean little loss, and orange ones "
    "hold the records that lose most. The plane is that of the first two principal "
    "components of the numbers, in which these differ most, or of two attributes, as "
    "its axes say. Drag to look closer: all panels follow; double-click to go back."
)
CLICK_SHOW = "Click to select a result: it stands out in every chart."
ONE_SHOW = (
    "Each point is a record, and around each group is its hull, orange where its "
    "records lose most. Click a record to ask why it is in its group."
)
MARKS_SHOW = (
    "Each point is a record, orange where the records of its group lose most. The "
    "groups' hulls would lie on each other here: point at a record to see its own, in "
    "every panel. Drag to look closer, double-click to go back, and once more to see "
    "the far ones too."
)
CELLS_SHOW = (
    "Each mark stands for records that lie close together: large where they are many, "
    "orange where they lose most. Click a mark to look closer, until each record has a "
    "point of its own; drag to see what is beside it."
)
IN_VIEW = "{there} of {all} records are in view."
NUMBERS_ONLY = "Only the columns of numbers count here, categories are left out."

AGAINST: dict[str, tuple[str, str]] = {
    "records": ("Number of records", "Records"),
    "k": ("k, minimum group size", "k"),
    "attributes": ("Number of attributes", "Attributes"),
}
"""What run time is measured against: title of the axis, and the word of the choice."""
COLUMNS_SHOW = (
    "How much of each column's variation every method loses; orange loses most. Point "
    "at a cell to read what became of the column's values."
)
RUN_TIME_SHOWS = (
    "How long the chosen methods take to group this table, or parts of it: the "
    "shortest of several runs, and bars up to the longest. Smaller tables are drawn "
    "at random from it; fewer attributes are the first ones. Where both axes are "
    "powers of ten, a power of 2 means that twice the records take four times as long."
)
NOTHING_TO_TIME = (
    "None of the chosen methods can be timed: a search takes the seconds that it is "
    "given."
)

BESIDE_FIGURES = (
    "Every figure that both results have; ✓ marks the better one. Measures that are "
    "worked out on request appear once both results have been measured."
)
BESIDE_SCALES = (
    "The two measure distances or weigh records in different ways, so their "
    "information losses must not be compared."
)
SPREADS_SHOW = (
    "How each attribute is distributed: the original in grey, both releases over it. "
    "All records are counted; the outer intervals hold what lies farther out as well."
)
