"""Terms of the interface, with their meanings.

Measures, methods, scalings and common values say it themselves, in their registries.
Where terms are met and what they come from is in :mod:`dashboard.learn.terms`.
"""

from __future__ import annotations

GLOSSARY_INTRO = (
    "Every term, measure and method that Coterie names: what it means, how it is "
    "worked out, which way is better, and where it comes from."
)
SEARCH_HELP = "Names come first, then what mentions the words. Press Enter to search."
KINDS_HELP = "All entries, or those of one kind."
NOTHING = "No entry has all of these words: try fewer, or only their beginnings."
HIGHER = "Higher is better."
ALWAYS = "Worked out in every run."
ON_DEMAND = (
    "On the Inspect page, Coterie works this figure out by itself if that takes little"
    " time. Otherwise press *Measure risk and utility* on the Inspect, Compare or "
    "Release page."
)
GROWTH = "n records, p attributes, k the group size."
K_PROMISED = "Every group has at least k records."
K_PER_ATTRIBUTE = (
    "Each attribute is grouped on its own: k holds for each attribute, and not for the "
    "records as a whole."
)
EXACT = "No other groups lose less."
UNIVARIATE = "It takes exactly one quasi-identifier."
MIXED = "It has a distance of its own for numbers and categories."
POINTS = "It groups records as points, numbers and categories alike."
USES_SEED = "It draws random numbers: the same seed gives the same groups."
POLISHED = "Its groups can be polished by local search."
METHOD_LINK_HELP = "What the method does, promises and costs, and where it comes from."
DOI_HELP = "Opens the source at doi.org, outside Coterie."

KINDS: dict[str, str] = {
    "term": "Terms",
    "measure": "Measures",
    "method": "Methods",
}

TITLES: dict[str, str] = {
    "record": "Record",
    "attribute": "Attribute",
    "role": "Role",
    "identifier": "Identifier",
    "quasi-identifier": "Quasi-identifier (key variable)",
    "confidential": "Confidential attribute (sensitive)",
    "other-role": "Other column",
    "weight": "Weight (sampling weight)",
    "kind": "Kind",
    "hierarchy": "Hierarchy (generalisation tree)",
    "missing": "Missing value",
    "rule": "Rule (linear constraint)",
    "microaggregation": "Microaggregation",
    "k": "k, minimum group size",
    "anonymity": "k-anonymity",
    "diversity": "l-diversity",
    "closeness": "t-closeness",
    "differential-privacy": "Differential privacy",
    "recoding": "Global recoding",
    "suppression": "Suppression",
    "pseudonym": "Pseudonym",
    "linkage": "Record linkage (re-identification)",
    "composition": "Composition (intersection attack)",
    "release-ledger": "Ledger of releases",
    "complexity": "Complexity (growth of time)",
    "group": "Group",
    "group-size": "Group size",
    "mean-size": "Mean size",
    "smallest": "Smallest group",
    "largest": "Largest group",
    "class": "Class (equivalence class)",
    "centre": "Centre (centroid)",
    "fixed-size": "Fixed-size groups",
    "variable-size": "Variable-size groups",
    "common-value": "Common value (aggregation)",
    "method": "Method",
    "scaling": "Scaling",
    "polish": "Polish",
    "seed": "Seed",
    "strata": "Strata",
    "blocks": "Blocks of columns",
    "seed-record": "Record that a group was formed around",
    "reach": "Reach of a group",
    "seconds": "Seconds",
    "sse": "SSE, within-groups sum of squares",
    "sst": "SST, total sum of squares",
    "density": "Density of a neighbourhood",
    "lower-bound": "Lower bound",
    "lb0": "LB0, nearest neighbours",
    "lb1": "LB1, edge cover",
    "lb2": "LB2, column generation",
    "gap": "Gap",
    "certificate": "Certificate",
    "lost": "Lost (information loss)",
    "bound-kind": "Kind of bound",
    "proven-optimal": "Optimal",
    "shares": "Share of the loss",
    "components": "Principal components",
    "membership": "Membership, and the fuzziness m",
    "probabilistic": "Probabilistic groups",
    "expected-size": "Expected size",
    "below-k": "In groups below k",
    "intruder": "Intruder (attacker)",
    "risk": "Disclosure risk",
    "baseline": "Compare with (baseline)",
    "interval-95": "95 % interval",
    "direction": "Direction",
    "risk-utility-map": "Risk-utility map (R-U map)",
    "efficient": "Efficient result",
    "keeps-k": "Keeps k",
    "ceiling": "Ceiling",
    "merging": "p-sensitive and t-close groups",
    "plan": "Plan",
    "release": "Release",
    "verdict": "Verdict",
    "rounding": "Rounding",
    "printed": "Printed figure",
    "difference": "Difference from the printed figure",
}

