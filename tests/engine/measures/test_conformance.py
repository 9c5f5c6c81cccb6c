"""Every measure of the registry, no exceptions: what it says is what its formula says.

A new measure is found by itself; what it needs is a twin and a figure worked out by
hand in :mod:`tests.reference.measures`.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from engine.core.partition import Partition
from engine.data.table import Table
from engine.files import read_table
from engine.measures import MeasuredRelease, measures
from engine.measures.judge import LOWER_BOUND_JUDGE
from engine.pipeline.evaluate import make_measured_release
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from tests.reference.measures import EXAMPLE, TWINS, Records

QUASI = ["a", "b", "c"]
SECRET = ["ill", "job"]


def table_of(frame: pd.DataFrame, quasi: list[str]) -> Table:
    roles = {**dict.fromkeys(quasi, "quasi-identifier")}
    roles |= dict.fromkeys(SECRET, "confidential")
    roles |= {"weight": "weight"} if "weight" in frame else {}
    kinds = {**dict.fromkeys(quasi, "continuous"), **dict.fromkeys(SECRET, "nominal")}
    return read_table(frame).assign(roles=roles, kinds=kinds)


def protect(table: Table, k: int, **choices: object) -> MeasuredRelease:
    if "weight" not in table.schema.names:
        choices |= {"sampling_fraction": 1.0}  # the table is the population
    plan = Plan(method="mdav", k=k, rounding="none", missing="keep", **choices)
    outcome = run(plan, table)
    return make_measured_release(outcome, table)


@cache
def frame_of(case: str) -> pd.DataFrame:
    rng = np.random.default_rng(11)
    n = 36
    drawn = rng.integers(0, 40, (n, 3)).astype(float)
    drawn[:, 2] += drawn[:, 0]  # related, as columns are
    frame = pd.DataFrame(drawn, columns=QUASI)
    frame["ill"] = rng.choice(["x", "y", "z"], n, p=[0.5, 0.3, 0.2])
    frame["job"] = rng.choice(["u", "v"], n)
    if case == "weighted":
        frame["weight"] = rng.integers(1, 9, n).astype(float)
    if case == "gaps":
        frame.loc[:6, "b"] = np.nan
    return frame


@cache
def protected_case(case: str) -> MeasuredRelease:
    rule = "median" if case == "medians" else "auto"
    return protect(table_of(frame_of(case), QUASI), 3, aggregation=rule)


@cache
def example() -> MeasuredRelease:
    return protect(table_of(pd.DataFrame(EXAMPLE), ["a", "b"]), 2)


def records_of(protected: MeasuredRelease) -> Records:
    points, original = protected.points, protected.original
    assert original is not None
    names = list(points.names)
    return Records(
        before=original[names].to_numpy(float),
        after=protected.frame[names].to_numpy(float),
        groups=protected.partition.labels.tolist(),
        k=protected.partition.k,
        weights=original.get("weight", pd.Series(1.0, original.index)).tolist(),
        secrets=[pd.factorize(original[name])[0].tolist() for name in SECRET],
    )


def value(name: str, protected: MeasuredRelease) -> float:
    return measures.get(name)(protected).value


def test_every_measure_has_a_twin_and_every_twin_a_measure() -> None:
    assert set(TWINS) == set(measures), (
        "a new measure has its twin in tests/reference/measures.py"
    )


@pytest.mark.parametrize("name", TWINS)
def test_a_measure_gives_the_figure_that_was_worked_out_by_hand(name: str) -> None:
    twin, by_hand, _gaps = TWINS[name]
    baseline = measures.info(name).baseline
    assert not baseline or baseline.endswith(".")
    if by_hand is not None:
        assert value(name, example()) == pytest.approx(by_hand, abs=1e-9)
        assert twin(records_of(example())) == pytest.approx(by_hand, abs=1e-9)


@pytest.mark.parametrize("case", ["plain", "medians", "weighted", "gaps"])
@pytest.mark.parametrize("name", TWINS)
def test_a_measure_equals_its_twin(name: str, case: str) -> None:
    protected, info = protected_case(case), measures.info(name)
    twin, _by_hand, gaps = TWINS[name]
    score = measures.get(name)(protected)
    assert score.measure == name
    assert info.limits[0] <= score.value <= info.limits[1]
    if case != "gaps" or gaps:
        expected = twin(records_of(protected))
        assert score.value == pytest.approx(expected, rel=1e-5, abs=1e-9)


def unchanged() -> MeasuredRelease:
    """Return records of which no two are alike, released as they are."""
    protected = protected_case("plain")
    points, original = protected.points, protected.original
    assert original is not None
    assert not original[QUASI].duplicated().any()
    singletons = Partition(np.arange(points.n_records), 1)
    return replace(
        protected,
        released=points.values,
        frame=original,
        partition=singletons,
        seen=type(protected.seen)(),
    )


@pytest.mark.parametrize("name", TWINS)
def test_where_nothing_changed_the_figure_is_neutral(name: str) -> None:
    info, score = measures.info(name), measures.get(name)(unchanged())
    if info.judge is LOWER_BOUND_JUDGE or info.family == "privacy":
        neutral = score.baseline  # the least that can be, or that of the table before
    else:
        neutral = 0.0 if info.family == "loss" else 100.0
    assert score.value == pytest.approx(neutral, abs=1e-6)


@cache
def in_other_units() -> MeasuredRelease:
    frame = frame_of("plain").copy()
    frame[QUASI] = 8.0 * frame[QUASI] - 1024.0
    return protect(table_of(frame, QUASI), 3)


@cache
def weighing_one() -> MeasuredRelease:
    return protect(table_of(frame_of("plain").assign(weight=1.0), QUASI), 3)


@pytest.mark.parametrize("same", [in_other_units, weighing_one])
@pytest.mark.parametrize("name", TWINS)
def test_units_and_weights_of_one_do_not_matter(
    name: str, same: Callable[[], MeasuredRelease]
) -> None:
    expected = value(name, protected_case("plain"))
    assert value(name, same()) == pytest.approx(expected, rel=1e-6, abs=1e-9)
