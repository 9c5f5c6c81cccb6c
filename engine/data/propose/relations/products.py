"""Search for columns that are products or quotients of two others, such as a wage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from engine.core.typing import Booleans, Integers, Values
from engine.data.propose.names import normalised_words, split_into_word_set
from engine.data.propose.relations.compared_column import (
    MAX_COMPARED_COLUMNS,
    MAX_COMPARED_RECORDS,
    MAX_EXCEPTION_SHARE,
    MIN_RECORDS,
    finite_numbers,
    varies,
)
from engine.data.propose.sampling import spread_records

RATIO_WORDS = split_into_word_set(
    """
    per ratio rate quotient pct percent percentage share avg average mean index density
    bmi pro je verhaeltnis anteil quote prozent durchschnitt dichte par taux moyenne
    """
)
"""Words for what is calculated from two columns, whichever way round these are."""

POWERS = (1.0, -1.0, -2.0)
"""Powers of the second column: a product, a ratio, or a body mass index."""

MAX_UNIT_SHARE = 0.05
"""Share of its spread to which a column is rounded, at most, if it is no accident."""

MIN_INFORMATIVE_SHARE = 0.05
"""Share of the records in which a column must differ from each of its factors."""

MAX_DECIMALS = 9
"""Decimals up to which a column is taken to be rounded to them."""

N_PIVOTS = 4
"""Pairs of records by whose changes factors are looked up."""

FEW_RECORDS = 60
"""Records, evenly from the whole table, in which nearly all products are ruled out."""

MAX_LOG_ERROR = 0.02
"""Largest error of a change by rounding, as a logarithm, at which it is looked up."""


def find_products(
    frame: pd.DataFrame, columns: Sequence[str]
) -> Mapping[str, tuple[str, str]]:
    """Return columns that are products or quotients of two others, with these.

    Up to a constant factor, as of per cent or of centimetres; or a column that repeats
    another one where a flag is 1, and is 0 elsewhere. Of three columns that tell each
    other, the one whose name says so. No column is a factor of its own factors.

    Time grows with the square of the columns: of each pair it is known how the result
    changes between two records, and columns that change so are looked up by bisection.

    Parameters
    ----------
    columns : sequence of str
        Columns of numbers.
    """
    if len(frame) < MIN_RECORDS or not 3 <= len(columns) <= MAX_COMPARED_COLUMNS:
        return {}
    table = finite_numbers(spread_records(frame, MAX_COMPARED_RECORDS)[list(columns)])
    varied = [j for j in range(len(columns)) if varies(table[:, j])]
    names, table = [columns[j] for j in varied], table[:, varied]
    products: dict[str, tuple[str, str]] = {}
    for columns_told in (*_masked(table), *_multiplied(table)):
        triple = [names[column] for column in columns_told]
        triple.sort(key=lambda name: not RATIO_WORDS & {*normalised_words(name)})
        name, parts = triple[0], (triple[1], triple[2])
        if name not in products and not any(name in products.get(p, ()) for p in parts):
            products[name] = parts
    return products


def _masked(table: Values) -> Iterator[tuple[int, int, int]]:
    """Yield columns that are another one's where a flag is 1, and 0 elsewhere."""
    known_mask = ~np.isnan(table)
    width = table.shape[1]
    is_flag = ((table == 0.0) | (table == 1.0) | ~known_mask).all(axis=0)
    flags = np.flatnonzero(is_flag)
    for result in range(width):
        values = table[:, [result]]
        both_known = known_mask & known_mask[:, [result]]
        differs = both_known & (table != values)
        # Wherever it is not 0 it repeats the other, which is not 0 elsewhere, too.
        repeats = ~(differs & (values != 0.0)).any(axis=0)
        for source in np.flatnonzero(repeats & _is_informative(differs, both_known)):
            products = table[:, [source]] * table[:, flags]
            both = both_known[:, [source]] & known_mask[:, flags]
            right = ((products == values) | ~both).all(axis=0)
            right &= _is_informative(both & (table[:, flags] != values), both)
            for other in flags[right & (flags != source) & (flags != result)]:
                if np.count_nonzero(values[both_known[:, source]]) >= MIN_RECORDS:
                    yield result, int(source), int(other)


def _is_informative(differs: Booleans, is_known: Booleans) -> Booleans:
    """Return which columns differ from another one in more than few records."""
    counts = differs.sum(axis=0)
    min_counts = np.maximum(10, MIN_INFORMATIVE_SHARE * is_known.sum(axis=0))
    return np.asarray(counts >= min_counts)


