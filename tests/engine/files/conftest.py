"""A small table with what files are known to spoil."""

import pandas as pd
import pytest


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "postcode": ["0123", "1011", "9999"],
            "income": [0.1 + 0.2, 1e-300, -1.5],
            "children": [2, 0, 1],
        }
    )
