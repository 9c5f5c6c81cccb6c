"""Two results beside each other: true to both releases, and to the original."""

import numpy as np
import pandas as pd
import pytest

from dashboard.app_pages.compare.pinned.two_figures import (
    compare_shared_measures,
    list_differing_choices,
)
from dashboard.app_pages.compare.pinned.two_results import (
    MAX_CATEGORIES,
    category_distribution,
    compare_two_outcomes,
    count_records_grouped_alike,
    numeric_distribution,
)
from dashboard.state.results.requested import requested_outcomes
from engine.hierarchy import flat_hierarchy
from engine.measures import measures
from engine.measures.before_after.numbers import NumericPair
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of
from tests.dashboard.pages import small_table, with_runs


@pytest.fixture(scope="module")
def ws():
    return with_runs(small_table())


def numbers(before, after):
    before, after = np.asarray(before, float), np.asarray(after, float)
    return NumericPair("a", before, after, np.full(before.size, 1.0 / before.size))


def partition_of(outcome):
    return {frozenset(rows) for rows in groups_of(outcome)}


def groups_of(outcome):
    labels = outcome.partition.labels
    return [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]


def test_a_result_beside_itself_differs_in_nothing(ws):
    outcome = requested_outcomes(ws)[0]
    alike = count_records_grouped_alike(outcome, outcome)
    assert alike.same == alike.records == 60
    assert alike.kept == (1.0, 1.0)
    assert all(
        figure.better is None for figure in compare_shared_measures(outcome, outcome)
    )
    assert list_differing_choices(outcome.plan, outcome.plan) == []
    comparison = compare_two_outcomes(outcome, outcome, ws.table)
    for spread in comparison.spreads:
        np.testing.assert_array_equal(spread.shares[1], spread.shares[2])
    np.testing.assert_array_equal(*comparison.correlations.changes)


@pytest.mark.parametrize("name", choice_infos_of(Plan))
def test_plans_that_differ_in_one_choice_are_not_shown_as_the_same(name):
    if choice_infos_of(Plan)[name].shown == "methods" or name == "polish":
        return  # the results' names say it
    usual = Plan.model_fields[name].get_default(call_default_factory=True)
    others = {dict: {"size": 7}, tuple: ("size",), bool: not usual, int: 7, float: 7.0}
    listed = usual is None and "tuple" in str(Plan.model_fields[name].annotation)
    other = others.get(tuple if listed else type(usual), "region")
    changed = Plan.model_construct(**{name: other})
    ((base_choice, changed_choice),) = list_differing_choices(Plan(), changed)
    assert base_choice != changed_choice
    assert list_differing_choices(changed, Plan()) == [(changed_choice, base_choice)]


def test_what_has_been_worked_out_of_a_plan_is_no_choice():
    plans = Plan(scaling="range"), Plan()
    hash(plans[0])  # works its digest out, and keeps it
    assert list_differing_choices(*plans) == [("scaling: range", "scaling: z-score")]


def test_long_choices_that_are_cut_short_are_named(ws):
    leaves = [str(number) for number in range(99)]
    trees = [flat_hierarchy(leaves), flat_hierarchy([*leaves, "99"])]
    plans = [Plan(hierarchies={"size": tree.rows}) for tree in trees]
    assert list_differing_choices(*plans) == [
        ("hierarchy of size", "hierarchy of size")
    ]


def test_companions_are_counted_as_one_counts_by_hand(ws):
    outcome, other = requested_outcomes(ws)[0], requested_outcomes(ws)[3]
    a, b = partition_of(outcome), partition_of(other)
    same = sum(len(group) for group in a & b)

    def pairs(groups):
        return {(i, j) for g in groups for i in g for j in g if i < j}

    both = len(pairs(a) & pairs(b))
    counts = count_records_grouped_alike(outcome, other)
    assert counts.same == same
    assert counts.kept == pytest.approx((both / len(pairs(a)), both / len(pairs(b))))


def test_records_that_one_result_leaves_out_are_not_compared():
    ws = with_runs(small_table(missing=2), missing="drop", methods=("mdav",))
    outcome, other = requested_outcomes(ws)
    assert count_records_grouped_alike(outcome, other).records == 58


def test_every_record_is_counted_also_those_far_out():
    values = np.append(np.linspace(0.0, 1.0, 400), 1e6)
    spread = numeric_distribution(
        numbers(values, values), numbers(values, values * 0.0)
    )
    for shares in spread.shares:
        assert shares.sum() == pytest.approx(100.0)
    # The far record does not decide the intervals.
    assert spread.places.max() < 2.0
    assert spread.shares[2][0] == pytest.approx(100.0)


