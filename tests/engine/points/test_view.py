"""Records as local search sees them: codes that group as indicators do."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.typing import Values
from engine.data.kinds import Kind
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import Hierarchy
from engine.methods.search.annealing import anneal_groups
from engine.methods.search.refined import refine_labels
from engine.points.base import Points
from engine.points.branches import MAX_CATEGORY_AXES
from engine.points.encode import encode_points
from tests.engine.methods.search.labels import random_labels

PLACES = Hierarchy(
    tuple((f"{a}{b}", f"{a}*", "*") for a in range(3) for b in range(4 - a))
)


def points_of(
    n: int, seed: int, scaling: str = "zscore", jobs: int = 7, **choices: object
) -> Points:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "job": rng.integers(0, jobs, n).astype(str),
            "age": rng.integers(0, 4, n),
            "place": rng.choice(PLACES.leaves, n),
            "height": rng.integers(0, 3, n),
        }
    )
    columns = (
        Column("job", Kind.NOMINAL),
        Column("age", Kind.CONTINUOUS),
        Column("place", Kind.NOMINAL, hierarchy=PLACES),
        Column("height", Kind.CONTINUOUS),
    )
    table = Table.from_frame(frame, Schema(columns))
    return encode_points(table, tuple(frame), scaling, **choices)  # type: ignore[arg-type]


def distances(X: Values) -> Values:
    return np.asarray(np.square(X[:, None] - X[None]).sum(axis=2))


@pytest.mark.parametrize("scaling", ["zscore", "range", "none"])
@given(seed=st.integers(0, 2**32), weight=st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_codes_are_as_far_apart_as_coordinates(
    scaling: str, seed: int, weight: float
) -> None:
    weights = {"job": weight, "age": 2.0}
    points = points_of(12, seed, scaling, attribute_weights=weights)
    view = points.view
    assert view.seen is view.coded
    assert view.coded.numbers.shape[1] == 2
    coded_distances = distances(view.coded.to_coordinates())
    np.testing.assert_allclose(coded_distances, distances(points.X), atol=1e-12)
    some = view.select(np.array([3, 0, 7])).coded
    np.testing.assert_allclose(
        distances(some.to_coordinates()), coded_distances[np.ix_([3, 0, 7], [3, 0, 7])]
    )


def test_many_categories_are_axes_to_sums_and_codes_to_neighbours() -> None:
    points = points_of(500, 1, jobs=MAX_CATEGORY_AXES + 20)
    view = points.view
    assert view.coded.numbers.shape[1] == MAX_CATEGORY_AXES + 2
    assert view.seen.numbers.shape[1] == 2
    coded_distances = distances(view.coded.to_coordinates())
    np.testing.assert_allclose(coded_distances, distances(points.X), atol=1e-9)
    assert (distances(view.seen.to_coordinates()) >= coded_distances - 1e-9).all()


def test_numbers_alone_are_their_coordinates() -> None:
    points = points_of(12, 1).select_attributes([1, 3])
    view = points.view
    assert view.coded.numbers is points.X
    assert view.sketch is points.X
    assert view.places == 0
    assert view.coded.codes is None


def test_a_column_that_some_lack_keeps_its_coordinates() -> None:
    points = points_of(12, 1)
    missing = points.missing.copy()
    missing[:3, 0] = True
    X = points.space.coordinates(points.values, missing)
    some = points.space.view(X, points.values, missing)
    np.testing.assert_allclose(distances(some.coded.to_coordinates()), distances(X))
    missing[:, 0] = True
    whole = points.space.view(X, points.values, missing)
    assert whole.coded.numbers.shape[1] == 2  # the same for all, so it parts nobody


@given(data=st.data(), k=st.integers(2, 4), seed=st.integers(0, 2**32))
def test_groups_are_those_of_indicators(data: st.DataObject, k: int, seed: int) -> None:
    n = data.draw(st.integers(2 * k, 30))
    points = points_of(n, seed, "none")
    first = random_labels(np.random.default_rng(seed), n, k)
    first = np.unique(first, return_inverse=True)[1].astype(np.int64)
    X = np.ascontiguousarray(points.view.coded.to_coordinates())
    expected = refine_labels(X, first, k)
    np.testing.assert_array_equal(refine_labels(points.view, first, k), expected)


def test_a_search_over_codes_is_that_over_indicators() -> None:
    points = points_of(60, 5, "none")
    first = np.arange(60) // 3
    X = np.ascontiguousarray(points.view.coded.to_coordinates())
    by_codes = anneal_groups(points.view, first, 3, seed=1, iterations=400)
    by_indicators = anneal_groups(X, first, 3, seed=1, iterations=400)
    np.testing.assert_array_equal(by_codes.labels, by_indicators.labels)
    assert by_codes.sse == pytest.approx(by_indicators.sse)
