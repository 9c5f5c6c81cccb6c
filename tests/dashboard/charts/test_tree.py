"""The picture of a hierarchy: every node once, below its parent, counted."""

import numpy as np

from dashboard.charts.theme import NEUTRAL
from dashboard.charts.tree import (
    MAX_NODES_PER_LEVEL,
    draw_hierarchy,
    lowest_level_to_draw,
)
from engine.hierarchy import Hierarchy, flat_hierarchy, from_intervals

CODES = Hierarchy(
    (
        ("A09", "A00-A09", "A00-B99", "*"),
        ("A41", "A30-A49", "A00-B99", "*"),
        ("I20", "I20-I25", "I00-I99", "*"),
        ("I21", "I20-I25", "I00-I99", "*"),
    )
)


def boxes(tree, records=None):
    """Return label, label of the parent, leaves and records of each box."""
    records = np.ones(len(tree.leaves), np.int64) if records is None else records
    (trace,) = draw_hierarchy(tree, records).data
    labels = dict(zip(trace.ids, trace.labels, strict=True))
    parents = [labels.get(parent, "") for parent in trace.parents]
    counts = np.asarray(trace.customdata).tolist()
    return list(zip(trace.labels, parents, counts, strict=True))


def test_every_node_is_a_box_inside_its_parent():
    tree_boxes = boxes(CODES, np.array([5, 0, 2, 1]))
    assert tree_boxes[0] == ("A09", "A00-A09", [1, 5])
    assert ("I20-I25", "I00-I99", [2, 3]) in tree_boxes
    assert ("A00-B99", "*", [2, 5]) in tree_boxes
    assert tree_boxes[-1] == ("*", "", [4, 8])
    assert len(tree_boxes) == len(CODES.nodes)


def test_a_label_that_comes_again_is_a_box_of_its_own():
    tree = Hierarchy((("X", "X", "*"), ("Y", "Z", "*")))
    assert [label for label, _, _ in boxes(tree)] == ["X", "Y", "X", "Z", "*"]


def test_a_branch_has_one_hue_and_gets_paler_downwards():
    (trace,) = draw_hierarchy(CODES, np.ones(4, np.int64)).data
    colours = dict(zip(trace.labels, trace.marker.colors, strict=True))
    assert colours["*"] == NEUTRAL
    assert colours["A00-B99"] != colours["I00-I99"]
    assert colours["A00-A09"] == colours["A30-A49"]
    for channel in (1, 3, 5):
        shades = [
            int(colours[label][channel : channel + 2], 16)
            for label in ("A00-B99", "A00-A09", "A09")
        ]
        assert shades == sorted(shades)


def test_labels_read_on_every_box():
    (trace,) = draw_hierarchy(CODES, np.ones(4, np.int64)).data
    for fill, ink in zip(trace.marker.colors, trace.textfont.color, strict=True):
        assert contrast(fill, ink) >= 4.5


def contrast(one, other):
    """Return the contrast ratio of two colours as WCAG 2.2 defines it."""

    def luminance(colour):
        parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
        linear = np.where(
            parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4
        )
        return linear @ [0.2126, 0.7152, 0.0722]

    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_levels_with_too_many_nodes_are_left_out():
    tree = from_intervals(range(5 * MAX_NODES_PER_LEVEL), widths=[10, 50])
    assert lowest_level_to_draw(tree) == 1
    assert len(boxes(tree)) == MAX_NODES_PER_LEVEL // 2 + MAX_NODES_PER_LEVEL // 10 + 1
    assert [
        label for label, _, _ in boxes(flat_hierarchy(range(MAX_NODES_PER_LEVEL + 1)))
    ] == ["*"]


def test_the_figure_grows_with_the_tree_and_stops():
    heights = [
        draw_hierarchy(flat_hierarchy(range(n)), np.ones(n, np.int64)).layout.height
        for n in (2, 30, MAX_NODES_PER_LEVEL)
    ]
    assert heights[0] < heights[1] < heights[2] <= 1500


def test_the_lowest_boxes_are_alike_and_fill_those_above():
    tree = from_intervals([*range(300), 999], widths=[10, 50])
    (trace,) = draw_hierarchy(tree, np.ones(301, np.int64)).data
    sizes = dict(zip(trace.labels, trace.values, strict=True))
    assert sizes["[0, 9]"] == sizes["[990, 999]"] == 1
    assert sizes["[0, 49]"] == 5
    assert sizes["[950, 999]"] == 1
    assert sizes["*"] == 31
