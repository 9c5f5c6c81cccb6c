"""Tables that every method is tried on, and what each is compared with."""

import importlib
import re
import sys
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from engine.core.context import SILENT, RunContext
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.methods.base import MethodInfo, make_method, methods
from engine.points.base import Points

every_method = pytest.mark.parametrize("name", list(methods))


guaranteed = pytest.mark.parametrize(
    "name", [info.id for info in methods.infos() if info.traits.guarantees_k]
)


limited = pytest.mark.parametrize(
    "name", [info.id for info in methods.infos() if info.traits.max_records]
)


KS = (2, 3, 7)


MANY = 200


TABLES = {
    "scattered": lambda rng, n, p: rng.standard_normal((n, p)),
    "heavy tails": lambda rng, n, p: rng.lognormal(0.0, 2.0, (n, p)),
    "far from zero": lambda rng, n, p: 1e9 + rng.standard_normal((n, p)),
    "many ties": lambda rng, n, p: rng.integers(0, 3, (n, p)).astype(np.float64),
    "all records equal": lambda rng, n, p: np.full((n, p), 0.1),
    "constant column": lambda rng, n, p: np.column_stack(
        [np.full(n, 0.7), rng.standard_normal((n, p - 1))]
    ),
    "one column": lambda rng, n, p: rng.standard_normal((n, 1)),
}


by_turns = pytest.mark.parametrize(
    "is_first_turn", [True, pytest.param(False, marks=pytest.mark.slow)]
)
"""All tables, one k for each; the slow tests see to every other k."""


def take_turns(is_first_turn: bool) -> Iterator[tuple[str, int]]:
    """Yield each table with the one k whose turn it is, or with every other k."""
    for place, table in enumerate(TABLES, 1):
        for k in KS:
            if (k == KS[place % len(KS)]) is is_first_turn:
                yield table, k


def draw(name: str, table: str, n: int, seed: int = 0) -> Values:
    """A table that the method takes: univariate methods get one column."""
    p = 1 if methods.info(name).traits.univariate else 3
    return np.asarray(TABLES[table](np.random.default_rng(seed), n, p))


def brief(name: str) -> dict[str, object]:
    """Parameters by which a method that goes by the clock takes a few steps instead."""
    traits = methods.info(name).traits
    if not traits.time_budget:
        return {}
    return {"iterations": 1 if looks_at_all_groups(name) else 200}


def looks_at_all_groups(name: str) -> bool:
    """Whether it searches among all groups there are: seconds where k is large."""
    traits = methods.info(name).traits
    return traits.time_budget and traits.max_records is not None


def group(
    name: str,
    X: Values,
    k: int,
    ctx: RunContext = SILENT,
    seed: int = 0,
    parameters: dict[str, object] | None = None,
) -> Labels:
    method = make_method(name, k, brief(name) | (parameters or {}), seed)
    return method.partition(Points.from_array(X), ctx).labels


@cache
def grouped(name: str, table: str, n: int, k: int) -> Labels:
    """Group the records of a table once for all that is asked of the groups."""
    labels = group(name, draw(name, table, n), k)
    labels.flags.writeable = False
    return labels


def larger(name: str, table: str, k: int, n: int) -> tuple[int, ...]:
    """Return `n` where a method is tried on so many records, or nothing.

    One table of fewer is enough where all groups of up to 2k - 1 are looked at.
    """
    if not looks_at_all_groups(name):
        return (n,)
    if k <= 3:
        return (min(n, 80),)
    return (min(n, 5 * k),) if table == "heavy tails" else ()


def smaller(name: str, k: int) -> tuple[int, ...]:
    """Return the numbers of a few records on which a method is compared."""
    if looks_at_all_groups(name) and k > 3:
        return (2 * k,)
    return (2 * k, 3 * k + 1)


def sse(X: Values, labels: Labels) -> float:
    """SSE from its definition."""
    members = (X[labels == g] for g in range(int(labels.max()) + 1))
    return float(sum(((G - G.mean(axis=0)) ** 2).sum() for G in members))


def same_groups(a: Labels, b: Labels) -> bool:
    """Whether two labellings split the records in the same way."""
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    return len(pairs) == len(set(a.tolist())) == len(set(b.tolist()))


def largest_allowed(info: MethodInfo, k: int) -> float:
    """Return the largest group size in numbers, from ``"2k-1"`` or ``""``."""
    if info.traits.max_group_size == "":
        return np.inf
    size_match = re.fullmatch(r"(\d*)k([+-]\d+)?", info.traits.max_group_size)
    assert size_match is not None, f"{info.id}: {info.traits.max_group_size!r}"
    return int(size_match[1] or 1) * k + int(size_match[2] or 0)


@cache
def twin_of(name: str):
    """Return the naive twin of a method."""
    module = name.replace("-", "_")
    return getattr(importlib.import_module(f"tests.reference.{module}"), module)


def assert_equals_twin(name: str, X: Values, k: int) -> None:
    # A twin says with which parameters it runs where the defaults would take hours.
    module = sys.modules[twin_of(name).__module__]
    parameters = getattr(module, "PARAMETERS", {})
    seed = {"seed": 0} if methods.info(name).traits.uses_seed else {}
    labels = group(name, X, k, parameters=parameters)
    expected = np.asarray(twin_of(name)(X, k, **seed, **parameters))
    if getattr(module, "NO_WORSE", False):
        assert sse(X, labels) <= sse(X, expected) * (1 + 1e-9) + 1e-12
    elif methods.info(name).traits.exact:  # optimal groups need not be unique
        assert sse(X, labels) == pytest.approx(sse(X, expected), rel=1e-9, abs=1e-12)
    else:
        np.testing.assert_array_equal(labels, expected)
