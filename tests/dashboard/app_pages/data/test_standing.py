"""What leaves, and what was settled."""

import numpy as np
import pandas as pd

from dashboard.app_pages.data.standing import fates, steps_of
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