def test_few_whole_numbers_have_a_bar_each():
    spread = numeric_distribution(
        numbers([1, 2, 2, 3], [2, 2, 2, 2]), numbers([1, 2, 2, 3], [1, 2, 3, 3])
    )
    assert spread.places.tolist() == [1.0, 2.0, 3.0]
    assert spread.shares[0].tolist() == [25.0, 50.0, 25.0]
    assert spread.shares[1].tolist() == [0.0, 100.0, 0.0]
    assert spread.shares[2].tolist() == [25.0, 25.0, 50.0]


def test_a_constant_column_can_be_shown():
    spread = numeric_distribution(
        numbers([2.5] * 4, [2.5] * 4), numbers([2.5] * 4, [2.5] * 4)
    )
    for shares in spread.shares:
        assert shares.sum() == pytest.approx(100.0)


def test_categories_are_counted_with_the_rare_ones_together():
    before = pd.Series(
        [f"c{number}" for number in range(40) for _ in range(40 - number)]
    )
    after = pd.Series(["c0"] * len(before))
    missing = before.where(before != "c0")
    spread = category_distribution("a", before, after, missing)
    assert len(spread.labels) == MAX_CATEGORIES + 1
    assert spread.places is None
    for shares in spread.shares:
        assert shares.sum() == pytest.approx(100.0)
    assert spread.shares[1][spread.labels.index("c0")] == 100.0
    assert spread.shares[2][spread.labels.index("missing")] == pytest.approx(
        100.0 * 40 / len(before)
    )


def test_correlations_move_as_the_release_says(ws):
    first_outcome, other = requested_outcomes(ws)[0], requested_outcomes(ws)[3]
    correlations = compare_two_outcomes(first_outcome, other, ws.table).correlations
    original = ws.table.frame[list(correlations.names)].corr().to_numpy()
    np.testing.assert_allclose(correlations.before, original)
    for change, outcome in zip(
        correlations.changes, (first_outcome, other), strict=True
    ):
        after = outcome.release.frame[list(correlations.names)].corr().to_numpy()
        np.testing.assert_allclose(change, after - original, atol=1e-12)


def test_the_better_figure_is_marked_by_its_direction():
    ws = with_runs(small_table(), methods=("mdav",), sizes=(3, 20))
    small, large = requested_outcomes(ws)
    better = {
        figure.title: figure.better for figure in compare_shared_measures(small, large)
    }
    assert better["Information loss (IL)"] == 0
    assert better[measures.info("k-anonymity").title] == 1
    turned = {
        figure.title: figure.better for figure in compare_shared_measures(large, small)
    }
    assert turned["Information loss (IL)"] == 1
    assert turned[measures.info("k-anonymity").title] == 0


def test_losses_on_two_scalings_are_not_set_against_each_other():
    table = small_table()
    outcome = requested_outcomes(with_runs(table, methods=("mdav",), sizes=(3,)))[0]
    other = requested_outcomes(
        with_runs(table, methods=("mdav",), sizes=(3,), scaling="range")
    )[0]
    better = {
        figure.title: figure.better
        for figure in compare_shared_measures(outcome, other)
    }
    assert better["Information loss (IL)"] is None
    assert ("scaling: z-score", "scaling: range") in list_differing_choices(
        outcome.plan, other.plan
    )


def test_losses_by_other_distances_are_not_set_against_each_other():
    table = small_table()
    plain, heavy = (
        requested_outcomes(with_runs(table, methods=("mdav",), sizes=(3,), **more))[0]
        for more in ({}, {"attribute_weights": {"size": 3.0}})
    )
    better = {
        figure.title: figure.better for figure in compare_shared_measures(plain, heavy)
    }
    assert better["Information loss (IL)"] is None


def test_mixed_attributes_are_all_there():
    table = small_table().assign(roles={"region": "quasi-identifier"})
    ws = with_runs(table, methods=("caat", "mdav-mixed"), sizes=(3,))
    comparison = compare_two_outcomes(*requested_outcomes(ws), table)
    kinds = {spread.name: spread.places is None for spread in comparison.spreads}
    assert kinds == {"size": False, "sales": False, "region": True}
    assert comparison.correlations.names == ("size", "sales")
    region = next(
        column_spread
        for column_spread in comparison.spreads
        if column_spread.name == "region"
    )
    counted = table.frame["region"].value_counts(normalize=True)
    for label, share in zip(region.labels, region.shares[0], strict=True):
        assert share == pytest.approx(100.0 * counted.get(label, 0.0))
