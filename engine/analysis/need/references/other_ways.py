"""Reference protections of a table: Mondrian, recoding, trees and noise.

Sources: LeFevre, DeWitt and Ramakrishnan 2006 (Mondrian), doi:10.1109/ICDE.2006.101;
Fung, Wang and Yu 2005 (recoding, top-down), doi:10.1109/ICDE.2005.143;
Nowok, Raab and Dibben 2016 (trees, as synthpop has them), doi:10.18637/jss.v074.i11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from engine.core.partition import members_by_group
from engine.core.typing import Integers, Values
from engine.data.conversion.numeric import is_numeric_column
from engine.data.persons import persons_per_class
from engine.measures.classes import record_classes

MAX_SUPPRESSED_SHARE = 0.05
"""Share of the records that recoding leaves out, at most."""

BINS = (64, 32, 16, 8, 4, 2, 1)
"""Classes of a column, as recoding joins ever more of them."""

MAX_INDICATORS = 50
"""Categories of a column that a tree may divide by, the most frequent ones."""

MIN_LEAF_RECORDS = 5
"""Records in a leaf of a tree that synthetic values are drawn from, as in synthpop."""


def scale_to_unit_range(frame: pd.DataFrame) -> Values:
    """Return numbers and category codes as one array, each column scaled to [0, 1]."""
    columns = []
    for _, column in frame.items():
        numeric = is_numeric_column(column)
        values = (
            column.to_numpy(np.float64)
            if numeric
            else pd.factorize(column.astype("str"), sort=True)[0].astype(np.float64)
        )
        columns.append((values - values.min()) / (np.ptp(values) or 1.0))
    return np.column_stack(columns)


def mondrian_labels(X: Values, k: int, persons: Integers | None = None) -> Integers:
    """Return Mondrian's group labels: split at medians of the widest columns.

    Parameters
    ----------
    X : ndarray of float64, shape (n_records, n_columns)
        Each over its range.
    k : int
        Fewest people of a group.
    persons : ndarray of int64, shape (n_records,), optional
        Person of each record; all are of different people unless given.

    Returns
    -------
    ndarray of int64, shape (n_records,)
        Of the strict algorithm: equal values stay together.
    """
    labels = np.zeros(len(X), dtype=np.int64)
    stack, n_groups = [np.arange(len(X))], 0
    while stack:
        members = stack.pop()
        for j in np.argsort(-np.ptp(X[members], axis=0), kind="stable"):
            values = X[members, j]
            is_low = values <= np.median(values)
            if is_low.all():  # most have the largest value
                is_low = values < values.max()
            member_persons = None if persons is None else persons[members]
            sizes = persons_per_class(is_low.astype(np.int64), member_persons)
            if sizes.size == 2 and sizes.min() >= k:
                stack += [members[~is_low], members[is_low]]
                break
        else:
            labels[members] = n_groups
            n_groups += 1
    return labels


def replace_by_midpoints_or_modes(
    frame: pd.DataFrame, column_names: Sequence[str], labels: Integers
) -> pd.DataFrame:
    """Return a frame with numbers as group midranges, and categories as group modes."""
    result = frame.copy()
    for name in column_names:
        groups = frame[name].groupby(labels)
        if is_numeric_column(frame[name]):
            low, high = groups.transform("min"), groups.transform("max")
            result[name] = (low.astype("float64") + high.astype("float64")) / 2.0
        else:
            modes = groups.agg(lambda values: values.mode().iloc[0])
            result[name] = modes.reindex(labels).to_numpy()
    return result


def draw_within_groups(
    frame: pd.DataFrame,
    column_names: Sequence[str],
    labels: Integers,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Return a frame of values drawn from each record's group: range or categories."""
    result = frame.copy()
    for name in column_names:
        column = frame[name]
        if is_numeric_column(column):
            groups = column.astype("float64").groupby(labels)
            low, high = groups.transform("min"), groups.transform("max")
            result[name] = low + rng.random(len(frame)) * (high - low)
            continue
        drawn = column.to_numpy().copy()
        for members in members_by_group(labels):
            choices = column.iloc[members].drop_duplicates().sort_values().to_numpy()
            drawn[members] = choices[rng.integers(len(choices), size=len(members))]
        result[name] = drawn
    return result


def recoded_frame_and_kept_rows(
    frame: pd.DataFrame,
    column_names: Sequence[str],
    k: int,
    persons: Integers | None = None,
) -> tuple[pd.DataFrame, Integers]:
    """Return the recoded frame without small classes, and the row numbers it keeps.

    Columns begin as one class each. The refinement of a column that keeps most of its
    values comes next, as long as records in classes smaller than k are few enough to
    be left out: top-down specialisation of the whole column, as its codes would be.
    """
    ladders = {name: list_recodings(frame[name]) for name in column_names}
    steps = dict.fromkeys(column_names, 0)

    def rows_kept(steps: Mapping[str, int]) -> Integers:
        codes = {name: ladders[name][step].codes for name, step in steps.items()}
        classes = record_classes(pd.DataFrame(codes), tuple(column_names))
        return np.flatnonzero(persons_per_class(classes, persons)[classes] >= k)

    kept_rows = rows_kept(steps)
    blocked: set[str] = set()
    while open_names := [
        name
        for name in column_names
        if name not in blocked and steps[name] + 1 < len(ladders[name])
    ]:
        gains = {
            name: ladders[name][steps[name]].loss - ladders[name][steps[name] + 1].loss
            for name in open_names
        }
        name = max(open_names, key=gains.__getitem__)
        refined = steps | {name: steps[name] + 1}
        rows = rows_kept(refined)
        if len(rows) >= (1.0 - MAX_SUPPRESSED_SHARE) * len(frame):
            steps, kept_rows = refined, rows
        else:
            blocked.add(name)  # finer classes of other columns only leave out more
    result = frame.copy()
    for name, step in steps.items():
        result[name] = ladders[name][step].values
    return result.iloc[kept_rows].reset_index(drop=True), kept_rows


