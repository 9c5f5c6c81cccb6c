"""What the engine says as it goes: patterns of its sentences, and stages of its work.

See :mod:`dashboard.i18n.engine_messages`, which recognises them.
"""

from __future__ import annotations

PATTERNS: tuple[str, ...] = (
    # engine.data.propose, engine.data.column_values: why a role is proposed
    "It holds no values.",
    "It holds dates ({count}).",
    "It holds ordered categories ({count}).",
    "It holds words ({count}).",
    "It holds few whole numbers ({count}).",
    "It holds numbers ({count}).",
    "{count} different",
    "at least {count} different",
    "By its name and values it says how many units each record stands for: means and "
    "information loss are weighted by it.",
    "It seems to hold weights too; only one column can weigh.",
    "All its values are the same.",
    "Whoever knows somebody's exact number could recognise them by it.",
    "Whoever knows when something happened to somebody could recognise them by it.",
    "Nothing hints at a role.",
    "Its name ({word}) tells of {what}.",
    "Its name ({word}) tells of {what}, which nobody should learn.",
    "Its name ({word}) tells of {what}, by which somebody could be recognised.",
    "It holds names, most of them different.",
    "Nearly every value is different, so it singles out records.",
    "It counts the records: every number comes once, without a gap.",
    "By its name and values it is a number given to each record.",
    "Every value is different and has the same number of digits, as numbers given to "
    "people or companies have.",
    # engine.data.propose.warnings
    "Column {number} has no name in the file; it is called {name} here.",
    "Quasi-identifier {name} is constant: it does not influence the groups.",
    "Column {name} looks like an identifier but its role is other, so the release "
    "keeps it: make it an identifier.",
    "Column {name} may help to recognise somebody but its role is other, so the "
    "release keeps it unprotected.",
    # engine.pipeline.probabilistic
    "probabilistic: expected group size {size}",
    "{share} % of the records are in groups of fewer than {k}. Groups have {least} to "
    "{most} records; {low} to {high} were expected.",
    "Groups were drawn at random, so no group size is promised ({words}). In this draw "
    "{sizes} A record alone in its group can keep values close to its own.",
    # engine.release.verify
    "All records and columns are there",
    "{back} records and {columns_back} columns were read back; {records} and {columns} "
    "were written.",
    "Every value reads back as it was written",
    "Values differ in {columns}.",
    "No value differs.",
    "No group size is promised. {sizes}",
    "Groups are {words}",
    "k = {found} was counted on the file; {asked} was asked for.",
    "Blocks of columns were grouped apart, so no k is promised.",
    "This method does not promise k: choose another one.",
    "Every record shares its values with at least {others} others",
    "Still there: {columns}.",
    "Left out: {columns}.",
    "The table has none.",
    "Identifiers are gone",
    "Changed: {columns}.",
    "Columns that are as they came in: {number}.",
    "No other column has changed",
    "Shuffled with seed {seed}, which should stay with you.",
    "Records come in a random order",
    "Their order is that of the table.",
    "They are mixed up.",
    "Records come in the order of the table",
    "Another type: {columns}.",
    "Each is as it was.",
    "Columns hold the types that they held",
    "Lost: {columns}.",
    "Columns with labels: {number}.",
    "Value labels are kept",
    "Broken: {rules}.",
    "Kept: {rules}.",
    "Every record keeps the rules",
    # engine.data.missing, engine.pipeline
    "Missing values filled with the median: {where}.",
    "Missing values filled with the median (categories with the mode): {where}.",
    "Missing values filled with the mode: {where}.",
    "Missing values stay missing, and such records are grouped only with records that "
    "lack the same: {where}.",
    "{name} {count} (first in record {row})",
    "{strata} strata of column {column} are protected together, as some of them have "
    "fewer than k = {k} records: {values}.",
    "All groups had {what} as they were; none was merged.",
    "For {what}, {before} groups were merged into {after}: the information loss of "
    "their means rose from {low} % to {high} %.",
    "{method} was stopped early, after {seconds} s: the release has the best groups "
    "found by then.",
    "{method} was stopped early, after {seconds} s and {steps} steps: the release has "
    "the best groups found by then.",
    "k = {k} is below 3: a member of a group of two can work out the other one's "
    "values.",
    "Blocks of columns were grouped apart: k-anonymity does not hold for the records "
    "as a whole, because who is alike in one block need not be in another. The k that "
    "holds in this release is {k} for records, and {each}.",
    "Blocks of columns were grouped apart: k-anonymity is not promised for the records "
    "as a whole, because who is alike in one block need not be in another. The k that "
    "holds in this release is {k} for records, and {each}.",
    # engine.measures: what is said beside a figure
    "Estimated from {size} of {all} records.",
    "No column weighs records, so the table is taken for the population.",
    "No column has the role confidential.",
    "No quasi-identifier is a number.",
    "No quasi-identifier varies.",
    "There are no two numeric quasi-identifiers that vary.",
    "There are too few different records to learn from.",
    "pMSE {value}, by chance {chance}.",
    "pMSE {value}, by chance {chance}, {number} terms.",
    "The sum over all cells, as sdcMicro gives it, is {value}.",
    "{number} axis without any variation left out.",
    "{number} axes without any variation left out.",
    "less than 0.001",
    "above -0.001",
    # engine.methods.base, engine.pipeline.prepare: why a method cannot run
    "continuous",
    "ordinal",
    "nominal",
    "{method} groups by one attribute, but there are {number}: choose one "
    "quasi-identifier or another method.",
    "{method} takes at most {limit} records, but there are {number}: choose a faster "
    "method, such as {fast}, or a column of strata to group within.",
    "Column {name} holds categories, but {method} groups by numbers only: choose a "
    "method for mixed data ({others}), or give the column another role.",
    "Column {name} holds text and is {kind}, but {method} groups by numbers: choose a "
    "method for mixed data ({others}), correct the column, or give it another kind or "
    "role.",
)
"""Sentences with names in braces where the engine puts values."""

STAGES: tuple[str, ...] = (
    "{method}, k = {k}:",
    "{done} of {all} done",
    "Waiting for a run before this one to end",
    "Preparing",
    "Nearest records",
    "Lower bound",
    "Refining",
    "Searching",
    "Splitting",
    "Blocks",
    "Block {number} of {all}",
    "Choosing groups",
    "Pricing groups",
    "Merging groups",
    "First pass: means, spreads and a sample",
    "Second pass: sending records to blocks",
    "Reading the release",
    "Reading the release back",
    "Reading the input's fingerprint",
    "Linking records by distance",
    "Linking records by agreement",
    "Learning weights of agreement",
    "Fitting a logistic regression",
    "Fitting models, part {part} of {all}",
    "Boosting trees",
    "Done",
)
"""What a run says that it is doing."""
