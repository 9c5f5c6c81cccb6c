"""Charts of printed figures: every cell is drawn where its numbers say."""

import pytest

from dashboard.charts.published import (
    BELOW_BOUND,
    VERDICT_STYLES,
    draw_differences,
    draw_distances_to_optimum,
    draw_our_losses_against_printed,
    draw_two_scalings,
)
from engine.analysis.published.literature import LossBasis, PrintedCell
from engine.analysis.published.proven import PrintedExcess, ProvenOptimum
from engine.analysis.published.reproduce import ComparisonRow
from tests.dashboard.charts.examples import pair, row

SLIP = ComparisonRow(
    PrintedCell("tarragona", "mdav2", 3, "16.38261429", "A. Author 2010"),
    LossBasis(),
    16.68261429,
    12.0,
)
ROWS = [
    row("10.00", 10.001, k=3),
    row("12.00", 12.007, "mdav2", k=3),
    row("20.00", 19.0, "mu-approx", k=5),
    row("8.00", 8.4, "mdav2", k=4),
    row("7.00", 9.1, "mdav1", k=5),
    SLIP,
]
PAIRS = [pair(3), pair(5, "6.0", raw=6.2, zscored=18.0, bound_zscored=12.0)]


def by_name(figure):
    return {trace.name: trace for trace in figure.data}


def points(figure):
    return [
        (x, y)
        for trace in figure.data
        if trace.mode == "markers"
        for x, y in zip(trace.x, trace.y, strict=True)
    ]


def test_every_cell_is_a_point_at_printed_and_ours():
    drawn = points(draw_our_losses_against_printed(ROWS))
    assert sorted(drawn) == sorted((r.printed.value, r.ours) for r in ROWS)


def test_the_diagonal_is_where_both_are_equal_and_spans_all_cells():
    figure = draw_our_losses_against_printed(ROWS)
    line = by_name(figure)["Printed = ours"]
    assert line.x == line.y
    assert line.x[0] < 8.0
    assert line.x[1] > 20.0
    assert figure.layout.xaxis.range == figure.layout.yaxis.range


@pytest.mark.parametrize("chart", [draw_our_losses_against_printed, draw_differences])
def test_verdicts_differ_in_colour_and_in_symbol(chart):
    traces = [trace for trace in chart(ROWS).data if trace.mode == "markers"]
    assert len(traces) == len(VERDICT_STYLES)
    assert len({trace.marker.color for trace in traces}) == len(VERDICT_STYLES)
    assert len({trace.marker.symbol for trace in traces}) == len(VERDICT_STYLES)


def test_verdicts_that_do_not_occur_are_not_in_the_legend():
    assert set(by_name(draw_differences(ROWS[:1]))) == {"Equal to every printed digit"}


def test_differences_are_in_per_cent_of_the_printed_value():
    drawn = dict(zip("abcdef", points(draw_differences(ROWS)), strict=True))
    assert {round(x, 2) for x, _ in drawn.values()} == {
        0.01,
        0.06,
        -5.0,
        5.0,
        30.0,
        1.83,
    }
    assert {y for _, y in drawn.values()} == {"MDAV-1", "MDAV-2", "μ-Approx"}


def test_hovering_says_the_digits_that_were_printed():
    trace = by_name(draw_differences(ROWS[2:3]))["Lower than printed"]
    values = ["μ-Approx", 5, "20.00", "19.00", "-5.00"]
    assert list(trace.customdata[0]) == values


def test_every_printed_loss_is_a_cell_as_far_above_the_best_as_it_is():
    cells = [
        PrintedExcess(PrintedCell("eia", name, k, text, ""), ProvenOptimum(2.0, 1.9))
        for name, k, text in (
            ("mdav1", 3, "3.0"),
            ("mdav1", 5, "5"),
            ("tfrp1", 3, "2.2"),
        )
    ]
    (trace,) = draw_distances_to_optimum(cells).data
    assert list(trace.z) == pytest.approx([50.0, 150.0, 10.0])
    assert list(trace.text) == ["50", "150", "10"]
    assert [list(axis) for axis in trace.x] == [
        ["EIA"] * 3,
        ["k = 3", "k = 5", "k = 3"],
    ]
    order = draw_distances_to_optimum(cells).layout.yaxis.categoryarray
    assert list(order) == ["MDAV-1", "TFRP-1"]  # the last is drawn on top


def test_both_scalings_and_the_printed_column_are_drawn_against_k():
    lines = by_name(draw_two_scalings(PAIRS))
    expected = {
        "Printed": [4.0, 6.0],
        "Ours, raw": [4.1, 6.2],
        "Ours, z-scored": [12.0, 18.0],
        "MDAV, raw": [3.9, 3.9],
        "MDAV, z-scored": [11.0, 11.0],
    }
    for name, values in expected.items():
        assert list(lines[name].x) == [3, 5]
        assert list(lines[name].y) == values
    looks = {(lines[n].line.color, lines[n].line.dash) for n in expected}
    assert len(looks) == len(expected)


def test_what_no_method_reaches_on_z_scored_values_is_shaded():
    area = by_name(draw_two_scalings(PAIRS))[BELOW_BOUND]
    assert list(area.y) == [8.0, 12.0]
    assert area.fill == "tozeroy"
    assert draw_two_scalings(PAIRS).layout.yaxis.rangemode == "tozero"
