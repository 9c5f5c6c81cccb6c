"""Polish for the release: what is written loses less, group by group."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Plan, run
from engine.core.context import SILENT
from engine.core.errors import ParameterError
from engine.core.partition import Partition
from engine.data.kinds import Kind
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import Hierarchy
from engine.kernels.records.coded_records import SearchRecords
from engine.methods.base import make_method
from engine.methods.search.as_written import (
    CATEGORY_RULES,
    NUMBER_RULES,
    refine_for_release,
)
from engine.methods.search.refined import N_NEAR_RECORDS, refine_partition
from engine.neighbours.neighbour_lists import nearest_neighbours
from engine.points.encode import encode_points
from tests.reference.as_written import Trades

PLACES = Hierarchy(
    tuple((f"{a}{b}", f"{a}*", "*") for a in range(3) for b in range(4 - a))
)
NAMES = ("age", "place", "job")


def people(n: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(0, 6, n).astype(float),
            "place": rng.choice(PLACES.leaves, n),
            "job": rng.choice(list("abcd"), n),
        }
    )
    columns = (
        Column("age", Kind.CONTINUOUS),
        Column("place", Kind.NOMINAL, hierarchy=PLACES),
        Column("job", Kind.NOMINAL),
    )
    return Table.from_frame(frame, Schema(columns))


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(8, 22),
    k=st.integers(2, 4),
    number=st.sampled_from(sorted(NUMBER_RULES)),
    place=st.sampled_from(sorted(CATEGORY_RULES)),
    job=st.sampled_from(sorted(CATEGORY_RULES)),
)
def test_equals_its_naive_twin(
    seed: int, n: int, k: int, number: str, place: str, job: str
) -> None:
    table = people(n, seed)
    points = encode_points(table, NAMES, "none")
    first = make_method("mdav", k).partition(points)
    better_partition = refine_for_release(
        points, first, dict(zip(NAMES, (number, place, job), strict=True))
    )
    view: SearchRecords = points.view
    near = nearest_neighbours(
        view.sketch,
        N_NEAR_RECORDS,
        coded_records=view.seen,
        n_category_columns=view.places,
    )
    trees = [each.tree.rows for each in points.attributes if each.tree is not None]
    ages = [float(x) for x in points.values[:, 0]]
    rows = [
        [tree[code] for code in points.leaf_codes(j)]
        for j, tree in enumerate(trees, start=1)
    ]
    slow = Trades(
        [(number, ages), (place, rows[0]), (job, rows[1])],
        [[], list(trees[0]), list(trees[1])],
        near.tolist(),
        first.labels,
        k,
    )
    before = slow.total()
    np.testing.assert_array_equal(better_partition.labels, slow.run())
    sizes = np.bincount(better_partition.labels)
    assert k <= sizes.min() <= sizes.max() <= 2 * k - 1
    assert slow.total() <= before


def test_the_release_loses_less_as_it_is_written() -> None:
    table = people(300, 3)
    plan = Plan(k=4, quasi_identifiers=NAMES, polish=True)
    plain, traded = run(plan, table), run(plan.replace(polish_for="release"), table)
    losses = [outcome.scores["released-loss"].value for outcome in (plain, traded)]
    assert losses[1] < 0.95 * losses[0]
    assert traded.k_verified
    repetition = run(plan.replace(polish_for="release"), table)
    np.testing.assert_array_equal(repetition.partition.labels, traded.partition.labels)


def test_of_numbers_alone_nothing_is_left_to_trade() -> None:
    X = np.random.default_rng(1).normal(size=(60, 2))
    frame = pd.DataFrame(X, columns=["a", "b"])
    schema = Schema((Column("a", Kind.CONTINUOUS), Column("b", Kind.CONTINUOUS)))
    points = encode_points(Table.from_frame(frame, schema), ("a", "b"))
    groups = refine_partition(points, make_method("mdav", 3).partition(points), SILENT)
    traded = refine_for_release(points, groups, {"a": "mean", "b": "mean"})
    np.testing.assert_array_equal(traded.labels, groups.labels)


def test_groups_that_are_too_large_come_back() -> None:
    points = encode_points(people(30, 1), NAMES)
    groups = Partition(np.zeros(30, dtype=np.int64), 3)
    rules = dict.fromkeys(NAMES, "mode")
    assert refine_for_release(points, groups, rules) is groups


def test_a_rule_whose_loss_is_unknown_is_one_sentence() -> None:
    plan = Plan(
        k=3,
        quasi_identifiers=NAMES,
        polish=True,
        polish_for="release",
        aggregations={"age": "trimmed-mean"},
    )
    with pytest.raises(ParameterError, match=r"'age'.*trimmed-mean"):
        run(plan, people(30, 1))
