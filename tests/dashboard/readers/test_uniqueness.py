"""Who could be found, beside counting record by record; here and in a process."""

from collections import Counter

import pandas as pd
import pytest

from dashboard.readers.readings import read_file_and_wait
from dashboard.readers.uniqueness import (
    count_identifiable_records,
    make_uniqueness_input_writer,
)
from engine import read_table
from engine.hierarchy import flat_hierarchy
from tests.dashboard.people import people


def alone(frame: pd.DataFrame, names: list[str]) -> int:
    """Count the records that nobody else is like, one by one."""
    lines = [tuple(line) for line in frame[names].itertuples(index=False)]
    counts = Counter(lines)
    return sum(counts[line] == 1 for line in lines)


def test_records_that_nobody_is_like_are_counted_over_all_protected_columns() -> None:
    table = people()
    frame = table.frame
    uniqueness = count_identifiable_records(table)
    assert uniqueness.unique == alone(frame, ["zip", "sex", "age"])
    assert uniqueness.unique_together == alone(frame, list(uniqueness.together))
    assert dict(uniqueness.alone) == {
        name: alone(frame, [name]) for name in uniqueness.together
    }
    assert "ill" not in uniqueness.together
    assert (uniqueness.n_counted, uniqueness.are_people) == (300, False)


@pytest.mark.parametrize("names", [["age"], ["zip", "sex", "age"]])
def test_people_are_counted_who_alone_have_the_values_of_a_record(
    names: list[str],
) -> None:
    table = people()
    frame = table.frame.assign(who=[f"p{i // 3}" for i in range(300)], year=2020)
    frame.loc[::50, "who"] = None
    frame["zip"] = frame["zip"].where(frame.index % 7 > 0, "1000")
    roles = dict.fromkeys(frame.columns, "other") | dict.fromkeys(
        names, "quasi-identifier"
    )
    table = read_table(frame, roles=roles)
    owners: dict[tuple[object, ...], set[str]] = {}
    for _, row in frame.dropna(subset="who").iterrows():
        owners.setdefault(tuple(row[names]), set()).add(row["who"])
    unique = set().union(*(who for who in owners.values() if len(who) == 1))
    for columns in (("who",), ("who", "year")):
        uniqueness = count_identifiable_records(table, columns)
        assert (uniqueness.unique, uniqueness.n_counted, uniqueness.are_people) == (
            len(unique),
            frame["who"].nunique(),
            True,
        )
        write = make_uniqueness_input_writer(table, columns)
        assert read_file_and_wait("standing", write, "people.csv") == uniqueness


@pytest.mark.parametrize("names", [["zip"], ["age", "sex"], ["zip", "sex", "age"]])
def test_a_process_counts_the_same(names: list[str]) -> None:
    roles = {name: "other" for name in people().schema.names}
    table = people().assign(roles | dict.fromkeys(names, "quasi-identifier"))
    tree = flat_hierarchy(table.frame["zip"])
    table = table.assign(hierarchies={"zip": tree})
    uniqueness = read_file_and_wait(
        "standing", make_uniqueness_input_writer(table), "people.csv"
    )
    assert uniqueness == count_identifiable_records(table)
    assert uniqueness.unique == alone(table.frame, names)
