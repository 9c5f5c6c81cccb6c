"""The field's reference tables, where the machine has them; see the README there."""

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.core.typing import Values

FOLDER = Path(
    os.environ.get("COTERIE_CASC")
    or Path(__file__).parent.parent.parent / "shared" / "casc"
)

CELLS = [(name, k) for name in ("tarragona", "census") for k in (3, 4, 5, 10)]
"""Table and k of most published figures, in the order in which they are printed."""


def path(name: str) -> Path:
    """The file of one table; without it the test is skipped, or fails in CI."""
    file_path = FOLDER / f"{name}.csv"
    if not file_path.is_file():
        reason = f"{file_path} is not there: name its folder in COTERIE_CASC"
        if os.environ.get("COTERIE_REQUIRE_CASC") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return file_path


def raw(name: str) -> Values:
    """One table in its own units."""
    return np.ascontiguousarray(np.loadtxt(path(name), delimiter=",", skiprows=1))


def zscored(name: str) -> Values:
    """One table, each attribute with mean 0 and standard deviation 1."""
    X = raw(name)
    return np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0))


def information_loss(X: Values, labels: NDArray[np.int64]) -> float:
    """IL in per cent, from its definition."""
    sse = 0.0
    for group in range(labels.max() + 1):
        members = X[labels == group]
        sse += np.square(members - members.mean(axis=0)).sum()
    return float(100 * sse / np.square(X - X.mean(axis=0)).sum())


def printed(value: float, like: str) -> str:
    """A value with as many digits as a printed one."""
    return f"{value:.{len(like.partition('.')[2])}f}"
