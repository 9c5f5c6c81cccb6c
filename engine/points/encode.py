"""Encode a table as points: read quasi-identifiers, treat missing values, scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

from engine.core.errors import InputError, ParameterError
from engine.core.message import Message
from engine.core.typing import Integers, Values
from engine.data.conversion.attributes import AttributeInfo
from engine.data.conversion.read_attribute import read_attribute_and_numbers
from engine.data.kinds import Kind, MissingPolicy
from engine.data.missing_values.gaps import SharedGapConditions
from engine.data.missing_values.missing import apply_missing_policies
from engine.data.table import Table
from engine.points.base import Points
from engine.points.branches import CategoryCoordinates
from engine.points.coordinate_space import CoordinateSpace, freeze_contiguous
from engine.points.scaling import ArraySpread, centre_and_scale
from engine.points.transforms import NO_TRANSFORM, FittedTransform, transforms


def encode_points(
    table: Table,
    columns: tuple[str, ...],
    scaling: str = "zscore",
    missing: MissingPolicy = "refuse",
    missing_columns: Mapping[str, MissingPolicy] | None = None,
    weights: str | None = None,
    pattern_conditions: SharedGapConditions | None = None,
    attribute_weights: Mapping[str, float] | None = None,
    transform: Mapping[str, str] | None = None,
    rows: Integers | None = None,
) -> Points:
    """Return quasi-identifiers as points: gaps handled, transformed, scaled, weighted.

    Parameters
    ----------
    columns : tuple of str
        The quasi-identifiers.
    scaling : str
        Identifier in :data:`engine.points.scaling.scalings`.
    missing : {"refuse", "drop", "median", "mode", "keep", "keep-or-fill"}
        What happens to records with a missing quasi-identifier; see
        :mod:`engine.data.missing_values.missing`.
    missing_columns : mapping of str to policy, optional
        What happens in single columns, where it differs from `missing`.
    weights : str, optional
        Column with how many units each record stands for.
    pattern_conditions : SharedGapConditions, optional
        Who may share a group; needed where gaps are kept or filled.
    attribute_weights : mapping of str to float, optional
        How much each quasi-identifier's squared distances count, 1 unless given.
    transform : mapping of str to str, optional
        Identifiers in :data:`engine.points.transforms.transforms`, by column.
    rows : ndarray of int64, shape (n_records,), optional
        Rows of the table that are encoded; all unless given.

    Raises
    ------
    ParameterError
        If there is no quasi-identifier, one is named twice or does not exist, one of
        categories or dates is to be transformed, or there is no such scaling.
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
    attributes_and_values = [
        read_attribute_and_numbers(table, name) for name in columns
    ]
    attributes = tuple(attribute for attribute, _ in attributes_and_values)
    raw = np.column_stack([values for _, values in attributes_and_values])
    policies = [(missing_columns or {}).get(name, missing) for name in columns]
    settled_records = apply_missing_policies(
        raw, attributes, policies, pattern_conditions, rows
    )
    raw = settled_records.values
    gaps = bool(settled_records.kept.any())
    present = np.where(settled_records.kept, np.nan, raw) if gaps else raw
    bends = tuple(
        _fit_transform(
            (transform or {}).get(attribute.name, NO_TRANSFORM), attribute, x
        )
        for attribute, x in zip(attributes, present.T, strict=True)
    )
    weighed = None
    if weights is not None:
        weighed = read_record_weights(table, weights, settled_records.rows)
    spread = np.nanmax(present, axis=0) - np.nanmin(present, axis=0)
    if gaps:
        filler = _missing_cell_values(present, attributes, bends, weighed)
        raw = np.where(settled_records.kept, filler, raw)
    messages = (
        bend.to_message(name) for bend, name in zip(bends, columns, strict=True)
    )
    return Points.in_space(
        build_coordinate_space(
            attributes,
            present,
            scaling,
            bends,
            attribute_weight_array(columns, attribute_weights),
        ),
        raw,
        rows=settled_records.rows,
        missing=settled_records.kept,
        weights=weighed,
        filled=settled_records.filled,
        warnings=settled_records.warnings
        + constant_column_warnings(columns, spread)
        + tuple(each for each in messages if each),
    )


def attribute_weight_array(
    columns: Sequence[str], weights: Mapping[str, float] | None
) -> NDArray[np.float64]:
    """Return the weight of each attribute, 1 unless given, shape (n_attributes,)."""
    weight_by_column = weights or {}
    return np.array([float(weight_by_column.get(name, 1.0)) for name in columns])


