"""Inputs and targets of models, before and after protection."""

from __future__ import annotations

import numpy as np
import pandas as pd

from engine.analysis.modelling.models import ModelInfo
from engine.core.errors import InputError
from engine.core.typing import Values
from engine.measures import MeasuredRelease

MAX_CLASSES = 100
"""Different values of a target that a classifier predicts, at most."""

MAX_INDICATORS = 50
"""Categories of a column that have an indicator; rarer ones have none."""


def target_before_and_after(
    measured: MeasuredRelease, column_name: str, model: ModelInfo
) -> tuple[pd.Series, pd.Series]:
    """Return a column before and after protection, converted for the model.

    Raises
    ------
    InputError
        If it holds no numbers for a regression, or too many different values.
    """
    assert measured.original is not None
    columns = measured.original[column_name], measured.frame[column_name]
    if model.classifies:
        distinct = columns[0].nunique()
        if distinct > MAX_CLASSES:
            raise InputError(
                "Column {column!r} has {distinct:,} different values, too many to tell "
                "apart: choose a model for numbers, or another column.",
                column=column_name,
                distinct=distinct,
            )
        before, after = (each.astype("str").where(each.notna()) for each in columns)
        return before, after
    if column_name in measured.points.names:
        j = measured.points.names.index(column_name)
        if measured.points.numeric[j]:
            lacking = measured.points.missing[:, j]
            sides = measured.points.values[:, j], measured.as_written[:, j]
            original, other = (pd.Series(np.where(lacking, np.nan, x)) for x in sides)
            return original, other
    elif pd.api.types.is_numeric_dtype(columns[0].dtype):
        return columns[0].astype("float64"), columns[1].astype("float64")
    raise InputError(
        "Column {column!r} holds no numbers, so a regression cannot predict it: choose "
        "a model that classifies, or another column.",
        column=column_name,
    )


def inputs_before_and_after(
    measured: MeasuredRelease, column_names: tuple[str, ...]
) -> tuple[Values, Values, tuple[str, ...]]:
    """Return input matrices before and after, (n_records, n_inputs), and input names.

    Each frequent original category has an indicator, named with it; a released category
    above them is none of these. A missing number is the median of its side, in a
    quasi-identifier what stood for it when records were grouped.
    """
    assert measured.original is not None
    points = measured.points
    before: list[Values] = []
    after: list[Values] = []
    inputs: list[str] = []
    for name in column_names:
        original, other = measured.original[name], measured.frame[name]
        if name in points.names and points.numeric[points.names.index(name)]:
            j = points.names.index(name)
            before.append(points.values[:, j])
            after.append(measured.as_written[:, j])
            inputs.append(name)
        elif pd.api.types.is_numeric_dtype(original.dtype):
            before.append(_fill_missing(original))
            after.append(_fill_missing(other))
            inputs.append(name)
        else:
            texts = original.astype("str")
            frequent = texts.value_counts().index[:MAX_INDICATORS].sort_values()
            released = other.astype("str")
            for text in frequent:
                before.append((texts == text).to_numpy(dtype=np.float64))
                after.append((released == text).to_numpy(dtype=np.float64))
                inputs.append(f"{name} = {text}")
    return np.column_stack(before), np.column_stack(after), tuple(inputs)


def _fill_missing(column: pd.Series) -> Values:
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    missing = np.isnan(values)
    if missing.all():
        return np.zeros(values.size)
    return np.where(missing, np.median(values[~missing]), values)
