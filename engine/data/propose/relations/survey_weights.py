"""Search for survey weights, for their replicates, and for what weights tell."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pandas as pd

from engine.core.typing import Values
from engine.data.propose.relations.compared_column import (
    MAX_COMPARED_COLUMNS,
    MAX_COMPARED_RECORDS,
    MIN_RECORDS,
)
from engine.data.propose.relations.determination import does_code_determine
from engine.data.propose.sampling import spread_records

MIN_REPLICATES = 8
"""Numbered columns of one name, beside a weight, from which they are replicates."""

MIN_REPLICATED_RECORDS, MIN_REPLICATE_CORRELATION, MAX_MEAN_RATIO = 20, 0.9, 1.25
"""Records and correlation from which the mean of replicates tells of a weight, and the
ratio of their means up to which it does.
"""

_NUMBERED = re.compile(r"(.*?[^\d])_?(\d+)$")


def find_replicate_weights_by_name(
    frame: pd.DataFrame, weight_columns: Sequence[str], candidates: Sequence[str]
) -> tuple[str, ...]:
    """Return columns of replicate weights, such as PWGTP1 to PWGTP80.

    Parameters
    ----------
    weight_columns : sequence of str
        Columns that weigh records, or may.
    candidates : sequence of str
        Columns of numbers.
    """
    stems: dict[str, list[str]] = defaultdict(list)
    for name in candidates:
        parts = _NUMBERED.fullmatch(name)
        if parts:
            stems[parts[1].rstrip("_.").casefold()].append(name)
    known_stems = {name.rstrip("0123456789_.").casefold() for name in weight_columns}
    replicates: list[str] = []
    for stem, names in stems.items():
        if len(names) < MIN_REPLICATES:
            continue
        called = stem in known_stems or re.search(r"(wgt|weight|repw|wt|brr|jk)", stem)
        if called and all(_positive(frame[name]) for name in names[:MIN_REPLICATES]):
            replicates += names
    return tuple(replicates)


def find_weights_behind_replicates(
    frame: pd.DataFrame, replicate_columns: Sequence[str], candidates: Sequence[str]
) -> tuple[str, ...]:
    """Return the weight columns that replicate weights vary, whatever their names.

    Replicates of a weight differ from it by chance: their mean is close to it.

    Parameters
    ----------
    replicate_columns : sequence of str
        Columns that :func:`find_replicate_weights_by_name` returned.
    candidates : sequence of str
        Columns of numbers.
    """
    stems: dict[str, list[str]] = defaultdict(list)
    for name in replicate_columns:
        stems[name.rstrip("0123456789").rstrip("_.").casefold()].append(name)
    means = {
        stem: frame[names].mean(axis="columns").to_numpy(dtype=np.float64)
        for stem, names in stems.items()
    }
    weights = []
    for name in candidates if replicate_columns else ():
        if name in replicate_columns or not _positive(frame[name]):
            continue
        values = frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        if name.casefold() in means or any(
            _are_means_of_replicates(mean, values) for mean in means.values()
        ):
            weights.append(name)
    return tuple(weights)


def _are_means_of_replicates(means: Values, values: Values) -> bool:
    """Return whether means of replicates are a column's values, but for chance."""
    known_mask = ~(np.isnan(means) | np.isnan(values))
    means, values = means[known_mask], values[known_mask]
    if len(values) < MIN_REPLICATED_RECORDS or not means.std() or not values.std():
        return False
    ratio = float(means.mean() / values.mean())
    return 1 / MAX_MEAN_RATIO < ratio < MAX_MEAN_RATIO and (
        float(np.corrcoef(means, values)[0, 1]) > MIN_REPLICATE_CORRELATION
    )


def _positive(column: pd.Series) -> bool:
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return False
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return bool((values[~np.isnan(values)] > 0).mean() > 0.5)


def columns_determined_by_weights(
    frame: pd.DataFrame, weights: str, candidates: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns whose values the weights of records mostly tell.

    Where a survey weighs by region, each weight stands for one region. None are told
    of more candidates than can be compared.
    """
    some = spread_records(frame, MAX_COMPARED_RECORDS)
    columns = []
    for name in candidates if len(candidates) <= MAX_COMPARED_COLUMNS else ():
        both_mask = some[name].notna() & some[weights].notna()
        codes = (pd.factorize(some.loc[both_mask, each])[0] for each in (weights, name))
        if both_mask.sum() >= MIN_RECORDS and does_code_determine(*codes):
            columns.append(name)
    return tuple(columns)
