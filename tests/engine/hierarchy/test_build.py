"""Whatever the values, what is built covers them all and is a tree."""

import datetime

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import InputError, ParameterError
from engine.hierarchy import (
    DATE_LEVELS,
    flat_hierarchy,
    from_dates,
    from_intervals,
    from_prefixes,
)
from tests.engine.hierarchy.strategies import labels

numbers = st.floats(-1e6, 1e6).map(lambda x: round(x, 3)) | st.integers(-(10**6), 10**6)


@given(st.lists(labels | st.none() | numbers, min_size=1))
def test_flat_covers_every_value(values: list[object]) -> None:
    column = pd.Series(values, dtype=object)
    if column.notna().any():
        tree = flat_hierarchy(column)
        assert tree.height == 1
        assert tree.uncovered_values(column) == ()
        assert flat_hierarchy(column[::-1]) == tree


def test_flat_keeps_the_order_of_categories_and_of_numbers() -> None:
    sizes = pd.Categorical(["large", "small"], ["small", "medium", "large"])
    assert flat_hierarchy(pd.Series(sizes)).leaves == ("small", "large")
    assert flat_hierarchy(pd.Series([10, 9, 100])).leaves == ("9", "10", "100")


@given(st.lists(labels, min_size=1))
def test_prefixes_cover_every_value_and_lose_one_character_a_level(
    values: list[str],
) -> None:
    tree = from_prefixes(values)
    longest = max(map(len, values))
    assert tree.uncovered_values(pd.Series(values, dtype=object)) == ()
    assert tree.height == longest
    for row in tree.rows:
        for level, label in enumerate(row[1:-1], start=1):
            assert label[: longest - level] == row[0].ljust(longest, "*")[:-level]
            assert label[longest - level :] == "*" * level


def test_prefixes_keep_what_is_asked_for() -> None:
    tree = from_prefixes(["01152", "02101"], keep=[3, 1])
    assert tree.rows[0] == ("01152", "011**", "0****", "*")


@pytest.mark.parametrize("keep", [[5], [0], [1, 2], [2, 2], [-1]])
def test_prefixes_that_cannot_be_are_refused(keep: list[int]) -> None:
    with pytest.raises(ParameterError, match="falling numbers from 4 to 1"):
        from_prefixes(["01152"], keep)


@given(
    st.lists(numbers, min_size=1),
    st.sampled_from([0.1, 0.5, 1, 2.5, 5, 1000]),
    st.lists(st.integers(2, 5), max_size=3),
    numbers,
)
def test_each_number_lies_in_its_intervals(
    values: list[float], first: float, factors: list[int], origin: float
) -> None:
    widths = [first]
    for factor in factors:
        widths.append(round(widths[-1] * factor, 6))
    tree = from_intervals(values, widths, origin)
    assert tree.uncovered_values(pd.Series(values, dtype=object)) == ()
    assert tree.height == len(widths) + 1
    for row in tree.rows:
        for label in row[1:-1]:
            low, high = _ends(label)
            assert low <= float(row[0]) <= high
            assert float(row[0]) < high or not label.endswith(")")


def _ends(label: str) -> tuple[float, float]:
    ends = label.strip("[])").split(", ")
    return float(ends[0]), float(ends[-1])


def test_intervals_of_whole_numbers_show_both_ends() -> None:
    tree = from_intervals([0, 47, 50, -3], widths=[5, 10, 20])
    assert tree.rows == (
        ("-3", "[-5, -1]", "[-10, -1]", "[-20, -1]", "*"),
        ("0", "[0, 4]", "[0, 9]", "[0, 19]", "*"),
        ("47", "[45, 49]", "[40, 49]", "[40, 59]", "*"),
        ("50", "[50, 54]", "[50, 59]", "[40, 59]", "*"),
    )


def test_tenths_fall_exactly_on_their_bounds() -> None:
    tree = from_intervals([0.1 * 3, 0.3, 0.7], widths=[0.1])
    assert [row[1] for row in tree.rows] == ["[0.3, 0.4)", "[0.3, 0.4)", "[0.7, 0.8)"]


def test_cut_points_leave_both_ends_open() -> None:
    tree = from_intervals([17, 18, 64, 65], cuts=[18, 65])
    assert [row[1] for row in tree.rows] == ["<18", "[18, 64]", "[18, 64]", ">=65"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "one of the two"),
        ({"widths": [5], "cuts": [3]}, "one of the two"),
        ({"widths": [5, 12]}, "width 5 do not fit into intervals of width 12"),
        ({"widths": [5, 5]}, "multiple of the one before"),
        ({"widths": [0]}, "above 0"),
        ({"widths": [-5]}, "above 0"),
        ({"widths": [float("inf")]}, "give a number"),
        ({"cuts": [5, 3]}, "5, 3, but must be rising"),
        ({"cuts": [3, 3]}, "must be rising"),
    ],
)
def test_intervals_that_cannot_be_are_refused(
    options: dict[str, list[float]], says: str
) -> None:
    with pytest.raises(ParameterError, match=says):
        from_intervals([1, 2], **options)


@pytest.mark.parametrize("bad", ["forty", "inf", "1e999999999", "1/2", "1e-99999999"])
def test_a_word_has_no_interval(bad: str) -> None:
    with pytest.raises(InputError, match=f"'{bad}' is no number"):
        from_intervals(["40", bad], widths=[5])


dates = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1))


@given(st.lists(dates, min_size=1), st.sets(st.sampled_from([*DATE_LEVELS])))
def test_dates_cover_every_value(
    values: list[datetime.datetime], chosen: set[str]
) -> None:
    levels = [name for name in DATE_LEVELS if name in chosen] or ["year"]
    column = pd.Series(values)
    tree = from_dates(column, levels)
    assert tree.uncovered_values(column) == ()
    assert list(tree.leaves) == sorted(tree.leaves)
    assert tree.height == len(levels) + 1


def test_dates_climb_the_calendar() -> None:
    tree = from_dates(pd.to_datetime(["2023-12-31", "2023-01-05"]).to_series())
    assert tree.rows == (
        ("2023-01-05", "2023-01", "2023-Q1", "2023", "*"),
        ("2023-12-31", "2023-12", "2023-Q4", "2023", "*"),
    )
    assert from_dates(["2023-01-05T10:00"], ["day"]).rows[0][1] == "2023-01-05"


@pytest.mark.parametrize("levels", [[], ["week"], ["year", "month"], ["day", "day"]])
def test_levels_that_are_no_climb_are_refused(levels: list[str]) -> None:
    with pytest.raises(ParameterError, match="day, month, quarter, year, in this"):
        from_dates(["2023-01-05"], levels)


def test_a_word_is_no_date() -> None:
    with pytest.raises(InputError, match="'soon' is no date"):
        from_dates(["2023-01-05", "soon"])


@pytest.mark.parametrize("build", [flat_hierarchy, from_prefixes, from_dates])
def test_a_column_without_values_has_no_hierarchy(build: object) -> None:
    with pytest.raises(InputError, match="has no values"):
        build(pd.Series([None, None]))  # type: ignore[operator]
