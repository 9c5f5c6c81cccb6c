"""What tests of commands share."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def firms(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    n = 50
    frame = pd.DataFrame(
        {
            "firm": np.arange(n) + 100,
            "staff": rng.integers(1, 500, n),
            "sales": rng.lognormal(10, 1, n).round(),
            "region": rng.choice(["north", "south"], n),
        }
    )
    path = tmp_path / "firms.csv"
    frame.to_csv(path, index=False)
    return path
