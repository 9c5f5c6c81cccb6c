"""Choices that the sources leave open, per method, and the loss of each reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.analysis.published.literature import RAW_VALUES_METHOD, LossBasis
from engine.core.context import SILENT
from engine.core.numerics.statistics import mean_by_group
from engine.core.partition import members_by_group
from engine.core.typing import Integers, Values
from engine.methods.variable_size.mst import cut_spanning_tree
from tests.benchmarks.proven import read_values
from tests.readings import kernels
from tests.readings.forest import forest_groups

Reading = Mapping[str, str]

LEFTOVERS = ("nearest mean", "nearest mean as it moves", "nearest record", "last group")
REST = "farthest and its nearest"


@dataclass(frozen=True)
class OpenMethod:
    """A method whose text leaves something open.

    Attributes
    ----------
    choices : mapping of str to tuple of str
        What is open, and how it may be meant. The first of each is ours, where ours
        is among them.
    loss : callable
        Information loss in per cent of (table, basis, k, reading).
    """

    choices: Mapping[str, tuple[str, ...]]
    loss: Callable[[str, LossBasis, int, Reading], float]


@lru_cache(maxsize=8)
def values_of(table: str, basis: LossBasis) -> Values:
    """Return a reference table on some basis; the constant column of none stays."""
    return read_values(table, basis)


# Paths through groups: MD, MDAV, CBFS, then Hansen-Mukherjee

_SEEDS = {"md-mhm": 0, "mdav-mhm": 1, "cbfs-mhm": 2}
_MEANS = {"those left": 2, "all records": 3, "those left, over the number of all": 4}


@lru_cache(maxsize=512)
def _groups(
    table: str, basis: LossBasis, k: int, seeds: int, *how: str
) -> tuple[Integers, Integers]:
    """Return the groups of a fixed-size method, and the order of creation."""
    growth, pair, stop, leftovers = how
    X = values_of(table, basis)
    labels = np.empty(len(X), dtype=np.int64)
    higher_first = pair == "higher record first"
    min_remaining = {"k": k, "2k": 2 * k, "3k": 3 * k}[stop]
    by_mean = growth == "to the growing mean"
    count = kernels.seed_groups(
        X, k, seeds, higher_first, min_remaining, by_mean, labels
    )
    way = 4 if leftovers == REST else LEFTOVERS.index(leftovers)
    while (labels < 0).sum() >= 2 * k:  # of 2k to 3k - 1 the farthest one's group
        middle = X[labels < 0].mean(axis=0)
        kernels.grow(X, labels, kernels.farthest(X, labels, middle), count, k, by_mean)
        count += 1
    kernels.place_leftovers(X, labels, k, count, way)
    return labels, mean_by_group(X, labels)


def _path_loss(
    seeds: int, table: str, basis: LossBasis, k: int, reading: Reading
) -> float:
    X = values_of(table, basis)
    stop, pair = reading.get("pairs while", "k"), reading.get("pair", "")
    seeds = _MEANS.get(reading.get("mean of", ""), seeds)
    how = (reading["nearest"], pair, stop, reading["leftovers"])
    labels, middles = _groups(table, basis, k, seeds, *how)
    if reading["path"] == "none, groups as made":
        return kernels.loss_of(X, labels)
    begin, within = reading["path"].split("; ")
    sq = np.square(middles - X.mean(axis=0)).sum(axis=1)
    if begin == "as made":
        chain = np.arange(len(middles))
    else:
        first = {
            "from the outermost": int(sq.argmax()),
            "from the innermost": int(sq.argmin()),
            "from the last made": len(middles) - 1,
        }[begin]
        chain = kernels.walk(middles, first)
    place = np.empty_like(chain)
    place[chain] = np.arange(chain.size)
    rank = place[labels]
    if within == "nearest point next":
        order = kernels.walk_by_group(X, labels, middles, chain)
        return kernels.loss_of_cut(X, order, k)
    if within == "record number":
        return kernels.loss_of_cut(X, np.lexsort((rank,)), k)
    step = 1 if within == "far from the next first" else -1
    towards = chain[np.clip(np.arange(chain.size) + step, 0, chain.size - 1)]
    edge = rank == (chain.size - 1 if step == 1 else 0)
    if chain.size > 1:
        towards[-1 if step == 1 else 0] = chain[-2 if step == 1 else 1]
    d = np.square(X - middles[towards[rank]]).sum(axis=1)
    key = np.where(edge, -step * -d, -step * d)
    return kernels.loss_of_cut(X, np.lexsort((key, rank)), k)


_PATHS = (
    *(
        f"{begin}; {within}"
        for begin in (
            "from the outermost",
            "from the innermost",
            "from the last made",
            "as made",
        )
        for within in (
            "far from the next first",
            "near the one before first",
            "record number",
            "nearest point next",
        )
    ),
    "none, groups as made",
)
_PATH_CHOICES = {
    "path": _PATHS,
    "nearest": ("to the seed", "to the growing mean"),
    "leftovers": ("nearest mean", "last group", REST),
}

# Nearest point next


def _walk_loss(table: str, basis: LossBasis, k: int, reading: Reading) -> float:
    X = values_of(table, basis)
    order = _walk(table, basis, reading["first record"], reading["distance on"])
    return kernels.loss_of_cut(X, order, k)


@lru_cache(maxsize=32)
def _walk(table: str, basis: LossBasis, first: str, scale: str) -> Integers:
    X = values_of(table, basis)
    if scale != "z-scores":
        X = values_of(table, LossBasis("none", basis.without))
        if scale == "ranges":
            X = np.ascontiguousarray(X / (X.max(axis=0) - X.min(axis=0)))
    sq = np.square(X - X.mean(axis=0)).sum(axis=1)
    if first in ("farthest from the mean", "nearest to the mean"):
        start = int(sq.argmax() if first.startswith("farthest") else sq.argmin())
    elif first in ("first of the file", "last of the file"):
        start = 0 if first.startswith("first") else len(X) - 1
    else:
        labels = np.full(len(X), -1, dtype=np.int64)
        far = [kernels.farthest(X, labels, x) for x in X]
        widest = int(np.square(X - X[far]).sum(axis=1).argmax())
        start = min if first.startswith("lower") else max
        start = start(widest, far[widest])
    return kernels.walk(X, start)


# Minimum spanning trees divided by DBFS


@lru_cache(maxsize=64)
def _trees(table: str, basis: LossBasis, k: int) -> Integers:
    return cut_spanning_tree(values_of(table, basis), k, SILENT, "")


def _tree_loss(table: str, basis: LossBasis, k: int, reading: Reading) -> float:
    X = values_of(table, basis)
    trees = _trees(table, basis, k)
    labels = np.empty_like(trees)
    count = 0
    for records in members_by_group(trees):
        inside = np.zeros(len(records), dtype=np.int64)
        if len(records) >= 2 * k:
            part = np.ascontiguousarray(X[records])
            n_groups = kernels.seed_groups(
                part,
                k,
                0,
                reading["pair"] == "higher record first",
                {"2k": 2 * k, "3k": 3 * k}[reading["pairs while"]],
                reading["nearest"] == "to the growing mean",
                inside,
            )
            while (inside < 0).sum() >= 2 * k:
                middle = part[inside < 0].mean(axis=0)
                seed = kernels.farthest(part, inside, middle)
                kernels.grow(part, inside, seed, n_groups, k, False)
                n_groups += 1
            whole_file = reading["leftovers of"] == "the whole file"
            if not whole_file or (inside < 0).sum() >= k:
                leftovers = reading["leftovers"]
                way = 4 if leftovers == REST else LEFTOVERS.index(leftovers)
                kernels.place_leftovers(part, inside, k, n_groups, way)
        labels[records] = np.where(inside < 0, -1, count + inside)
        count += inside.max() + 1
    if (labels < 0).any():
        way = LEFTOVERS.index(reading["leftovers"])
        kernels.place_leftovers(X, labels, len(X), count, way)
    return kernels.loss_of(X, labels)


# Pairwise systematic


def _systematic_loss(table: str, basis: LossBasis, k: int, reading: Reading) -> float:
    raw = values_of(table, LossBasis("none", basis.without))
    scaled = values_of(table, LossBasis("zscore", basis.without))
    by_name = {"raw values": raw, "z-scores": scaled}
    X = by_name[reading["SSE on"]]
    key = by_name[reading["sorted by"]].sum(axis=1)
    labels = np.empty(len(X), dtype=np.int64)
    kernels.systematic_groups(
        np.argsort(key, kind="stable"),
        X,
        k,
        reading["nearest"] == "to the growing mean",
        reading["last record"] == "kept for its group",
        reading["first"] == "the largest",
        labels,
    )
    return kernels.loss_of(by_name[reading["loss on"]], labels)


def _forest_loss(table: str, basis: LossBasis, k: int, reading: Reading) -> float:
    X = values_of(table, basis)
    how = (reading["links first"], reading["links"], reading["cut"], reading["limit"])
    return kernels.loss_of(X, forest_groups(X, k, *how))


_PAIR = ("lower record first", "higher record first")

OPEN_METHODS: dict[str, OpenMethod] = {
    **{
        name: OpenMethod(
            _PATH_CHOICES | own,
            lambda *asked, seeds=_SEEDS[name]: _path_loss(seeds, *asked),
        )
        for name, own in {
            "mdav-mhm": {
                "pairs while": ("2k", "3k"),
                "pair": ("farthest from the mean first", _PAIR[1]),
            },
            "md-mhm": {"pairs while": ("2k", "3k"), "pair": _PAIR},
            "cbfs-mhm": {"mean of": tuple(_MEANS)},
        }.items()
    },
    "npn-mhm": OpenMethod(
        {
            "first record": (
                "farthest from the mean",
                "nearest to the mean",
                "lower of the two farthest apart",
                "higher of the two farthest apart",
                "first of the file",
                "last of the file",
            ),
            "distance on": ("z-scores", "ranges", "raw values"),
        },
        _walk_loss,
    ),
    "mst-diameter": OpenMethod(
        {
            "pair": _PAIR,
            "nearest": ("to the seed", "to the growing mean"),
            "pairs while": ("2k", "3k"),
            "leftovers": ("nearest mean as it moves", *LEFTOVERS[:1], *LEFTOVERS[2:]),
            "leftovers of": ("their tree", "the whole file"),
        },
        _tree_loss,
    ),
    "mu-approx": OpenMethod(
        {
            "links first": (
                "the most isolated",
                "the least isolated",
                "first of the file",
            ),
            "links": ("once a pass", "until its tree has k"),
            "cut": ("the longest edge", "the most even", "from the lowest record"),
            "limit": ("3k-5", "2k-1"),
        },
        _forest_loss,
    ),
    RAW_VALUES_METHOD: OpenMethod(
        {
            "sorted by": ("raw values", "z-scores"),
            "SSE on": ("raw values", "z-scores"),
            "loss on": ("raw values", "z-scores"),
            "nearest": ("to the growing mean", "to the seed"),
            "last record": ("kept for its group", "may join the first"),
            "first": ("the smallest", "the largest"),
        },
        _systematic_loss,
    ),
}
"""By method: what is open, and how a reading loses."""
