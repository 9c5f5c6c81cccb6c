"""Least known losses and proven lower bounds of reference tables, and printed losses.

They were found by the method ``optimal`` in minutes per cell; how long, with how many
steps and on which versions stands in ``proven.json`` beside this file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from engine.analysis.published.literature import LossBasis, PrintedCell, printed_cells
from engine.data.table import Table

VALUE_DIGESTS = {
    "tarragona": "98c5774f42a775ba02182977623296c6caf5679b31414ad287b9097f2513e82f",
    "census": "8cd4a46073869132d5e299ccd59258188ea64499b850d74a40565286927c9c51",
    "eia": "873e36dcb933b5e4ca063f7225b68d45e239621a0b61fcdbfa1509a53419f5d7",
}
"""SHA-256 of each reference table's values, by :func:`digest_numbers_in_row_order`."""


@dataclass(frozen=True)
class ProvenOptimum:
    """Smallest known loss and proven lower bound of a reference table's groups.

    Attributes
    ----------
    loss : float
        The least information loss that is known, per cent.
    bound : float
        What no groups of at least k can stay below, per cent.
    """

    loss: float
    bound: float

    def excess(self, value: float) -> float:
        """Return a loss's excess over the smallest known one, in per cent of it."""
        return 100.0 * (value - self.loss) / self.loss


def digest_numbers_in_row_order(table: Table) -> str:
    """Return a SHA-256 of a table's numbers in row order; empty if it holds others.

    Columns count by position. A column that holds something else than numbers has no
    digest: the result is empty.
    """
    try:
        values = table.frame.to_numpy(dtype="<f8", na_value=np.nan)
    except (TypeError, ValueError):
        return ""
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()


def has_published_values(dataset: str, table: Table) -> bool:
    """Return whether a table has exactly the values that published figures rest on."""
    return digest_numbers_in_row_order(table) == VALUE_DIGESTS.get(dataset)


@cache
def best_known_losses_by_cell() -> Mapping[tuple[str, int, LossBasis], ProvenOptimum]:
    """Return all proven optima by table, k, and attributes and scaling."""
    file = files("engine.analysis.published") / "proven.json"
    text = file.read_text(encoding="utf-8")
    return {
        (
            cell["table"],
            cell["k"],
            LossBasis(cell["scaling"], tuple(cell["without"])),
        ): ProvenOptimum(cell["loss"], cell["bound"])
        for cell in json.loads(text)
    }


@dataclass(frozen=True)
class PrintedExcess:
    """A published loss and the proven optimum for the same attributes and scaling."""

    printed: PrintedCell
    optimum: ProvenOptimum

    @property
    def per_cent(self) -> float:
        """Excess of the printed loss over the smallest known one, in per cent of it."""
        return self.optimum.excess(self.printed.value)


def printed_excesses() -> tuple[PrintedExcess, ...]:
    """Return pairs of a published loss and its proven optimum, where one is known."""
    optima = best_known_losses_by_cell()
    return tuple(
        PrintedExcess(cell, optimum)
        for cell in printed_cells()
        if (optimum := optima.get((cell.dataset, cell.k, cell.loss_basis)))
    )


def max_proven_gap_percent() -> float:
    """Return the largest gap of bound to loss, z-scores of all attributes, in %."""
    return max(
        -optimum.excess(optimum.bound)
        for (_, _, basis), optimum in best_known_losses_by_cell().items()
        if basis == LossBasis()
    )
