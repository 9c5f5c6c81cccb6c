"""The curve of a search: what falls and what rises, in per cent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.numerics.trace import SearchTrace, TracePoint


def test_figures_become_per_cents_of_the_variation() -> None:
    trace = SearchTrace()
    for name, value in [("sst", 200.0), ("bound", 10.0), ("sse", 50.0), ("sse", 40.0)]:
        trace(name, value)
    assert [point[1:] for point in trace.points] == [
        (None, 5.0),
        (25.0, 5.0),
        (20.0, 5.0),
    ]


def test_nothing_is_taken_before_a_search_begins() -> None:
    trace = SearchTrace()
    trace("sse", 1.0)
    assert trace.points == ()
    trace("sst", 2.0)
    trace("sse", 1.0)
    trace("sst", 4.0)
    assert trace.points == ()
    trace("sse", 1.0)
    trace.clear()
    trace("sse", 0.5)
    assert trace.points == ()


def test_a_table_without_variation_has_no_curve() -> None:
    trace = SearchTrace()
    trace("sst", 0.0)
    trace("sse", 0.0)
    assert trace.points == ()


@given(
    st.lists(st.tuples(st.sampled_from(["sse", "bound", "other"]), st.floats(0, 100)))
)
def test_loss_only_falls_and_the_bound_only_rises(
    figures: list[tuple[str, float]],
) -> None:
    trace = SearchTrace()
    trace("sst", 100.0)
    for name, value in figures:
        trace(name, value)
    points = trace.points
    assert len(set(point[1:] for point in points)) == len(points)
    rows = np.array(
        [[p.seconds, p.loss or np.nan, p.bound or np.nan] for p in points]
    ).reshape(-1, 3)
    assert (np.diff(rows[:, 0]) >= 0).all()
    loss, bound = ([p[c] for p in points if p[c] is not None] for c in (1, 2))
    assert loss == sorted(loss, reverse=True)
    assert bound == sorted(bound)
    sse_values = [value for name, value in figures if name == "sse"]
    assert loss[-1:] == pytest.approx([min(sse_values)] if sse_values else [])


def test_seconds_count_from_the_beginning_of_the_search() -> None:
    trace = SearchTrace()
    trace("sst", 100.0)
    trace("sse", 10.0)
    assert 0.0 <= trace.points[0].seconds <= trace.seconds
    assert trace.points == (TracePoint(trace.points[0].seconds, 10.0, None),)
