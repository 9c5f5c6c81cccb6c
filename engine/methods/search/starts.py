"""Start methods of a search, and their groups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from engine.core.context import RunContext
from engine.core.parameters import Choice
from engine.core.partition import Labels
from engine.core.typing import Values
from engine.kernels.records.coded_records import CodedRecords
from engine.methods.base import make_method, methods
from engine.methods.fixed_size.mdav import MDAV
from engine.points.base import Points


def start_parameter() -> Choice:
    """Return the declaration of the parameter ``start``."""
    return Choice(
        "start",
        "mdav",
        "Start",
        "The method whose groups the search begins with. A better start "
        "saves time; it also improves the result of a short search.",
        options=_Starts(),
    )


class _Starts(Sequence[str]):
    """Methods that group whole records of any kinds, and keep k.

    Looked up when somebody asks, because methods are still being registered when a
    search declares its parameters.
    """

    def __getitem__(self, place: Any) -> Any:
        return self._names[place]

    def __len__(self) -> int:
        return len(self._names)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(
            info.id
            for info in methods.infos()
            if info.can_be_refined and not info.traits.univariate
        )


def start_groups(
    start: str, points: Points, k: int, seed: int, ctx: RunContext
) -> Labels:
    """Return the labels of the method named `start`, with default parameters."""
    return make_method(start, k, seed=seed).partition(points, ctx).labels


def split_large_groups(
    records: CodedRecords | Values, labels: Labels, k: int
) -> Labels:
    """Return labels with groups of 2k or more records split by MDAV.

    The first part of a split group keeps its number; the others get new ones.

    Parameters
    ----------
    records : CodedRecords or ndarray of float64, shape (n_records, n_attributes)
    labels : ndarray of int64, shape (n_records,)
        Dense, every group of at least k.
    """
    coded = (
        CodedRecords.from_numbers(records)
        if isinstance(records, np.ndarray)
        else records
    )
    new_labels = labels.copy()
    sizes = np.bincount(labels)
    n_groups = sizes.size
    for g in np.flatnonzero(sizes > 2 * k - 1):
        members = np.flatnonzero(labels == g)
        X = coded.select(members).to_coordinates()
        parts = MDAV(k).partition(Points.from_array(X)).labels
        new_labels[members] = np.where(parts == 0, g, n_groups + parts - 1)
        n_groups += int(parts.max())
    return new_labels
