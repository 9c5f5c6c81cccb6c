"""Hierarchies are proposed that an expert would draw, and that hold every value."""

import pandas as pd
import pytest

from engine.data.kinds import Kind, Role
from engine.data.propose import (
    HierarchyProposal,
    add_proposed_hierarchies,
    suggest_columns,
)
from engine.files import read_table

TRADES = ["47.11", "47.12", "10.71", "62.01", "01.11", "86.10", "47.11"]


@pytest.mark.parametrize(
    ("name", "values", "row"),
    [
        (
            "PLZ",
            ["01067", "10115", "80331", "50667", "20095"],
            ("01067", "0106*", "010**", "01***", "0****", "*"),
        ),
        # Read as numbers: the leading zero is gone, but not its region.
        (
            "zip",
            [1067, 10115, 80331, 50667, 20095],
            ("1067", "0106*", "010**", "01***", "0****", "*"),
        ),
        (
            "postcode",
            ["LS12 3AB", "SW1A 1AA", "M1 1AE", "B33 8TH", "CR2 6XH"],
            ("LS12 3AB", "LS12 3", "LS12", "LS", "*"),
        ),
        (
            "kod pocztowy",
            ["30-123", "30-124", "31-555", "00-950", "02-001"],
            ("30-123", "30-12*", "30-1**", "30****", "3*****", "*"),
        ),
        ("nace", TRADES, ("47.11", "47.1", "47", "*")),
        (
            "ATECO",
            ["10.71.10", "25.11.00", "47.11.20", "62.01.00"],
            ("10.71.10", "10.71.1", "10.71", "10.7", "10", "*"),
        ),
        ("isco08", [2310, 5120, 9112, 4110], ("2310", "231*", "23**", "2***", "*")),
        ("icd10", ["E11.9", "E11.5", "I10", "J45.0"], ("E11.9", "E11", "E", "*")),
        (
            "dob",
            pd.to_datetime(["1950-01-05", "1971-08-30", "1988-12-01"]),
            ("1950-01-05", "1950-01", "1950-Q1", "1950", "*"),
        ),
        (
            "age",
            [17, *range(20, 40)],
            ("17", "[15, 19]", "[10, 19]", "[0, 19]", "*"),
        ),
    ],
)
def test_steps_are_those_of_the_code(
    name: str, values: list[object], row: tuple[str, ...]
) -> None:
    column = pd.Series(values, name=name)
    (suggestion,) = suggest_columns(column.to_frame())
    assert suggestion.steps is not None
    tree = suggestion.steps.build(column)
    assert row in tree.rows
    assert not tree.uncovered_values(column)
    assert suggestion.steps.to_message


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sex", ["m", "f", "m"]),
        ("name", ["Anna Meier", "Ben Okafor", "Carla Li", "Dan Wu"]),
        ("turnover", [1.5, 2.5, 3.75]),
        ("region", ["North", "South", "West"]),
        ("Bundesland", [*range(1, 17)]),
        ("federal state", [f"{i:02}" for i in range(1, 17)]),
    ],
)
def test_what_has_no_steps_gets_none(name: str, values: list[object]) -> None:
    (suggestion,) = suggest_columns(pd.DataFrame({name: values}))
    assert suggestion.steps is None


def test_only_protected_codes_get_their_hierarchy_by_themselves() -> None:
    table = read_table(
        pd.DataFrame(
            {
                "nace": TRADES,
                "age": range(20, 27),
                "icd10": ["I10", "E11.9", "E11.5", "J45.0", "I10", "I50.1", "F32.1"],
            }
        )
    )
    proposed = add_proposed_hierarchies(table)
    trees = [c.name for c in proposed.schema.columns if c.hierarchy is not None]
    assert trees == ["nace"]
    assert proposed.fingerprint == table.fingerprint
    # What somebody has said is not proposed any more.
    assigned_table = table.assign(kinds={"nace": Kind.NOMINAL})
    assert add_proposed_hierarchies(assigned_table).schema["nace"].hierarchy is None
    other = table.assign(roles={"nace": Role.CONFIDENTIAL})
    assert add_proposed_hierarchies(other).schema["nace"].hierarchy is None


def test_values_that_are_short_of_levels_stay_themselves() -> None:
    tree = HierarchyProposal("dots").build(pd.Series(["47.11", "47"]))
    assert tree.rows == (("47", "47", "47", "*"), ("47.11", "47.1", "47", "*"))
