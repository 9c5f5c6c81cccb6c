"""Count the k of people in a file independently of the grouping code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from engine.core.typing import Integers


def k_of_people(
    frame: pd.DataFrame,
    columns: Sequence[str],
    person_frame: pd.DataFrame,
    intruder_knows: str = "one",
) -> int:
    """Return the fewest people who share released values, or the same set of values.

    Parameters
    ----------
    frame : pandas.DataFrame, n_records rows
        Released records.
    columns : sequence of str
        Quasi-identifiers.
    person_frame : pandas.DataFrame, n_records rows
        What says who each record is about; a file that leaves need not have it.
    intruder_knows : {"one", "all", "counts"}
        One record of a person: the fewest different people who share values. All: also
        the fewest who have the same set of them; counts: each equally often.

    Returns
    -------
    int
        0 where records of nobody alone share values.
    """
    groups = frame.groupby(list(columns), dropna=False, sort=False, observed=True)
    pairs = pd.DataFrame(
        {"group": groups.ngroup().to_numpy(), "person": _people(person_frame)}
    )
    named = pairs[pairs["person"] >= 0].sort_values(["person", "group"])
    each = named.drop_duplicates()
    fewest = int(np.bincount(each["group"], minlength=pairs["group"].max() + 1).min())
    if intruder_knows == "one" or named.empty:
        return fewest
    person_pairs = named if intruder_knows == "counts" else each
    group_numbers, people = (
        person_pairs["group"].to_numpy(),
        person_pairs["person"].to_numpy(),
    )
    histories = np.split(group_numbers, np.flatnonzero(np.diff(people)) + 1)
    alike = Counter(history.tobytes() for history in histories)
    return min(fewest, min(alike.values()))


def _people(who: pd.DataFrame) -> Integers:
    """Return each record's person; -1 where a part is missing or blank."""
    parts, has_person = pd.DataFrame(index=who.index), np.ones(len(who), dtype=np.bool_)
    for place, name in enumerate(who):
        codes, values = pd.factorize(who[name])
        blank = np.array([not str(value).strip() for value in values] + [True])
        has_person &= ~blank[codes]  # missing at the end
        parts[place] = _as_written(who[name], codes)
    people = parts.groupby(list(parts), sort=False).ngroup().to_numpy()
    return np.where(has_person, people, -1).astype(np.int64)


def _as_written(column: pd.Series, values: Integers) -> Integers:
    """Return value codes that are the same where values are written the same."""
    if column.dtype != object and not isinstance(column.dtype, pd.CategoricalDtype):
        return values
    texts = pd.factorize(column.astype(object).map(str))[0]
    texts[values < 0] = -1
    before, merged_codes = pd.Series(values) - 1, pd.Series(values)
    while not merged_codes.equals(before):
        before = merged_codes
        for by in (texts, values):
            merged_codes = merged_codes.groupby(by).transform("min")
    return merged_codes.to_numpy()
