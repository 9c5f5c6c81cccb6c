"""A hierarchy is a tree with one root over all values, or there is none."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import InputError, ParameterError
from engine.hierarchy import Hierarchy
from tests.engine.hierarchy.strategies import hierarchies
from tests.reference import hierarchy as reference

CODES = Hierarchy(
    (
        ("A09", "A00-A09", "A00-B99", "*"),
        ("A41", "A30-A49", "A00-B99", "*"),
        ("I20", "I20-I25", "I00-I99", "*"),
        ("I21", "I20-I25", "I00-I99", "*"),
    )
)


def test_nodes_are_leaves_first_then_level_by_level() -> None:
    assert CODES.leaves == ("A09", "A41", "I20", "I21")
    assert CODES.height == 3
    assert CODES.nodes[4:] == (
        *("A00-A09", "A30-A49", "I20-I25"),
        *("A00-B99", "I00-I99"),
        "*",
    )
    np.testing.assert_array_equal(CODES.levels, [0, 0, 0, 0, 1, 1, 1, 2, 2, 3])
    np.testing.assert_array_equal(CODES.leaf_counts, [1, 1, 1, 1, 1, 1, 2, 2, 2, 4])
    np.testing.assert_array_equal(
        CODES.ancestors,
        [[0, 4, 7, 9], [1, 5, 7, 9], [2, 6, 8, 9], [3, 6, 8, 9]],
    )


def test_a_label_that_comes_again_above_is_a_node_of_its_own() -> None:
    tree = Hierarchy((("X", "X", "*"), ("Y", "Z", "*")))
    assert tree.nodes == ("X", "Y", "X", "Z", "*")
    assert tree.common_ancestor([0]) == 0


def test_a_label_may_stand_at_several_levels_if_it_is_not_above_itself() -> None:
    Hierarchy((("X", "X", "X", "*"), ("Y", "X", "X", "*"), ("*", "Z", "Y", "*")))


def test_arrays_cannot_be_changed() -> None:
    for array in (CODES.ancestors, CODES.levels, CODES.leaf_counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_equal_rows_make_equal_hierarchies() -> None:
    assert Hierarchy(CODES.rows) == CODES
    assert hash(Hierarchy(CODES.rows)) == hash(CODES)
    assert Hierarchy(CODES.rows[:2]) != CODES
    assert Hierarchy([["a", "*"]]) == Hierarchy((("a", "*"),))  # type: ignore[arg-type]


@given(hierarchies(), st.data())
def test_common_ancestor_equals_its_twin(tree: Hierarchy, data: st.DataObject) -> None:
    numbers = st.integers(0, len(tree.rows) - 1)
    leaves = data.draw(st.lists(numbers, min_size=1, max_size=5))
    node = tree.common_ancestor(leaves)
    ancestor = int(tree.levels[node]), tree.nodes[node]
    assert ancestor == reference.common_ancestor(tree.rows, leaves)


@given(hierarchies())
def test_ancestors_and_leaf_counts_follow_the_rows(tree: Hierarchy) -> None:
    for leaf, row in enumerate(tree.rows):
        assert tree.ancestors[leaf, 0] == leaf
        assert tuple(tree.nodes[node] for node in tree.ancestors[leaf]) == row
    for node, label in enumerate(tree.nodes):
        level = int(tree.levels[node])
        assert tree.leaf_counts[node] == reference.leaf_count(tree.rows, level, label)
    assert len(set(zip(tree.levels.tolist(), tree.nodes, strict=True))) == len(
        tree.nodes
    )


@pytest.mark.parametrize("leaves", [[], [-1], [4], [0, 9]])
def test_an_ancestor_of_no_leaf_is_refused(leaves: list[int]) -> None:
    with pytest.raises(ParameterError, match="from 0 to 3"):
        CODES.common_ancestor(leaves)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ((), "no rows"),
        ((("a",), ("b",)), "one level only"),
        ((("a", "x", "*"), ("b", "*")), r"Row 2 .*'b'.* has 2 cells, .* has 3"),
        ((("a", "x", "*"), ("b", "", "*")), r"Row 2 .*'b'.* is empty at level 1"),
        ((("a", "*"), (" ", "*")), "Row 2 .* has no value"),
        ((("a", "*"), ("b", "*"), ("a", "*")), r"'a' has two rows .*\(1 and 3\)"),
        ((("a", "x", "*"), ("b", "y", "all")), r"two roots, '\*' and 'all'"),
        ((("a", "b", "a", "*"),), r"'a' lies above itself .*\('a' -> 'b' -> 'a'\)"),
        ((("a", "b", "*"), ("b", "a", "*")), "'a' -> 'b' -> 'a'"),
        (
            (
                ("a", "b", "x", "*"),
                ("x", "c", "c", "*"),
                ("d", "c", "c", "*"),
                ("c", "a", "y", "*"),
            ),
            "'a' -> 'b' -> 'x' -> 'c' -> 'a'",
        ),
        (
            (("a", "x", "p", "*"), ("b", "x", "q", "*")),
            "'x' at level 1 .* two parents, 'p' and 'q'",
        ),
    ],
)
def test_what_is_no_tree_is_refused_by_a_sentence(
    rows: tuple[tuple[str, ...], ...], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        Hierarchy(rows)


def test_codes_are_the_leaves_of_the_records() -> None:
    values = pd.Series(["I20", None, "A09", "I20"])
    np.testing.assert_array_equal(CODES.codes(values, "d"), [2, -1, 0, 2])


def test_codes_of_an_empty_column_are_all_missing() -> None:
    np.testing.assert_array_equal(CODES.codes(pd.Series([None, None]), "d"), [-1, -1])


def test_a_value_that_is_not_covered_is_named() -> None:
    values = pd.Series(["I20", None, "Z99", "I20", "Q1", "Z99"])
    with pytest.raises(InputError, match=r"'diagnosis' .*'Z99' \(first in record 3\)"):
        CODES.codes(values, "diagnosis")
    assert CODES.uncovered_values(values) == ("Z99", "Q1")
    assert CODES.uncovered_values(values[:2]) == ()


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([4350, 4411]),
        pd.Series([4350.0, 4411.0]),
        pd.Series([4350, None, 4411], dtype="Int64"),
        pd.Series(["4350", "4411"], dtype="category"),
        pd.Series([4350, "4411"], dtype=object),
    ],
)
def test_numbers_are_compared_as_their_file_writes_them(values: pd.Series) -> None:
    tree = Hierarchy((("4350", "*"), ("4411", "*")))
    assert tree.codes(values.dropna(), "postcode").tolist() == [0, 1]


def test_dates_are_compared_as_days() -> None:
    tree = Hierarchy((("2023-01-05", "2023", "*"), ("2023-01-05 14:30:00", "x", "*")))
    texts = ["2023-01-05 14:30", "2023-01-05", None]
    days = pd.Series(pd.to_datetime(texts, format="ISO8601"))
    assert tree.codes(days, "admission").tolist() == [1, 0, -1]
