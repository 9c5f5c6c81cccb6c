"""What a choice says of its stage is true: earlier stages do not look at it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.core.context import SILENT
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.grouping.group import group_records
from engine.pipeline.grouping.prepare import PreparationCache, prepare_table
from engine.pipeline.plan import Plan
from engine.pipeline.planning.choices import choice_infos_of
from engine.pipeline.planning.resolve_plan import resolve_plan

CHOICES = choice_infos_of(Plan)


class Watched:
    """A plan that remembers which of its choices were looked at."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.looked_at = plan, set[str]()

    def __getattr__(self, name: str) -> Any:
        if name in CHOICES:
            self.looked_at.add(name)
        return getattr(self.plan, name)


@pytest.fixture(scope="module")
def table() -> Table:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, 60).astype(float),
            "income": rng.lognormal(8, 1, 60).round(1),
            "sex": rng.choice(["f", "m"], 60),
            "house": np.arange(60) // 2,
        }
    )
    frame.loc[:5, "age"] = np.nan
    quasi = dict.fromkeys(["age", "income", "sex"], "quasi-identifier")
    return read_table(frame, roles=quasi)


PLANS = [
    {"missing": "median", "strata": "sex", "quasi_identifiers": ("age", "income")},
    {"missing": "keep", "suppress": 2.0, "suppress_cells": True},
    {"missing": "drop", "household": "house", "only": "income > 0"},
    {"missing": "drop", "blocks": (("age",), ("income", "sex"))},
    {"missing": "drop", "polish": True, "polish_for": "release"},
    {"missing": "drop", "method": "fuzzy", "quasi_identifiers": ("age", "income")},
]


@pytest.mark.parametrize("choices", PLANS)
def test_a_stage_looks_at_choices_of_its_own_and_earlier_ones(
    choices: dict[str, Any], table: Table
) -> None:
    plan = resolve_plan(Plan(k=3, **choices), table)
    # The method and its k say what has to be prepared, but not how.
    watched, may = Watched(plan), {"method", "k"}
    may |= {name for name, choice in CHOICES.items() if choice.stage == "prepare"}
    prepare_table(watched, table)  # type: ignore[arg-type]
    assert watched.looked_at <= may
    prepared, watched = PreparationCache(table).get(plan), Watched(plan)
    group_records(watched, prepared, SILENT)  # type: ignore[arg-type]
    may |= {name for name, choice in CHOICES.items() if choice.stage == "group"}
    assert watched.looked_at <= may


def test_what_comes_after_the_groups_prepares_nothing_again(table: Table) -> None:
    preparations = PreparationCache(table)
    plan = resolve_plan(Plan(k=3, missing="drop"), table)
    changed = plan.replace(rounding="none", constraints=("age <= 120",), seeds=3)
    preparation, other = (
        preparations.get(resolve_plan(each, table)) for each in (plan, changed)
    )
    assert preparation.points.X is other.points.X
    assert preparation.decimals != other.decimals
    assert (preparation.points.rules, dict(preparation.rules_broken)) == (None, {})
    assert dict(other.rules_broken) == {"age <= 120": 0}
