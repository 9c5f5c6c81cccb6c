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
NOTHING = "No entry has all of these words: try fewer, or only their beginnings."
HIGHER = "Higher is better."
ALWAYS = "Worked out in every run."
ON_DEMAND = (
    "On the Inspect page, Coterie works this figure out by itself if that takes little"
    " time. Otherwise press *Measure risk and utility* on the Inspect, Compare or "
    "Release page."
)
K_PROMISED = "Every group has at least k records."
K_PER_ATTRIBUTE = (
    "Each attribute is grouped on its own: k holds for each attribute, and not for the "
    "records as a whole."
)
EXACT = "No other groups lose less."
MIXED = "It has a distance of its own for numbers and categories."
POINTS = "It groups records as points, numbers and categories alike."
USES_SEED = "It draws random numbers: the same seed gives the same groups."
METHOD_LINK_HELP = "What the method does, promises and costs, and where it comes from."

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
    "top-coding": "Top coding and dominance rules",
    "mondrian": "Mondrian",
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
    "gap": "Optimality gap",
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
    "regression": "Regression (response, regressors)",
    "plan": "Plan",
    "release": "Release",
    "verdict": "Verdict",
    "rounding": "Rounding",
    "printed": "Printed figure",
    "difference": "Difference from the printed figure",
}

