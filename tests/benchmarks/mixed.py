"""caat and kaca against the number of quasi-identifiers, as in the source's figures.

The source, Jiang's paper on CAAT, finds that both take longer with more
quasi-identifiers, and caat less time than kaca, for k = 3 and k = 6.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

import sample_data
from engine.methods.base import make_method
from engine.methods.mixed.tuples import MixedRecords
from engine.points.base import Points
from engine.points.encode import encode_points
from tests.benchmarks.smoke import size

COLUMNS = (
    "age",
    "sex",
    "postcode",
    "care_grade",
    "admission_type",
    "height",
    "weight",
    "previous_stays",
    "length_of_stay",
    "admission",
    "cost",
)
"""Quasi-identifiers of the hospital sample, in the order in which they are added."""

METHODS = {"caat": "#0072B2", "kaca": "#D55E00"}
SIZES = size((3, 6), (3,))
STARTS = size(10, 1)
FEWEST = 2

PLOT = Path("build") / "benchmarks" / "mixed.html"


def seconds(points: Points, method: str, k: int) -> float:
    """Return the mean processor time over the starts: classes and their tuples."""
    total = 0.0
    for seed in range(STARTS):
        clock = time.process_time()
        found = make_method(method, k, seed=seed).partition(points)
        MixedRecords.from_points(points).class_tuples(found.labels)
        total += time.process_time() - clock
    return total / STARTS


def draw(figures: dict[tuple[str, int], list[float]], counts: list[int]) -> None:
    """Write the source's two figures: run time against quasi-identifiers, per k."""
    titles = [f"k = {k}" for k in SIZES]
    figure = make_subplots(1, len(SIZES), shared_yaxes=True, subplot_titles=titles)
    for place, k in enumerate(SIZES, start=1):
        for method, colour in METHODS.items():
            line = go.Scatter(
                x=counts,
                y=figures[method, k],
                name=method,
                line={"color": colour},
                showlegend=place == 1,
            )
            figure.add_trace(line, row=1, col=place)
        figure.update_xaxes(title="Quasi-identifiers", row=1, col=place)
    figure.update_yaxes(title="Seconds", rangemode="tozero", row=1, col=1)
    PLOT.parent.mkdir(parents=True, exist_ok=True)
    figure.write_html(PLOT, config={"showSendToCloud": False})


def main() -> None:
    whole = encode_points(
        sample_data.load("hospital_discharges"), COLUMNS, missing="drop"
    )
    counts = list(range(FEWEST, size(len(COLUMNS), FEWEST) + 1))
    for method in METHODS:  # compiles
        seconds(whole.subset(np.arange(60)), method, 3)
    figures: dict[tuple[str, int], list[float]] = {}
    print(f"{whole.n_records:,} hospital discharges, mean of {STARTS} starts.\n")
    print("| k | quasi-identifiers | caat / fewest | kaca / fewest | kaca / caat |")
    print("| --- | --- | --- | --- | --- |")
    for k in SIZES:
        for count in counts:
            some = whole.select_attributes(range(count))
            for method in METHODS:
                times = figures.setdefault((method, k), [])
                times.append(seconds(some, method, k))
            caat, kaca = figures["caat", k], figures["kaca", k]
            print(
                f"| {k} | {count} | {caat[-1] / caat[0]:.2f} "
                f"| {kaca[-1] / kaca[0]:.2f} | {kaca[-1] / caat[-1]:.2f} |",
                flush=True,
            )
    draw(figures, counts)
    first = figures["caat", SIZES[0]][0]
    print(f"\ncaat, k = {SIZES[0]}, {FEWEST} quasi-identifiers: {first:.3f} s here.")
    print(f"Plot: {PLOT}")
