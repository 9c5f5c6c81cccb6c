"""What a cell says, as people wrote it."""

import pandas as pd
import pytest

from engine.release.meaning import InputCellFormat


@pytest.mark.parametrize(
    ("cell", "other"), [("1,50 €", 1.6), ("-1,50 €", 1.5), ("1,50 €", None)]
)
def test_another_number_than_people_wrote_is_found(cell: str, other: object) -> None:
    form = {"decimal": ",", "decimals": 2, "suffix": " €"}
    reading = InputCellFormat(",", form, frozenset({"NA"}))
    assert not reading.is_same(cell, other)
    assert reading.is_same(cell, -1.5 if cell.startswith("-") else 1.5)


def test_another_day_than_people_wrote_is_found() -> None:
    reading = InputCellFormat(form={"pattern": "%-d.%-m.%Y"})
    assert reading.is_same("01.2.2020", pd.Timestamp(2020, 2, 1))
    assert not reading.is_same("1.2.2020", pd.Timestamp(2020, 1, 2))
    assert not reading.is_same("1.2.2020", pd.Timestamp(2020, 2, 1, 5))
    assert not reading.is_same("1.2.2020", None)