def build_coordinate_space(
    attributes: tuple[AttributeInfo, ...],
    raw_values: Values,
    scaling: str,
    transforms: tuple[FittedTransform, ...],
    weights: NDArray[np.float64],
) -> CoordinateSpace:
    """Return the coordinate space of a table's attributes.

    Parameters
    ----------
    attributes : tuple of AttributeInfo
    raw_values : ndarray of float64, shape (n_records, n_attributes)
        In their own units; NaN where a cell stays missing.
    scaling : str
        Identifier in :data:`engine.points.scaling.scalings`.
    transforms : tuple of FittedTransform
    weights : ndarray of float64, shape (n_attributes,)

    Raises
    ------
    InputError
        If a column has too many categories.
    """
    columns = zip(attributes, raw_values.T, strict=True)
    known_attributes = tuple(
        attribute.with_known_values(values) for attribute, values in columns
    )
    nominal = np.array([attribute.is_nominal for attribute in attributes])
    bent = raw_values
    if any(bend.id != NO_TRANSFORM for bend in transforms):
        bent = np.column_stack(
            [f(x) for f, x in zip(transforms, raw_values.T, strict=True)]
        )
    centre, scale = _centre_and_scale(bent, nominal, scaling)
    branches: list[CategoryCoordinates | None] = []
    for attribute, values in zip(attributes, raw_values.T, strict=True):
        if not attribute.is_nominal or attribute.tree is None:
            branches.append(None)
            continue
        codes = values[~np.isnan(values)].astype(np.int64)
        counts = np.bincount(codes, minlength=len(attribute.tree.leaves))
        branches.append(
            CategoryCoordinates.from_counts(
                attribute.tree, counts, scaling, attribute.name
            )
        )
    return CoordinateSpace(
        known_attributes, centre, scale, weights, transforms, tuple(branches)
    )


def non_numeric_transform_error(name: str, column: str) -> ParameterError:
    """Return the error for a transform of a non-numeric column."""
    return ParameterError(
        "Column {column!r} holds no numbers, so it has no {transform}: leave the "
        "transform of this column out.",
        column=column,
        transform=transforms.info(name).title,
    )


def _fit_transform(
    name: str, attribute: AttributeInfo, values: Values
) -> FittedTransform:
    """Return a column's transform with its parameters fitted.

    Raises
    ------
    ParameterError
        If the column holds no numbers.
    """
    if name == NO_TRANSFORM:
        return FittedTransform()
    if attribute.words is not None or attribute.dates:
        raise non_numeric_transform_error(name, attribute.name)
    return transforms.get(name)(values[~np.isnan(values)])


def _centre_and_scale(
    values: Values, nominal: NDArray[np.bool_], scaling: str
) -> tuple[Values, Values]:
    """Return centre and scale from the cells that are there (the others are NaN)."""
    if not np.isnan(values).any() and not nominal.any():
        return centre_and_scale(scaling, ArraySpread(values))
    centre, scale = np.zeros(nominal.size), np.ones(nominal.size)
    for j in np.flatnonzero(~nominal):
        column = values[~np.isnan(values[:, j]), j]
        column_figures = centre_and_scale(scaling, ArraySpread(column[:, np.newaxis]))
        centre[j : j + 1], scale[j : j + 1] = column_figures
    return centre, scale


def constant_column_warnings(
    names: Sequence[str], ranges: Values
) -> tuple[Message, ...]:
    """Return a warning for each constant column."""
    return tuple(
        Message(
            "Quasi-identifier {name!r} is constant: it does not influence the groups.",
            name=name,
        )
        for name, wide in zip(names, ranges, strict=True)
        if wide == 0
    )


def _missing_cell_values(
    present: Values,
    attributes: Sequence[AttributeInfo],
    bends: Sequence[FittedTransform],
    weights: Values | None,
) -> Values:
    """Return the values of cells that stay missing: means, which add no variance."""
    fillers = np.zeros(len(attributes))
    for j, attribute in enumerate(attributes):
        if not attribute.is_nominal:
            has_value = ~np.isnan(present[:, j])
            some = None if weights is None else weights[has_value]
            mean = np.average(bends[j](present[has_value, j]), weights=some)
            fillers[j] = bends[j].invert(np.array([mean]))[0]
    return fillers


def non_numeric_weights_error(name: str) -> InputError:
    """Return the error for a column of weights that is not numeric."""
    return InputError(
        "Column {column!r} holds no numbers, so it cannot weigh records: give the "
        "role weight to another column.",
        column=name,
    )


def invalid_weight_positions(weights: Values) -> NDArray[np.int64]:
    """Return the positions of weights that are missing, infinite or not positive."""
    return np.flatnonzero(~((weights > 0) & np.isfinite(weights)))


def read_record_weights(table: Table, name: str, rows: NDArray[np.int64]) -> Values:
    """Return a column of record weights of the given rows, shape (n_records,).

    Raises
    ------
    InputError
        If the column holds no numbers, or a weight is missing, infinite, 0 or negative.
    """
    if name in table.schema and is_numeric_dtype(table.frame[name].dtype):
        # Few whole numbers look like codes, and weigh all the same.
        table = table.assign(kinds={name: Kind.CONTINUOUS})
    attribute, values = read_attribute_and_numbers(table, name)
    if attribute.words is not None or attribute.dates:
        raise non_numeric_weights_error(name)
    values = values[rows]
    bad = invalid_weight_positions(values)
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
    return freeze_contiguous(values)
