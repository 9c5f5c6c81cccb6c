"""What leaves and who could be found, beside counting record by record."""

from collections import Counter

import numpy as np
import pandas as pd

from dashboard.app_pages.data.standing import fates, steps_of, who_could_be_found
from engine.data.kinds import Kind, Role
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.hierarchy import from_prefixes


def people(n: int = 300) -> Table:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "zip": rng.integers(10000, 10200, n).astype(str),
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(20, 90, n),
            "ill": rng.choice(["yes", "no"], n),
        }
    )
    roles = [Role.QUASI_IDENTIFIER] * 3 + [Role.CONFIDENTIAL]
    columns = [
        Column(name, Kind.NOMINAL, role)
        for name, role in zip(frame, roles, strict=True)
    ]
    return Table.from_frame(frame, Schema(tuple(columns)))


def alone(frame: pd.DataFrame, names: list[str]) -> int:
    """Count the records that nobody else is like, one by one."""
    lines = [tuple(line) for line in frame[names].itertuples(index=False)]
    counts = Counter(lines)
    return sum(counts[line] == 1 for line in lines)


def test_records_that_nobody_is_like_are_counted_over_all_protected_columns() -> None:
    table = people()
    frame = table.frame
    found = who_could_be_found(table, lambda name: frame[name].nunique())
    assert found.unique == alone(frame, ["zip", "sex", "age"])
    assert found.unique_together == alone(frame, list(found.together))
    assert dict(found.alone) == {name: alone(frame, [name]) for name in found.together}
    assert "ill" not in found.together
    assert found.n_records == 300


def test_every_column_has_one_fate() -> None:
    table = people().assign({"zip": "undecided", "sex": "identifier"})
    counts = {role: count for role, count in fates(table).items() if count}
    assert counts == {
        Role.UNDECIDED: 1,
        Role.IDENTIFIER: 1,
        Role.QUASI_IDENTIFIER: 1,
        Role.CONFIDENTIAL: 1,
    }
    assert set(fates(table)) == set(Role)


def test_a_hierarchy_is_told_by_what_one_value_becomes() -> None:
    tree = from_prefixes(pd.Series(["40851", "40860", "51000"]), [4, 3])
    assert steps_of(tree).startswith("40860 → 4086")
