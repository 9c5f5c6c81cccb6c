"""From plan and table to outcome: what is promised holds on the released values."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.context import SILENT, RunContext
from engine.core.errors import InfeasibleError, InputError, ParameterError
from engine.data.table import Table
from engine.files import read_table
from engine.methods.search import annealing, iterated
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.planning.cost import expected_seconds
from engine.pipeline.run import run


def make_table(n: int = 40, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "income": np.round(rng.lognormal(8, 1, n), 2),
            "region": rng.choice(["north", "south"], n),
        },
        index=np.arange(n) * 10 + 7,
    )
    return read_table(frame).assign(
        roles={
            "name": "identifier",
            "age": "quasi-identifier",
            "income": "quasi-identifier",
            "region": "other",
        }
    )


def least_class(frame: pd.DataFrame, columns: list[str]) -> int:
    return int(frame.groupby(columns, dropna=False).size().min())


def test_the_release_keeps_rows_index_and_other_columns() -> None:
    table = make_table()
    release = run(Plan(k=4), table).release.frame
    assert list(release.columns) == ["age", "income", "region"]
    pd.testing.assert_index_equal(release.index, table.frame.index)
    pd.testing.assert_series_equal(release["region"], table.frame["region"])


@pytest.mark.parametrize("aggregation", ["mean", "median", "mode"])
@pytest.mark.parametrize("scaling", ["zscore", "range", "none"])
def test_every_released_combination_occurs_at_least_k_times(
    aggregation: str, scaling: str
) -> None:
    outcome = run(Plan(k=4, aggregation=aggregation, scaling=scaling), make_table())
    assert least_class(outcome.release.frame, ["age", "income"]) >= 4
    assert outcome.k_released == least_class(outcome.release.frame, ["age", "income"])
    assert outcome.k_verified


def test_mean_aggregation_keeps_column_means_and_loses_least() -> None:
    table = make_table()
    mean = run(Plan(k=4, rounding="none"), table)
    pd.testing.assert_series_equal(
        mean.release.frame[["age", "income"]].mean(),
        table.frame[["age", "income"]].mean(),
    )
    median = run(Plan(k=4, aggregation="median"), table)
    assert mean.information_loss <= median.information_loss


def test_same_plan_same_table_same_bytes() -> None:
    first, second = (run(Plan(k=3), make_table()) for _ in range(2))
    assert first.release.frame.to_csv() == second.release.frame.to_csv()
    assert first.fingerprint == second.fingerprint


def test_the_input_is_not_touched() -> None:
    table = make_table()
    before = table.frame.copy(deep=True)
    run(Plan(k=3), table)
    pd.testing.assert_frame_equal(table.frame, before)


def test_numbers_come_back_in_the_decimals_of_their_column() -> None:
    table = make_table()
    outcome = run(Plan(k=3), table)
    exact = run(Plan(k=3, rounding="none"), table)
    assert outcome.release.frame["age"].dtype == table.frame["age"].dtype
    assert exact.release.frame["age"].dtype == np.float64
    np.testing.assert_array_equal(
        outcome.release.frame["age"], np.rint(exact.release.frame["age"])
    )
    income = outcome.release.frame["income"]
    assert max(len(repr(value).partition(".")[2]) for value in income) == 2
    assert (exact.release.frame["income"] - income).abs().max() <= 0.005 + 1e-9
    assert outcome.information_loss == exact.information_loss
    released = {each: each.scores["released-loss"].value for each in (outcome, exact)}
    assert released[exact] == exact.information_loss < released[outcome]


def test_a_centre_between_two_words_becomes_the_nearer_word() -> None:
    sizes = pd.CategoricalDtype(["small", "middle", "large"], ordered=True)
    words = ["large"] * 6 + ["small"] + ["large"] * 6
    frame = pd.DataFrame({"size": pd.Series(words).astype(sizes), "x": range(13)})
    table = read_table(frame)
    parameters = {"c": 1}
    plan = Plan(method="fuzzy", quasi_identifiers=("size",), parameters=parameters)
    outcome = run(plan, table)
    assert set(outcome.release.frame["size"]) == {"large"}  # the mean rank is 1.85
    # Variation around the mean rank, and around the rank that stands in the file.
    assert outcome.information_loss == pytest.approx(100.0)
    written = outcome.scores["released-loss"].value
    assert written == pytest.approx(100 * 4 / (4 - 4 / 13))


def test_strata_of_several_columns_are_their_combinations() -> None:
    n = 60
    frame = pd.DataFrame(
        {"x": range(n), "a": ["u", "v"] * 30, "b, c": [1] * 30 + [2] * 30}
    )
    table = read_table(frame)
    for strata in ('a,"b, c"', ' a , "b, c" '):
        outcome = run(Plan(k=4, quasi_identifiers=("x",), strata=strata), table)
        groups = frame.groupby(outcome.partition.labels)
        assert (groups["a"].nunique() == 1).all()
        assert (groups["b, c"].nunique() == 1).all()
    single_outcome = run(Plan(k=4, quasi_identifiers=("x",), strata="b, c"), table)
    assert (frame.groupby(single_outcome.partition.labels)["a"].nunique() == 2).any()
    with pytest.raises(InfeasibleError, match="Stratum 'u, 1'"):
        run(Plan(k=16, quasi_identifiers=("x",), strata='a,"b, c"'), table)
    with pytest.raises(ParameterError, match="'d'"):
        run(Plan(k=4, quasi_identifiers=("x",), strata="a,d"), table)


def test_missing_values_are_refused_dropped_or_filled_as_chosen() -> None:
    table = make_table()
    frame = table.frame.astype({"age": "float64"})
    frame.iloc[[3, 8], 1] = np.nan
    holed = Table.from_frame(frame, table.schema)
    with pytest.raises(InputError, match=r"'age' 2 \(first in record 4\)"):
        run(Plan(k=3), holed)
    dropped = run(Plan(k=3, missing="drop"), holed)
    assert dropped.partition.n_records == 38
    assert not set(frame.index[[3, 8]]) & set(dropped.release.frame.index)
    groups = dropped.groups(40)
    assert [i for i, group in enumerate(groups) if group is None] == [3, 8]
    assert any("dropped" in text for text in dropped.warnings)
    for way in ("median", "mode"):
        filled = run(Plan(k=3, missing=way), holed)
        assert filled.partition.n_records == 40
        assert filled.release.frame["age"].notna().all()
        assert any(way in text for text in filled.warnings)


def test_a_missing_value_never_biases_a_mean() -> None:
    # Another tool averages 10 20 NA 30 40 to 20 because it counts the hole.
    table = read_table(pd.DataFrame({"x": [10.0, 20.0, np.nan, 30.0, 40.0]})).assign(
        roles={"x": "quasi-identifier"}, kinds={"x": "continuous"}
    )
    outcome = run(Plan(k=4, missing="drop"), table)
    np.testing.assert_array_equal(outcome.release.frame["x"], [25.0] * 4)


def test_minus_999_is_a_value() -> None:
    table = read_table(pd.DataFrame({"x": [-999.0, -999.0, 1.0, 1.0]})).assign(
        roles={"x": "quasi-identifier"}, kinds={"x": "continuous"}
    )
    released = run(Plan(k=2), table).release.frame["x"]
    np.testing.assert_array_equal(released, [-999.0, -999.0, 1.0, 1.0])


def test_a_small_k_and_a_constant_column_are_only_warnings() -> None:
    frame = make_table().frame.assign(age=5)
    table = Table.from_frame(frame, make_table().schema)
    warnings = run(Plan(k=2), table).warnings
    assert any("'age' is constant" in text for text in warnings)
    assert any("k = 2 is below 3" in text for text in warnings)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=14),
    st.integers(2, 3),
    st.sampled_from(["zscore", "range", "none"]),
)
def test_k_holds_on_any_small_table_with_ties(
    rows: list[tuple[int, int]], k: int, scaling: str
) -> None:
    frame = pd.DataFrame(rows, columns=["a", "b"])
    table = read_table(frame).assign(
        roles={"a": "quasi-identifier", "b": "quasi-identifier"},
        kinds={"a": "continuous", "b": "continuous"},
    )
    outcome = run(Plan(k=k, scaling=scaling), table)
    assert least_class(outcome.release.frame, ["a", "b"]) >= k
    assert outcome.bound.per_cent <= outcome.information_loss + 1e-12
    assert 0.0 <= outcome.information_loss <= 100.0 + 1e-9


def search(table: Table, ctx: RunContext = SILENT, **choices: object) -> Outcome:
    parameters = {"seconds": 60.0}
    return run(Plan(method="iterated", parameters=parameters, **choices), table, ctx)


def test_polishing_stays_inside_strata() -> None:
    table = make_table(60)
    outcome = run(Plan(k=3, strata="region", polish=True), table)
    regions = table.frame["region"].to_numpy()
    for group in range(outcome.partition.n_groups):
        assert len(set(regions[outcome.partition.labels == group])) == 1


def test_a_search_that_is_enough_ends_with_the_best_so_far_and_says_so() -> None:
    table = make_table(80)
    asked = 0

    def enough() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    outcome = search(table, RunContext(enough=enough))
    assert outcome.k_verified
    (note,) = (text for text in outcome.warnings if "stopped early" in text)
    assert f"{outcome.iterations[0]:,} steps" in note
    assert outcome.information_loss <= run(Plan(polish=True), table).information_loss
    assert outcome.information_loss == pytest.approx(outcome.trace[-1].loss)


def test_a_search_by_the_clock_is_repeated_by_its_steps() -> None:
    table = make_table(80)
    ticks: list[float] = []
    first = search(
        table,
        RunContext(lambda share, _: ticks.append(share), enough=lambda: len(ticks) > 9),
    )
    second_outcome = run(first.repeatable_plan, table)
    np.testing.assert_array_equal(
        second_outcome.partition.labels, first.partition.labels
    )
    assert second_outcome.iterations == first.iterations
    assert not any("stopped early" in text for text in second_outcome.warnings)
    assert run(Plan(), table).repeatable_plan == run(Plan(), table).plan


def test_a_search_is_a_curve_that_comes_down_to_its_loss() -> None:
    table = make_table(80)
    events: list[tuple[str, float]] = []
    ctx = RunContext(hear=lambda name, value: events.append((name, value)))
    plan = Plan(method="iterated", parameters={"iterations": 2000})
    outcome = run(plan, table, ctx)
    names = [name for name, _ in events if name != "distances"]
    assert names[:3] == ["sst", "bound", "sse"]
    losses = [point.loss for point in outcome.trace if point.loss is not None]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == pytest.approx(outcome.information_loss)
    assert {point.bound for point in outcome.trace} == {outcome.bound.per_cent}
    assert run(Plan(), table).trace == ()


def test_a_search_in_strata_has_no_curve_of_the_whole() -> None:
    event_names: list[str] = []
    ctx = RunContext(hear=lambda name, _: event_names.append(name))
    plan = Plan(method="iterated", parameters={"iterations": 100}, strata="region")
    outcome = run(plan, make_table(60), ctx)
    assert outcome.trace == ()
    assert "sst" not in event_names
    assert len(outcome.iterations) == 2
    assert outcome.repeatable_plan == outcome.plan


def test_the_seconds_of_a_search_are_shared_by_the_strata(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[float] = []

    class Clock:
        """Goes on by a hundredth of a second whenever somebody looks."""

        @staticmethod
        def perf_counter() -> float:
            read.append(0.01)
            return 0.01 * len(read)

    for module in (annealing, iterated):
        monkeypatch.setattr(module, "time", Clock)
    table = make_table(400)  # too many for the search to end by itself
    plan = Plan(method="iterated", parameters={"seconds": 1.0}, strata="region")
    outcome = run(plan, table)
    assert len(outcome.iterations) == 2
    assert 0.9 < sum(read) < 1.2
    assert expected_seconds(plan, table) == 1.0


@pytest.mark.parametrize(
    ("choices", "needed", "remedy"),
    [
        ({"polish_for": "release"}, "--polish", {"polish": True}),
        (
            {"suppress_by": "person", "person": ("name",)},
            "--suppress",
            {"suppress": 0.1},
        ),
        ({"intruder_knows": "all"}, "--person", {"person": ("name",)}),
        ({"small_strata": "merge"}, "--strata", {"strata": ("region",)}),
        (
            {"interval_columns": True},
            "--aggregation interval",
            {"aggregations": {"age": "interval"}},
        ),
    ],
)
def test_a_choice_that_changes_nothing_without_another_is_said(
    choices: dict[str, object], needed: str, remedy: dict[str, object]
) -> None:
    def said(**more: object) -> list[str]:
        outcome = run(Plan(method="mdav", k=3, **{**choices, **more}), make_table())
        return [
            warning for warning in outcome.warnings if "changes nothing here" in warning
        ]

    (idle,) = said()
    assert f"needs {needed}." in idle
    assert said(**remedy) == []


@pytest.mark.parametrize("of_arrow", [True, False])
def test_decimals_are_averaged_and_stay_decimals(of_arrow: bool) -> None:
    amounts = [Decimal("1.10"), Decimal("2.25"), None, Decimal("4.00"), Decimal("9.05")]
    decimals = pd.ArrowDtype(pa.decimal128(5, 2))
    frame = pd.DataFrame({"age": [1, 2, 3, 4, 5]}).assign(
        pay=pd.Series(amounts, dtype=decimals if of_arrow else object)
    )
    choices = {"quasi_identifiers": ("age", "pay"), "method": "mdav", "k": 2}
    released = run(Plan(**choices, missing="median"), read_table(frame)).release.frame
    assert pa.types.is_decimal(released["pay"].dtype.pyarrow_dtype)
    assert least_class(released, ["age", "pay"]) >= 2
    # With more digits than the type has they are floats, as means of whole numbers are.
    wide = run(Plan(**choices, missing="median", rounding="none"), read_table(frame))
    assert wide.release.frame["pay"].dtype == np.float64
    assert round(wide.release.frame["pay"].sum(), 9) == pytest.approx(19.525)


def test_decimals_that_no_type_of_arrow_holds_stay_as_they_are() -> None:
    frame = pd.DataFrame({"x": [Decimal("Infinity"), Decimal(1)], "y": [1, 2]})
    assert read_table(frame).frame["x"].dtype == object


@pytest.mark.parametrize("dtype", ["bool", "boolean"])
@pytest.mark.parametrize("kind", ["nominal", "ordinal", "continuous"])
def test_truth_values_stay_such(dtype: str, kind: str) -> None:
    frame = pd.DataFrame({"age": range(12), "ill": [True, False, True] * 4})
    frame["ill"] = frame["ill"].astype(dtype)
    plan = Plan(quasi_identifiers=("age", "ill"), kinds={"ill": kind}, k=3)
    released = run(plan, read_table(frame)).release.frame
    assert released["ill"].dtype == frame["ill"].dtype
    assert set(released["ill"]) <= {True, False}
