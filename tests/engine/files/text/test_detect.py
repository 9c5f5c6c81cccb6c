"""Which character parts the fields, and whether the first record is names."""

import csv

import pytest

from engine.core.text.csv_rows import iterate_csv_rows
from engine.files.text.detect import has_header, infer_delimiter, parse_first_records

DELIMITED = [
    ("a,b,c\n1,2,3\n", ","),
    ("a;b;c\n1,5;2,5;3,5\n", ";"),
    ("1,5;2,5;3,5\n4,5;5,5;6,5\n", ";"),
    ("a\tb\n1,5\t2\n", "\t"),
    ("a|b\n1|2\n", "|"),
    ('a,b\n"x;y",2\n"u;v",3\n', ","),
    ('name,text\nx,"one; two"\ny,three\n', ","),
    ("name;amount, EUR\nx;1,5\ny;2,5\n", ";"),
    ("a,b\n1,2\n3,4,5\n6,7\n", ","),
    ('a,"b;"\n1,2\n3,4\n', ","),
    ('a,b\n1,"x;"\n2,y\n3,"z;"\n4,u\n', ","),
    ('a;"b|"\n1;2\n3;4\n', ";"),
    ('"a\t"|b\n1|2\n3|4\n', "|"),
]


@pytest.mark.parametrize(("text", "delimiter"), DELIMITED)
def test_the_delimiter_is_found(text: str, delimiter: str) -> None:
    assert infer_delimiter(text, is_whole_file=True) == delimiter


@pytest.mark.parametrize(("text", "delimiter"), DELIMITED)
def test_a_record_cut_short_does_not_mislead(text: str, delimiter: str) -> None:
    longer = text + text.splitlines()[1] + "\n"
    assert infer_delimiter(longer + longer[:3], is_whole_file=False) == delimiter


@pytest.mark.parametrize(
    "text", ["x\n1\n2\n", "x\n1,5\n2,5\n", "name\nAda Lovelace\nAlan Turing\n", "x"]
)
def test_one_column_is_not_split(text: str) -> None:
    delimiter = infer_delimiter(text, is_whole_file=True)
    assert {len(record) for record in parse_first_records(text, delimiter)} == {1}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n", True),
        ("a,b\nx,y\nu,v\n", True),
        ("1,2\n3,4\n", False),
        ("1.5,a\n3.5,b\n", False),
        ("north,1.5\nsouth,2.5\n", False),
        ("amsterdam,f\nutrecht,f\namsterdam,m\n", False),
        ("id,2019,2020\n1,5.5,6\n2,7,8\n", True),
        ("region,2019,2020\nu,5,6\nv,7,8\n", True),
        ("2019,2020,2021\n1.5,2,3\n4,5,6\n", True),
        ("2019,2020\n2019,2020\n2018,2020\n", False),
        ("0,1,2\n0.3,0.4,0.5\n", True),
        ("1,2,3\n0.3,0.4,0.5\n", True),
        ("day,x\n2020-01-01,1\n2020-01-02,2\n", True),
        ("2020-01-01,u\n2020-01-02,v\n", False),
        ("a,NA\n1,2\n3,4\n", True),
        ("NA,1\n2,3\n4,5\n", False),
        ("a,\nx,1\ny,2\n", True),
        ("a,b\n", True),
        ("1,2\n", False),
    ],
)
def test_names_are_told_from_data(text: str, names: bool) -> None:
    assert has_header(parse_first_records(text, ",")) is names


def test_a_long_field_is_read_whatever_others_have_set_and_their_limit_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Rows of which an error's traceback keeps the rest would still be being read.
    monkeypatch.setattr("engine.core.text.csv_rows._limits_before", [])
    former = csv.field_size_limit(100)
    try:
        long = "x" * 200_000
        assert parse_first_records(f"a;b\n{long};2\n", ";")[1] == [long, "2"]
        assert csv.field_size_limit() == 100
        reader, other = (iterate_csv_rows(["a,b", f"{long},2"], ",") for _ in range(2))
        assert next(reader) == next(other) == ["a", "b"]
        reader.close()  # the first that began ends first
        assert next(other) == [long, "2"]
        other.close()
        assert csv.field_size_limit() == 100
    finally:
        csv.field_size_limit(former)
