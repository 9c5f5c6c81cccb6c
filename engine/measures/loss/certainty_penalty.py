"""NCP: mean width of groups' intervals and ancestors, relative to the range."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.measures.base import MeasuredRelease, MeasureInfo, Score, measures
from engine.measures.judge import SINGLE_GROUP_JUDGE
from engine.methods.mixed.tuples import MixedRecords


@measures.register(
    MeasureInfo(
        id="certainty-penalty",
        title="Certainty penalty (NCP)",
        family="loss",
        summary=(
            "The measure describes how different the values in a group are. For "
            "numbers, the figure is the group's range as a share of the "
            "attribute's range. For categories, Coterie takes the nearest common "
            "ancestor of the group's categories. The figure is then the share of "
            "all categories that lie below this ancestor. The measure is the mean "
            "over records and attributes."
        ),
        formula=(
            "NCP = 100 * mean of (max - min) / range for numbers and dates, ordered "
            "words counting 0, 1, 2, ..., and of leaves(ancestor) / leaves(root) for "
            "categories, 0 for a single one"
        ),
        unit="%",
        reference="Xu et al. 2006, https://doi.org/10.1145/1150402.1150504",
        aliases=("ncp",),
        baseline="The figure for a single group of all records.",
        judge=SINGLE_GROUP_JUDGE,
    )
)
def certainty_penalty(protected: MeasuredRelease) -> Score:
    """Return the normalised certainty penalty (NCP) of the groups, in per cent.

    Numbers and dates count in their own units whatever their kind is, unless that is
    nominal; ordered words by their place in the order.
    """
    points = protected.points
    records = MixedRecords.from_points(points)
    n_numbers, p = len(records.numbers), records.n_attributes
    numeric_columns = list(records.columns[:n_numbers])
    records = replace(
        records,
        numbers=points.values[:, numeric_columns].T,
        ranges=np.array([points.attributes[j].range or 1.0 for j in numeric_columns]),
    )
    labels = protected.partition.labels
    classes = records.class_tuples(labels)
    penalties = np.empty(p)
    for row, column in enumerate(records.columns):
        if protected.attributes is not None:
            labels = protected.attributes[column]
            classes = records.class_tuples(labels)
        if row < n_numbers:
            width = classes.high[row] - classes.low[row]
            share = width / records.ranges[row]
        else:
            tree = records.hierarchies[row - n_numbers]
            nodes = classes.node[row - n_numbers]
            below = np.where(tree.levels[nodes] > 0, tree.leaf_counts[nodes], 0)
            share = below / len(tree.leaves)
        penalties[column] = 100.0 * float(share[labels].mean())
    columns = dict(zip(protected.points.names, penalties.tolist(), strict=True))
    return Score("certainty-penalty", float(penalties.mean()), columns, baseline=100.0)
