"""From table to points: read quasi-identifiers, settle missing values, scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import InputError, ParameterError
from engine.core.message import Message
from engine.core.typing import Integers, Values
from engine.data.attributes import Attribute
from engine.data.gaps import Sharing
from engine.data.kinds import MissingPolicy
from engine.data.missing import settle_missing
from engine.data.read_attribute import read_attribute
from engine.data.table import Table
from engine.points.base import Points
from engine.points.branches import Branches
from engine.points.scaling import SpreadOf, centre_and_scale
from engine.points.space import Space, frozen
from engine.points.transforms import PLAIN, Transform, transforms


def encode(
    table: Table,
    columns: tuple[str, ...],
    scaling: str = "zscore",
    missing: MissingPolicy = "refuse",
    missing_columns: Mapping[str, MissingPolicy] | None = None,
    weights: str | None = None,
    sharing: Sharing | None = None,
    attribute_weights: Mapping[str, float] | None = None,
    transform: Mapping[str, str] | None = None,
    rows: Integers | None = None,
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
    attribute_weights : mapping of str to float, optional
        How much each quasi-identifier's squared distances count, 1 unless given.
    transform : mapping of str to str, optional
        Identifiers in :data:`engine.points.transforms.transforms`, by column.
    rows : ndarray of int64, shape (n_records,), optional
        Those of the table that count; all unless given.

    Raises
    ------
    ParameterError
        If there is no quasi-identifier, or a column does not exist, or one of
        categories or dates is to be transformed.
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
    settled = settle_missing(raw, attributes, policies, sharing, rows)
    raw = settled.values
    present = np.where(settled.kept, np.nan, raw)
    bends = tuple(
        _settled_transform((transform or {}).get(attribute.name, PLAIN), attribute, x)
        for attribute, x in zip(attributes, present.T, strict=True)
    )
    weighed = None
    if weights is not None:
        weighed = read_weights(table, weights, settled.rows)
    spread = np.nanmax(present, axis=0) - np.nanmin(present, axis=0)
    raw = np.where(settled.kept, _neutral(present, attributes, bends, weighed), raw)
    said = (bend.said(name) for bend, name in zip(bends, columns, strict=True))
    return Points.within(
        space_of(
            attributes, present, scaling, bends, weights_for(columns, attribute_weights)
        ),
        raw,
        rows=settled.rows,
        missing=settled.kept,
        weights=weighed,
        filled=settled.filled,
        warnings=settled.warnings
        + constant_columns(columns, spread)
        + tuple(each for each in said if each),
    )


def weights_for(
    columns: Sequence[str], weights: Mapping[str, float] | None
) -> NDArray[np.float64]:
    """Return the weight of each attribute, 1 unless given, shape (n_attributes,)."""
    known = weights or {}
    return np.array([float(known.get(name, 1.0)) for name in columns])


def space_of(
    attributes: tuple[Attribute, ...],
    present: Values,
    scaling: str,
    bends: tuple[Transform, ...],
    weights: NDArray[np.float64],
) -> Space:
    """Return the space of a table.

    Parameters
    ----------
    attributes : tuple of Attribute
    present : ndarray of float64, shape (n_records, n_attributes)
        In their own units; NaN where a cell stays missing.
    scaling : str
        Identifier in :data:`scalings`.
    bends : tuple of Transform
    weights : ndarray of float64, shape (n_attributes,)

    Raises
    ------
    InputError
        If a column has too many categories.
    """
    columns = zip(attributes, present.T, strict=True)
    known = tuple(attribute.among(values) for attribute, values in columns)
    nominal = np.array([attribute.nominal for attribute in attributes])
    bent = present
    if any(bend.id != PLAIN for bend in bends):
        bent = np.column_stack([f(x) for f, x in zip(bends, present.T, strict=True)])
    centre, scale = _centre_and_scale(bent, nominal, scaling)
    branches: list[Branches | None] = []
    for attribute, values in zip(attributes, present.T, strict=True):
        if not attribute.nominal or attribute.tree is None:
            branches.append(None)
            continue
        codes = values[~np.isnan(values)].astype(np.int64)
        counts = np.bincount(codes, minlength=len(attribute.tree.leaves))
        branches.append(Branches.of(attribute.tree, counts, scaling, attribute.name))
    return Space(known, centre, scale, weights, bends, tuple(branches))


def refuse_transform(name: str, column: str) -> ParameterError:
    """Return that a column holds no numbers that could be transformed."""
    return ParameterError(
        "Column {column!r} holds no numbers, so it has no {transform}: leave the "
        "transform of this column out.",
        column=column,
        transform=transforms.info(name).title,
    )


def _settled_transform(name: str, attribute: Attribute, values: Values) -> Transform:
    """Return a column's transform with its figures.

    Raises
    ------
    ParameterError
        If the column holds no numbers.
    """
    if name == PLAIN:
        return Transform()
    if attribute.words is not None or attribute.dates:
        raise refuse_transform(name, attribute.name)
    return transforms.get(name)(values[~np.isnan(values)])


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
    present: Values,
    attributes: Sequence[Attribute],
    bends: Sequence[Transform],
    weights: Values | None,
) -> Values:
    """Return what cells that stay missing hold: the mean, so that they vary nothing."""
    found = np.zeros(len(attributes))
    for j, attribute in enumerate(attributes):
        if not attribute.nominal:
            there = ~np.isnan(present[:, j])
            some = None if weights is None else weights[there]
            mean = np.average(bends[j](present[there, j]), weights=some)
            found[j] = bends[j].back(np.array([mean]))[0]
    return found


def no_weights(name: str) -> InputError:
    """Return the error of a column that holds something else than weights."""
    return InputError(
        "Column {column!r} holds no numbers, so it cannot weigh records: give the "
        "role weight to another column.",
        column=name,
    )


def unfit_weights(weights: Values) -> NDArray[np.int64]:
    """Return the positions of weights by which no mean can be taken.

    Infinite ones are among them, which a table in memory does not have.
    """
    return np.flatnonzero(~((weights > 0) & np.isfinite(weights)))


def read_weights(table: Table, name: str, rows: NDArray[np.int64]) -> Values:
    """Return a column of weights, shape (n_records,).

    Raises
    ------
    InputError
        If a weight is missing, zero or negative.
    """
    attribute, values = read_attribute(table, name)
    if attribute.words is not None or attribute.dates:
        raise no_weights(name)
    values = values[rows]
    bad = unfit_weights(values)
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
