"""Releases together: planted cases, true intervals, and what changes nothing."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from engine import Plan, read_table, run
from engine.analysis.composition.compose import (
    CompositionResult,
    find_jointly_revealed_records,
)
from engine.analysis.composition.intervals import (
    narrow_mask_and_exactness,
    sum_constraints_from_means,
    tighten_bounds_by_sums,
)
from engine.analysis.releases.attacked_release import ReleaseWithOrigins
from engine.data.table import Table
from tests import casc

NAMES = ("age", "income")


def table(n: int = 90, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    age = rng.normal(45, 12, n).round(3)
    return read_table(pd.DataFrame({"age": age, "income": rng.gamma(2, 9, n)}))


def releases(original: Table, plans: Sequence[Plan]) -> list[ReleaseWithOrigins]:
    return [ReleaseWithOrigins.from_outcome(run(plan, original)) for plan in plans]


def plan(k: int, method: str = "mdav", **choices: object) -> Plan:
    return Plan(method=method, k=k, quasi_identifiers=NAMES, **choices)


@pytest.mark.slow
def test_census_k_3_and_4_are_found_in_the_files_as_well() -> None:
    original = read_table(casc.path("census"))
    names = tuple(map(str, original.frame.columns))
    plans = [Plan(k=k, quasi_identifiers=names) for k in (3, 4)]
    as_files = [
        ReleaseWithOrigins(release.name, release.frame, release.rows)
        for release in releases(original, plans)
    ]
    composition = find_jointly_revealed_records(original, as_files, names)
    assert composition.recovered.sum() == 143
    assert composition.pairs == {(0, 1): 143}
    assert (
        composition.recovered.sum()
        + composition.bounded.sum()
        + composition.safe_records.sum()
        == 1080
    )


def test_the_same_release_twice_says_no_more() -> None:
    original = table()
    composition = find_jointly_revealed_records(
        original, releases(original, [plan(3), plan(3)]), NAMES
    )
    assert composition.safe_records.all()


def test_the_table_itself_opens_everything() -> None:
    original = table()
    itself = ReleaseWithOrigins("itself", original.frame, np.arange(90))
    composition = find_jointly_revealed_records(
        original, [*releases(original, [plan(3)]), itself], NAMES
    )
    assert composition.recovered.all()
    assert composition.columns == {"age": 90, "income": 90}


def test_rounding_does_not_help() -> None:
    original = table()
    exact, rounded = (
        find_jointly_revealed_records(
            original,
            releases(original, [plan(k, rounding=way) for k in (3, 4)]),
            NAMES,
        )
        for way in ("none", "types")
    )
    assert exact.recovered.any()
    assert rounded.recovered.tolist() == exact.recovered.tolist()


def test_blocks_are_told_apart_by_their_values() -> None:
    original = table()
    plans = [plan(k, blocks=(("age",), ("income",))) for k in (3, 4)]
    composition = find_jointly_revealed_records(
        original, releases(original, plans), NAMES
    )
    labels = {}
    for k in (3, 4):
        for name in NAMES:
            block_plan = Plan(k=k, quasi_identifiers=(name,))
            labels[name, k] = run(block_plan, original).partition.labels
    from engine.analysis.composition.determined_unknowns import determined_record_mask

    for name in NAMES:
        groups = np.array([labels[name, 3], labels[name, 4]])
        assert composition.columns[name] == determined_record_mask(groups).sum()


def test_intervals_leave_what_is_in_all_of_them() -> None:
    frame = pd.DataFrame({"age": [1.0, 2, 3, 4, 5, 6]})
    original = read_table(frame)
    first_frame = pd.DataFrame({"age": ["[1, 3]"] * 3 + ["[4, 6]"] * 3})
    other = pd.DataFrame({"age": ["[1, 2]"] * 2 + ["[3, 4]"] * 2 + ["[5, 6]"] * 2})
    rows = np.arange(6)
    both = [
        ReleaseWithOrigins("one", first_frame, rows),
        ReleaseWithOrigins("other", other, rows),
    ]
    composition = find_jointly_revealed_records(original, both, ("age",))
    assert composition.recovered.tolist() == [False, False, True, True, False, False]
    assert not find_jointly_revealed_records(
        original, both[:1], ("age",)
    ).recovered.any()


def test_a_median_of_groups_that_share_one_record_is_its_value() -> None:
    original = read_table(pd.DataFrame({"age": [1.0, 5, 10, 2, 4, 30]}))
    groups = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 0, 1])
    both = [
        ReleaseWithOrigins(
            str(g[1]), pd.DataFrame({"age": medians[g]}), np.arange(6), g
        )
        for g, medians in zip(groups, np.array([[5.0, 4], [4, 5]]), strict=True)
    ]
    composition = find_jointly_revealed_records(original, both, ("age",))
    assert composition.recovered.tolist() == [False, True, False, False, True, False]
    assert not find_jointly_revealed_records(
        original, both[:1], ("age",)
    ).recovered.any()


def whole(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.array([rng.permutation([0, 0, 0, 1, 1, 1]) for _ in range(2)])
    return labels, rng.integers(0, 4, 6)


@pytest.mark.parametrize("seed", range(8))
def test_intervals_are_those_of_all_tables_with_the_same_sums(seed: int) -> None:
    labels, x = whole(seed)
    tables = np.array(list(itertools.product(range(4), repeat=6)))
    fits = np.ones(len(tables), dtype=np.bool_)
    for row in labels:
        for g in range(2):
            fits &= tables[:, row == g].sum(axis=1) == x[row == g].sum()
    width = np.ptp(tables[fits], axis=0)
    means = np.array([np.bincount(row, x)[row] / 3 for row in labels])
    sums = sum_constraints_from_means(labels, means, np.full(2, 1e-9))
    low, high = np.zeros(6), np.full(6, 3.0)
    for width_limit in (0.5, 1.5, 2.5):
        # Two releases: the ends of a transport problem are whole numbers.
        near, exact = narrow_mask_and_exactness(
            sums, low, high, np.ones(6, dtype=np.bool_), width_limit
        )
        assert exact
        assert near.tolist() == (width <= width_limit).tolist()
    low, high = tighten_bounds_by_sums(sums, low, high)
    assert (low <= x + 1e-6).all()
    assert (high >= x - 1e-6).all()


def test_figures_and_sentence_are_of_the_same_records() -> None:
    original = table(40)
    composition = find_jointly_revealed_records(
        original, releases(original, [plan(3), plan(4)]), NAMES
    )
    assert isinstance(composition, CompositionResult)
    facts = composition.summary()
    assert facts["recovered"] + facts["bounded"] + facts["safe"] == 40
    assert f"{facts['recovered']} of 40 records exactly" in composition.to_message
