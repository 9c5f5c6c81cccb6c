"""Needs that are asked for in tests, on one small table."""

from typing import Any

import numpy as np
import pandas as pd
from statsmodels.regression.linear_model import OLS

from engine.analysis.need import Need, need
from engine.data.table import Table
from engine.files import read_table

ROLES = {"a": "quasi-identifier", "b": "quasi-identifier", "g": "quasi-identifier"}

MODEL = "linear y ~ a + b + g"

OWN_RULE_SET = """\
title="Own"
source="Us"
url="https://x.org"
year=2026
place="p. 1"
checked="source"
assumes="Nothing."
[[rule]]
measure="k"
relation=">="
limit="7"
"""


def frame_of(n: int = 150, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.lognormal(size=n)
    g = np.where(rng.random(n) < 0.3, "yes", "no")
    y = 2.0 * a - b + 3.0 * (g == "yes") + rng.normal(size=n)
    return pd.DataFrame({"a": a.round(3), "b": b.round(3), "g": g, "y": y.round(3)})


def table_of(frame: pd.DataFrame, **roles: str) -> Table:
    role_by_column = {name: "other" for name in frame} | ROLES | roles
    return read_table(
        frame, roles={n: role for n, role in role_by_column.items() if n in frame}
    )


def answered(rules: list[str], keeps: list[str], **options: Any) -> Need:
    options = {"models": [MODEL], "trials": 24} | options
    table = options.pop("table", None) or table_of(frame_of())
    return need(table, rules, keeps, **options)


def weakest(before: pd.DataFrame, after: pd.DataFrame) -> float:
    """Overlap by its formula, with a design that is made by hand."""
    limits = []
    for frame in (before, after):
        X = np.column_stack(
            [np.ones(len(frame)), frame["a"], frame["b"], frame["g"] == "yes"]
        ).astype(float)
        fit = OLS(frame["y"].to_numpy(), X).fit()
        half = 1.96 * fit.bse[1:]
        limits.append((fit.params[1:] - half, fit.params[1:] + half))
    (lower, upper), (low, high) = limits
    common = np.minimum(upper, high) - np.maximum(lower, low)
    return float((0.5 * (common / (upper - lower) + common / (high - low))).min())


def people_table(n_people: int = 30) -> Table:
    person = np.repeat(np.arange(n_people), 5)
    return table_of(frame_of().assign(person=person), person="identifier")
