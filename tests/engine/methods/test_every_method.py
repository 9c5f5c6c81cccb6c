"""What every method promises, for every method in the registry."""

import re
import tracemalloc
import warnings
from contextlib import suppress
from functools import cache
from itertools import product
from unittest import SkipTest

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.core.context import RunContext
from engine.core.errors import Cancelled, InfeasibleError, ParameterError
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.methods.base import Microaggregator, make_method, methods
from engine.points.base import Points
from tests.engine.methods.every import (
    KS,
    MANY,
    TABLES,
    assert_equals_twin,
    brief,
    by_turns,
    draw,
    every_method,
    group,
    grouped,
    guaranteed,
    larger,
    largest_allowed,
    limited,
    looks_at_all_groups,
    same_groups,
    smaller,
    sse,
    take_turns,
    twin_of,
)
from tests.properties import share_of_examples
from tests.reference.bounds import nearest_bound
from tests.reference.brute_force import least_sse, partitions

# Groups


def near_zero(table: str, X: Values) -> Values:
    """Move a table that is far from zero: the distances stay, their rounding goes."""
    return X - 1e9 if table == "far from zero" else X


@cache
def bound_of_many(table: str, k: int, n: int, p: int) -> float:
    X = np.asarray(TABLES[table](np.random.default_rng(0), n, p))
    return nearest_bound(near_zero(table, X), k)


def check_sizes(name: str, table: str, n: int, k: int) -> Labels:
    """Group the records of a table, and return the labels if sizes are as promised."""
    labels, traits = grouped(name, table, n, k), methods.info(name).traits
    assert labels.dtype == np.int64
    assert labels.shape == (n,)
    sizes = np.bincount(labels)
    assert sizes.sum() == n
    assert sizes.min() >= (k if traits.guarantees_k else 1)
    assert sizes.max() <= largest_allowed(methods.info(name), k)
    return labels


@every_method
def test_groups_have_the_promised_size(name: str) -> None:
    for table, k in product(TABLES, KS):
        for n in (k, 2 * k - 1, 2 * k, 3 * k + 1):
            check_sizes(name, table, n, k)


@every_method
@by_turns
def test_many_records_keep_sizes_and_lose_no_less_than_the_bound(
    name: str, is_first_turn: bool
) -> None:
    for table, k in take_turns(is_first_turn):
        for n in larger(name, table, k, MANY):
            labels = check_sizes(name, table, n, k)
            if methods.info(name).traits.guarantees_k:
                X = near_zero(table, draw(name, table, n))
                bound = bound_of_many(table, k, n, X.shape[1])
                assert sse(X, labels) >= bound * (1 - 1e-9)


@every_method
def test_fewer_than_2k_records_are_one_group(name: str) -> None:
    for k in KS:
        for n in (k, 2 * k - 1):
            assert not grouped(name, "scattered", n, k).any()


@every_method
def test_fewer_than_k_records_are_refused(name: str) -> None:
    for k in KS:
        with pytest.raises(InfeasibleError, match=f"fewer than k = {k}"):
            group(name, draw(name, "scattered", k - 1), k)


@every_method
def test_a_k_that_is_no_group_size_is_refused(name: str) -> None:
    X = Points.from_array(draw(name, "scattered", 20))
    for k in (1, 0, -3, 2.5, "3", True, None):
        with pytest.raises(ParameterError, match="k is"):
            methods.get(name)(k).partition(X)  # type: ignore[arg-type]


@every_method
def test_values_that_its_parameters_do_not_take_are_refused(name: str) -> None:
    for parameter in methods.info(name).parameters:
        low, high = (getattr(parameter, end, None) for end in ("low", "high"))
        outside_values = [
            end + step for end, step in ((low, -1), (high, 1)) if end is not None
        ]
        for value in (*outside_values, "zxcvbnm"):
            with pytest.raises(ParameterError, match=parameter.name):
                make_method(name, 3, {parameter.name: value})


@limited
def test_more_records_than_it_takes_are_refused(name: str) -> None:
    max_records = methods.info(name).traits.max_records
    assert max_records is not None
    with pytest.raises(InfeasibleError, match="at most"):
        group(name, np.zeros((max_records + 1, 1)), 3)


@pytest.mark.parametrize(
    "name", [info.id for info in methods.infos() if info.traits.univariate]
)
def test_a_univariate_method_refuses_two_attributes(name: str) -> None:
    with pytest.raises(ParameterError, match="choose one quasi-identifier"):
        group(name, np.zeros((20, 2)), 3)


# The records that went in


@every_method
def test_input_is_untouched(name: str) -> None:
    X = draw(name, "scattered", 60)
    before = X.copy()
    methods.get(name)(3, **brief(name)).fit(X)
    group(name, X, 3)
    np.testing.assert_array_equal(X, before)


separating = pytest.mark.parametrize(
    "name",
    [
        info.id
        for info in methods.infos()
        if info.traits.guarantees_k and info.traits.separates
    ],
)


