"""Why scaling decides the figures: shares, losses, and what is printed."""

import numpy as np
import pytest

from dashboard.learn.lessons import scaling
from engine import Plan, run
from engine.analysis import literature
from engine.files import read_table
from tests import casc


@pytest.mark.parametrize("scale", ["none", "zscore"])
def test_losses_are_those_of_ordinary_runs(scale):
    table = scaling.default_scaling_table()
    now = scaling.compare_methods_on_scaling(table, scale)
    names = scaling.lesson_quasi_identifiers(table)
    for method in scaling.SCALING_METHODS:
        plan = Plan(
            method=method, k=scaling.SCALING_K, scaling=scale, quasi_identifiers=names
        )
        outcome = run(plan, table)
        assert now.losses[method] == outcome.information_loss


def test_raw_shares_are_variances_and_standardised_ones_are_equal():
    table = scaling.default_scaling_table()
    names = scaling.lesson_quasi_identifiers(table)
    variances = table.frame[list(names)].var(ddof=0)
    raw, even = (
        scaling.compare_methods_on_scaling(table, scale).shares
        for scale in ("none", "zscore")
    )
    assert tuple(raw) == tuple(even) == names
    np.testing.assert_allclose(
        list(raw.values()), 100.0 * variances / variances.sum(), rtol=1e-9
    )
    np.testing.assert_allclose(list(even.values()), 100.0 / len(names))


def test_the_sample_shows_what_the_printed_columns_show():
    """Across scalings one loses a third of the other; on one they are alike."""
    raw, even = (
        scaling.compare_methods_on_scaling(scaling.default_scaling_table(), scale)
        for scale in ("none", "zscore")
    )
    usual, other = scaling.SCALING_METHODS
    printed = scaling.printed_cells_by_method(scaling.DEFAULT_DATASET)
    assert printed[other].value < printed[usual].value / 2
    assert raw.losses[other] < even.losses[usual] / 2
    for now in (raw, even):
        assert now.losses[other] == pytest.approx(now.losses[usual], rel=0.1)


def test_a_weighted_column_counts_more_and_loses_less():
    table = scaling.default_scaling_table()
    even, heavy = (
        scaling.compare_methods_on_scaling(table, scale)
        for scale in ("zscore", scaling.WEIGHTED_SCALING)
    )
    first = scaling.lesson_quasi_identifiers(table)[0]
    assert max(heavy.shares, key=heavy.shares.get) == first
    assert heavy.shares[first] > 2 * even.shares[first]
    weights = {first: scaling.COLUMN_WEIGHT}
    names = scaling.lesson_quasi_identifiers(table)
    plain = Plan(method="mdav1", k=scaling.SCALING_K, quasi_identifiers=names)
    lost = [
        run(plan, table).scores["information-loss"].per_column[first]
        for plan in (plain, plain.replace(attribute_weights=weights))
    ]
    assert lost[1] < lost[0]


@pytest.mark.parametrize("dataset", [None, *literature.DATASET_SHAPES])
def test_what_the_lesson_claims_is_so_in_every_table(dataset):
    """Few columns decide the raw loss; a weight spares one column, others pay."""
    table = (
        read_table(casc.path(dataset)) if dataset else scaling.default_scaling_table()
    )
    raw, even, heavy = (
        scaling.compare_methods_on_scaling(table, one)
        for one in scaling.LESSON_SCALINGS
    )
    share, lost = raw.shares_of(raw.decisive_columns)
    assert share > 50.0
    assert lost > 100.0 * len(raw.decisive_columns) / len(raw.shares)
    assert len(raw.decisive_columns) < len(raw.shares) / 2
    assert raw.shares_of(raw.decisive_columns[:-1])[0] <= 50.0
    assert raw.shares_of(raw.shares) == pytest.approx((100.0, 100.0))
    first, *others = heavy.shares
    assert heavy.lost[first] < even.lost[first]
    assert max(heavy.lost[name] - even.lost[name] for name in others) > 0.0


@pytest.mark.parametrize("dataset", literature.DATASET_SHAPES)
def test_printed_cells_are_there_for_both_tables(dataset):
    cells = scaling.printed_cells_by_method(dataset)
    assert tuple(cells) == scaling.SCALING_METHODS
    assert all(cell.k == scaling.SCALING_K for cell in cells.values())


@pytest.mark.parametrize("dataset", literature.DATASET_SHAPES)
def test_a_copy_gives_the_printed_figures_each_on_its_scaling(dataset):
    table = read_table(casc.path(dataset))
    assert scaling.published_dataset_or_default(table) == dataset
    raw, even = (
        scaling.compare_methods_on_scaling(table, scale) for scale in ("none", "zscore")
    )
    usual, other = scaling.printed_cells_by_method(dataset).values()
    assert casc.printed(even.losses[usual.method], usual.text) == usual.text
    assert raw.losses[other.method] == pytest.approx(other.value, rel=0.05)
    assert even.losses[other.method] > 1.5 * other.value