def _multiplied(table: Values) -> Iterator[tuple[int, int, int]]:
    """Yield columns that are others' products or quotients, up to a factor."""
    units = np.array([_rounding_unit(column) for column in table.T])
    fine = units <= MAX_UNIT_SHARE * np.nanstd(table, axis=0)
    with np.errstate(all="ignore"):
        logs = np.log(np.abs(table))
    usable = np.isfinite(logs)
    rng = np.random.default_rng(0)
    tried = set[tuple[int, int, int, float]]()
    for _ in range(N_PIVOTS):
        pivots = rng.choice(len(table), 2, replace=False)
        places = np.flatnonzero(usable[pivots].all(axis=0))
        change = np.subtract(*logs[np.ix_(pivots, places)])
        sizes = np.abs(table[np.ix_(pivots, places)])
        error = 1e-6 + 0.55 * units[places] * (1.0 / sizes).sum(axis=0)
        is_result = fine[places] & (error <= MAX_LOG_ERROR) & (np.abs(change) > error)
        results = np.flatnonzero(is_result)
        results = results[np.argsort(change[results])]
        for power in POWERS:
            for key in _alike_changes(change, error, results, power):
                columns = [int(places[at]) for at in key]
                result, factor, other = columns
                if (result, factor, other, power) not in tried:
                    tried.add((result, factor, other, power))
                    if _is_product(table, units, result, (factor, other), power):
                        yield result, factor, other


def _alike_changes(
    change: Values, error: Values, results: Integers, power: float
) -> Integers:
    """Return columns that change as the product of two does, and these, (n, 3).

    Parameters
    ----------
    change, error : ndarray of float64, shape (n_columns,)
        Changes of logarithms between two records, and by how much rounding moves them.
    results : ndarray of int64
        Columns that may be products, by rising change.
    power : float
        Power of the second factor.
    """
    if not results.size:
        return np.empty((0, 3), dtype=np.int64)
    targets = (change[:, None] + power * change[None, :]).ravel()
    reach, line = error[results].max(), change[results]
    low, high = (np.searchsorted(line, targets + side * reach) for side in (-1, 1))
    pairs = np.repeat(np.arange(targets.size), high - low)
    begins = np.repeat(np.cumsum(high - low) - high, high - low)
    some = results[np.arange(pairs.size) - begins]
    factor, other = np.divmod(pairs, change.size)
    alike = np.abs(change[some] - targets[pairs]) <= error[some]
    alike &= (some != factor) & (some != other) & (factor != other)
    if power == 1.0:
        alike &= factor < other
    return np.asarray(np.column_stack([some, factor, other])[alike], dtype=np.int64)


def _rounding_unit(values: Values) -> float:
    """Return the distance of the numbers to which values are rounded; 0 if none."""
    numbers = values[~np.isnan(values)]
    rounded = (
        p for p in range(MAX_DECIMALS + 1) if (np.round(numbers, p) == numbers).all()
    )
    places = next(rounded, None)
    return 0.0 if places is None else 10.0**-places


def _is_product(
    table: Values, units: Values, result: int, factors: tuple[int, int], power: float
) -> bool:
    """Return whether a column is a product in nearly all records, and no factor is."""

    def made(rows: Values) -> Values:
        with np.errstate(all="ignore"):
            return np.asarray(rows[:, factors[0]] * rows[:, factors[1]] ** power)

    step = -(-len(table) // FEW_RECORDS)
    if _wrong_share(made(table[::step]), table[::step, result], units[result]) > 0.1:
        return False  # nearly all end here
    column, factor, other = table[:, result], table[:, factors[0]], table[:, factors[1]]
    if (np.isfinite(made(table)) & np.isfinite(column)).sum() < MIN_RECORDS:
        return False
    if _wrong_share(made(table), column, units[result]) > MAX_EXCEPTION_SHARE:
        return False
    with np.errstate(all="ignore"):
        single_factors = (factor, other**power)
    return all(
        _wrong_share(values, column, units[result]) > MIN_INFORMATIVE_SHARE
        for values in single_factors
    )


def _wrong_share(products: Values, column: Values, unit: float) -> float:
    """Return the share of records in which a column is no multiple of products."""
    known_mask = np.isfinite(products) & np.isfinite(column)
    products, column = products[known_mask], column[known_mask]
    nonzero_mask = (products != 0.0) & (column != 0.0)
    if not nonzero_mask.any():
        return 1.0
    with np.errstate(all="ignore"):
        factor = float(np.median(column[nonzero_mask] / products[nonzero_mask]))
    if not np.isfinite(factor) or factor == 0.0:
        return 1.0
    near = 10.0 ** round(np.log10(abs(factor)))
    if abs(abs(factor) / near - 1.0) < 0.01:  # as of per cent
        factor = float(np.copysign(near, factor))
    limit = 0.51 * unit + 1e-6 * np.abs(column)
    return float((np.abs(factor * products - column) > limit).mean())
