"""Hulls: convex, of the group's own points, and holding all of them."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dashboard.charts.groupings.hulls import convex_hulls

COORDINATE = st.integers(-4, 4)


@given(
    points=st.lists(st.tuples(COORDINATE, COORDINATE), min_size=1, max_size=12),
    k=st.integers(1, 5),
)
def test_a_hull_turns_one_way_and_leaves_no_point_outside(points, k):
    labels = np.arange(len(points)) // k
    places = np.array(points, float)
    hulls = convex_hulls(places, labels)
    assert len(hulls) == labels.max() + 1
    for label, shape in enumerate(hulls):
        members = places[labels == label]
        assert shape[0] == shape[-1]
        assert {*shape} <= {tuple(point) for point in members.tolist()}
        for (a, b), (c, d) in itertools.pairwise(shape):
            # No point lies to the right of an edge: the hull goes against the clock.
            turn = (c - a) * (members[:, 1] - b) - (d - b) * (members[:, 0] - a)
            assert (turn >= 0.0).all()
