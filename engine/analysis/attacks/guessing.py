"""Guesses at unknown values from the released records nearest to a person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.analysis.attacks.base import AttackScene
from engine.analysis.attacks.shared_space import (
    ComparedPoints,
    embed_records,
    nearest_points_and_sq_dists,
    released_numbers_or_means,
)
from engine.analysis.composition.statements import encode_original_column
from engine.core.typing import Booleans, Integers, Values

GUESS_TOLERANCE_DEVIATIONS = 0.1
"""Standard deviations by which a right guess of a number may be off."""


@dataclass(frozen=True, eq=False)
class RightGuessMasks:
    """Bool masks of right guesses at a column, if the release has or lacks the person.

    Attributes
    ----------
    name : str
    right : ndarray of bool, shape (n_targets,)
        With the release.
    without : ndarray of bool, shape (n_targets,)
        With a release that the person is not in: everything else as it is.
    common_guess_rate : float
        Share of the records that the one best guess for all is right for.
    """

    name: str
    right: Booleans
    without: Booleans
    common_guess_rate: float


def guess_columns_from_nearest(scene: AttackScene) -> list[RightGuessMasks]:
    """Return right-guess masks of confidential columns, else of two or more known."""
    known_columns, secret = scene.known_columns, scene.secret_columns
    if secret:
        nearest = _nearest_classes(scene, known_columns)
        return [_guess_column(scene, *nearest, name) for name in secret]
    if len(known_columns) < 2:
        return []
    return [
        _guess_column(
            scene,
            *_nearest_classes(
                scene, [other for other in known_columns if other != name]
            ),
            name,
        )
        for name in known_columns
    ]


def _nearest_classes(
    scene: AttackScene, known_columns: list[str]
) -> tuple[ComparedPoints, Integers]:
    """Return records in a shared space, and the class nearest to each target."""
    pair = embed_records(scene, known_columns)
    return pair, nearest_points_and_sq_dists(pair.known, pair.seen)[0]


def _guess_column(
    scene: AttackScene, pair: ComparedPoints, which: Integers, name: str
) -> RightGuessMasks:
    numeric, before, after, close = _before_and_after(scene, name)
    targets = scene.target_rows()
    truth = before[targets]
    best = _best_guess_per_class(pair.classes, after, numeric, pair.sizes.size)
    right = np.abs(best[which] - truth) <= close
    without = right.copy()
    self_matches = np.flatnonzero(which == pair.own)
    persons = scene.released_persons
    if persons is None:
        persons = np.arange(pair.classes.size)
    for i in self_matches:
        members = np.flatnonzero(pair.classes == which[i])
        is_own = persons[members] == persons[targets[i]]
        others = members[~is_own]
        if others.size:
            guess = _best_single_guess(after[others], numeric)
            if numeric and after[targets[i]] == guess == best[which[i]]:
                # A common value is taken for the mean, which the person is part of.
                guess += (guess - before[members[is_own]]).sum() / others.size
        else:  # alone in its class: the next one is nearest without it
            sq_dists = np.square(pair.seen - pair.known[i]).sum(axis=1)
            sq_dists[which[i]] = np.inf
            guess = best[int(np.argmin(sq_dists))] if sq_dists.size > 1 else np.nan
        without[i] = abs(guess - truth[i]) <= close
    return RightGuessMasks(name, right, without, _baseline_rate(before, numeric, close))


def _before_and_after(
    scene: AttackScene, name: str
) -> tuple[bool, Values, Values, float]:
    """Return a column before and after: numbers, or codes of categories."""
    before, after = scene.original.frame[name], scene.release.frame[name]
    truth = encode_original_column(before, name)
    rows = scene.release.rows
    if truth.numeric:
        originals = truth.values[rows]
        released_values = released_numbers_or_means(after, originals)
        return (
            True,
            originals,
            released_values,
            GUESS_TOLERANCE_DEVIATIONS * truth.standard_deviation + 1e-12,
        )
    index = pd.Index(before.astype("str").unique())
    originals = index.get_indexer(pd.Index(before.astype("str")))[rows]
    released_values = index.get_indexer(pd.Index(after.astype("str")))
    return False, originals.astype(np.float64), released_values.astype(np.float64), 0.0


def _best_single_guess(values: Values, numeric: bool) -> float:
    """Return the best guess at values of one class."""
    if numeric:
        return float(np.nanmedian(values)) if not np.isnan(values).all() else np.nan
    codes, counts = np.unique(values, return_counts=True)
    return float(codes[np.argmax(counts)])


def _best_guess_per_class(
    classes: Integers, values: Values, numeric: bool, n_classes: int
) -> Values:
    """Return the best guess for each class: the median, or the most frequent code."""
    if numeric:
        medians = pd.Series(values).groupby(classes).median()
        return np.asarray(medians.reindex(range(n_classes)), dtype=np.float64)
    codes, at = np.unique(values, return_inverse=True)
    pairs, times = np.unique(classes * codes.size + at, return_counts=True)
    owner, code = np.divmod(pairs, codes.size)
    order = np.lexsort((code, -times, owner))  # of codes as frequent, the first
    best = np.full(n_classes, np.nan)
    first = np.unique(owner[order], return_index=True)
    best[first[0]] = codes[code[order[first[1]]]]
    return best


def _baseline_rate(values: Values, numeric: bool, close: float) -> float:
    """Return the share of records for which one common guess is right."""
    line = np.sort(values[~np.isnan(values)])
    if line.size == 0:
        return 0.0
    width = 2.0 * close if numeric else 0.0
    reach = np.searchsorted(line, line + width, side="right") - np.arange(line.size)
    return float(reach.max()) / values.size
