"""Choices that real files need: dates, weights, strata, blocks and missing cells."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import InfeasibleError, ParameterError
from engine.data.table import Table
from engine.files import read_table
from engine.hierarchy import Hierarchy
from engine.pipeline.plan import Plan
from engine.pipeline.run import run


def table_of(**columns: object) -> Table:
    """Return a table of quasi-identifiers, all continuous."""
    frame = pd.DataFrame(columns)
    return read_table(frame).assign(
        roles=dict.fromkeys(frame.columns, "quasi-identifier"),
        kinds=dict.fromkeys(frame.columns, "continuous"),
    )


def draw(n: int = 60, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "a": rng.integers(0, 100, n),
        "b": rng.normal(0, 1, n).round(2),
        "c": rng.lognormal(3, 1, n).round(1),
    }


def least_class(frame: pd.DataFrame, columns: list[str]) -> int:
    return int(frame.groupby(columns, dropna=False).size().min())


# Types


def test_dates_come_back_as_dates_in_the_same_type() -> None:
    days = pd.Series(pd.date_range("2023-01-30", periods=12, freq="3D"))
    table = table_of(day=days.astype("datetime64[us]"), a=range(12))
    released = run(Plan(k=4), table).release.frame["day"]
    assert released.dtype == table.frame["day"].dtype
    assert (released == released.dt.normalize()).all()
    assert released.between(days.min(), days.max()).all()
    means = days.groupby(released.to_numpy()).mean()
    assert (abs(means.to_numpy() - means.index.to_numpy()) <= pd.Timedelta("12h")).all()


def test_a_time_of_day_and_a_zone_are_kept() -> None:
    moments = pd.Series(pd.date_range("2024-03-30 22:15", periods=8, freq="7h"))
    table = table_of(at=moments.dt.tz_localize("UTC").dt.tz_convert("Europe/Madrid"))
    released = run(Plan(k=4), table).release.frame["at"]
    assert released.dtype == table.frame["at"].dtype
    expected = [moments[:4].mean()] * 4 + [moments[4:].mean()] * 4
    got = released.dt.tz_convert("UTC").dt.tz_localize(None)
    assert (abs(got - pd.Series(expected)) < pd.Timedelta("1ms")).all()


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint16", "Int64", "Float64"])
def test_whole_numbers_come_back_whole_and_in_their_type(dtype: str) -> None:
    table = table_of(a=pd.Series([1, 2, 4, 50, 51, 53], dtype=dtype))
    released = run(Plan(k=3), table).release.frame["a"]
    assert str(released.dtype) == dtype
    assert released.tolist() == [2, 2, 2, 51, 51, 51]


def test_ordered_words_take_their_median_and_keep_their_type() -> None:
    words = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"w": pd.Series(["low", "mid", "mid", "high"], dtype=words)})
    table = read_table(frame).assign(
        roles={"w": "quasi-identifier"}, kinds={"w": "ordinal"}
    )
    outcome = run(Plan(k=4), table)
    assert outcome.plan.aggregations == {"w": "median"}
    assert outcome.release.frame["w"].dtype == words
    assert outcome.release.frame["w"].tolist() == ["mid"] * 4
    with pytest.raises(ParameterError, match=r"'w' is ordinal, .* have no mean"):
        run(Plan(k=4, aggregations={"w": "mean"}), table)


# Weights


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), min_size=4, max_size=8)
)
def test_the_bound_holds_for_every_weighted_partition(
    rows: list[tuple[int, int]],
) -> None:
    values = np.array([value for value, _ in rows], dtype=float)
    weights = np.array([weight for _, weight in rows], dtype=float)
    table = table_of(x=values, w=weights).assign(roles={"w": "weight"})
    bound = run(Plan(k=2, scaling="none"), table).bound.per_cent
    sst = (weights * (values - np.average(values, weights=weights)) ** 2).sum()
    if sst == 0:
        return
    for cuts in itertools.product([0, 1], repeat=len(values)):
        labels = np.array(cuts)
        if {0, 1} == set(cuts) and np.bincount(labels).min() >= 2:
            sse = 0.0
            for g in (0, 1):
                x, w = values[labels == g], weights[labels == g]
                sse += (w * (x - np.average(x, weights=w)) ** 2).sum()
            assert bound <= 100 * sse / sst + 1e-9


# Strata


def stratified(sizes: dict[str, int]) -> Table:
    names = [name for name, size in sizes.items() for _ in range(size)]
    columns = draw(len(names))
    return table_of(**columns, region=names).assign(
        roles={"region": "other"}, kinds={"region": "nominal"}
    )


def test_small_strata_are_named_or_protected_together() -> None:
    table = stratified({"north": 20, "east": 2, "south": 9, "west": 2})
    with pytest.raises(InfeasibleError, match=r"'east' .* 2 records.*2 strata"):
        run(Plan(k=4, strata="region"), table)
    outcome = run(Plan(k=4, strata="region", small_strata="merge"), table)
    assert any("'east', 'west'" in text for text in outcome.warnings)
    regions = table.frame["region"].replace("west", "east").to_numpy()
    for g in range(outcome.partition.n_groups):
        assert len(set(regions[outcome.partition.members(g)])) == 1


def test_too_few_even_together_join_the_smallest_of_the_others() -> None:
    table = stratified({"north": 20, "east": 1, "south": 9, "west": 2})
    outcome = run(Plan(k=4, strata="region", small_strata="merge"), table)
    assert any("'east', 'west', 'south'" in text for text in outcome.warnings)
    assert outcome.partition.sizes.min() >= 4


# Blocks of attributes


def test_blocks_are_grouped_apart_and_say_what_that_does_to_k() -> None:
    table = table_of(**draw(60))
    outcome = run(Plan(k=5, blocks=(("a", "b"),)), table)
    assert outcome.plan.blocks == (("a", "b"), ("c",))
    released = outcome.release.frame
    assert least_class(released, ["a", "b"]) >= 5
    assert least_class(released, ["c"]) >= 5
    assert outcome.k_released == least_class(released, ["a", "b", "c"])
    assert any("grouped apart: k-anonymity" in text for text in outcome.warnings)
    joint_outcome = run(Plan(k=5), table)
    assert outcome.bound.per_cent <= outcome.information_loss
    assert outcome.information_loss < joint_outcome.information_loss


def test_one_block_of_everything_is_no_block() -> None:
    table = table_of(**draw(30))
    plain = run(Plan(k=3), table)
    blocked = run(Plan(k=3, blocks=(("a", "b", "c"),)), table)
    assert blocked.k_verified
    pd.testing.assert_frame_equal(plain.release.frame, blocked.release.frame)


def test_a_block_that_names_a_column_twice_or_another_one_is_refused() -> None:
    with pytest.raises(ParameterError, match="'a' is in two blocks"):
        Plan(blocks=(("a", "b"), ("a",)))
    with pytest.raises(ParameterError, match="a block to 'z', which is not a quasi"):
        run(Plan(k=3, blocks=(("a", "z"),)), table_of(**draw(9)))


# Missing values that stay


def test_a_missing_value_matches_only_a_missing_value() -> None:
    columns = draw(60)
    b = columns["b"].copy()
    b[::7] = np.nan
    table = table_of(**{**columns, "b": b})
    outcome = run(Plan(k=4, missing="keep"), table)
    released = outcome.release.frame
    np.testing.assert_array_equal(released["b"].isna(), np.isnan(b))
    assert outcome.k_verified
    for g in range(outcome.partition.n_groups):
        assert len(set(np.isnan(b[outcome.partition.members(g)]))) == 1
    assert outcome.bound.per_cent <= outcome.information_loss


@pytest.mark.parametrize("scaling", ["zscore", "range", "none"])
@pytest.mark.parametrize("weighted", [False, True])
def test_cells_that_stay_missing_have_no_part_in_the_loss(
    scaling: str, weighted: bool
) -> None:
    rng = np.random.default_rng(6)
    b = rng.lognormal(5, 1, 60)
    b[::5] = np.nan
    w = rng.uniform(1, 9, 60) if weighted else np.ones(60)
    plan = Plan(
        k=3,
        missing="keep",
        scaling=scaling,
        quasi_identifiers=("b",),
        weights="w" if weighted else None,
    )
    outcome = run(plan, table_of(b=b, w=w))
    present_mask = ~np.isnan(b)
    released = outcome.release.frame["b"].to_numpy()[present_mask]
    mean = np.average(b[present_mask], weights=w[present_mask])
    sse = w[present_mask] @ np.square(b[present_mask] - released)
    sst = w[present_mask] @ np.square(b[present_mask] - mean)
    assert outcome.information_loss == pytest.approx(100 * sse / sst, rel=1e-9)
    assert 0 < outcome.bound.per_cent <= outcome.information_loss


def test_too_few_records_that_lack_the_same_are_named() -> None:
    columns = draw(30)
    b = columns["b"].copy()
    b[[3, 5]] = np.nan
    with pytest.raises(InfeasibleError, match="only 2 records lack exactly 'b'"):
        run(Plan(k=3, missing="keep"), table_of(**{**columns, "b": b}))


def test_integers_with_kept_holes_stay_integers() -> None:
    a = pd.array([1, 2, 3, None, None, None, 50, 51, 52], dtype="Int64")
    released = run(Plan(k=3, missing="keep"), table_of(a=a, b=range(9))).release.frame
    assert released["a"].dtype == "Int64"
    assert released["a"].isna().tolist() == [False] * 3 + [True] * 3 + [False] * 3


def test_each_column_s_missing_values_are_its_own_choice() -> None:
    columns = {name: values.astype(float) for name, values in draw(40).items()}
    for j, name in enumerate("abc"):
        columns[name][5 * j : 5 * j + 5] = np.nan
    plan = Plan(
        k=3, missing="drop", missing_columns={"b": "keep", "c": "median"}, seed=1
    )
    outcome = run(plan, table_of(**columns))
    assert outcome.partition.n_records == 35
    assert outcome.release.frame["b"].isna().sum() == 5
    assert outcome.release.frame["c"].notna().all()


# Kinds


def test_categories_are_grouped_and_measured_with_numbers() -> None:
    table = table_of(**draw(20), sex=["f", "m"] * 10).assign(kinds={"sex": "nominal"})
    outcome = run(Plan(k=3), table)
    assert outcome.k_verified
    assert "sex" in outcome.scores["information-loss"].per_column
    assert outcome.release.frame["sex"].isin(["f", "m"]).all()


def test_a_plan_s_kinds_and_hierarchies_prevail_over_the_table_s() -> None:
    table = table_of(grade=["b", "a", "c", "b", "a", "c"]).assign(
        kinds={"grade": "nominal"}
    )
    order = (("c", "*"), ("b", "*"), ("a", "*"))
    plan = Plan(k=3, kinds={"grade": "ordinal"}, hierarchies={"grade": order})
    outcome = run(plan, table)
    assert set(outcome.release.frame["grade"]) <= {"a", "b", "c"}
    assert Plan.from_json(outcome.plan.to_json()) == outcome.plan
    assert Hierarchy(outcome.plan.hierarchies["grade"]).leaves == ("c", "b", "a")


def test_codes_of_digits_with_a_hierarchy_are_never_averaged() -> None:
    codes = np.random.default_rng(3).choice([4350, 4351, 6201, 6209], 60)
    table = read_table(pd.DataFrame({"code": codes, "x": draw()["b"]}))
    rows = tuple((str(code), f"{code // 100}**", "*") for code in np.unique(codes))
    plan = Plan(k=5, quasi_identifiers=("code", "x"))
    numbers = run(plan, table).release.frame["code"]
    coded = run(plan.replace(hierarchies={"code": rows}), table).release.frame["code"]
    assert not numbers.isin(codes).all()  # named without a hierarchy, they are amounts
    assert set(map(str, coded)) <= {label for row in rows for label in row}


def test_choices_for_columns_that_are_not_protected_are_refused() -> None:
    table = table_of(**draw(9)).assign(roles={"c": "other"})
    for choice in (
        {"kinds": {"c": "ordinal"}},
        {"aggregations": {"c": "mode"}},
        {"missing_columns": {"c": "drop"}},
        {"hierarchies": {"c": (("1", "*"),)}},
    ):
        with pytest.raises(ParameterError, match="'c', which is not a quasi-identi"):
            run(Plan(k=3, **choice), table)
