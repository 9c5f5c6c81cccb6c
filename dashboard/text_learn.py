"""Texts of the Learn page."""

from __future__ import annotations

LEARN_INTRO = (
    "What is known about these methods, each time with the figures it rests on."
)
PUBLISHED_INTRO = (
    "Papers have printed what their methods lose on two reference tables of the CASC "
    "project: **census.csv** (1,080 records of people) and **tarragona.csv** (834 "
    "companies), 13 columns each. Run the same methods on your own copy and see every "
    "printed figure beside ours."
)
REFERENCE_HELP = (
    "CSV, Excel (.xlsx) or Parquet, told apart by their size. The CASC project "
    "published both tables; they do not come with Coterie. The file stays on the "
    "machine that runs Coterie."
)
REFERENCE_WANTED = (
    ":material/arrow_back: Upload one of the two tables to run its cells. Until then, "
    "only the printed values are below."
)
REFERENCE_OPEN = (
    "Only this page uses it; your own table and choices stay as they are. To see the "
    "other table, upload that one."
)
OWN_RUNS = (
    "This is the run that you started on the Protect page. The published cells can "
    "run after it."
)
CELLS_RUN = (
    "These are the published cells that you started on the Learn page. Your own table "
    "can run after them."
)
PRINTED_SHOW = (
    "Information loss in per cent, as printed. Lower is better. Click a heading to "
    "sort."
)
CELLS_SHOW = (
    "Information loss in per cent on z-scored values, ours rounded to the digits that "
    "were printed. Lower is better. Click a heading to sort."
)
DIAGONAL_SHOW = (
    "Each point is a published cell: one method and one k. On the dashed line printed "
    "and our loss are equal; below it ours is lower."
)
DIFFERENCES_SHOW = (
    "The same cells, looked at closely: how far ours is from the printed value, in per "
    "cent of it. Left of the dashed line ours is lower."
)
SCALING_INTRO = (
    "Information loss depends on the values it is measured on: as they are (raw), or "
    "z-scored, each column with mean 0 and standard deviation 1. Here the printed "
    "column of pairwise systematic is beside our figures on both, with MDAV and the "
    "lower bound on the same terms."
)
SCALING_SHOW = (
    "Printed and our figures against k. No method can reach the grey area on z-scored "
    "values."
)
PRINTED_HELP = "Information loss in per cent, with the digits that were printed."
DIFFERENCE_HELP = "Ours less printed, in per cent of the printed value."
