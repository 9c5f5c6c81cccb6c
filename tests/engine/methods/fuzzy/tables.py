"""Tables and runs that tests of fuzzy groups share."""

from pathlib import Path

import numpy as np
import pandas as pd

import sample_data
from engine.data.table import Table
from engine.files import read_table
from engine.pipeline.outcome import Outcome
from engine.pipeline.plan import Plan
from engine.pipeline.run import run

RULE = "1.16*exp16 + 1.07*exp7 = total"
NAMES = ("exp16", "exp7", "total")


def matrix(n: int = 150, p: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, p))


def as_table(X: np.ndarray) -> Table:
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    return read_table(frame).assign(
        roles=dict.fromkeys(frame.columns, "quasi-identifier")
    )


def expenditure(noise: float = 0.0) -> Table:
    table = read_table(Path(sample_data.__file__).with_name("expenditure.csv"))
    frame = table.frame.astype(float)
    frame += np.random.default_rng(0).normal(0.0, noise, frame.shape)
    return read_table(frame).assign(roles=dict.fromkeys(NAMES, "quasi-identifier"))


def protect(table: Table, **choices: object) -> Outcome:
    return run(Plan(**{"method": "fuzzy", "k": 3, **choices}), table)
