"""Figures to draw, small enough to check by eye."""

from types import MappingProxyType

import numpy as np

from dashboard.charts.inputs import GroupView, ResultFigures
from engine.analysis.published.literature import (
    RAW_VALUES_METHOD,
    LossBasis,
    PrintedCell,
)
from engine.analysis.published.reproduce import ComparisonRow, RawAndZscoreRow


def fact(
    method="mdav",
    k=3,
    loss=10.0,
    bound=8.0,
    sizes=None,
    title=None,
    bound_kind="nearest",
    penalty=20.0,
    generalised=False,
):
    sizes = {k: 20, k + 1: 1} if sizes is None else sizes
    return ResultFigures(
        key=f"{method}-{k}",
        method=method,
        title=title or method.upper(),
        k=k,
        scaling="Z-score",
        loss=loss,
        bound=bound,
        bound_kind=bound_kind,
        sizes=MappingProxyType(sizes),
        seconds=0.1,
        k_released=k,
        penalty=penalty,
        discernibility=float(sum(n * n * count for n, count in sizes.items())),
        class_size=1.0,
        generalised=generalised,
        n_records=sum(size * count for size, count in sizes.items()),
    )


def view(method="mdav", n=12, k=3, seed=0):
    rng = np.random.default_rng(seed)
    return GroupView(
        key=f"{method}-{k}",
        title=method.upper(),
        method=method,
        k=k,
        loss=12.5,
        points=rng.normal(size=(n, 2)),
        labels=np.repeat(np.arange(n // k), k),
        titles=("Component 1 (75 % of the variance)", "Component 2 (20 %)"),
        ticks=(None, None),
        n_records=n,
        n_groups=n // k,
        rows=np.arange(n),
        numbers=np.arange(n) + 101,
        costs=rng.uniform(1.0, 9.0, n // k),
    )


def row(text="10.00", ours=10.0, method="mdav1", k=3, bound=8.0):
    printed = PrintedCell("census", method, k, text, "A. Author 2010")
    return ComparisonRow(printed, LossBasis(), ours, bound)


def pair(k=3, text="4.0", **changes):
    figures = {"raw": 4.1, "zscored": 12.0, "mdav_raw": 3.9, "mdav_zscored": 11.0}
    figures |= {"bound_raw": 2.0, "bound_zscored": 8.0}
    printed = PrintedCell("census", RAW_VALUES_METHOD, k, text, "A. Author 2010")
    return RawAndZscoreRow(printed, **figures | changes)
