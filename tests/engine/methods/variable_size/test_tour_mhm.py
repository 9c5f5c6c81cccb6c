import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.core.context import SILENT
from engine.core.typing import Values
from engine.methods.steps.path import order_by_nearest
from engine.methods.variable_size.tour_mhm import (
    TourMHM,
    near_records,
    open_tour,
    shorten,
)
from engine.points.base import Points
from tests.casc import information_loss, zscored


def length(X: Values, tour: list[int]) -> float:
    closed = X[[*tour, tour[0]]]
    return float(np.sqrt((np.diff(closed, axis=0) ** 2).sum(axis=1)).sum())


@given(
    X=arrays(
        np.float64, st.tuples(st.integers(4, 9), st.just(2)), elements=st.integers(0, 6)
    )
)
def test_no_exchange_of_two_edges_shortens_the_tour(X: Values) -> None:
    points = Points.from_array(X)
    tour = order_by_nearest(points.X, 0, SILENT, "")
    before = length(X, tour.tolist())
    shorten(points.X, near_records(points, SILENT, ""), tour, SILENT, "")
    after = length(X, tour.tolist())
    assert sorted(tour.tolist()) == list(range(len(X)))
    assert after <= before + 1e-9
    # All records are near ones in tables as small as these.
    for low in range(len(X)):
        for high in range(low + 2, len(X) + 1):
            other = tour.tolist()
            other[low:high] = other[low:high][::-1]
            assert length(X, other) >= after - 1e-6


def test_the_path_lacks_the_longest_edge() -> None:
    X = np.array([[0.0], [1.0], [9.0], [10.0], [2.0]])
    path = open_tour(X, np.array([0, 1, 2, 3, 4]))
    edges = np.abs(np.diff(X[path, 0]))
    assert sorted(path.tolist()) == [0, 1, 2, 3, 4]
    assert sorted([*edges.tolist(), 8.0]) == [1.0, 1.0, 2.0, 8.0, 8.0]


@pytest.mark.parametrize(
    ("data_set", "least_printed"), [("tarragona", 16.15265063), ("census", 5.581605762)]
)
def test_loses_less_than_every_printed_figure(
    data_set: str, least_printed: float
) -> None:
    """DBA-2's k = 3, the least printed that is possible (Lin et al. 2010)."""
    X = zscored(data_set)
    assert information_loss(X, TourMHM(3).fit(X).labels_) < least_printed
