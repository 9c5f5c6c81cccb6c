"""What leaves, and what was settled."""

import pandas as pd

from dashboard.app_pages.data.summary import count_roles, generalisation_text
from engine.data.kinds import Role
from engine.hierarchy import from_prefixes
from tests.dashboard.people import people


def test_every_column_has_one_fate() -> None:
    table = people().assign({"zip": "undecided", "sex": "identifier"})
    counts = {role: count for role, count in count_roles(table).items() if count}
    assert counts == {
        Role.UNDECIDED: 1,
        Role.IDENTIFIER: 1,
        Role.QUASI_IDENTIFIER: 1,
        Role.CONFIDENTIAL: 1,
    }
    assert set(count_roles(table)) == set(Role)


def test_a_hierarchy_is_told_by_what_one_value_becomes() -> None:
    tree = from_prefixes(pd.Series(["40851", "40860", "51000"]), [4, 3])
    assert generalisation_text(tree).startswith("40860 → 4086")
