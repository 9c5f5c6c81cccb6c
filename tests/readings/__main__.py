"""Try all readings of some methods: ``python -m tests.readings [METHOD...]``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from engine.analysis.published.literature import (
    EIA_SETS,
    LossBasis,
    PrintedCell,
    printed_cells,
)
from tests.readings.choices import OPEN_METHODS, OpenMethod
from tests.readings.results import store_result


def readings_of(method: OpenMethod) -> Iterator[dict[str, str]]:
    """Return all readings of a method, ours first."""
    for values in product(*method.choices.values()):
        yield dict(zip(method.choices, values, strict=True))


def equal_cells(losses: Mapping[PrintedCell, float]) -> int:
    """Return how many cells come out to every printed digit."""
    return sum(
        f"{loss:.{cell.decimals}f}" == f"{cell.value:.{cell.decimals}f}"
        for cell, loss in losses.items()
    )


def expected_by_chance(tried: list[Mapping[PrintedCell, float]]) -> float:
    """Return how many equal cells one would expect among all readings by chance.

    Each distinct loss of a cell hits the printed interval with the probability that
    the interval has of the range of the losses that were tried.
    """
    total = 0.0
    for cell in tried[0]:
        losses = {round(reading_losses[cell], 9) for reading_losses in tried}
        spread = max(max(losses) - min(losses), 1e-9)
        total += min(1.0, len(losses) * 10.0**-cell.decimals / spread)
    return total


def try_readings(name: str) -> dict[str, Any]:
    """Return the best single reading of a method for all of its printed cells."""
    method = OPEN_METHODS[name]
    cells = [cell for cell in printed_cells() if cell.method == name]
    sets = EIA_SETS if any(cell.dataset == "eia" for cell in cells) else ((),)
    tried, names = [], []
    clock = time.process_time()
    for without, reading in product(sets, readings_of(method)):
        losses = {
            cell: method.loss(
                cell.dataset,
                LossBasis(without=without if cell.dataset == "eia" else ()),
                cell.k,
                reading,
            )
            for cell in cells
        }
        tried.append(losses)
        names.append(reading | ({"left out of EIA": without} if len(sets) > 1 else {}))

    def deviation(losses: Mapping[PrintedCell, float]) -> float:
        deviations = [abs(loss / cell.value - 1.0) for cell, loss in losses.items()]
        return float(100.0 * np.mean(deviations))

    best = min(
        range(len(tried)), key=lambda i: (-equal_cells(tried[i]), deviation(tried[i]))
    )
    nearest = min(range(len(tried)), key=lambda i: deviation(tried[i]))
    return {
        "method": name,
        "readings": len(tried),
        "cells": len(cells),
        "equal": equal_cells(tried[best]),
        "reading": names[best],
        "deviation": round(deviation(tried[best]), 4),
        "ours_equal": max(
            equal_cells(tried[place])
            for place in range(0, len(tried), len(tried) // len(sets))
        ),
        "nearest_reading": names[nearest],
        "nearest_deviation": round(deviation(tried[nearest]), 4),
        "nearest_equal": equal_cells(tried[nearest]),
        "by_chance": round(expected_by_chance(tried), 2),
        "seconds": round(time.process_time() - clock, 1),
        "losses": {
            f"{cell.dataset} {cell.k}": round(loss, 6)
            for cell, loss in tried[best].items()
        },
    }


def main(names: list[str]) -> None:
    """Try the readings of some methods, or of all, and keep the results."""
    for name in names or OPEN_METHODS:
        result = try_readings(name)
        store_result(result)
        print(json.dumps(result, indent=1), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
