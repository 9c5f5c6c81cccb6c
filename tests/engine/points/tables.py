"""People with numbers and categories."""

import numpy as np
import pandas as pd

from engine.data.kinds import Kind
from engine.data.schema import Column, Schema
from engine.data.table import Table


def people(n: int = 60, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "income": rng.lognormal(8.0, 1.0, n).round(),
            "sex": rng.choice(["f", "m"], n),
            "job": rng.choice(list("abcdefg"), n),
        }
    )
    kinds = ("continuous", "continuous", "nominal", "nominal")
    columns = zip(frame, kinds, strict=True)
    schema = Schema(tuple(Column(name, Kind(kind)) for name, kind in columns))
    return Table.from_frame(frame, schema)


NAMES = ("age", "income", "sex", "job")
