"""Facts: what pages, charts and tables say is what the outcome says."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dashboard.app_pages.compare.tables import (
    all_results_table,
    group_centre_table,
    group_size_table,
    loss_by_k_table,
    penalty_by_k_table,
)
from dashboard.results.digits import format_short
from dashboard.results.figures import (
    figures_with_best_bounds,
    loss_text,
    optimality_text_or_none,
    outcomes_and_failures,
    plan_title,
    result_figures,
    series_id_of_plan,
)
from dashboard.results.group_views import make_group_view, mean_group_costs
from dashboard.results.planes import RecordPlane, component_axis
from engine.core.numerics.principal import principal_components
from engine.core.typing import Values
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.pipeline.compare import Failure, compare, grid
from engine.pipeline.grouping.prepare import PreparationCache
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.lognormal(size=(101, 3)), columns=["a", "b", "c"])
    columns = [Column(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in frame]
    return Table.from_frame(frame, Schema(tuple(columns)))


@pytest.fixture(scope="module")
def results(table):
    return compare(grid(Plan(method="mdav"), ["mdav", "md"], [3, 5, 500]), table)


@pytest.fixture(scope="module")
def rows(results):
    return figures_with_best_bounds(outcomes_and_failures(results)[0])


def test_what_failed_is_kept_apart_with_its_reason(results):
    outcomes, failures = outcomes_and_failures(results)
    assert len(outcomes) == 4
    assert all(isinstance(failure, Failure) for failure in failures)
    assert all("fewer than k = 500" in failure.message for failure in failures)


def test_sizes_add_up_to_all_records(rows):
    for row in rows:
        assert row.n_records == 101
        assert min(row.sizes) >= row.k


def test_the_table_has_one_line_per_result_least_loss_first(rows):
    frame = all_results_table(rows)
    assert len(frame) == len(rows)
    for _, part in frame.groupby("k"):
        assert part["IL (%)"].is_monotonic_increasing
    assert (frame["Lower bound (%)"] <= frame["IL (%)"]).all()
    assert set(frame["Scaling"]) == {"Z-score"}


def test_the_loss_table_repeats_the_figures_of_the_chart(rows):
    frame = loss_by_k_table(rows).set_index("Method")
    for row in rows:
        assert frame.loc[row.title, f"k = {row.k}"] == row.loss
        assert frame.loc["Lower bound", f"k = {row.k}"] == row.bound


def test_the_size_table_counts_every_group(rows):
    frame = group_size_table(rows)
    assert (frame["Group size"] * frame["Groups"]).sum() == 101 * len(rows)


def test_a_title_names_parameters_that_are_not_the_default():
    plan = Plan(method="mdav")
    assert plan_title(plan) == "MDAV"
    plan = Plan(method="vmdav", parameters={"gamma": 0.5}, polish=True)
    assert plan_title(plan).startswith("V-MDAV, polished (")
    assert series_id_of_plan(plan) == "vmdav, polished"


def plane(outcome: Outcome, table: Table) -> RecordPlane:
    X = PreparationCache(table).get(outcome.plan).points.X
    components = principal_components(X)
    return RecordPlane(component_axis(components, 0), component_axis(components, 1))


def costs(outcome: Outcome) -> Values:
    return np.ones(outcome.partition.n_groups)


def test_groups_cost_together_what_the_result_loses(results, table):
    outcome = outcomes_and_failures(results)[0][0]
    X = PreparationCache(table).get(outcome.plan).points.X
    each = mean_group_costs(outcome, X)
    shares = outcome.partition.sizes / outcome.partition.n_records
    assert each @ shares == pytest.approx(outcome.information_loss)


def test_a_view_shows_every_record_below_the_limit(results, table):
    outcome = outcomes_and_failures(results)[0][0]
    view = make_group_view(outcome, plane(outcome, table), costs(outcome))
    assert not view.is_sampled
    np.testing.assert_array_equal(view.labels, outcome.partition.labels)
    frame = group_centre_table([view])
    assert frame["Records"].sum() == 101
    assert len(frame) == outcome.partition.n_groups


def test_a_sampled_view_shows_whole_groups_only(results, table):
    outcome = outcomes_and_failures(results)[0][0]
    view = make_group_view(
        outcome, plane(outcome, table), costs(outcome), max_records=40
    )
    assert view.is_sampled
    assert 30 < view.labels.size <= 40
    for group in np.unique(view.labels):
        size = outcome.partition.sizes[group]
        assert (view.labels == group).sum() == size


def test_one_group_above_the_limit_is_sampled_by_record(table):
    (outcome,) = compare([Plan(method="mdav", k=100)], table)
    view = make_group_view(
        outcome, plane(outcome, table), costs(outcome), max_records=40
    )
    assert view.labels.size == 40


def test_the_best_bound_found_for_a_k_holds_for_every_method(results):
    outcomes = outcomes_and_failures(results)[0]
    per_cent = outcomes[0].bound.per_cent + 0.001
    better = replace(outcomes[0].bound, kind="column-generation", per_cent=per_cent)
    tightened = [replace(outcomes[0], bound=better), *outcomes[1:]]
    for row in figures_with_best_bounds(tightened):
        if row.k == outcomes[0].plan.k:
            assert (row.bound, row.bound_kind) == (per_cent, "column-generation")
            assert row.gap == pytest.approx(100 * (row.loss - per_cent) / row.loss)
        else:
            assert row.bound_kind != "column-generation"


def test_what_is_avoidable_is_told_where_it_is_known_and_proven_only_where_it_is(
    results,
):
    row = result_figures(outcomes_and_failures(results)[0][0])
    text_by_share = {
        share: optimality_text_or_none(replace(row, bound=share * row.loss))
        for share in (1.0, 1.0 - 1e-8, 0.75)
    }
    assert list(text_by_share.values()) == [
        "proven best possible",
        "proven nearly best possible",
        f"no grouping can lose less than {format_short(0.75 * row.loss)} %",
    ]
    assert optimality_text_or_none(replace(row, bound=0.0)) is None
    assert optimality_text_or_none(replace(row, bound=0.0, loss=0.0)) is not None
    assert optimality_text_or_none(replace(row, bound_kind="per-attribute")) is None


def test_a_bound_per_attribute_is_not_lent_to_groups_of_whole_records(results):
    outcomes = outcomes_and_failures(results)[0]
    other = replace(outcomes[0].bound, kind="per-attribute", per_cent=99.0)
    rows = figures_with_best_bounds([replace(outcomes[0], bound=other), *outcomes[1:]])
    assert rows[0].bound == 99.0
    assert all(row.bound < 99.0 for row in rows[1:])


@pytest.fixture(scope="module")
def categories():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({n: rng.choice(list("pqr"), 60) for n in "ab"})
    columns = [Column(n, Kind.NOMINAL, Role.QUASI_IDENTIFIER) for n in frame]
    table = Table.from_frame(frame, Schema(tuple(columns)))
    plans = grid(Plan(method="caat"), ["caat", "mdav-mixed"], [3, 9])
    return outcomes_and_failures(compare(plans, table))[0]


def test_the_table_has_the_figures_of_every_measure(results):
    outcomes, _ = outcomes_and_failures(results)
    frame = all_results_table(figures_with_best_bounds(outcomes)).set_index(
        ["Method", "k"]
    )
    for outcome in outcomes:
        line = frame.loc[(plan_title(outcome.plan), outcome.plan.k)]
        assert line["NCP (%)"] == outcome.scores["certainty-penalty"].value
        assert line["DM"] == outcome.scores["discernibility"].value
        assert line["C_avg"] == outcome.scores["average-class-size"].value


def test_results_are_ranked_by_their_information_loss(results, categories):
    for outcomes in (outcomes_and_failures(results)[0], categories):
        frame = all_results_table(figures_with_best_bounds(outcomes))
        for _, part in frame.groupby("k"):
            assert part["IL (%)"].is_monotonic_increasing
        for outcome in outcomes:
            assert (
                loss_text(outcome) == f"IL {format_short(outcome.information_loss)} %"
            )


def test_categories_have_a_certainty_penalty_beside_their_loss(categories):
    rows = figures_with_best_bounds(categories)
    assert all(row.generalised for row in rows)
    frame = all_results_table(rows)
    assert frame["NCP (%)"].notna().all()


def test_the_penalty_table_repeats_the_figures_of_the_chart(categories):
    rows = figures_with_best_bounds(categories)
    frame = penalty_by_k_table(rows).set_index("Method")
    for row in rows:
        assert frame.loc[row.title, f"k = {row.k}"] == row.penalty
