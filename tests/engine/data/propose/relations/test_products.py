"""Columns that two others tell as a product or quotient are found, and no others."""

import time
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from engine.data.propose import suggest_columns
from engine.data.propose.relations.products import find_products

N = 300


def measures(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "weight": rng.normal(75, 12, N).round(1),
            "height": rng.normal(172, 9, N).round(),
            "income": rng.lognormal(8, 0.5, N).round(2),
            "hours": rng.integers(10, 60, N),
            "educ": rng.integers(0, 20, N),
            "urban": rng.integers(0, 2, N),
            "female": rng.integers(0, 2, N),
            "people": rng.lognormal(12, 1, N).round(),
        }
    )


TOLD = {
    "bmi": (("weight", "height"), lambda d: (1e4 * d.weight / d.height**2).round(1)),
    "wage": (("income", "hours"), lambda d: (d.income / d.hours).round(2)),
    "pay": (("hours", "income"), lambda d: d.hours * d.income),
    "per_1000": (("hours", "people"), lambda d: (1e6 * d.hours / d.people).round(3)),
    "urb_educ": (("educ", "urban"), lambda d: d.urban * d.educ),
    "urb_fem": (("urban", "female"), lambda d: d.urban * d.female),
    "minus": (("educ", "hours"), lambda d: -1.5 * d.educ * d.hours),
}


@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize("gaps", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_what_two_columns_tell_is_found(name: str, gaps: float, seed: int) -> None:
    frame = measures(seed)
    parts, law = TOLD[name]
    frame[name] = law(frame)
    rng = np.random.default_rng(seed)
    frame = frame[rng.permutation([*frame])].mask(rng.random((N, len(frame.T))) < gaps)
    products = find_products(frame, [*frame])
    assert {product: {*some} for product, some in products.items()} == {name: {*parts}}


@pytest.mark.parametrize("seed", range(20))
def test_what_no_two_columns_tell_is_not_found(seed: int) -> None:
    """Also columns near a product, or that follow one of its factors alone."""
    frame, rng = measures(seed), np.random.default_rng(seed)
    noise = rng.normal(1.0, 0.05, N)
    frame["about"] = (frame["income"] / frame["hours"] * noise).round(2)
    frame["cents"] = frame["income"] * 100.0
    frame["ones"] = 1.0
    frame["none"] = np.nan
    frame["nearly"] = np.where(rng.random(N) < 0.01, 2.0, 1.0)
    frame["like"] = frame["weight"] * frame["nearly"]
    frame["flag"] = np.where(rng.random(N) < 0.9, 0, frame["urban"])
    assert find_products(frame, [*frame]) == {}


def test_products_are_those_of_all_combinations() -> None:
    """Naive twin: each column against each pair, on exact numbers."""
    rng = np.random.default_rng(6)
    for _ in range(10):
        frame = pd.DataFrame(rng.integers(1, 30, (N, 6)), columns=[*"abcdef"])
        i, j = rng.choice(5, 2, replace=False)
        frame["f"] = frame.iloc[:, i] * frame.iloc[:, j]
        expected_products = {
            frozenset((factor, other, product))
            for factor, other, product in permutations(frame, 3)
            if (frame[factor] * frame[other] == frame[product]).all()
        }
        products = find_products(frame, [*frame])
        assert {
            frozenset((name, *parts)) for name, parts in products.items()
        } == expected_products


@pytest.mark.parametrize("name", ["PricePerCt", "price_per_carat", "LWRatio"])
def test_what_is_called_a_ratio_is_the_one_that_is_told(name: str) -> None:
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({name: rng.integers(20, 90, N), "b": rng.integers(3, 40, N)})
    frame["total"] = frame[name] * frame["b"]
    assert find_products(frame, [*frame]) == {name: ("total", "b")}


def test_a_product_is_proposed_to_follow_from_its_factors() -> None:
    frame = measures(1)
    frame["urb_educ"] = frame["urban"] * frame["educ"]
    columns = {
        suggestion.column.name: suggestion for suggestion in suggest_columns(frame)
    }
    assert {*columns["urb_educ"].column.parts} == {"urban", "educ"}
    assert "It follows from" in str(columns["urb_educ"].reason)


def test_a_wide_table_takes_no_time_that_counts() -> None:
    """The square of the columns, not the cube: 100 columns have 500,000 products."""
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(rng.lognormal(3, 1, (5_000, 100)).round(2))
    frame.columns = [f"c{i}" for i in range(100)]
    began = time.process_time()
    assert find_products(frame, [*frame]) == {}
    assert time.process_time() - began < 5.0