@separating
def test_labels_belong_to_the_order_of_the_input(name: str) -> None:
    p = draw(name, "scattered", 1).shape[1]
    for k in KS:
        rng = np.random.default_rng(k)
        cluster = rng.permutation(np.repeat(np.arange(5), k))
        X = 1000.0 * cluster[:, None] + rng.random((5 * k, p))
        assert same_groups(group(name, X, k), cluster)


@every_method
def test_the_same_seed_gives_the_same_labels(name: str) -> None:
    X = draw(name, "scattered", 80)
    np.testing.assert_array_equal(group(name, X, 3, seed=5), group(name, X, 3, seed=5))


@pytest.mark.parametrize(
    "name", [info.id for info in methods.infos() if not info.traits.uses_seed]
)
def test_the_seed_means_nothing_where_no_random_numbers_are_drawn(name: str) -> None:
    X = draw(name, "scattered", 80)
    np.testing.assert_array_equal(group(name, X, 3, seed=1), group(name, X, 3, seed=2))


@every_method
def test_fitting_and_partitioning_give_the_same_labels(name: str) -> None:
    X = draw(name, "heavy tails", 60)
    method = methods.get(name)(3, **brief(name))
    np.testing.assert_array_equal(method.fit_predict(X), group(name, X, 3))
    np.testing.assert_array_equal(method.labels_, group(name, X, 3))


@every_method
def test_the_layout_of_the_matrix_does_not_matter(name: str) -> None:
    X = draw(name, "scattered", 60)
    method = methods.get(name)(3, **brief(name))
    expected = method.fit_predict(X)
    wide = np.repeat(X, 2, axis=1)[:, ::2]
    for same in (np.asfortranarray(X), wide, X.tolist()):
        np.testing.assert_array_equal(method.fit_predict(same), expected)


# Truths


@every_method
def test_equals_its_naive_twin(name: str) -> None:
    for table, k in product(TABLES, KS):
        for n in smaller(name, k):
            assert_equals_twin(name, draw(name, table, n, seed=n), k)


@every_method
@by_turns
def test_equals_its_naive_twin_on_more_records(name: str, is_first_turn: bool) -> None:
    for table, k in take_turns(is_first_turn):
        for n in larger(name, table, k, 48):
            assert_equals_twin(name, draw(name, table, n, seed=n), k)


@pytest.mark.parametrize("k", [2, pytest.param(5, marks=pytest.mark.slow), 40])
@pytest.mark.parametrize(
    "name", ["cbfs", "gsms", "k-ward", "md", "mdav", "mdav1", "mdav-generic"]
)
def test_equals_its_naive_twin_after_many_steps(name: str, k: int) -> None:
    for table in ("heavy tails", "many ties"):
        assert_equals_twin(name, draw(name, table, 203), k)


@every_method
@settings(
    max_examples=share_of_examples(0.5),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_equals_its_naive_twin_where_many_distances_tie(
    name: str, data: st.DataObject
) -> None:
    k = data.draw(st.integers(2, 4))
    # Where all groups are looked at, ties cost the twin seconds for each table more.
    max_records = 10 if looks_at_all_groups(name) else 24
    n = data.draw(st.integers(2 * k, max_records))
    p = 1 if methods.info(name).traits.univariate else data.draw(st.integers(1, 3))
    X = data.draw(arrays(np.float64, (n, p), elements=st.integers(0, 4)))
    assert_equals_twin(name, X, k)


SMALL = [(k, n) for k in (2, 3, 4) for n in range(2 * k, 10)]


@cache
def optimum(table: str, k: int, n: int, p: int, seed: int) -> float:
    X = np.asarray(TABLES[table](np.random.default_rng(seed), n, p))
    return least_sse(X, k)


@guaranteed
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
)
def test_loss_is_never_below_brute_force(name: str, seed: int) -> None:
    tables = ("scattered", "heavy tails", "many ties")
    for table, (k, n) in product(tables, SMALL):
        X = draw(name, table, n, seed)
        best_sse = optimum(table, k, n, X.shape[1], seed)
        loss = sse(X, group(name, X, k))
        assert loss >= best_sse * (1 - 1e-9) - 1e-12
        if methods.info(name).traits.exact:
            assert loss == pytest.approx(best_sse, rel=1e-9, abs=1e-12)


@guaranteed
def test_loss_is_never_above_that_of_one_group(name: str) -> None:
    for k in KS:
        for n in larger(name, "heavy tails", k, MANY):
            X = draw(name, "heavy tails", n)
            labels = grouped(name, "heavy tails", n, k)
            assert sse(X, labels) < sse(X, np.zeros(n, dtype=np.int64))


# Progress and cancelling


@cache
def long_table(name: str) -> Values:
    """A table that takes a tenth of a second or so, by the method's declared cost."""
    traits, n = methods.info(name).traits, 100
    while n < 1_000_000 and traits.cost.expected_seconds(n, 3, 3) < 0.05:
        n = n * 3 // 2
    return draw(name, "scattered", min(n, traits.max_records or n))


