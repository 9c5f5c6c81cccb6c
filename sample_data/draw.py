"""Random draws that give the same rows on every machine, and the generated table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.data.schema import Schema

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Generated:
    """A generated table.

    Attributes
    ----------
    schema : Schema
    rows : tuple of tuple of str
        Cells as they are written, one per column of the schema; empty if missing.
    """

    schema: Schema
    rows: tuple[tuple[str, ...], ...]

    def to_csv(self) -> str:
        """Return header and records as comma-separated text."""
        return write_rows([self.schema.names, *self.rows], ",")


def write_rows(rows: Iterable[Sequence[str]], delimiter: str) -> str:
    """Return rows as delimited text with one line feed per row."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def generator(seed: int) -> np.random.Generator:
    """Return a generator whose bits NumPy promises to keep.

    ``default_rng`` is not used: NumPy reserves the right to give it other bits.
    """
    return np.random.Generator(np.random.PCG64(seed))


def choose(rng: np.random.Generator, weights: Sequence[int], size: int) -> Integers:
    """Draw `size` positions, each as often as its integer weight says."""
    steps = np.cumsum(np.asarray(weights, dtype=np.int64))
    drawn = rng.integers(steps[-1], size=size, dtype=np.int64)
    return np.searchsorted(steps, drawn, side="right").astype(np.int64)


def shuffled(rng: np.random.Generator, size: int) -> Integers:
    """Return 0 to size-1 in random order."""
    return np.argsort(rng.random(size), kind="stable").astype(np.int64)


def lognormal(rng: np.random.Generator, spread: float, size: int) -> Floats:
    """Draw factors with median 1 whose logarithm has standard deviation `spread`."""
    return np.exp(spread * rng.standard_normal(size))


def whole(values: Floats, least: int | None = None) -> Integers:
    """Round to integers, none below `least`.

    Rounding also hides the last bit, in which mathematics libraries differ.
    """
    rounded = np.rint(values).astype(np.int64)
    return rounded if least is None else np.maximum(rounded, least)
