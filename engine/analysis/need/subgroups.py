"""Subgroups of records by a column's values, with keeps of their own, and losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.analysis.need.keeps import KEEP_KINDS, Keep, KeepScene, KeepValue
from engine.analysis.need.models.model_fit import RefittableModel
from engine.core.errors import ParameterError
from engine.core.typing import Booleans, Integers, Values
from engine.data.conversion.numeric import is_numeric_column
from engine.data.table import Table

MAX_TOLD_VALUES = 20
"""Values of a quasi-identifier whose largest loss is told though nobody asked."""

MAX_SUBGROUPS = 50
"""Values of all columns together: each has its models fitted in every trial."""


@dataclass(frozen=True, eq=False)
class Subgroup:
    """Original records with one value of a column, and limits that they can answer.

    Attributes
    ----------
    column, value : str
    is_member : ndarray of bool, shape (n_records,)
        Of the table's records, by their original values.
    designs : tuple of RefittableModel
        Fitted to the members, without the terms of the column.
    keeps : tuple of Keep
        Those that the members of the original can answer.
    unasked : tuple of str
        The others, and models that cannot be fitted: a slope that few records cannot
        tell, a spread that they lack.
    """

    column: str
    value: str
    is_member: Booleans
    designs: tuple[RefittableModel, ...]
    keeps: tuple[Keep, ...]
    unasked: tuple[str, ...]

    @property
    def label(self) -> str:
        """The subgroup in words."""
        return f"{self.column} = {self.value}"

    def reached(
        self, scene: KeepScene, rows: Integers, losses: Values
    ) -> tuple[KeepValue, ...]:
        """Return what a release reaches of each keep among the members.

        Parameters
        ----------
        scene : KeepScene
            Of all records.
        rows : ndarray of int64
            Of the table, in the order of the scene's records.
        losses : ndarray of float64
            Of each of these records, see :func:`loss_per_record`.
        """
        member_mask = self.is_member[rows]
        if not member_mask.any():  # all are left out
            return tuple(KeepValue(float("nan")) for _ in self.keeps)
        members = replace(
            scene,
            original=scene.original[member_mask],
            release=scene.release[member_mask],
            loss=float(losses[member_mask].mean()),
            designs=self.designs,
        )
        return tuple(keep.reached(members) for keep in self.keeps)

    def summary(self, rows: Integers, losses: Values) -> dict[str, Any]:
        """Return records, loss and unasked keeps of a release, ready for JSON."""
        member_mask = self.is_member[rows]
        loss = float(losses[member_mask].mean()) if member_mask.any() else None
        return {
            "column": self.column,
            "value": self.value,
            "n_records": int(member_mask.sum()),
            "loss": loss,
            "unasked": list(self.unasked),
        }


def make_subgroups(
    table: Table,
    column_names: Sequence[str],
    keeps: Sequence[Keep],
    designs: Sequence[RefittableModel],
    numeric: tuple[str, ...],
    k: int,
) -> tuple[Subgroup, ...]:
    """Return the subgroups of each column's values, with what is kept within them.

    Parameters
    ----------
    column_names : sequence of str
        Columns.
    keeps : sequence of Keep
        Of all records.
    designs : sequence of RefittableModel
        Fitted to all records.
    numeric : tuple of str
        Quasi-identifiers that hold numbers.
    k : int
        Subgroups of fewer records share groups with others, and are asked nothing.

    Raises
    ------
    ParameterError
        If there are too many.
    """
    subgroups: list[Subgroup] = []
    unasked = tuple(keep.text for keep in keeps)
    for name in column_names:
        column = table.frame[name]
        texts, values = _texts_and_values(column)
        if len(subgroups) + len(values) > MAX_SUBGROUPS:
            raise ParameterError(
                "Column {column!r} divides the records into {n:,} subgroups, but "
                "{largest} in all are the most: name a column with fewer values.",
                column=name,
                n=len(values),
                largest=MAX_SUBGROUPS,
            )
        subgroups += [
            _make_subgroup(table, name, value, texts == value, keeps, designs, numeric)
            if (texts == value).sum() >= k
            else Subgroup(name, value, texts == value, (), (), unasked)
            for value in values
        ]
    return tuple(subgroups)


def _texts_and_values(column: pd.Series) -> tuple[NDArray[np.object_], list[str]]:
    """Return a column's values as text, and the different ones in order.

    A gap is no value, and its records are in no subgroup.
    """
    texts = column.astype("str").where(column.notna(), None).to_numpy(dtype=object)
    return texts, sorted(set(texts[column.notna()].tolist()))


def summarise_largest_losses(
    table: Table, column_names: Sequence[str], rows: Integers, losses: Values, k: int
) -> tuple[dict[str, Any], ...]:
    """Return each column's value whose records lose most, ready for JSON.

    Columns of numbers, unless they have two, of more than `MAX_TOLD_VALUES` values, or
    with less than two values of at least `k` released records have none.

    Parameters
    ----------
    rows : ndarray of int64
        Of the table that are released.
    losses : ndarray of float64
        Of each of these records, see :func:`loss_per_record`.
    """
    largest = []
    for name in column_names:
        column = table.frame[name]
        texts, values = _texts_and_values(column)
        if len(values) > (2 if is_numeric_column(column) else MAX_TOLD_VALUES):
            continue
        value_losses = [
            (float(losses[has_value].mean()), value, int(has_value.sum()))
            for value in values
            if (has_value := texts[rows] == value).sum() >= k
        ]
        if len(value_losses) > 1:
            loss, value, n = max(value_losses)
            row = {"column": name, "value": value, "n_records": n, "loss": loss}
            largest.append(row)
    return tuple(largest)


def loss_per_record(X: Values, labels: Integers, centres: Values) -> Values:
    """Return each record's loss in per cent of the file's variance per record.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_coordinates)
    labels : ndarray of int64, shape (n_records,)
    centres : ndarray of float64, shape (n_groups, n_coordinates)

    Returns
    -------
    ndarray of float64, shape (n_records,)
        The squared distance from the group's mean, in per cent of the mean squared
        distance of all records from theirs. It can pass 100.
    """
    spread = ((X - X.mean(axis=0)) ** 2).sum() / len(X)
    sq_dists = ((X - centres[labels]) ** 2).sum(axis=1)
    return np.asarray(100.0 * sq_dists / spread if spread else 0.0 * sq_dists)


def _make_subgroup(
    table: Table,
    name: str,
    value: str,
    is_member: Booleans,
    keeps: Sequence[Keep],
    designs: Sequence[RefittableModel],
    numeric: tuple[str, ...],
) -> Subgroup:
    members = table.frame[is_member]
    refits, unasked = [], []
    for design in designs:
        try:
            model = design.model
            if name in model.regressor_columns(table.schema.names):
                model = model.without_column(name, table.schema.names)
            refits.append(RefittableModel(model, members))
        except ParameterError:  # of so few, a slope cannot be told
            unasked.append(design.model.text)
    unchanged = KeepScene(members, members, 0.0, tuple(refits), numeric)
    goals = []
    for keep in keeps:
        without_model = KEEP_KINDS[keep.kind].of_models and not refits
        if without_model or np.isnan(keep.reached(unchanged).value):
            unasked.append(keep.text)
            continue
        text = f"{keep.text} ({name} = {value})"
        goals.append(replace(keep, text=text, subgroup=f"{name} = {value}"))
    return Subgroup(name, value, is_member, tuple(refits), tuple(goals), tuple(unasked))
