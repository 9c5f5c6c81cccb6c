"""Counting persons agrees with sets, written out."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.data.persons import (
    code_persons,
    count_near_duplicates,
    count_persons,
    finest_repeating_column,
    has_repeated_persons,
    k_of_persons,
    person_value_matching_sizes,
    person_weights,
    persons_per_class,
)
from engine.release.people import k_of_people
from tests.properties import share_of_examples
from tests.reference.persons import k_persons

RECORDS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-1, 4)), min_size=1, max_size=12
)


def _arrays(records: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    classes = pd.factorize(np.array([class_label for class_label, _ in records]))[
        0
    ].astype(np.int64)
    return classes, np.array([person for _, person in records], dtype=np.int64)


@given(RECORDS)
def test_classes_hold_as_many_persons_as_their_sets(
    records: list[tuple[int, int]],
) -> None:
    classes, codes = _arrays(records)
    sets: list[set[int]] = [set() for _ in range(classes.max() + 1)]
    for class_number, person in zip(classes.tolist(), codes.tolist(), strict=True):
        sets[class_number] |= {person} - {-1}
    assert persons_per_class(classes, codes).tolist() == list(map(len, sets))


@given(RECORDS)
def test_k_of_persons_is_that_of_sets_written_out(
    records: list[tuple[int, int]],
) -> None:
    classes, codes = _arrays(records)
    for knows in ("one", "all"):
        fewest = k_persons(classes.tolist(), codes.tolist(), knows)
        assert k_of_persons(classes, codes, knows) == fewest


def test_a_person_is_what_all_columns_say() -> None:
    frame = pd.DataFrame(
        {"hospital": ["a", "a", "b", "a", None], "patient": [1, 2, 1, 1, 1]}
    )
    codes = code_persons(frame, ("hospital", "patient"))
    assert codes.tolist() == [0, 1, 2, 0, -1]
    assert count_persons(codes) == 3


def test_blanks_are_nobody_and_case_tells_persons_apart() -> None:
    frame = pd.DataFrame({"id": ["a1", "A1", " ", "b", "a1 ", np.nan]})
    assert code_persons(frame, ("id",)).tolist() == [0, 1, -1, 2, 3, -1]
    assert count_near_duplicates(frame, ("id",)) == 2


IDENTIFIERS = st.sampled_from([17, "17", 17.0, "17.0", "x", "X", 3.5, "3.5", None, ""])


@settings(max_examples=share_of_examples(0.5))
@given(
    st.lists(st.tuples(IDENTIFIERS, st.integers(0, 2)), min_size=1, max_size=9),
    st.sampled_from([object, "category"]),
)
def test_persons_are_those_of_the_written_file(
    rows: list[tuple[object, int]], dtype: Any
) -> None:
    """As one person counts what is equal, or is written with the same text."""
    ids, values = (pd.Series(each, dtype=object) for each in zip(*rows, strict=True))
    frame = pd.DataFrame({"id": ids.astype(dtype), "value": values.astype(int)})
    n, ids = len(rows), frame["id"].astype(object)
    same = [
        [not pd.isna(a) and a != "" and (a == b or str(a) == str(b)) for b in ids]
        for a in ids
    ]
    same_person_mask = np.linalg.matrix_power(np.array(same, dtype=float), n) > 0
    codes = code_persons(frame, ("id",))
    for a in range(n):
        assert (codes[a] == -1) == (not same[a][a])
        for b in range(n):
            assert (codes[a] == codes[b] != -1) == same_person_mask[a, b]
    person_codes = codes[codes >= 0]
    assert pd.factorize(person_codes)[0].tolist() == person_codes.tolist()
    classes = pd.factorize(frame["value"])[0].astype(np.int64)
    for knows in ("one", "all"):
        counted = k_of_people(frame, ["value"], frame[["id"]], knows)
        assert counted == k_persons(classes.tolist(), codes.tolist(), knows)


def test_a_text_and_a_number_that_are_written_alike_are_no_near_duplicates() -> None:
    frame = pd.DataFrame({"id": [17, "17", "x", "X"]}, dtype=object)
    assert count_near_duplicates(frame, ("id",)) == 1


def test_without_a_repetition_nobody_need_be_counted() -> None:
    assert not has_repeated_persons(np.array([2, 0, 1]))
    assert has_repeated_persons(np.array([0, 1, 0]))
    assert has_repeated_persons(np.array([0, -1, 1]))


def test_of_several_identifiers_that_repeat_the_finest_is_taken() -> None:
    frame = pd.DataFrame(
        {
            "visit": range(8),
            "doctor": list("aabbaabb"),
            "patient": [1, 1, 2, 2, 3, 3, 4, 4],
            "study": ["s"] * 8,
            "passport": [1, 1, *[None] * 6],
        }
    )
    assert finest_repeating_column(frame, tuple(frame)) == "patient"
    assert finest_repeating_column(frame, ("visit", "study", "passport")) is None


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 2, st.integers(-1, 3)), min_size=1))
def test_values_of_different_persons_are_a_largest_matching(
    records: list[tuple[int, int, int]],
) -> None:
    classes = pd.factorize(np.array([class_label for class_label, _, _ in records]))[
        0
    ].astype(np.int64)
    values = np.array([value for _, value, _ in records])
    codes = np.array([person for _, _, person in records])
    matching_sizes = person_value_matching_sizes(classes, values, codes)
    for class_label, count in enumerate(matching_sizes.tolist()):
        class_mask = (classes == class_label) & (codes >= 0)
        pairs = {
            *zip(values[class_mask].tolist(), codes[class_mask].tolist(), strict=True)
        }
        best = max(
            size
            for size in range(4)
            for some in combinations(pairs, size)
            if len({v for v, _ in some}) == len({p for _, p in some}) == size
        )
        assert count == best


@given(RECORDS)
def test_everybody_counts_once_in_each_class(records: list[tuple[int, int]]) -> None:
    classes, codes = _arrays(records)
    sums = np.bincount(classes, person_weights(classes, codes))
    np.testing.assert_allclose(sums, persons_per_class(classes, codes))