class Recoding(NamedTuple):
    """A recoded column, the code of each record, and the share of its spread lost."""

    values: pd.Series
    codes: Integers
    loss: float


def list_recodings(column: pd.Series) -> list[Recoding]:
    """Return ever finer recodings of a column, from one class to the column itself."""
    levels: list[pd.Series] = []
    if is_numeric_column(column):
        values = column.astype("float64")
        for n_classes in reversed(BINS):
            cuts = pd.qcut(values, n_classes, labels=False, duplicates="drop")
            ends = values.groupby(cuts)
            levels.append((ends.transform("min") + ends.transform("max")) / 2.0)
    else:
        common = column.value_counts().index
        levels = [
            column.where(column.isin(common[: n - 1]), common[-1 if n > 1 else 0])
            for n in reversed(BINS)
            if n < len(common)
        ]
    recodings: list[Recoding] = []
    for level in (*levels, column):
        codes = np.asarray(pd.factorize(level)[0], dtype=np.int64)
        if not recodings or codes.max() > recodings[-1].codes.max():
            recodings.append(Recoding(level, codes, _share_lost(column, codes)))
    return recodings


def _share_lost(column: pd.Series, codes: Integers) -> float:
    """Return the share of spread within classes, or of categories that are not theirs.

    A class has its mean, or its most frequent category.
    """
    if not is_numeric_column(column):
        pairs = pd.DataFrame({"class": codes, "value": column.astype("str")})
        return 1.0 - pairs.value_counts().groupby("class").max().sum() / len(column)
    values = column.astype("float64")
    spread = float(np.square(values - values.mean()).sum())
    within = values - values.groupby(codes).transform("mean")
    return float(np.square(within).sum()) / spread if spread > 0.0 else 0.0


def synthesise_by_trees(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return a synthetic frame: each column but the first drawn from a tree on others.

    The first is drawn with replacement; of the others, each record's value is one of
    the originals in the leaf that it falls into.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    n, names = len(frame), list(frame.columns)
    drawn = {names[0]: frame[names[0]].to_numpy()[rng.integers(n, size=n)]}
    for place, name in enumerate(names[1:], start=1):
        inputs, new = _coordinates(frame[names[:place]], pd.DataFrame(drawn))
        target = frame[name]
        if is_numeric_column(target):
            tree = DecisionTreeRegressor(
                min_samples_leaf=MIN_LEAF_RECORDS, random_state=0
            )
            tree.fit(inputs, target.astype("float64").fillna(target.median()))
        else:
            tree = DecisionTreeClassifier(
                min_samples_leaf=MIN_LEAF_RECORDS, random_state=0
            )
            tree.fit(inputs, target.astype("str"))
        leaves, reached = tree.apply(inputs), tree.apply(new)
        donors = np.empty(n, dtype=np.int64)
        for leaf in np.unique(reached):
            places, members = np.flatnonzero(reached == leaf), leaves == leaf
            donors[places] = rng.choice(np.flatnonzero(members), len(places))
        drawn[name] = target.to_numpy()[donors]
    return pd.DataFrame(drawn)


def _coordinates(original: pd.DataFrame, drawn: pd.DataFrame) -> tuple[Values, Values]:
    """Return columns of both as coordinates: numbers, and an indicator per category."""
    sides: tuple[list[Values], list[Values]] = ([], [])
    for name in original:
        if is_numeric_column(original[name]):
            middle = original[name].median()
            for side, frame in zip(sides, (original, drawn), strict=True):
                values = frame[name].astype("float64").fillna(middle)
                side.append(np.asarray(values, dtype=np.float64)[:, None])
            continue
        levels = original[name].astype("str").value_counts().index[:MAX_INDICATORS]
        for side, frame in zip(sides, (original, drawn), strict=True):
            texts = frame[name].astype("str").to_numpy()
            side.append((texts[:, None] == levels.to_numpy()).astype(np.float64))
    return np.hstack(sides[0]), np.hstack(sides[1])


def add_noise(
    frame: pd.DataFrame,
    column_names: Sequence[str],
    relative_noise_sd: float,
    seed: int,
) -> pd.DataFrame:
    """Return a frame with noise on numbers, and some records' categories redrawn.

    Parameters
    ----------
    column_names : sequence of str
    relative_noise_sd : float
        Standard deviations of noise; a category is drawn anew, from all, with the
        chance of x / (1 + x), where x is this.
    seed : int
        The same noise for every standard deviation, but for its size.
    """
    rng = np.random.default_rng([seed, 43])
    result = frame.copy()
    for name in column_names:
        column, n = frame[name], len(frame)
        if is_numeric_column(column):
            spread = float(column.astype("float64").std())
            noise = relative_noise_sd * spread * rng.normal(size=n)
            result[name] = column.astype("float64") + noise
        else:
            is_new = rng.random(n) < relative_noise_sd / (1.0 + relative_noise_sd)
            result[name] = column.where(~is_new, column.iloc[rng.permutation(n)].values)
    return result
