"""What every method promises of records with categories: they are points."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from engine import Plan, run
from engine.core.context import SILENT
from engine.core.partition import Labels
from engine.data.kinds import Kind
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import Hierarchy
from engine.methods.base import make_method, methods
from engine.methods.search.refined import refine_partition
from engine.points.base import Points
from engine.points.encode import encode_points
from tests.engine.methods.every import (
    assert_equals_twin,
    brief,
    every_method,
    sse,
    twin_of,
)
from tests.reference.brute_force import least_sse

NAMES = ("age", "income", "sex", "place")
PLACES = Hierarchy(
    tuple((f"{a}{b}", f"{a}*", "*") for a in range(3) for b in range(4 - a))
)


@cache
def people(n: int, lacking: bool = False) -> Table:
    rng = np.random.default_rng(n)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 70, n).astype(float),
            "income": rng.lognormal(3.0, 1.0, n),
            "sex": rng.choice(["f", "m"], n),
            "place": rng.choice(PLACES.leaves, n),
        }
    )
    if lacking:
        frame.loc[n - 9 :, "place"] = None
    kinds = (Kind.CONTINUOUS, Kind.CONTINUOUS, Kind.NOMINAL, Kind.NOMINAL)
    columns = [Column(name, kind) for name, kind in zip(NAMES, kinds, strict=True)]
    columns[3] = Column("place", Kind.NOMINAL, hierarchy=PLACES)
    return Table.from_frame(frame, Schema(tuple(columns)))


def columns_for(name: str) -> tuple[str, ...]:
    return NAMES[3:] if methods.info(name).traits.univariate else NAMES


def points_of(name: str, n: int) -> Points:
    return encode_points(people(n), columns_for(name))


def grouped(name: str, points: Points, k: int) -> Labels:
    return make_method(name, k, brief(name)).partition(points).labels


@pytest.mark.parametrize(
    "name",
    [
        info.id
        for info in methods.infos()
        if info.family in ("fixed-size", "variable-size")
    ],
)
def test_groups_do_not_depend_on_whether_categories_have_codes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = points_of(name, 60)
    assert points.shared_coordinates
    coded = grouped(name, points, 3)
    monkeypatch.setattr(Points, "shared_coordinates", ())
    np.testing.assert_array_equal(coded, grouped(name, points_of(name, 60), 3))


@every_method
@pytest.mark.parametrize("n", [7, 44])
def test_every_record_has_a_group_of_at_least_k(name: str, n: int) -> None:
    traits = methods.info(name).traits
    labels = grouped(name, points_of(name, n), 3)
    assert labels.shape == (n,)
    if traits.guarantees_k:
        assert np.bincount(labels).min() >= 3


@every_method
def test_groups_of_points_are_those_of_the_twin(name: str) -> None:
    info = methods.info(name)
    if info.family == "mixed" or info.family == "univariate" or info.traits.univariate:
        pytest.skip("it does not group by distances of points")
    assert callable(twin_of(name))
    assert_equals_twin(name, points_of(name, 26).X, 3)


@every_method
def test_no_groups_lose_less_than_the_best_ones(name: str) -> None:
    info = methods.info(name)
    if not info.traits.guarantees_k or info.traits.per_attribute:
        pytest.skip("its groups may be smaller than k")
    points = points_of(name, 8)
    loss = sse(points.X, grouped(name, points, 2))
    assert loss >= least_sse(points.X, 2) - 1e-9


@every_method
def test_a_release_keeps_k_and_loses_no_less_than_its_bound(name: str) -> None:
    table, traits = people(44, lacking=True), methods.info(name).traits
    plan = Plan(
        method=name,
        k=3,
        quasi_identifiers=columns_for(name),
        parameters=brief(name),
        missing="keep",
    )
    outcome = run(plan, table)
    assert outcome.k_verified or not traits.guarantees_k
    scores = outcome.scores
    loss, written = scores["information-loss"], scores["released-loss"]
    assert outcome.bound.per_cent <= loss.value * (1 + 1e-9)
    assert set(loss.per_column) == set(columns_for(name))
    assert written.per_column["place"] >= loss.per_column["place"] - 1e-9
    released = outcome.release.frame["place"]
    lacking = table.frame["place"].isna()
    assert (released.isna() == lacking).all()
    assert set(released.dropna()) <= set(PLACES.nodes)


@pytest.mark.parametrize("name", [n for n in methods if methods.info(n).can_be_refined])
def test_polishing_loses_no_more(name: str) -> None:
    points = points_of(name, 44)
    partition = make_method(name, 3).partition(points)
    after = refine_partition(points, partition, SILENT)
    assert after.sizes.min() >= 3
    assert sse(points.X, after.labels) <= sse(points.X, partition.labels) * (1 + 1e-9)
