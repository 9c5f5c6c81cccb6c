"""Codes that stand for missing values are noticed, with counts."""

import pandas as pd
import pytest

from engine.data.kinds import Kind
from engine.data.missing_codes import find_missing_codes
from engine.data.schema import Column, Schema
from engine.data.table import Table
from engine.files import ReadOptions, read_table


def test_words_among_numbers_are_counted_and_judged_codes_are_not_asked_again() -> None:
    content = b"x;y\n" + b"NA;-9\n.;-9\nNA;3\n2.5;4\n7;5\n8;6\n"
    table = read_table(content, name="a.csv")
    found = find_missing_codes(table)
    said = {one.code: (one.count, one.applied) for one in found["x"]}
    assert said == {"NA": (2, True), ".": (1, True)}
    assert [one.code for one in found["y"]] == ["-9"]
    told = ReadOptions(missing={"y": ()})
    assert "y" not in find_missing_codes(
        read_table(content, name="a.csv", options=told)
    )


def asked(values: list[str | None]) -> list[str]:
    """Return the codes noticed in a column of these values, ten times each."""
    table = Table.from_frame(
        pd.DataFrame({"a": values * 10}), Schema((Column("a", Kind.NOMINAL),))
    )
    return [one.code for one in find_missing_codes(table).get("a", ())]


@pytest.mark.parametrize(
    "values",
    [
        ["m", "w", "x"],
        ["male", "female", "X"],
        ["x", None],
        ["+", "-"],
        ["+", "++", "-"],
        ["DE", "NA", "FR"],
        ["EU", "NA", "AS"],
        ["sd", "nd", "sw", "ne"],
        ["none", "none", "pollen", "nuts"],
        ["brak", "brak", "tak"],
    ],
)
def test_a_category_like_the_others_is_no_missing_value(
    values: list[str | None],
) -> None:
    assert asked(values) == []


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (["m", "w", "NA"], "NA"),
        (["m", "w", "-"], "-"),
        (["yes", "no", "?"], "?"),
        (["yes", "no", "no answer"], "no answer"),
        (["pollen", "pollen", "nuts", "nuts", "none"], "none"),
        (["Anna", "Bo", "unknown"], "unknown"),
        (["12 %", "7 %", "8 %", "x"], "x"),
    ],
)
def test_a_word_unlike_the_others_may_be_one(values: list[str], code: str) -> None:
    assert asked(values) == [code]