MEANINGS: dict[str, str] = {
    "record": (
        "A record is one line of the table, such as a person, a firm or a stay in "
        "hospital."
    ),
    "attribute": (
        "An attribute is one column of the table. An attribute describes one property "
        "of every record."
    ),
    "role": (
        "The role says what a column means for protection. A column is an identifier, "
        "a quasi-identifier, confidential, a weight, or other."
    ),
    "identifier": (
        "An identifier is a column that names somebody directly, such as a name or a "
        "number. Coterie leaves identifiers out of the release."
    ),
    "quasi-identifier": (
        "A quasi-identifier is a column that could help to recognise somebody, alone "
        "or together with other columns. Examples are age and postcode. Coterie "
        "protects quasi-identifiers."
    ),
    "confidential": (
        "A confidential attribute is an attribute that nobody should learn about a "
        "person. Coterie releases confidential values unchanged. So a group should "
        "have several different confidential values."
    ),
    "other-role": (
        "A column has the role *other* if the column is not confidential, and nobody "
        "can recognise a person by the column. Coterie releases such columns unchanged."
    ),
    "weight": (
        "A weight says how many people or firms a record stands for. If a table has "
        "weights, Coterie calculates weighted means and losses."
    ),
    "kind": (
        "The kind is the type of a column's values. Continuous values are numbers. "
        "Ordinal values are categories with an order. Nominal values are categories "
        "without an order."
    ),
    "hierarchy": (
        "A hierarchy is a tree of values for a column. Each level has coarser values, "
        "up to one root. For example, a diagnosis is below its chapter, and a postcode "
        "is below its first digits."
    ),
    "missing": (
        "A missing value is a cell without a value. You choose what happens to the "
        "record: Coterie leaves the record out, fills the cell, or groups the record "
        "with records that miss the same columns."
    ),
    "rule": (
        "A rule says what every released record must satisfy. A rule can be an "
        "equation, an inequality or a condition between columns. A rule can also give "
        "the limits of one column."
    ),
    "microaggregation": (
        "Microaggregation forms small groups of similar records. In each group, one "
        "common value replaces the values of each quasi-identifier."
    ),
    "k": (
        "k is the smallest number of records that a group may have. You choose k. An "
        "intruder who knows only the quasi-identifiers cannot tell a group's records "
        "apart. A larger k protects better, but loses more."
    ),
    "anonymity": (
        "k-anonymity means that each released record has the same quasi-identifiers as "
        "at least k - 1 other records. To reach k-anonymity, microaggregation uses a "
        "common value for each group. Generalisation uses coarser values. Suppression "
        "leaves values out."
    ),
    "diversity": (
        "l-diversity means that each group has at least l different values of a "
        "confidential attribute. If all records of a group have the same value, an "
        "intruder who finds the group learns the value (homogeneity attack)."
    ),
    "closeness": (
        "t-closeness means that, in each group, the values of a confidential attribute "
        "are distributed nearly as in the whole table. The two distributions differ by "
        "at most t."
    ),
    "differential-privacy": (
        "Differential privacy adds noise to results, so that results hardly depend on "
        "any single person. For example, a count of 50 people may become 52. The limit "
        "of one person's influence is called epsilon. Coterie does not give "
        "differential privacy, because Coterie adds no noise to the means."
    ),
    "recoding": (
        "Global recoding makes values coarser by the same rule in all records. For "
        "example, each age becomes an age class of ten years. Coterie uses global "
        "recoding only as a comparison. In Coterie, each group has its own coarser "
        "values."
    ),
    "suppression": (
        "Suppression leaves out values or whole records. If you ask for suppression, "
        "Coterie leaves out records far from all others, or empties cells of whole "
        "groups."
    ),
    "top-coding": (
        "Top coding replaces all values above a limit by this limit. If a single "
        "firm contributes most of a total, a dominance rule forbids the publication "
        "of this total. Coterie has neither top coding nor dominance rules."
    ),
    "mondrian": (
        "Mondrian is a way to generalise. Mondrian cuts the table at the median of a "
        "column again and again, as long as both parts have at least k records. "
        "Coterie uses Mondrian only as a comparison."
    ),
    "pseudonym": (
        "A pseudonym is a number that replaces a name. A pseudonym shows which records "
        "belong to one person, so the data are still about people."
    ),
    "linkage": (
        "In record linkage, an intruder compares known values with the release, and "
        "takes the nearest released record. In a group of k records, at most one of k "
        "guesses is right."
    ),
    "composition": (
        "In a composition, an intruder combines several releases of the same people. "
        "In each release, a person has a different group. Perhaps fewer than k people "
        "share the person's group in every release. Also, each released mean is an "
        "equation for original values."
    ),
    "release-ledger": (
        "A ledger is a file with the groups of earlier releases. Coterie compares each "
        "new release with the ledger. Coterie refuses a new release that would reveal "
        "original values together with earlier releases."
    ),
    "complexity": (
        "The complexity says how the time of a method grows with n records, p "
        "attributes and k. If the time grows as n^2 p / k, twice as many records take "
        "four times as long."
    ),
    "group": (
        "A group is a set of records that get the same released values. A large group "
        "protects better, but loses more."
    ),
    "group-size": (
        "The group size is the number of records in a group. If the method promises k, "
        "every group has at least k records. Groups that are larger than needed lose "
        "more."
    ),
    "mean-size": "The mean size is the average number of records in a group.",
    "smallest": (
        "This figure is the size of the smallest group. The records of the smallest "
        "group are protected least."
    ),
    "largest": "This figure is the size of the largest group.",
    "class": (
        "A class consists of all records that have the same released "
        "quasi-identifiers. Usually, a class is a single group. But if two groups "
        "have the same common values, both groups form one class."
    ),
    "centre": (
        "The centre is the mean of a group's records. Each record gets the centre of "
        "its group, unless you choose another common value."
    ),
    "fixed-size": (
        "Fixed-size groups have exactly k records. Only the last few groups are a "
        "little larger. Fixed sizes are simple and fast, but cut through clusters of "
        "other sizes."
    ),
    "variable-size": (
        "Variable-size groups have at least k records, and follow the shape of the "
        "data. The best groups have at most 2k-1 records. Some methods make larger "
        "groups."
    ),
    "common-value": (
        "A common value replaces the values of a group. The common value is the mean, "
        "the median, the most frequent value, the interval or the nearest common "
        "ancestor of these values."
    ),
    "method": (
        "A method is a way to form groups. The page Learn and the chapter on methods "
        "explain each method and name its source."
    ),
    "scaling": (
        "Scaling makes columns comparable before records are grouped. Do not compare "
        "losses of results with different scalings."
    ),
    "polish": (
        "Polishing is a local search that improves the groups of a method. As long as "
        "the loss falls, Coterie moves records between groups, and dissolves or "
        "divides groups."
    ),
    "seed": (
        "The seed is the number from which random numbers are drawn. The same seed "
        "gives the same result again."
    ),
    "strata": "Strata are parts of the table that Coterie groups separately.",
    "blocks": (
        "Blocks are sets of columns. Coterie forms separate groups for each block. "
        "Separate groups lose less, but k holds only for the columns of one block."
    ),
    "seed-record": "This is the record with which a method began a group.",
    "reach": (
        "The reach is the largest distance between a record of the group and the "
        "centre of the group."
    ),
    "seconds": (
        "This figure is the time of the method alone. The time to read the table and "
        "to measure the result is not included."
    ),
    "sse": (
        "SSE is the sum of the squared distances between records and the means of "
        "their groups."
    ),
    "sst": (
        "SST is the sum of the squared distances between records and the mean of all "
        "records. SST is the whole variation of the table."
    ),
    "lower-bound": (
        "A lower bound is a limit with a proof: no groups of at least k records lose "
        "less. The limit does not hold if single columns have groups of their own. Of "
        "two lower bounds, the higher bound is nearer to the smallest possible loss."
    ),
    "lb0": (
        "LB0 assumes that each record shares a group with the k-1 records nearest to "
        "the record."
    ),
    "lb1": (
        "For LB1, Coterie links each record to at least k-1 other records. Each "
        "link has a length: the squared distance of both records. Coterie chooses "
        "the links with the smallest total length. LB1 is this total length, "
        "divided by k."
    ),
    "lb2": (
        "For LB2, a record may count partly in several groups. For example, a record "
        "may count as one half in each of two groups. A linear programme (a standard "
        "calculation) finds the smallest loss of such groups. To get a higher bound, "
        "Coterie adds conditions (cuts) that all groups of whole records satisfy. "
        "Usually, LB2 is at most a few per cent below the loss of the best groups."
    ),
    "density": (
        "A neighbourhood is a record with the k-1 nearest records. The figure of a "
        "neighbourhood is the sum of the squared distances between these k records and "
        "their mean. The closer together the records are, the smaller is the figure, "
        "and the denser is the neighbourhood. The method DBA-1 (high density first, "
        "HDF) begins with the densest neighbourhood. The method LDF (low density "
        "first) begins with the least dense neighbourhood."
    ),
    "gap": (
        "The optimality gap is the distance of a loss from the lower bound, in per "
        "cent of the loss. No other groups can reduce the loss by more than this "
        "gap. If the gap is 0, no other groups lose less."
    ),
    "certificate": (
        "A certificate is a file that proves the loss and the lower bound. A short "
        "independent program checks the certificate against the original table, "
        "without rounding."
    ),
    "lost": (
        "Records differ from each other. This figure is the share of these differences "
        "that the release has lost. The share is 100 * SSE / SST. SSE is the sum of "
        "the squared distances between records and the means of their groups. SST is "
        "the sum of the squared distances between records and the mean of all records. "
        "Coterie ranks results by this figure. If no column is a number, Coterie shows "
        "the certainty penalty instead. The certainty penalty says how vague the "
        "common values are, in per cent."
    ),
    "bound-kind": (
        "The kind of bound says which lower bound Coterie calculated. Three kinds "
        "have their own entries in the glossary: LB0, LB1 and LB2. If each "
        "attribute has its own groups, there is a bound per attribute. If groups "
        "may have any size, there is no bound."
    ),
    "proven-optimal": "A proof shows that no other grouping loses less.",
    "shares": (
        "This figure is the part of a group's loss that belongs to a single attribute."
    ),
    "components": (
        "Principal components are weighted sums of columns. The weights are such that "
        "the records differ as much as possible in these sums. In pictures of groups, "
        "the two axes are the first two principal components."
    ),
    "membership": (
        "The membership says how strongly a record belongs to a centre. A record "
        "belongs most strongly to the nearest centre. If the fuzziness m is 1, a "
        "record belongs only to the nearest centre. If m is larger, memberships are "
        "more equal. The algorithm fuzzy c-means calculates centres from "
        "memberships, and then memberships from centres. The algorithm repeats both "
        "steps until nothing changes."
    ),
    "probabilistic": (
        "In probabilistic groups, records draw their groups at random. A group can "
        "have a single record, because k is only the expected size."
    ),
    "expected-size": (
        "If records draw their groups at random, a group has another size in each "
        "draw. The expected size is the mean of these sizes."
    ),
    "below-k": (
        "This figure is the share of records that are in groups of fewer than k "
        "records, in per cent of all records."
    ),
    "intruder": (
        "An intruder is somebody who knows facts about a person. The intruder tries to "
        "find the person's record, or to learn further facts."
    ),
    "risk": (
        "The disclosure risk says how easily an intruder could find records or learn "
        "confidential values."
    ),
    "baseline": (
        "The baseline says what a figure can be compared with. For example, the "
        "baseline of an attack is the success of a guess by chance. Without a "
        "baseline, a figure says little."
    ),
    "interval-95": (
        "Coterie estimates some figures from a sample of the records. Each sample "
        "gives another estimate and another 95 % interval. About 95 of 100 such "
        "intervals contain the exact figure."
    ),
    "direction": "The direction says whether a lower or a higher figure is better.",
    "risk-utility-map": (
        "The risk-utility map is a chart with a point for every result. The horizontal "
        "axis shows the risk. The vertical axis shows the loss. Points on the left are "
        "safer. Points at the bottom are more useful."
    ),
    "efficient": (
        "Coterie compares all results that keep k. A result is not efficient if "
        "another result is both safer and more useful. All remaining results are "
        "efficient."
    ),
    "keeps-k": (
        "A result keeps k if every released record has the same quasi-identifiers as "
        "at least k - 1 other records."
    ),
    "ceiling": (
        "The ceiling is the highest risk that you accept. Coterie excludes results "
        "above the ceiling."
    ),
    "merging": (
        "Coterie merges groups until each group meets a condition. A p-sensitive group "
        "has at least p different values of each confidential column. In a t-close "
        "group, the distribution of each confidential column differs from that of the "
        "whole table by at most t."
    ),
    "regression": (
        "A regression explains one column, the response, by other columns, the "
        "regressors. For example, a regression explains the profit of firms by wages "
        "and employees. A slope says how much the response changes with a regressor."
    ),
    "plan": (
        "A plan is a file with every choice of a run. With the same table and the same "
        "versions of Coterie, Python and its libraries, a plan gives the same release "
        "again."
    ),
    "release": (
        "The release is the protected table that leaves your office. After Coterie "
        "has written a release, Coterie rereads and checks the file."
    ),
    "verdict": (
        "The verdict is the answers to five questions on a release. A green answer "
        "needs no decision. If an answer is amber, somebody must decide. If an "
        "answer is red, change the release, or take responsibility for it, before "
        "anybody gets the file."
    ),
    "rounding": (
        "Rounding sets the number of decimals of released means. Coterie checks k "
        "after rounding."
    ),
    "printed": "A printed figure is a figure exactly as a paper printed it.",
    "difference": (
        "The difference is Coterie's figure minus the figure that a paper printed for "
        "the same method and table. The difference is in per cent of the printed "
        "figure."
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
    "shares": "100 * SSE of the attribute / SSE of all attributes",
    "expected-size": "sum over records of their membership",
    "below-k": "100 * records in groups smaller than k / records",
    "difference": "100 * (ours - printed) / printed",
}
