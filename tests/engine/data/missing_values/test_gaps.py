"""Gaps stay where k records share them; no more are filled than a search finds."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, product
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import InfeasibleError, InputError
from engine.core.typing import Booleans
from engine.data.kinds import Kind, Role
from engine.data.missing_values.gaps import (
    SharedGapConditions,
    effects_by_policy,
    gaps_to_fill_mask,
)
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.pipeline.plan import Plan
from engine.pipeline.run import run


def one_stratum(k: int, p: int) -> SharedGapConditions:
    return SharedGapConditions(
        k, (tuple(range(p)),), lambda rows: np.zeros(rows.size, np.int64)
    )


@st.composite
def holes(draw: st.DrawFn) -> Booleans:
    p, n = draw(st.integers(1, 4)), draw(st.integers(1, 40))
    patterns = draw(
        st.lists(
            st.lists(st.booleans(), min_size=p, max_size=p), min_size=1, max_size=6
        )
    )
    chosen = draw(st.lists(st.sampled_from(patterns), min_size=n, max_size=n))
    return np.array(chosen, dtype=np.bool_)


@given(holes(), st.integers(2, 6))
def test_every_pattern_that_stays_has_k_records(gaps: Booleans, k: int) -> None:
    p = gaps.shape[1]
    filled = gaps_to_fill_mask(gaps, range(p), one_stratum(k, p), np.arange(len(gaps)))
    assert not (filled & ~gaps).any()
    pattern_counts = Counter(map(tuple, (gaps & ~filled).tolist()))
    if len(gaps) >= k:
        assert min(pattern_counts.values()) >= k
    before = Counter(map(tuple, gaps.tolist()))
    if min(before.values()) >= k:
        assert not filled.any()
    assert (
        filled
        == gaps_to_fill_mask(gaps, range(p), one_stratum(k, p), np.arange(len(gaps)))
    ).all()


@given(holes(), st.integers(2, 4), st.integers(1, 12), st.randoms())
def test_every_set_of_patterns_that_stays_is_that_of_k_persons(
    gaps: Booleans, k: int, n_persons: int, random: Random
) -> None:
    p = gaps.shape[1]
    persons = np.array([random.randrange(-1, n_persons) for _ in gaps])
    sharing = replace(one_stratum(k, p), persons=lambda rows: persons[rows])
    rows = np.arange(len(gaps))
    knows_all = replace(sharing, knows_all=True)
    filled = gaps_to_fill_mask(gaps, range(p), knows_all, rows)
    assert not (filled & ~gaps).any()
    sets = {
        person: frozenset(map(tuple, (gaps & ~filled)[persons == person].tolist()))
        for person in set(persons.tolist()) - {-1}
    }
    if len(sets) >= k:
        assert min(Counter(sets.values()).values()) >= k
        patterns = frozenset().union(*sets.values())
        assert {*map(tuple, (gaps & ~filled).tolist())} <= patterns  # also of nobody's
    if len(sets) == np.sum(persons >= 0) == len(gaps):  # a record each: as for one
        alike = Counter(map(tuple, gaps.tolist()))
        if min(alike.values()) >= k:
            assert not filled.any()


@given(holes(), st.integers(2, 4), st.integers(0, 3))
def test_gaps_that_have_to_stay_do(gaps: Booleans, k: int, fixed: int) -> None:
    p = gaps.shape[1]
    flexible = [j for j in range(p) if j != fixed]
    filled = gaps_to_fill_mask(gaps, flexible, one_stratum(k, p), np.arange(len(gaps)))
    assert not filled[:, [j for j in range(p) if j == fixed]].any()


def test_every_way_needs_k_records_and_no_more() -> None:
    gaps = np.array([[True]] * 4 + [[False]] * 4)
    for k, enough in ((4, True), (5, False)):
        effects = effects_by_policy(gaps, one_stratum(k, 1))
        assert effects["drop"].records == 4
        assert (effects["drop"].possible, effects["keep"].possible) == (enough, enough)
    for k, enough in ((8, True), (9, False)):
        effects = effects_by_policy(gaps, one_stratum(k, 1))
        assert {effects[way].possible for way in ("median", "mode")} == {enough}


def test_rare_records_keep_what_others_lack_too() -> None:
    both, first_gap, none = [True, True], [True, False], [False, False]
    gaps = np.array([both] * 2 + [first_gap] * 5 + [none] * 9)
    filled = gaps_to_fill_mask(gaps, (0, 1), one_stratum(4, 2), np.arange(len(gaps)))
    assert filled.sum() == 2
    assert filled[:2].tolist() == [[False, True]] * 2


def test_strata_and_blocks_are_looked_at_one_by_one() -> None:
    gaps = np.array([[True, False]] * 4 + [[False, True]] * 4)
    codes = np.array([0, 1] * 4)
    two_strata = SharedGapConditions(4, ((0, 1),), lambda rows: codes[rows])
    assert gaps_to_fill_mask(gaps, (0, 1), two_strata, np.arange(8)).sum() == 8
    single_stratum = SharedGapConditions(
        4, ((0, 1),), lambda rows: np.zeros(rows.size, np.int64)
    )
    assert not gaps_to_fill_mask(gaps, (0, 1), single_stratum, np.arange(8)).any()
    blocks = SharedGapConditions(4, ((0,), (1,)), lambda rows: codes[rows] * 0)
    assert not gaps_to_fill_mask(gaps, (0, 1), blocks, np.arange(8)).any()


def test_not_many_more_are_filled_than_must_be() -> None:
    """A search over all targets of all patterns of three columns is the truth."""
    rng = np.random.default_rng(8)
    n_filled = best = 0
    for _ in range(40):
        gaps = rng.random((14, 3)) < 0.3
        filled = gaps_to_fill_mask(gaps, range(3), one_stratum(3, 3), np.arange(14))
        patterns = sorted({tuple(row) for row in gaps.tolist()})
        targets = [
            [
                tuple(j in some for j in range(3))
                for size in range(4)
                for some in combinations([j for j in range(3) if pattern[j]], size)
            ]
            for pattern in patterns
        ]
        counts = Counter(map(tuple, gaps.tolist()))
        costs = []
        for chosen in product(*targets):
            sizes: Counter[tuple[bool, ...]] = Counter()
            for pattern, target in zip(patterns, chosen, strict=True):
                sizes[target] += counts[pattern]
            if min(sizes.values()) >= 3:
                pairs = zip(patterns, chosen, strict=True)
                costs.append(sum(counts[a] * (sum(a) - sum(b)) for a, b in pairs))
        n_filled, best = n_filled + int(filled.sum()), best + min(costs)
    assert best <= n_filled <= 1.25 * best


def people(n: int = 60) -> Table:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(50, 9, (n, 3)).round(1), columns=["a", "b", "c"])
    frame.loc[:9, "a"] = np.nan
    frame.loc[8:11, "b"] = np.nan
    frame.loc[20, "c"] = np.nan
    columns = (Column(c, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for c in frame)
    return Table.from_frame(frame, Schema(tuple(columns)))


def test_a_release_keeps_gaps_where_k_allows_and_fills_the_others() -> None:
    table = people()
    with pytest.raises(InfeasibleError, match="keep-or-fill"):
        run(Plan(k=5, missing="keep"), table)
    with pytest.raises(InputError, match="47 of 60 remain"):
        run(Plan(k=5), table)
    outcome = run(Plan(k=5, missing="keep-or-fill"), table)
    release = outcome.release.frame
    assert len(release) == 60
    assert release["a"].isna().sum() == 10
    assert release["b"].isna().sum() == 0
    assert release["c"].isna().sum() == 0
    sizes = release.fillna(-1.0).groupby(["a", "b", "c"]).size()
    assert sizes.min() >= 5
    [missing_warning] = [
        warning for warning in outcome.warnings if warning.topic == "missing"
    ]
    assert "10 stay, and 5 were filled" in missing_warning