MEANINGS: dict[str, str] = {
    "record": "One line of the table: a person, a firm, a stay in hospital.",
    "attribute": "One column of the table: a property of every record.",
    "role": (
        "What a column means for protection: identifier, quasi-identifier, "
        "confidential, weight, or other."
    ),
    "identifier": (
        "A column that names somebody outright, such as a name or a number. "
        "Identifiers are left out of the release."
    ),
    "quasi-identifier": (
        "A column, such as age or postcode, that could help to recognise somebody "
        "together with other columns. Coterie protects quasi-identifiers."
    ),
    "confidential": (
        "An attribute that nobody should learn about a person. Confidential values are"
        " released unchanged. So a group should have several different values."
    ),
    "other-role": (
        "A column that is not confidential and helps nobody to recognise a person. "
        "Other columns are released as they are."
    ),
    "weight": (
        "How many people or firms a record stands for. With weights, means and "
        "losses are weighted."
    ),
    "kind": (
        "The type of a column's values: continuous numbers, ordinal values (categories"
        " with an order), or nominal values (categories without an order)."
    ),
    "hierarchy": (
        "A tree of values for a column. Each level has coarser values, up to one root."
        " For example, a diagnosis is below its chapter, and a postcode is below its "
        "first digits."
    ),
    "missing": (
        "A cell without a value. You choose what happens to the record: leave it out,"
        " fill the cell, or group the record with records that miss the same columns."
    ),
    "rule": (
        "What every released record must satisfy: an equation, an inequality or a "
        "condition between columns, or the limits of a column."
    ),
    "microaggregation": (
        "Coterie forms small groups of similar records. In each group, one common "
        "value replaces the values of each quasi-identifier."
    ),
    "k": (
        "The smallest number of records that a group may have. You choose k. An "
        "intruder who knows only the quasi-identifiers cannot tell a group's records "
        "apart. A larger k protects better and loses more."
    ),
    "anonymity": (
        "Each released record has the same quasi-identifiers as at least k - 1 others."
        " Microaggregation reaches k-anonymity by a common value per group. "
        "Generalisation takes coarser values. Suppression leaves values out."
    ),
    "diversity": (
        "Each group has at least l different values of a confidential attribute. "
        "Otherwise all records of a group may have the same value, and an intruder "
        "learns this value (homogeneity attack)."
    ),
    "closeness": (
        "In each group, the values of a confidential attribute are distributed nearly "
        "as in the whole table. The two distributions differ by at most t."
    ),
    "differential-privacy": (
        "A limit (epsilon) on how much one person changes the probability of any "
        "result. Coterie does not give differential privacy, because its means have no "
        "noise."
    ),
    "recoding": (
        "Coarser values that are the same for everybody, such as ages in classes of "
        "ten years. Coterie uses global recoding only as a comparison. In Coterie, "
        "each group has its own coarser values."
    ),
    "suppression": (
        "Values or whole records are left out. If you ask for suppression, Coterie "
        "leaves out records far from all others, or empties cells of whole groups."
    ),
    "pseudonym": (
        "A number in place of a name. A pseudonym shows which records belong to one "
        "person, so the data are still about people."
    ),
    "linkage": (
        "An intruder compares known values with the release, and takes the nearest "
        "released record. In a group of k records, at most one guess in k is right."
    ),
    "composition": (
        "What several releases of the same people reveal together. The k of each "
        "release is no protection against several releases: fewer than k people can be "
        "in all groups of a person. Also, each released mean is an equation for "
        "original values."
    ),
    "release-ledger": (
        "A file with the groups of earlier releases. Coterie compares a new release "
        "with the ledger. Coterie refuses the new release if it would reveal original "
        "values together with earlier releases."
    ),
    "complexity": (
        "How the time of a method grows with n records, p attributes and k. If the "
        "time grows as n^2 p / k, twice as many records take four times as long."
    ),
    "group": (
        "Records that get the same released values. A large group protects better and "
        "loses more."
    ),
    "group-size": (
        "How many records a group has: at least k, if the method promises k. Groups "
        "that are larger than needed lose more."
    ),
    "mean-size": "Records per group on average.",
    "smallest": (
        "Size of the smallest group. The records of this group are protected least."
    ),
    "largest": "Size of the largest group.",
    "class": (
        "All records that have the same released quasi-identifiers. A class is mostly "
        "one group. Two groups with the same common values form one class."
    ),
    "centre": (
        "The mean of a group's records. Each record gets the centre of its group, "
        "unless you choose another common value."
    ),
    "fixed-size": (
        "Groups of exactly k records. Only the last few groups are a little larger. "
        "Fixed sizes are simple and fast, but cut through clusters of other sizes."
    ),
    "variable-size": (
        "Groups of at least k records that follow the shape of the data. The best "
        "groups have at most 2k-1 records. Some methods make larger groups."
    ),
    "common-value": (
        "The value that replaces a group's values: their mean, median, most frequent "
        "value, interval or nearest common ancestor."
    ),
    "method": (
        "The way in which groups are formed. The page Learn and the chapter on "
        "methods explain each method and name its source."
    ),
    "scaling": (
        "Scaling makes columns comparable before records are grouped. Do not compare "
        "losses of results with different scalings."
    ),
    "polish": (
        "Local search that improves the groups of a method. As long as the loss falls,"
        " records change groups, and groups are dissolved or divided."
    ),
    "seed": (
        "The number from which random numbers are drawn. The same seed gives the same "
        "result again."
    ),
    "strata": "Parts of the table that are grouped separately.",
    "blocks": (
        "Sets of columns. Coterie forms separate groups for each block. The loss is "
        "smaller, but k holds only within each block."
    ),
    "seed-record": "The record with which a method began a group.",
    "reach": (
        "The largest distance of a record of the group from the centre of the group."
    ),
    "seconds": (
        "Time of the method alone. The time to read the table and to measure the "
        "result is not included."
    ),
    "sse": (
        "The sum of the squared distances between records and the means of their "
        "groups."
    ),
    "sst": (
        "The sum of the squared distances between records and the mean of all records:"
        " the whole variation of the table."
    ),
    "lower-bound": (
        "A limit with a proof: if whole records form groups of at least k, the loss is "
        "never below the limit. The higher the limit, the more it says about the "
        "lowest possible loss."
    ),
    "lb0": (
        "This bound assumes that each record shares a group with the k-1 records "
        "nearest to it."
    ),
    "lb1": (
        "Each record gets k-1 companions, so that the sum of squared distances is "
        "least. This sum, divided by k, is the bound. Each pair of records counts once."
    ),
    "lb2": (
        "This bound comes from a linear programme over all possible groups. Cuts raise"
        " the bound. LB2 is mostly within a few per cent of the loss of the best "
        "groups."
    ),
    "density": (
        "The sum of the squared distances of a record and the k-1 nearest records from"
        " their mean. A large figure means a low density. DBA-1 (high density first, "
        "HDF) begins with the smallest figure. LDF (low density first) begins with the"
        " largest figure."
    ),
    "gap": (
        "The distance of a loss from the lower bound, in per cent of the loss. No "
        "other groups can reduce the loss by more than the gap. A gap of 0 proves that "
        "no other grouping loses less."
    ),
    "certificate": (
        "A file that proves loss and lower bound. A short independent program checks "
        "the certificate against the original table, without rounding."
    ),
    "lost": (
        "The share of the differences between records that the release no longer has: "
        "SSE in per cent of SST. Results are ranked by this figure. If no column is a "
        "number, Coterie shows the certainty penalty instead: how vague the common "
        "values are, in per cent."
    ),
    "bound-kind": (
        "Which lower bound was calculated: LB0, LB1, LB2 or a bound per attribute. If "
        "groups may have any size, there is no bound."
    ),
    "proven-optimal": "A proof shows that no other grouping loses less.",
    "shares": "The part of a group's loss that belongs to a single attribute.",
    "components": (
        "Directions in which the records differ most. The first two directions make "
        "the plane in which groups are drawn."
    ),
    "membership": (
        "How strongly a record belongs to a centre. A record belongs most strongly to "
        "the nearest centre. With m = 1, a record belongs only to the nearest centre. "
        "With a larger m, memberships are more equal."
    ),
    "probabilistic": (
        "Records draw their groups at random. k is only the expected size, and a "
        "group can have a single record."
    ),
    "expected-size": "The mean size of a group over all possible draws.",
    "below-k": (
        "The share of all records that are in groups of fewer than k records, in per "
        "cent."
    ),
    "intruder": (
        "Somebody who knows facts about a person and tries to find the person's "
        "record, or to learn further facts."
    ),
    "risk": "How easily an intruder could find records, or learn confidential values.",
    "baseline": (
        "The figure that chance alone, or the promise of k alone, would give. Without"
        " a baseline, a figure says little."
    ),
    "interval-95": (
        "If a figure was estimated from a sample of the records, the exact figure is "
        "in this range with 95 % confidence."
    ),
    "direction": "Whether a lower or a higher figure is better.",
    "risk-utility-map": (
        "A chart with a point for every result. The risk grows to the right, and the "
        "loss grows upwards. Points on the left are safer. Points at the bottom are "
        "more useful."
    ),
    "efficient": (
        "A result is efficient if no other result that keeps k is both safer and more "
        "useful."
    ),
    "keeps-k": (
        "In the release, every record has the same quasi-identifiers as at least "
        "k - 1 others."
    ),
    "ceiling": (
        "The highest risk that you accept. Results above the ceiling are excluded."
    ),
    "merging": (
        "Coterie merges groups until the confidential values of each group are "
        "different enough (p-sensitive), or are distributed nearly as in the whole "
        "table (t-close)."
    ),
    "plan": (
        "A file with every choice of a run. With the same table and the same versions "
        "of Coterie, Python and its libraries, a plan gives the same release again."
    ),
    "release": (
        "The protected table that leaves your office. Coterie reads each written "
        "release back and checks the file."
    ),
    "verdict": (
        "The answers to five questions on a release. A green answer needs no decision. "
        "For an amber answer, somebody must decide. For a red answer, mend the "
        "release, or take responsibility for the release, before the file leaves."
    ),
    "rounding": (
        "The number of decimals of released means. Coterie checks k after rounding."
    ),
    "printed": "A figure exactly as a paper printed it.",
    "difference": (
        "Coterie's figure minus the printed figure, in per cent of the printed figure."
    ),
}

FORMULAS: dict[str, str] = {
    "rule": "a . x = A, or low <= x_j <= high",
    "mean-size": "records / groups",
    "centre": "c = (1 / |G|) * sum of x over G",
    "scaling": "(x - centre) / scale, column by column",
    "sse": "SSE = sum over groups of sum |x - c|^2",
    "sst": "SST = sum |x - mean|^2",
    "lower-bound": "LB0 <= LB1 <= LB2 <= loss of the best groups",
    "lb0": "LB0 = (1 / 2k) * sum over records of squared distances to the k-1 nearest",
    "lb1": "LB1 = (1 / k) * min sum d_ij^2 y_ij, sum over j of y_ij >= k-1",
    "lb2": "LB2 = min sum SSE(G) z_G, groups G of each record adding up to 1",
    "gap": "gap = 100 * (IL - lower bound) / IL",
    "shares": "100 * SSE of the attribute / SSE of all",
    "expected-size": "sum over records of their membership",
    "below-k": "100 * records in groups smaller than k / records",
    "difference": "100 * (ours - printed) / printed",
}
