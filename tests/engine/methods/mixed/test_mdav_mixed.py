"""Mixed MDAV: the steps of MDAV under the mixed distance."""

import numpy as np
import pytest
from hypothesis import given

from engine.data.kinds import Kind
from engine.methods.base import make_method
from engine.points.base import Points
from tests.engine.methods.mixed.tables import (
    Drawn,
    attributes,
    mixed_tables,
    prepared,
    random_table,
)
from tests.reference.mdav_mixed import mdav_mixed_of


def groups(points: Points, k: int) -> np.ndarray:
    return make_method("mdav-mixed", k, {}, 0).partition(points).labels


@given(mixed_tables())
def test_equals_its_naive_twin(table: tuple[int, list[Drawn]]) -> None:
    k, drawn = table
    np.testing.assert_array_equal(
        groups(prepared(drawn), k), mdav_mixed_of(attributes(drawn), k)
    )


@pytest.mark.parametrize("k", [2, 5, 30])
def test_equals_its_naive_twin_on_more_records(k: int) -> None:
    drawn = random_table(150, k)
    np.testing.assert_array_equal(
        groups(prepared(drawn), k), mdav_mixed_of(attributes(drawn), k)
    )


def test_on_one_column_of_numbers_it_is_mdav() -> None:
    X = np.random.default_rng(0).standard_normal((200, 1))
    points = Points.from_array(X)
    expected = make_method("mdav", 4).partition(points).labels
    np.testing.assert_array_equal(groups(points, 4), expected)


def test_categories_that_share_an_ancestor_are_grouped_together() -> None:
    drawn = random_table(100, 0)[:1]
    tree = drawn[0].tree
    assert tree is not None
    leaves = tuple(leaf for leaf in tree.leaves if leaf[0] in "01") * 2
    labels = groups(prepared([Drawn(Kind.NOMINAL, leaves, tree)]), 24)
    tops = np.array([leaf[0] for leaf in leaves])
    assert len(set(zip(labels.tolist(), tops.tolist(), strict=True))) == 2
