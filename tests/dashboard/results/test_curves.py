"""Curves of searches, from outcomes to words and tables."""

import pytest

from dashboard.charts.inputs import SearchCurve
from dashboard.results.curves import (
    curve_summary,
    make_search_curve,
    search_curve_table,
    search_curves_of_outcomes,
)
from engine.core.numerics.trace import TracePoint
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.dashboard.pages import small_table

POINTS = (
    TracePoint(0.0, None, 8.0),
    TracePoint(0.5, 12.0, 8.0),
    TracePoint(2.0, 10.0, 8.0),
)


def test_only_searches_have_a_curve():
    table = small_table()
    plans = (Plan(), Plan(method="iterated", parameters={"iterations": 200}))
    outcomes = [run(plan, table) for plan in plans]
    (curve,) = search_curves_of_outcomes(outcomes)
    assert curve.label == "Iterated search (steps 200), k = 3"
    assert curve.method == "iterated"
    assert curve.final_loss == pytest.approx(outcomes[1].information_loss)
    assert curve.final_bound == outcomes[1].bound.per_cent
    assert curve.seconds >= curve.points[-1].seconds


def test_words_say_where_a_search_has_come_to():
    plan = Plan(method="iterated")
    words = curve_summary(make_search_curve(plan, POINTS, 3.0))
    assert words.startswith("**10.000 %** lost so far")
    assert "less than 8.000 %, so at most 20.0 % of it is avoidable" in words
    words = curve_summary(
        make_search_curve(plan, (TracePoint(0.0, 16.216, 16.2155),), 3.0)
    )
    assert "at most 0.1 % of it is avoidable" in words  # and not 0.0 %: there is some
    assert curve_summary(make_search_curve(plan, POINTS[:1], 3.0)) == ""
    for loss, bound in ((0.0, 0.0), (4.0, 4.0)):
        words = curve_summary(
            make_search_curve(plan, (TracePoint(0.0, loss, bound),), 1.0)
        )
        assert words.endswith("proven best possible.")
    assert curve_summary(
        make_search_curve(plan, (TracePoint(0.0, 2.0, None),), 1.0)
    ).endswith("so far.")


def test_the_table_has_one_line_per_point():
    frame = search_curve_table([SearchCurve("one", "iterated", POINTS, 3.0)] * 2)
    assert len(frame) == 6
    assert list(frame["IL (%)"].dropna()) == [12.0, 10.0] * 2
    assert search_curve_table([]).empty
