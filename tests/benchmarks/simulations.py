"""What nominal 95 % intervals cover, and what is estimated of risks, beside truths."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd

from tests.benchmarks.smoke import size
from tests.engine.measures.risk.test_population import cover
from tests.engine.report import test_guide as guide

DRAWS = size(200, 2)
"""Three standard errors of a share of .95 are then .046."""

RECORDS = size(1000, 120)

ERRORS_AND_K = (("normal", 5), ("log-normal", 12), ("of other variances", 5))


def print_regressions(module: ModuleType) -> None:
    """Print coverage and mean slopes, by the release as it is and by the guide."""
    print("Slopes 2 and -0.5; share of 95 % intervals that hold each, mean slopes.\n")
    print("| groups | errors | k | as it is | by the guide |\n|---|---|---|---|---|")

    def naive(frame: pd.DataFrame, k: int) -> object:
        labels = guide.in_order(frame["y"].to_numpy(), k)
        released = guide.averaged(frame, labels, ["y", "x1", "x2"])
        return module.plain(released, "y", ["x1", "x2"])

    cases = {name: make(module) for name, make in guide.CASES.items()}
    for beside in (["x1"], ["x1", "x2"]):
        name = f"by the response and {', '.join(beside)}"
        cases[name] = guide.by_response(module, *beside)
    for name, estimate in cases.items():
        for errors, k in ERRORS_AND_K:
            is_sorted = name == "groups by the response"
            cells = [
                _describe(guide.coverage(each, DRAWS, RECORDS, errors, k))
                if each is not None
                else "–"
                for each in (naive if is_sorted else None, estimate)
            ]
            print(f"| {name} | {errors} | {k} | {' | '.join(cells)} |", flush=True)


def _describe(found: tuple[np.ndarray, np.ndarray]) -> str:
    inside, slopes = (np.round(values[1:], 3).tolist() for values in found)
    return f"{inside}, slopes {slopes}"


def print_risks() -> None:
    """Print risks of a sample by its fraction and by E[1 / F | f], and the truth."""
    print(
        "\nRisks in the population, per cent, by samples of people of 12,000 kinds.\n"
    )
    print(
        "| measure | fraction | estimate | truth | 95 % covers |\n|---|---|---|---|---|"
    )
    for shape, fraction in ((0.3, 0.1), (0.8, 0.05)):
        for name, cells in cover(DRAWS, shape, fraction).items():
            estimate, truth, covers = cells.mean(axis=0)
            print(
                f"| {name} | {fraction} | {estimate:.2f} | {truth:.2f} | {covers:.3f} |"
            )


def main() -> None:
    """Print both tables."""
    with (
        tempfile.TemporaryDirectory() as folder,
        guide.guided_module(Path(folder)) as module,
    ):
        print_regressions(module)
    print_risks()