class Watch(RunContext):
    """Sees what the method says, before the context makes it monotone."""

    def __init__(self) -> None:
        super().__init__()
        self.shares: list[float] = []

    def tick(self, done: float, total: float, stage: str) -> None:
        self.shares.append(done / total)
        super().tick(done, total, stage)


@every_method
def test_progress_never_goes_back_and_ends_at_one(name: str) -> None:
    (many,) = larger(name, "scattered", 3, MANY)
    few = (draw(name, "scattered", n) for n in (5, many))
    for X in (*few, long_table(name)):
        watch = Watch()
        group(name, X, 3, watch)
        assert watch.shares == sorted(watch.shares)
        assert watch.shares[0] >= 0.0
        assert watch.shares[-1] == 1.0
    assert any(0.0 < share < 1.0 for share in watch.shares)


@every_method
def test_cancelling_stops_at_the_next_tick_and_leaves_nothing(name: str) -> None:
    X = Points.from_array(long_table(name))
    for ticks in (0, 1, 2):
        answers = [False] * ticks + [True]
        method = make_method(name, 3)
        before = dict(vars(method))
        with pytest.raises(Cancelled):
            method.partition(X, RunContext(cancelled=lambda it=answers: it.pop(0)))
        assert answers == []
        assert not hasattr(method, "labels_")
        assert {name: vars(method)[name] for name in before} == before


# Memory

MEASURED = 2000
"""Records at which matrices of all pairs would stand out among what else is needed."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            info.id,
            marks=[pytest.mark.slow] * (info.id in ("mcdpca", "rmd", "fcm-adaptive")),
        )
        for info in methods.infos()
        # Others may hold all pairs; `optimal` does of up to 5,000 records.
        if (info.traits.max_records or np.inf) > 5000 and info.id != "optimal"
    ],
)
def test_memory_does_not_grow_with_the_square_of_the_records(name: str) -> None:
    X = Points.from_array(draw(name, "scattered", MEASURED))
    method = make_method(name, 3, brief(name))
    method.partition(X.subset(np.arange(60)))  # compiles
    tracemalloc.start()
    try:
        method.partition(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MEASURED * MEASURED  # one byte a pair


# What the registry says


@every_method
def test_has_a_naive_twin(name: str) -> None:
    assert callable(twin_of(name))


@every_method
def test_describes_itself(name: str) -> None:
    info = methods.info(name)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", info.id)
    assert info.title
    assert info.summary.endswith(".")
    assert info.reference.text
    assert re.fullmatch(r"(10\.\d{4,}/\S+)?", info.reference.doi)
    assert issubclass(methods.get(name), Microaggregator)
    assert methods.get(name).__doc__ != Microaggregator.__doc__
    for parameter in info.parameters:
        assert parameter.check(parameter.default) == parameter.default
        assert parameter.help.endswith(".")


@every_method
def test_expected_time_grows_with_the_records(name: str) -> None:
    cost = methods.info(name).traits.cost
    assert 0 < cost.expected_seconds(100, 3, 5) < cost.expected_seconds(10_000, 3, 5)


SEVERAL_COLUMNS = (
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
)
"""Checks that feed several columns, which a method for one attribute refuses."""


def expected_failures(method: Microaggregator) -> dict[str, str]:
    """Return the checks that cannot pass, each with the reason."""
    if not method.info.traits.univariate:
        return {}
    return dict.fromkeys(SEVERAL_COLUMNS, "the check feeds several columns")


@every_method
@pytest.mark.parametrize(
    "turn", [0, *(pytest.param(turn, marks=pytest.mark.slow) for turn in (1, 2))]
)
def test_is_a_scikit_learn_estimator(name: str, turn: int) -> None:
    """Of each method every third check is looked at, by turns others; the rest slowly.

    Most of what they look at is in the base class that all methods share.
    """
    from sklearn.utils.estimator_checks import estimator_checks_generator

    method = methods.get(name)(**brief(name))
    with warnings.catch_warnings():
        # The base class takes a second to import, and what it gives is there without.
        warnings.filterwarnings("ignore", "Estimator .* does not inherit from")
        failing = expected_failures(method)
        checks = list(
            estimator_checks_generator(
                method, expected_failed_checks=failing, mark="skip"
            )
        )
    for estimator, check in checks[(list(methods).index(name) + turn) % 3 :: 3]:
        with suppress(SkipTest):
            check(estimator)


# The truths themselves


def test_brute_force_looks_at_every_partition_once() -> None:
    splits = [
        frozenset(map(frozenset, groups)) for groups in partitions(list(range(6)), 2)
    ]
    assert len(splits) == len(set(splits)) == 1 + 15 + 10 + 15  # 6, 4+2, 3+3, 2+2+2
    assert all(len(block) >= 2 for groups in splits for block in groups)
