"""Codes that stand for missing values are noticed, with counts."""

from engine.data.missing_codes import missing_codes
from engine.files import ReadOptions, read_table


def test_words_among_numbers_are_counted_and_judged_codes_are_not_asked_again() -> None:
    content = b"x;y\n" + b"NA;-9\n.;-9\nNA;3\n2.5;4\n7;5\n8;6\n"
    table = read_table(content, name="a.csv")
    found = missing_codes(table)
    said = {one.code: (one.count, one.applied) for one in found["x"]}
    assert said == {"NA": (2, True), ".": (1, True)}
    assert [one.code for one in found["y"]] == ["-9"]
    told = ReadOptions(missing={"y": ()})
    assert "y" not in missing_codes(read_table(content, name="a.csv", options=told))
