"""Texts of the Learn page."""

from __future__ import annotations

PUBLISHED_INTRO = (
    "Papers have printed what their methods lose on three reference tables of the CASC "
    "project: **census.csv** (1,080 records of people) and **tarragona.csv** (834 "
    "companies), 13 columns each, and **eia.csv** (4,092 months of electric utilities, "
    "11 columns). Run the same methods on your own copy and see every printed figure "
    "beside ours."
)
REFERENCE_WANTED = (
    ":material/arrow_back: Upload one of the tables to run its cells. Until then, "
    "only the printed values are below."
)
REFERENCE_OPEN = (
    "Only this page uses it; your own table and choices stay as they are. To see "
    "another table, upload that one."
)
OWN_RUNS = (
    "This is a run of the Compare page, with your own table. The published cells can "
    "run after it."
)
CELLS_RUN = (
    "These are the runs that you started on the Learn page. What is chosen here can "
    "run after them."
)
OTHER_TOOLS_TITLE = "What your old tool would have lost"
OTHER_TOOLS_TEASER = "The methods that you know, by their names, on your own table."
OTHER_TOOLS_INTRO = (
    "The methods of sdcMicro under the names that they have there, run on your own "
    "table with the choices made for it. Values are scaled as you chose: "
    "sdcMicro's `influence` and `mcdpca` cluster and turn values as they are, which "
    "loses more still."
)
RUN_TIMES_TITLE = "Run times as printed"
RUN_TIMES_TEASER = "CAAT beside KACA: what two figures of a paper drew, measured here."
RUN_TIMES_INTRO = (
    "Jiang's paper on CAAT draws its run time beside that of KACA, against the number "
    "of quasi-identifiers, for k = 3 and k = 6, each time the mean of ten random "
    "starts. Measure the same here: only the grouping is timed, and fewer attributes "
    "are the first ones of the table."
)
TIMED_TABLES: dict[str, str] = {
    "sample": "Hospital discharges (sample)",
    "own": "The table that is open",
}
PRINTED_SHOW = (
    "Information loss in per cent, as printed. Lower is better. Click a heading to "
    "sort."
)
CELLS_SHOW = (
    "Information loss in per cent, ours rounded to the digits that were printed, on "
    "the attributes and scale that each line names. Lower is better. Click a heading "
    "to sort."
)
VALUES_UNKNOWN = (
    "The values of this table are not those that published figures were measured on, "
    "or are in another order: its cells are compared, but cannot be judged, and "
    "nothing is proven of its best groups."
)
SCALING_INTRO = (
    "Information loss depends on the values it is measured on: as they are (raw), or "
    "z-scored, each column with mean 0 and standard deviation 1. Here the printed "
    "column of pairwise systematic is beside our figures on both, with MDAV and the "
    "lower bound on the same terms."
)
REFERENCE_IS = (
    ":material/check_circle: **{title}** is open: {count} records from {file}."
)
VERDICTS: dict[str, str] = {
    "equal": "equal to every printed digit",
    "slip": "equal but for a slip of one printed digit",
    "close": "equal within 0.1 %",
    "lower": "lower than printed",
    "higher": "higher than printed",
    "impossible": "proven impossible",
}
NEAR_RAW = (
    "On raw values our figures differ from the printed ones by {low} % to {high} %."
)
NEAR_ZSCORED = (
    "On z-scored values our figures differ from the printed ones by {low} % to "
    "{high} %."
)
BELOW_ZSCORED = (
    "For every k shown, the printed figure is below the lower bound on z-scored "
    "values: no grouping can lose as little there.",
    "For k = {sizes}, the printed figure is below the lower bound on z-scored values: "
    "no grouping can lose as little there.",
    "For no k the printed figure is below the lower bound on z-scored values.",
)
BELOW_RAW = (
    "For every k shown, the printed figure is below the lower bound on raw values.",
    "For k = {sizes}, the printed figure is below the lower bound on raw values.",
    "For no k the printed figure is below the lower bound on raw values.",
)
MDAV_RAW = (
    "For every k shown, MDAV loses less than the printed figure on raw values.",
    "For k = {sizes}, MDAV loses less than the printed figure on raw values.",
    "For no k MDAV loses less than the printed figure on raw values.",
)
MDAV_ZSCORED = (
    "For every k shown, MDAV loses less than our pairwise systematic on z-scored "
    "values.",
    "For k = {sizes}, MDAV loses less than our pairwise systematic on z-scored values.",
    "For no k MDAV loses less than our pairwise systematic on z-scored values.",
)
TWO_SETS = (
    "The printed table mixes two sets of attributes: some columns come out with all "
    "11, others only without UTILITYID. Each column is on the set to which all its "
    "cells together are nearest; ours on the other set stands beside it."
)
ON, OTHERS, REASON = "Measured on", "Ours on other terms (%)", "Why it may differ"
PRINTED, OURS = "Printed IL (%)", "Our IL (%)"
DIFFERENCE, BOUND = "Difference (%)", "Lower bound (%)"
BEST, EXCESS = "Least IL known (%)", "Printed above it (%)"
BELOW_BOUND = "Below the lower bound on z-scored values"
