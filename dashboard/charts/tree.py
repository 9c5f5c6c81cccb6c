"""Chart of a hierarchy, from its values at the left to the root at the right."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from dashboard.charts.theme import NEUTRAL, PALETTE, apply_theme, escape_label
from dashboard.i18n.language import _
from engine.hierarchy import Hierarchy

MAX_NODES_PER_LEVEL = 60
"""Nodes of one level that can still be told apart in a column."""

_LABEL_HEIGHT_PX = 22
"""Height of a node with a readable label, in pixels."""

_MIN_HEIGHT_PX = 180
_LEVEL_FADING = 0.3
"""How much paler each level is than the one above it."""


def lowest_level_to_draw(tree: Hierarchy) -> int:
    """Return the lowest level with few enough nodes to draw; level 0 is the values."""
    widths = np.bincount(tree.levels)
    return next(
        level for level, width in enumerate(widths) if width <= MAX_NODES_PER_LEVEL
    )


def draw_hierarchy(tree: Hierarchy, records_per_leaf: NDArray[np.int64]) -> go.Figure:
    """Draw a hierarchy as nested boxes, in the order of its level table.

    Branches below the root take the palette's colours in turn. Levels of more than
    :data:`MAX_NODES_PER_LEVEL` nodes are left out.

    Parameters
    ----------
    records_per_leaf : ndarray of int64, shape (n_leaves,)
        How many records have each value.
    """
    lowest = lowest_level_to_draw(tree)
    drawn = np.flatnonzero(tree.levels >= lowest)
    parents, branches = np.full((2, len(tree.nodes)), -1, dtype=np.int64)
    for level in range(tree.height):
        parents[tree.ancestors[:, level]] = tree.ancestors[:, level + 1]
        branches[tree.ancestors[:, level]] = tree.ancestors[:, -2]
    weights = np.repeat(records_per_leaf, tree.height + 1)
    totals = np.bincount(tree.ancestors.ravel(), weights).astype(np.int64)
    first = int(tree.ancestors[0, -2])
    fills = [_fill(int(branches[node]) - first, tree, int(node)) for node in drawn]
    figure = go.Figure(
        go.Icicle(
            ids=[str(node) for node in drawn],
            labels=[escape_label(tree.nodes[node]) for node in drawn],
            parents=["" if parents[node] < 0 else str(parents[node]) for node in drawn],
            values=_node_heights(tree, lowest)[drawn],
            branchvalues="total",
            customdata=np.column_stack([tree.leaf_counts, totals])[drawn],
            hovertemplate="<b>%{label}</b><br>"
            + _("values: {values}<br>records: {records}").format(
                values="%{customdata[0]:,}", records="%{customdata[1]:,}"
            )
            + "<extra></extra>",
            marker={"colors": fills, "line": {"width": 0}},
            leaf={"opacity": 1},
            textfont={
                "size": 12,
                "color": [_readable_text_colour(fill) for fill in fills],
            },
            tiling={"orientation": "h", "flip": "x", "pad": 2},
            pathbar={"visible": False},
            sort=False,
            textposition="middle center",
        )
    )
    widest = int(np.bincount(tree.levels)[lowest:].max())
    apply_theme(
        figure, max(_LABEL_HEIGHT_PX * widest + 24, _MIN_HEIGHT_PX), has_legend=False
    )
    figure.update_layout(
        uniformtext={"minsize": 9, "mode": "hide"},
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
    )
    return figure


def _node_heights(tree: Hierarchy, lowest: int) -> NDArray[np.int64]:
    """Return how many of the lowest boxes lie in each node: these are all alike."""
    leaves = np.unique(tree.ancestors[:, lowest], return_index=True)[1]
    return np.bincount(tree.ancestors[leaves].ravel(), minlength=len(tree.nodes))


def _fill(branch: int, tree: Hierarchy, node: int) -> str:
    """Return an opaque colour, the same on a white page and on a black one."""
    level = int(tree.levels[node])
    if level == tree.height:
        return NEUTRAL
    colour = PALETTE[branch % len(PALETTE)]
    share = min(_LEVEL_FADING * (tree.height - 1 - level), 0.75)
    return "#" + "".join(
        f"{round(x + (255 - x) * share):02X}" for x in _rgb_parts(colour)
    )


def _readable_text_colour(fill: str) -> str:
    """Return black or white, whichever reads better on a colour."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in _rgb_parts(fill))
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # Both have the same contrast at 0.179 (WCAG 2.2, relative luminance).
    return "#000000" if luminance > 0.179 else "#FFFFFF"


def _rgb_parts(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
