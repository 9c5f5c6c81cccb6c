"""Whatever chain of releases a ledger allows gives no record back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from engine import Plan, read_table, run
from engine.analysis.composition.compose import compose_releases
from engine.analysis.ledger import Ledger
from engine.analysis.released import MatchedRelease
from engine.core.errors import EngineError
from engine.data.kinds import Kind
from engine.data.table import Table
from engine.pipeline.resolved import resolve_plan

N = 60

NAMES = ("age", "income", "region", "visit")

ONE = {"quasi_identifiers": NAMES, "kinds": {"region": Kind.NOMINAL}}

NUMBERS = {"quasi_identifiers": NAMES[:2], "kinds": {}}


def table(gaps: bool = False) -> Table:
    rng = np.random.default_rng(8)
    days = pd.to_timedelta(rng.integers(0, 900, N), unit="D")
    frame = pd.DataFrame(
        {
            "age": rng.normal(50, 12, N).round(1),
            "income": rng.lognormal(7, 1, N).round(0),
            "region": rng.choice([f"r{i}" for i in range(9)], N),
            "visit": pd.Timestamp("2020-01-01") + days,
            "part": np.where(np.arange(N) < 25, "a", "b"),
            "home": np.repeat(np.arange(N // 2), 2),
            "weight": rng.uniform(1, 4, N).round(2),
        }
    )
    if gaps:
        frame.loc[rng.choice(N, 8, replace=False), "income"] = np.nan
    return read_table(frame)


KINDS_OF_CHAINS = {
    "numbers": [NUMBERS],
    "strata": [NUMBERS, {**NUMBERS, "strata": "part"}],
    "weights": [{**NUMBERS, "weights": "weight"}, NUMBERS],
    "households": [{**NUMBERS, "household": "home"}],
    "gaps": [{**ONE, "missing": way} for way in ("keep-or-fill", "median", "drop")],
    "mixed": [ONE, {**ONE, "aggregations": {"region": "mode"}}],
    "words": [{**ONE, "aggregation": "interval"}, ONE],
    "medians": [{**NUMBERS, "aggregation": "median"}],
    "apart": [{**NUMBERS, "method": "individual-ranking"}, NUMBERS],
    "left out": [{**ONE, "suppress": 5}, {**ONE, "suppress": 6, "suppress_cells": 1}],
}


@pytest.mark.parametrize("kind", KINDS_OF_CHAINS)
def test_no_chain_that_is_allowed_gives_a_record_back(kind: str) -> None:
    original = table(kind == "gaps")
    ledger, chain, refused = Ledger.new(), list[MatchedRelease](), 0
    for step, k in enumerate((4, 3, 5, 3, 6, 4, 5, 3, 4)):
        choices = KINDS_OF_CHAINS[kind][step % len(KINDS_OF_CHAINS[kind])]
        plan = resolve_plan(Plan(k=k, **choices), original)
        way = ("", "same", "coarsen")[step % 3] if step else ""
        try:
            groups = ledger.regroup_like_earlier(original, plan, way) if way else None
            outcome = run(plan, original, regroup=groups)
        except EngineError:
            assert way
            continue
        entry = ledger.entry_for(outcome, original, str(step), bytes([step]))
        if ledger.check_release(entry, original, outcome.release.rows).opened.size:
            refused += 1
            continue
        ledger = Ledger.from_bytes(ledger.with_entry(entry).to_bytes(), "again")
        chain.append(MatchedRelease.from_outcome(outcome, str(step)))
    found = compose_releases(
        original, chain, KINDS_OF_CHAINS[kind][0]["quasi_identifiers"]
    )
    assert found.recovered.sum() == 0
    assert len(chain) > 1 or kind in ("households", "apart", "medians")
    assert refused
