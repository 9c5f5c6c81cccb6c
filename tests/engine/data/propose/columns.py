"""Columns that tests have proposals for."""

from typing import Any

import numpy as np
import pandas as pd

from engine.data.kinds import Kind, Role
from engine.data.propose import Suggestion, suggest_columns

N = 60
RNG = np.random.default_rng(0)
WORDS = [f"w{i % 7}" for i in range(N)]
DISTINCT = [f"w{i}" for i in range(N)]
FEW = [i % 3 + 1 for i in range(N)]
MANY = RNG.integers(0, 10_000, N).tolist()
REALS = RNG.lognormal(8, 1, N).tolist()
DATES = [pd.Timestamp(2020, 1, 1) + pd.Timedelta(days=i % 9) for i in range(N)]


def propose(name: str, values: Any) -> Suggestion:
    (suggestion,) = suggest_columns(pd.DataFrame({name: values}))
    return suggestion


NOMINAL, ORDINAL, CONTINUOUS = Kind.NOMINAL, Kind.ORDINAL, Kind.CONTINUOUS
IDENTIFIER, QUASI = Role.IDENTIFIER, Role.QUASI_IDENTIFIER
SECRET, OTHER = Role.CONFIDENTIAL, Role.OTHER
UNDECIDED = Role.UNDECIDED
