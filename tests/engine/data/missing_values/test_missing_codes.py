"""Codes that stand for missing values are noticed, with counts."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.data.kinds import Kind
from engine.data.missing_values.missing_codes import (
    apply_missing_codes,
    find_missing_codes_by_column,
    near_certain_missing_codes_by_column,
)
from engine.data.schema import Column, Schema
from engine.data.table import Origin, Table
from engine.files import ReadOptions, read_table
from engine.hierarchy import leaf_text_of


def test_words_among_numbers_are_counted_and_judged_codes_are_not_asked_again() -> None:
    content = b"x;y\n" + b"NA;-9\n.;-9\nNA;3\n2.5;4\n7;5\n8;6\n"
    table = read_table(content, name="a.csv")
    codes_by_column = find_missing_codes_by_column(table)
    facts_by_code = {
        missing_code.code: (missing_code.count, missing_code.applied)
        for missing_code in codes_by_column["x"]
    }
    assert facts_by_code == {"NA": (2, True), ".": (1, True)}
    assert [missing_code.code for missing_code in codes_by_column["y"]] == ["-9"]
    read_options = ReadOptions(missing={"y": ()})
    assert "y" not in find_missing_codes_by_column(
        read_table(content, name="a.csv", options=read_options)
    )


def asked(values: list[str | None]) -> list[str]:
    """Return the codes noticed in a column of these values, ten times each."""
    table = Table.from_frame(
        pd.DataFrame({"a": values * 10}), Schema((Column("a", Kind.NOMINAL),))
    )
    return [
        missing_code.code
        for missing_code in find_missing_codes_by_column(table).get("a", ())
    ]


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


def certain(values: list[object], label: str = "") -> list[str]:
    """Return the codes of a column that are missing without doubt."""
    frame = pd.DataFrame({"a": values, "b": range(len(values))})
    schema = Schema((Column("a", Kind.CONTINUOUS), Column("b", Kind.CONTINUOUS)))
    origin = Origin("stata", {"labels": {"a": label}})
    codes_by_column = near_certain_missing_codes_by_column(
        Table.from_frame(frame, schema, origin)
    )
    return [missing_code.code for missing_code in codes_by_column.get("a", ())]


@pytest.mark.parametrize(
    ("codes", "others"),
    [
        ([999, 999], range(18, 90)),
        ([-9, -9], range(100, 150)),
        ([-99.9, -99.9], [-20.5, -3.25, 0.5, 18.0, 31.75]),
        ([-999, -999], range(-20, 30)),
        ([98, 99, 99], range(60)),
        ([-9, -9, -8, -8], range(5, 90)),
        ([9999, 9998, 9999], range(1950, 2020)),
        ([99, 99], [0, 1, 2, 3, 4, 5]),
    ],
)
def test_what_is_repeated_far_outside_is_missing_without_doubt(
    codes: list[object], others: Iterable[object]
) -> None:
    code_texts = {leaf_text_of(float(code)) for code in codes}  # type: ignore[arg-type]
    assert {*certain([*others, *codes])} == code_texts


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3, 4, 5, 9, 9, 9],
        [-1, 0, 1] * 5,
        [*range(100)] * 2,
        [*range(60), 999],
        [*range(95), 99, 99],
        ["none", "driver", "both"] * 4,
        ["NA", "DE", "FR"] * 4,
    ],
)
def test_steps_of_a_scale_and_single_values_are_not(values: list[object]) -> None:
    assert certain(values) == []


def test_a_label_may_say_what_is_missing() -> None:
    values = [1, 2, 3, 4, 5, 9, 9, 9]
    assert certain(values, "Trust (1 none to 5 all; 9 = refused)") == ["9"]
    assert certain(values, "Trust (9 = very high)") == []


def test_a_code_is_found_however_the_file_writes_its_decimals() -> None:
    content = b"x,y\n" + b"-999.0,1\n2.5,2\n-999.00,3\n-999,4\n7.25,5\n"
    options = ReadOptions(missing={"x": ("-999",)})
    assert read_table(content, name="a.csv", options=options).frame["x"].count() == 2


def test_codes_made_missing_are_as_if_the_file_had_been_read_so() -> None:
    rows = [f"{i},{'N' if i % 7 == 0 else 100 + i * 3},{i / 4}" for i in range(60)]
    rows += ["999,250,-99.9"] * 3
    content = "\n".join(["age,wage,temp", *rows]).encode()
    table = read_table(content, name="a.csv")
    codes = near_certain_missing_codes_by_column(table)
    assert {
        name: [missing_code.code for missing_code in some]
        for name, some in codes.items()
    } == {
        "age": ["999"],
        "wage": ["N"],
        "temp": ["-99.9"],
    }
    texts = {
        name: [missing_code.code for missing_code in some]
        for name, some in codes.items()
    }
    reread_table = read_table(content, name="a.csv", options=ReadOptions(missing=texts))
    changed_table = apply_missing_codes(table, codes)
    assert changed_table.fingerprint == reread_table.fingerprint
    assert (
        changed_table.origin.options["missing"]
        == reread_table.origin.options["missing"]
    )


@pytest.mark.parametrize("n_numbers", [5, 30])
def test_a_word_among_few_numbers_may_be_a_level(n_numbers: int) -> None:
    values = [str(number) for number in range(n_numbers)] * 3 + ["some"] * 9
    assert certain(values) == (["some"] if n_numbers > 20 else [])


@pytest.mark.parametrize(
    ("label", "codes"), [("Did not vote", []), ("No answer", ["98"]), ("DK", ["98"])]
)
def test_a_value_that_the_file_labels_is_one(label: str, codes: list[str]) -> None:
    table = read_table(pd.DataFrame({"vote": [1.0, 2, 3, 4, 98] * 9}))
    options = {"value_labels": {"vote": [[1.0, "Red"], [98.0, label]]}}
    labelled = replace(table, origin=replace(table.origin, options=options))
    codes_by_column = find_missing_codes_by_column(labelled)
    assert [
        missing_code.code for missing_code in codes_by_column.get("vote", ())
    ] == codes


@pytest.mark.parametrize(
    ("label", "is_gap"),
    [
        ("Refused", True),
        ("No answer", True),
        ("Don't know", True),
        ("weiß nicht", True),
        ("Refused (under 16)", True),
        ("knows him personally", False),
        ("answers by telephone", False),
        ("no children", False),
    ],
)
@pytest.mark.parametrize("code", [-9, 60])
def test_what_the_file_labels_as_unsaid_is_missing_without_doubt(
    label: str, is_gap: bool, code: int
) -> None:
    frame = pd.DataFrame({"age": [*range(20, 90), *[code] * 5]})
    table = read_table(frame)
    options = {"value_labels": {"age": [(code, label)]}}
    table = replace(table, origin=Origin("spss", options))
    codes_by_column = near_certain_missing_codes_by_column(table)
    assert [missing_code.code for missing_code in codes_by_column.get("age", ())] == [
        f"{code}"
    ] * is_gap
    if is_gap:
        n_records = 5 + (code > 0)
        assert [missing_code.count for missing_code in codes_by_column["age"]] == [
            n_records
        ]


@pytest.mark.parametrize(
    "label",
    ["refused treatment", "don't know any method", "not for work", "trifft nicht zu"],
)
def test_a_label_that_may_be_an_answer_is_not_taken_for_missing(label: str) -> None:
    table = read_table(pd.DataFrame({"age": [*range(20, 90), *[60] * 5]}))
    options = {"value_labels": {"age": [(60, label)]}}
    table = replace(table, origin=Origin("spss", options))
    assert near_certain_missing_codes_by_column(table) == {}


def test_an_answer_among_answers_is_a_level_though_it_says_nothing() -> None:
    labels = [(1, "yes"), (2, "no"), (3, "Don't know")]
    for values, codes in (([1, 2, 3] * 20, []), ([1, 2, 3, 7] * 20, ["3"])):
        table = read_table(pd.DataFrame({"vote": values}))
        options = {"value_labels": {"vote": labels}}
        table = replace(table, origin=Origin("spss", options))
        codes_by_column = near_certain_missing_codes_by_column(table)
        assert [
            missing_code.code for missing_code in codes_by_column.get("vote", ())
        ] == codes


def test_ninety_nine_beside_years_that_are_as_large_is_one_of_them() -> None:
    assert certain([92, 95, 99] * 20) == []
    assert certain([1, 2, 99] * 20) == ["99"]


def test_a_frequent_last_amount_is_no_gap_though_two_columns_share_it() -> None:
    hours = np.r_[np.repeat(np.arange(1, 81), 3), [84, 85, 95], np.full(40, 99)]
    frame = pd.DataFrame({"worked": hours, "usual": hours[::-1], "other": 1})
    suspected = find_missing_codes_by_column(read_table(frame))
    assert [code.code for code in suspected["worked"]] == ["99"]  # asked
    assert near_certain_missing_codes_by_column(read_table(frame)) == {}
    # Two of them, each more frequent than any amount, are no last amount.
    refused = frame.replace({name: dict.fromkeys(range(10, 20), 98) for name in frame})
    codes_by_column = near_certain_missing_codes_by_column(read_table(refused))
    assert {
        n: [code.code for code in codes] for n, codes in codes_by_column.items()
    } == {
        "worked": ["98", "99"],
        "usual": ["98", "99"],
    }
    rare_code_frame = frame.astype(float).mask(frame == 99, 30)
    rare_code_frame.loc[0, ["worked", "usual"]] = 999  # once, but in two columns
    codes_by_column = near_certain_missing_codes_by_column(read_table(rare_code_frame))
    assert {name: codes_by_column[name][-1].code for name in codes_by_column} == {
        "worked": "999",
        "usual": "999",
    }


@pytest.mark.parametrize(
    ("name", "is_certain"), [("ADY", False), ("day", False), ("visits", True)]
)
def test_days_before_the_first_one_are_no_codes_without_doubt(
    name: str, is_certain: bool
) -> None:
    days = np.repeat([-7, -1, *range(1, 60, 2)], 8)
    codes_by_column = near_certain_missing_codes_by_column(
        read_table(pd.DataFrame({name: days}))
    )
    assert (name in codes_by_column) is is_certain


@pytest.mark.parametrize("word", ["bb", "N", "NA", "unknown"])
def test_codes_with_leading_zeros_stay_text_whatever_stands_among_them(
    word: str, tmp_path: Path
) -> None:
    codes = [f"{number:02}" for number in range(1, 25)]
    cells = [*codes * 12, *[word] * 30]
    (tmp_path / "p.csv").write_text("\n".join(["school", *cells]) + "\n")
    table = read_table(tmp_path / "p.csv")
    codes_by_column = near_certain_missing_codes_by_column(table)
    remaining_cells = (
        apply_missing_codes(table, codes_by_column).frame["school"].dropna()
    )
    assert {*codes} <= {*remaining_cells} <= {*codes, word}
    if word in ("bb", "N"):
        assert not codes_by_column
