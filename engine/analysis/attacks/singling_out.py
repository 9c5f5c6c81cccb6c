"""Singling out: a description of a released record that fits one person only."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from engine.analysis.attacks.base import AttackInfo, AttackResult, AttackScene, attacks
from engine.analysis.attacks.shared_space import (
    MAX_DIFFERENCES_PER_CALL,
    released_numbers_or_means,
)
from engine.analysis.composition.statements import encode_original_column
from engine.core.typing import Booleans, Integers, Values
from engine.data.persons import NOBODY

WP216_REFERENCE = (
    "Article 29 Working Party 2014, Opinion 05/2014 on anonymisation techniques (WP216)"
)
"""Where the three risks are defined."""

MAX_DESCRIPTIONS = 1_000
"""Descriptions that are tried."""


@attacks.register(
    AttackInfo(
        id="singling-out",
        title="Singling out",
        does="describes exactly one person",
        summary="The intruder describes a released record by a range around each of "
        "its numbers. On each side, a range ends in the middle between the "
        "record's number and the next released number. The attack succeeds if "
        "exactly one person in the original has values in all ranges.",
        against="descriptions put together from the same columns at random",
        reference=WP216_REFERENCE,
        needs="values",
    )
)
def attack_singling_out(scene: AttackScene) -> AttackResult:
    """Return the result of describing records so that exactly one person fits."""
    targets = scene.target_rows()[:MAX_DESCRIPTIONS]
    rng = np.random.default_rng(scene.seed)
    mixed = {name: rng.permutation(targets) for name in scene.known_columns}
    descriptions = dict.fromkeys(scene.known_columns, targets)
    sole_records = _unique_match(scene, descriptions)
    guessed = _unique_match(scene, mixed)
    right = sole_records >= 0
    control = float((guessed >= 0).mean())
    return AttackResult(
        "singling-out",
        float(right.mean()),
        right.size,
        control,
        np.unique(sole_records[right]),
        control_attempts=right.size,
    )


def _unique_match(scene: AttackScene, described: Mapping[str, Integers]) -> Integers:
    """Return the only original record that fits each description, or -1.

    Parameters
    ----------
    described : mapping of str to ndarray of int64, shape (n_descriptions,)
        For each column, the released records that it is described by.
    """
    fitting = [(_fit_predicate(scene, name), some) for name, some in described.items()]
    n, size = scene.original.n_records, len(next(iter(described.values())))
    sole_records = np.full(size, -1, dtype=np.int64)
    step = max(1, MAX_DIFFERENCES_PER_CALL // n)
    for first in range(0, size, step):
        part = slice(first, first + step)
        fits = np.ones((sole_records[part].size, n), dtype=np.bool_)
        for fit, some in fitting:
            fits &= fit(some[part])
        is_sole = fits.sum(axis=1) == 1
        if scene.persons is not None:  # several records of one person are one
            who, sentinel = scene.persons, scene.persons.size
            fits &= who != NOBODY
            lowest_persons = np.where(fits, who, sentinel).min(axis=1)
            is_sole = lowest_persons == np.where(fits, who, NOBODY).max(axis=1)
        sole_records[part] = np.where(is_sole, fits.argmax(axis=1), -1)
    return sole_records


def _fit_predicate(scene: AttackScene, name: str) -> Callable[[Integers], Booleans]:
    """Return a predicate for original records that fit some descriptions."""
    truth = encode_original_column(scene.original.frame[name], name)
    column = scene.release.frame[name]
    if truth.numeric:
        numbers = released_numbers_or_means(column, truth.values[scene.release.rows])
        low, high = _empty_window(numbers)
        x: Values = truth.values
        return lambda some: np.asarray((x >= low[some, None]) & (x <= high[some, None]))
    texts = pd.Index(scene.original.frame[name].astype("str"))
    levels = texts.unique()  # a gap among them
    codes = levels.get_indexer(texts)
    released = levels.get_indexer(pd.Index(column.astype("str")))

    def fit(some: Integers) -> Booleans:
        described_codes = released[some, None]
        # A word above the column's own values, -1, says nothing here.
        return np.asarray((codes == described_codes) | (described_codes < 0))

    return fit


def _empty_window(theirs: Values) -> tuple[Values, Values]:
    """Return how far around each released number no other was released."""
    line, back = np.unique(theirs, return_inverse=True)
    middle = (line[1:] + line[:-1]) / 2.0
    low, high = np.append(-np.inf, middle), np.append(middle, np.inf)
    return low[back], high[back]
