"""From table to points: read quasi-identifiers, settle missing values, scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import InputError, ParameterError
from engine.core.message import Message
from engine.core.typing import Values
from engine.data.attributes import read_attribute
from engine.data.gaps import Sharing
from engine.data.kinds import MissingPolicy
from engine.data.missing import settle_missing
from engine.data.table import Table
from engine.points.base import Points, frozen
from engine.points.scaling import SpreadOf, centre_and_scale


def encode(
    table: Table,
    columns: tuple[str, ...],
    scaling: str = "zscore",
    missing: MissingPolicy = "refuse",
    missing_columns: Mapping[str, MissingPolicy] | None = None,
    weights: str | None = None,
    sharing: Sharing | None = None,
) -> Points:
    """Prepare quasi-identifiers for grouping.

    Parameters
    ----------
    table : Table
    columns : tuple of str
        The quasi-identifiers.
    scaling : str
        Identifier in :data:`scalings`.
    missing : {"refuse", "drop", "median", "mode", "keep", "keep-or-fill"}
        What happens to records with a missing quasi-identifier; see
        :mod:`engine.data.missing`.
    missing_columns : mapping of str to policy, optional
        The same for single columns, where they differ.
    weights : str, optional
        Column with how many units each record stands for.
    sharing : Sharing, optional
        Who may share a group; needed where gaps are kept or filled.

    Raises
    ------
    ParameterError
        If there is no quasi-identifier, or a column does not exist.
    InputError
        If a column's values are not those of its kind, or infinite or huge, or missing
        where that is refused, or a weight is not positive.
    """
    if not columns:
        raise ParameterError(
            "There is no quasi-identifier: name at least one column by which "
            "somebody could be recognised."
        )
    if len(set(columns)) < len(columns):
        name = next(c for c in columns if columns.count(c) > 1)
        raise ParameterError("Quasi-identifier {column!r} is named twice.", column=name)
    found = [read_attribute(table, name) for name in columns]
    attributes = tuple(attribute for attribute, _ in found)
    raw = np.column_stack([values for _, values in found])
    policies = [(missing_columns or {}).get(name, missing) for name in columns]
    settled = settle_missing(raw, attributes, policies, sharing)
    raw = settled.values
    present = np.where(settled.kept, np.nan, raw)
    nominal = np.array([attribute.nominal for attribute in attributes])
    spread = np.nanmax(present, axis=0) - np.nanmin(present, axis=0)
    centre, scale = _centre_and_scale(present, nominal, scaling)
    weighed = None
    if weights is not None:
        weighed = read_weights(table, weights, settled.rows)
    raw = np.where(settled.kept, _neutral(present, nominal, weighed), raw)
    return Points.scaled(
        raw,
        tuple(attribute.among(present[:, j]) for j, attribute in enumerate(attributes)),
        centre,
        scale,
        rows=settled.rows,
        missing=settled.kept,
        weights=weighed,
        filled=settled.filled,
        warnings=settled.warnings + constant_columns(columns, spread),
    )


def _centre_and_scale(
    values: Values, nominal: NDArray[np.bool_], scaling: str
) -> tuple[Values, Values]:
    """Return what to scale by, from the cells that are there (the others are NaN)."""
    if not np.isnan(values).any() and not nominal.any():
        return centre_and_scale(scaling, SpreadOf(values))
    centre, scale = np.zeros(nominal.size), np.ones(nominal.size)
    for j in np.flatnonzero(~nominal):
        column = values[~np.isnan(values[:, j]), j]
        found = centre_and_scale(scaling, SpreadOf(column[:, np.newaxis]))
        centre[j : j + 1], scale[j : j + 1] = found
    return centre, scale


def constant_columns(names: Sequence[str], width: Values) -> tuple[Message, ...]:
    """Return a warning for each column whose largest value is its smallest."""
    return tuple(
        Message(
            "Quasi-identifier {name!r} is constant: it does not influence the groups.",
            name=name,
        )
        for name, wide in zip(names, width, strict=True)
        if wide == 0
    )


def _neutral(
    present: Values, nominal: NDArray[np.bool_], weights: Values | None
) -> Values:
    """Return what cells that stay missing hold: the mean, so that they vary nothing."""
    found = np.zeros(nominal.size)
    for j in np.flatnonzero(~nominal):
        there = ~np.isnan(present[:, j])
        some = None if weights is None else weights[there]
        found[j] = np.average(present[there, j], weights=some)
    return found


def read_weights(table: Table, name: str, rows: NDArray[np.int64]) -> Values:
    """Return a column of weights, shape (n_records,).

    Raises
    ------
    InputError
        If a weight is missing, zero or negative.
    """
    attribute, values = read_attribute(table, name)
    if attribute.words is not None or attribute.dates:
        raise InputError(
            "Column {column!r} holds no numbers, so it cannot weigh records: give the "
            "role weight to another column.",
            column=name,
        )
    values = values[rows]
    bad = np.flatnonzero(~(values > 0))
    if bad.size:
        what = Message("zero or negative")
        if np.isnan(values[bad[0]]):
            what = Message("missing")
        raise InputError(
            "Column {column!r} weighs records, but {count:,} weight cannot be used: "
            "the first, in record {record}, is {what}. Correct these cells, or give "
            "the column another role.",
            "Column {column!r} weighs records, but {count:,} weights cannot be used: "
            "the first, in record {record}, is {what}. Correct these cells, or give "
            "the column another role.",
            count=bad.size,
            column=name,
            record=rows[bad[0]] + 1,
            what=what,
        )
    return frozen(values)
