"""People counted in a file as it is, from its values alone: no code of the grouping."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd


def k_of_people(
    frame: pd.DataFrame,
    columns: Sequence[str],
    person_columns: pd.DataFrame,
    intruder_knows: str = "one",
) -> int:
    """Return among how many people somebody is hidden, where they are fewest.

    Parameters
    ----------
    frame : pandas.DataFrame, n_records rows
        Released records.
    columns : sequence of str
        Quasi-identifiers.
    person_columns : pandas.DataFrame, n_records rows
        What says who each record is about; a file that leaves need not have it.
    intruder_knows : {"one", "all"}
        One record of a person: the fewest different people who share values. All: also
        the fewest who have the same set of them.

    Returns
    -------
    int
        0 where records of nobody alone share values.
    """
    groups: dict[tuple[object, ...], set[tuple[str, ...]]] = {}
    histories: dict[tuple[str, ...], set[tuple[object, ...]]] = {}
    for values, person in zip(
        _rows(frame, columns), _people(person_columns), strict=True
    ):
        people = groups.setdefault(values, set())
        if person is not None:
            people.add(person)
            histories.setdefault(person, set()).add(values)
    fewest = min(map(len, groups.values()))
    if intruder_knows == "one" or not histories:
        return fewest
    alike: dict[frozenset[tuple[object, ...]], int] = {}
    for history in map(frozenset, histories.values()):
        alike[history] = alike.get(history, 0) + 1
    return min(fewest, *alike.values())


def _rows(frame: pd.DataFrame, columns: Sequence[str]) -> list[tuple[object, ...]]:
    """Return each record's values; a missing one equals only a missing one."""
    parts = []
    for name in columns:
        column = frame[name]
        parts.append(column.astype(object).where(column.notna(), None).tolist())
    return list(zip(*parts, strict=True))


def _people(who: pd.DataFrame) -> list[tuple[str, ...] | None]:
    """Return each record's identifier; None where a part of it is missing or blank."""
    people: list[tuple[str, ...] | None] = []
    for person in _rows(who, list(who.columns)):
        texts = tuple("" if part is None else str(part) for part in person)
        people.append(texts if all(text.strip() for text in texts) else None)
    return people
